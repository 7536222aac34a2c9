import { egressOf } from '../model/egress.js';
import type {
  ListenerIntent,
  PoolIntent,
  Protocol,
  ProviderIntent,
  SegmentIntent,
  TenantIntent,
} from '../model/types.js';
import { PROVIDER_TENANT } from '../model/types.js';
import { attachments } from './attachments.js';
import {
  type Endpoint,
  endpointsOf,
  innerPrefixes,
  networkOf,
  ownAddresses,
  poolOf,
  trackedMembers,
  vipsOf,
  watchedHosts,
} from './lookups.js';
import { puntMeters } from './punt.js';
import { goto, OwnerRules } from './rules.js';
import { ingressNode, ingressSegment } from './table-00-ingress.js';
import { classifyL2Node, classifyL2Segment } from './table-01-classify-l2.js';
import {
  classifyL3Hairpin,
  classifyL3Listener,
  classifyL3Provider,
  classifyL3Segment,
  classifyL3Vip,
} from './table-02-classify-l3.js';
import { arpPublicVip, arpSegment, arpVip } from './table-05-arp.js';
import { echoNode } from './table-06-echo.js';
import { listenerNode, listenerRules } from './table-10-listener.js';
import { slotRules } from './table-11-slots.js';
import { memberRules } from './table-12-member.js';
import {
  type ReverseL3,
  reverseL3Endpoint,
  reverseL3Fragments,
  reverseL3Tenant,
} from './table-15-reverse-l3.js';
import { afterCtListener } from './table-16-after-ct.js';
import { statelessReverse } from './table-17-reverse-stateless.js';
import {
  routesNetwork,
  routesSegment,
  routesStatic,
  routesTenant,
  routesUntranslated,
} from './table-20-routes.js';
import { adjacencyRules, adjacencyTenant } from './table-21-adjacency.js';
import { reverseL2Endpoint, reverseL2Fragments, reverseL2Tenant } from './table-24-reverse-l2.js';
import { fdbSegment } from './table-25-fdb.js';
import { toSenderNode } from './table-26-to-sender.js';
import { tenantRate } from './table-30-tenant-rate.js';
import { TABLE_LIST, tableByNumber } from './tables.js';
import { type Facts, KIND, type OwnerState, type ResolvedNeighbour } from './types.js';

const NOBODY_SERVES: ReadonlySet<number> = new Set();
const PROTOCOLS: readonly Protocol[] = ['TCP', 'UDP'];

/** The node's own rules and the external networks. */
export function renderNode(provider: ProviderIntent, facts: Facts): OwnerState[] {
  return [
    renderBase(),
    renderProviderRules(),
    ...provider.networks.flatMap((network) => [
      renderNetwork(network, facts),
      renderNeighbours(PROVIDER_TENANT, network, neighboursOf(PROVIDER_TENANT, network, facts)),
    ]),
  ];
}

/** All owners of a tenant; each is what its own function below gives. */
export function renderTenant(tenant: TenantIntent, facts: Facts, provider: ProviderIntent): OwnerState[] {
  return [
    renderTenantRules(tenant, provider),
    ...tenant.segments.map((segment) => renderSegment(tenant, segment, facts)),
    ...tenant.segments.map((s) => renderNeighbours(tenant.id, s, neighboursOf(tenant.id, s, facts))),
    ...tenant.listeners.map((listener) => renderListener(tenant, listener, provider)),
    ...tenant.pools.map((pool) => renderPool(tenant, pool, facts.serving.get(pool.id) ?? NOBODY_SERVES)),
    ...[...endpointsOf(tenant).values()].map((endpoint) => renderEndpoint(tenant, endpoint, provider)),
  ];
}

/** Tenant 0: misses of all tables, and what needs no tenant. */
export function renderBase(): OwnerState {
  const rules = new OwnerRules({ tenant: 0, kind: KIND.node, object: 0 });
  ingressNode(rules);
  classifyL2Node(rules);
  echoNode(rules);
  listenerNode(rules);
  toSenderNode(rules);
  for (const table of TABLE_LIST) {
    if (table.miss === 'drop') rules.node(table, 0, []);
    else if ('goto' in table.miss) rules.node(table, 0, [], goto(tableByNumber(table.miss.goto)!));
  }
  return rules.state();
}

function renderProviderRules(): OwnerState {
  const rules = new OwnerRules({ tenant: PROVIDER_TENANT, kind: KIND.tenant, object: 0 });
  rules.meter(...puntMeters(PROVIDER_TENANT));
  classifyL3Provider(rules);
  adjacencyTenant(rules);
  routesTenant(rules);
  return rules.state();
}

/** An external network: a segment of the provider. */
export function renderNetwork(network: SegmentIntent, facts: Pick<Facts, 'ports'>): OwnerState {
  const rules = new OwnerRules({ tenant: PROVIDER_TENANT, kind: KIND.segment, object: network.id });
  const at = attachments(network, facts.ports);
  const watched = network.externalGateway === undefined ? [] : [network.externalGateway];
  ingressSegment(rules, network, at, false);
  classifyL2Segment(rules, network);
  classifyL3Segment(rules, network);
  arpSegment(rules, network, ownAddresses(network), watched);
  routesNetwork(rules, network);
  fdbSegment(rules, network, at);
  return rules.state();
}

/** What belongs to no smaller owner: VIPs, static routes, ICMP errors, meters for packets to the agent. */
export function renderTenantRules(tenant: TenantIntent, provider: ProviderIntent): OwnerState {
  const rules = new OwnerRules({ tenant: tenant.id, kind: KIND.tenant, object: 0 });
  rules.meter(...puntMeters(tenant.id, tenant.pools));
  for (const vip of vipsOf(tenant)) {
    const network = networkOf(vip.at, provider);
    classifyL3Vip(rules, vip, tenant, network);
    const home =
      vip.at.kind === 'segment' ? tenant.segments.find((s) => s.id === vip.at.segmentId) : undefined;
    if (home) arpVip(rules, home, vip.address);
    if (network) arpPublicVip(rules, network, vip.address);
  }
  if (tenant.listeners.some((l) => l.mode === 'stateful')) {
    reverseL3Tenant(rules);
    reverseL2Tenant(rules);
    for (const { protocol, address } of trackedMembers(tenant)) {
      reverseL3Fragments(rules, protocol, address);
      reverseL2Fragments(rules, protocol, address);
    }
  }
  for (const route of tenant.routes) {
    const segment = tenant.segments.find((s) => s.id === route.segmentId);
    if (segment) routesStatic(rules, route, segment);
  }
  routesTenant(rules);
  adjacencyTenant(rules);
  if (tenant.bandwidth !== undefined) tenantRate(rules, tenant.bandwidth);
  return rules.state();
}

export function renderSegment(
  tenant: TenantIntent,
  segment: SegmentIntent,
  facts: Pick<Facts, 'ports'>,
): OwnerState {
  const rules = new OwnerRules({ tenant: tenant.id, kind: KIND.segment, object: segment.id });
  const at = attachments(segment, facts.ports);
  ingressSegment(rules, segment, at, tenant.bandwidth !== undefined);
  classifyL2Segment(rules, segment);
  classifyL3Segment(rules, segment);
  arpSegment(rules, segment, ownAddresses(segment), watchedHosts(tenant, segment));
  routesSegment(rules, segment);
  fdbSegment(rules, segment, at);
  return rules.state();
}

export function renderNeighbours(
  tenantId: number,
  segment: Pick<SegmentIntent, 'id'>,
  resolved: readonly ResolvedNeighbour[],
): OwnerState {
  const rules = new OwnerRules({ tenant: tenantId, kind: KIND.neighbours, object: segment.id });
  adjacencyRules(rules, segment.id, resolved);
  return rules.state();
}

export function renderListener(
  tenant: TenantIntent,
  listener: ListenerIntent,
  provider: ProviderIntent,
): OwnerState {
  const rules = new OwnerRules({ tenant: tenant.id, kind: KIND.listener, object: listener.id });
  const pool = listener.adminStateUp ? poolOf(tenant, listener) : undefined;
  classifyL3Listener(rules, pool ? listener : { ...listener, adminStateUp: false });
  // Answers of established connections find their way while the listener is off, too.
  const network = networkOf(listener.at, provider);
  if (network && listener.mode === 'stateful') afterCtListener(rules, listener, network);
  if (!pool) return rules.state();
  const rivals = tenant.listeners.filter(
    (l) => l.vip === listener.vip && l.protocol === listener.protocol && l.mode === 'stateful',
  );
  listenerRules(rules, listener, pool, rivals.length === 1);
  if (listener.mode === 'stateful') routesUntranslated(rules, listener);
  if (listener.mode === 'stateless' && listener.at.kind === 'segment')
    statelessReverse(rules, listener, pool);
  return rules.state();
}

export function renderPool(tenant: TenantIntent, pool: PoolIntent, serving: ReadonlySet<number>): OwnerState {
  const rules = new OwnerRules({ tenant: tenant.id, kind: KIND.pool, object: pool.id });
  slotRules(rules, pool, serving);
  return rules.state();
}

/** What a (member address, port) needs, whichever pools and listeners it serves. */
export function renderEndpoint(
  tenant: TenantIntent,
  endpoint: Endpoint,
  provider: ProviderIntent,
): OwnerState {
  const rules = new OwnerRules({ tenant: tenant.id, kind: KIND.endpoint, object: endpoint.id });
  const home = egressOf(tenant, endpoint.address)?.segment;
  for (const protocol of PROTOCOLS) {
    const listeners = endpoint.listeners.filter((l) => l.protocol === protocol);
    if (listeners.length === 0) continue;
    const vips = listeners.map((l) => l.vip);
    const ambiguous = new Set(vips).size < vips.length;
    memberRules(rules, endpoint, protocol, home, ambiguous);
    for (const listener of listeners)
      if (home && vips.indexOf(listener.vip) === vips.lastIndexOf(listener.vip))
        classifyL3Hairpin(rules, endpoint, listener, home);
    const reverse = reverseOf(tenant, endpoint, protocol, listeners, provider);
    reverseL3Endpoint(rules, reverse);
    reverseL2Endpoint(rules, reverse);
  }
  return rules.state();
}

function reverseOf(
  tenant: TenantIntent,
  endpoint: Endpoint,
  protocol: Protocol,
  listeners: readonly ListenerIntent[],
  provider: ProviderIntent,
): ReverseL3 {
  const stateless = listeners.filter((l) => l.mode === 'stateless');
  const outside = stateless.find((l) => l.at.kind === 'external');
  const network = outside && networkOf(outside.at, provider);
  return {
    endpoint,
    protocol,
    stateful: listeners.some((l) => l.mode === 'stateful'),
    statelessInside: stateless.find((l) => l.at.kind === 'segment'),
    statelessExternal: outside && network ? { listener: outside, network } : undefined,
    inner: innerPrefixes(tenant),
  };
}

function neighboursOf(tenant: number, segment: SegmentIntent, facts: Facts): readonly ResolvedNeighbour[] {
  return facts.neighbours.get(`${tenant}/${segment.id}`) ?? [];
}
