/** From checked files to intents: ids given out, references resolved, addresses as integers. */
import { contains, must, parseIpv4, parseMac, parsePrefix4 } from './address.js';
import type { RawTenant } from './check-across.js';
import { compilePort, deriveMac } from './compile-node.js';
import { type IdAllocator, IdError, type Quarantined } from './ids.js';
import type { LoadedConfig } from './load.js';
import type { Problem } from './problems.js';
import { problemAt } from './source.js';
import { gatewayOf } from './subnets.js';
import type { LoadBalancerFile, MonitorFile, PoolFile, SegmentFile } from './tenant-schema.js';
import type {
  ListenerIntent,
  MonitorIntent,
  NodeConfig,
  PoolIntent,
  ProviderIntent,
  RouteIntent,
  SegmentIntent,
  TenantIntent,
} from './types.js';
import { parseBandwidth, parseExpectedCodes } from './units.js';

export interface Compiled {
  readonly provider: ProviderIntent;
  /** By name. */
  readonly tenants: ReadonlyMap<string, TenantIntent>;
  /** Numbers of what is configured no more; say `confirmFree` of each when the switch holds nothing of it. */
  readonly released: readonly Quarantined[];
  /** Tenants that couldn't get their id; they keep what they had. `waiting`: compile again after `confirmFree`. */
  readonly problems: readonly Problem[];
  readonly waiting: readonly Waiting[];
}

/** A tenant without an id until nothing of the id's former owner remains. */
export interface Waiting {
  readonly tenant: string;
  /** The one written in its file; absent: any. */
  readonly id?: number;
}

/** node.yaml changed under a tenant that stays as it was. */
class NetworkGone extends Error {
  constructor(
    readonly path: readonly (string | number)[],
    network: string,
  ) {
    super(`external network "${network}" is in node.yaml no more; name another one`);
  }
}

/** Name under which the allocator knows the node itself; no tenant can be called so. */
export const PROVIDER_NAME = '(provider)';

interface Cached {
  readonly raw: RawTenant;
  readonly intent: TenantIntent;
  readonly networks: string;
}
/**
 * What each tenant was last compiled from: one whose file didn't change keeps its intent, the same object, so a
 * change of one tenant costs as much as one. Only the last: numbers that an older form had may be at rest since.
 */
const caches = new WeakMap<IdAllocator, Map<string, Cached>>();

function cachedIntent(ids: IdAllocator, raw: RawTenant, networks: string): TenantIntent | undefined {
  const cache = caches.get(ids) ?? (ids.origin && caches.get(ids.origin));
  const found = cache?.get(raw.name);
  return found?.raw === raw && found.networks === networks ? found.intent : undefined;
}

/**
 * Compiles everything that was loaded. Await `ids.save()` before anything of it reaches the switch. For plans pass
 * `ids.fork()`. A tenant that didn't change comes back as the same object. `pause` is awaited after each tenant, so
 * that many of them don't hold up the event loop.
 */
export async function compile(
  config: Pick<LoadedConfig, 'node' | 'tenants'>,
  ids: IdAllocator,
  pause: () => Promise<void> = () => Promise.resolve(),
): Promise<Compiled> {
  ids.beginRound(new Set([PROVIDER_NAME, ...config.tenants.map((tenant) => tenant.name)]));
  const provider: ProviderIntent = {
    networks: config.node === undefined ? [] : compileProvider(config.node, ids),
  };
  const networks = new Map(provider.networks.map((network) => [network.name, network.id]));
  const tenants = new Map<string, TenantIntent>();
  const problems: Problem[] = [];
  const waiting: Waiting[] = [];
  // Numbers that are written down first, so that no given-out one is in their way.
  const order = [...config.tenants].sort(
    (a, b) =>
      Number(a.value.id === undefined) - Number(b.value.id === undefined) || (a.name < b.name ? -1 : 1),
  );
  const compiled = new Map<string, Cached>();
  const networksKey = JSON.stringify([...networks]);
  for (const tenant of order) {
    const before = cachedIntent(ids, tenant, networksKey);
    if (before !== undefined) {
      ids.retainTenant(tenant.name);
      tenants.set(tenant.name, before);
      compiled.set(tenant.name, { raw: tenant, intent: before, networks: networksKey });
      continue;
    }
    await pause();
    try {
      const intent = compileTenant(tenant, networks, ids);
      tenants.set(tenant.name, intent);
      compiled.set(tenant.name, { raw: tenant, intent, networks: networksKey });
    } catch (error) {
      if (!(error instanceof IdError || error instanceof NetworkGone)) throw error;
      const path = error instanceof IdError ? ['id'] : error.path;
      problems.push({ ...problemAt(tenant.source, path, error.message), tenant: tenant.name });
      const { id } = tenant.value;
      if (error instanceof IdError)
        waiting.push({ tenant: tenant.name, ...(id === undefined ? {} : { id }) });
      ids.retainTenant(tenant.name);
    }
  }
  caches.set(ids, compiled);
  return { provider, tenants, released: ids.sweep(), problems, waiting };
}

function compileProvider(node: NodeConfig, ids: IdAllocator): SegmentIntent[] {
  return node.externalNetworks.map((network) => ({
    id: ids.segment(PROVIDER_NAME, network.name),
    name: network.name,
    mac: network.mac,
    subnets: network.subnets.map((prefix) => ({ prefix, gateway: network.address })),
    probeAddress: network.address,
    ports: network.ports,
    learning: network.learning,
    ...(network.gateway === undefined ? {} : { externalGateway: network.gateway }),
  }));
}

function compileTenant(
  raw: RawTenant,
  networks: ReadonlyMap<string, number>,
  ids: IdAllocator,
): TenantIntent {
  const { value, name } = raw;
  const id = ids.tenant(name, value.id);
  const segments = value.segments.map((segment) => compileSegment(name, segment, ids));
  const pools = value.pools.map((pool) => compilePool(name, pool, ids));
  const poolIds = new Map(pools.map((pool) => [pool.name, pool.id]));
  const segmentIds = new Map(segments.map((segment) => [segment.name, segment.id]));
  const { connections, bandwidth } = value.limits;
  return {
    id,
    name,
    segments,
    routes: value.routes.map((route) => compileRoute(route, segments)),
    listeners: value.load_balancers.flatMap((lb, i) => {
      const network = lb.external_network === undefined ? undefined : networks.get(lb.external_network);
      if (lb.segment === undefined && network === undefined) {
        throw new NetworkGone(['load_balancers', i, 'external_network'], lb.external_network ?? '');
      }
      const at: ListenerIntent['at'] =
        network === undefined
          ? { kind: 'segment', segmentId: segmentIds.get(lb.segment!)! }
          : { kind: 'external', segmentId: network };
      return lb.listeners.map((listener) => compileListener(name, lb, listener, at, poolIds, ids));
    }),
    pools,
    ...(connections === undefined ? {} : { connectionLimit: connections }),
    ...(bandwidth === undefined ? {} : { bandwidth: must(parseBandwidth(bandwidth)) }),
  };
}

function compileSegment(tenant: string, segment: SegmentFile, ids: IdAllocator): SegmentIntent {
  const subnets = segment.subnets.map((text, i) => ({
    prefix: must(parsePrefix4(text)),
    gateway: gatewayOf(segment, i),
  }));
  return {
    id: ids.segment(tenant, segment.name),
    name: segment.name,
    mac: segment.mac === undefined ? deriveMac('segment', tenant, segment.name) : must(parseMac(segment.mac)),
    subnets,
    probeAddress:
      segment.probe_address === undefined ? subnets[0]!.gateway : must(parseIpv4(segment.probe_address)),
    ports: segment.ports.map(compilePort),
    learning: segment.limits,
  };
}

function compileRoute(
  route: { readonly destination: string; readonly next_hop: string },
  segments: readonly SegmentIntent[],
): RouteIntent {
  const nextHop = must(parseIpv4(route.next_hop));
  const segment = segments.find((s) => s.subnets.some((subnet) => contains(subnet.prefix, nextHop)));
  return { destination: must(parsePrefix4(route.destination)), nextHop, segmentId: segment!.id };
}

function compileListener(
  tenant: string,
  lb: LoadBalancerFile,
  listener: LoadBalancerFile['listeners'][number],
  at: ListenerIntent['at'],
  pools: ReadonlyMap<string, number>,
  ids: IdAllocator,
): ListenerIntent {
  const poolId = listener.default_pool === undefined ? undefined : pools.get(listener.default_pool);
  return {
    id: ids.listener(tenant, lb.name, listener.name),
    name: listener.name,
    loadBalancer: lb.name,
    vip: must(parseIpv4(lb.vip_address)),
    at,
    protocol: listener.protocol,
    port: listener.protocol_port,
    mode: listener.mode,
    allowedCidrs: listener.allowed_cidrs.map((text) => must(parsePrefix4(text))),
    adminStateUp: listener.admin_state_up,
    ...(poolId === undefined ? {} : { poolId }),
    ...(listener.connection_rate === undefined ? {} : { connectionRate: listener.connection_rate }),
  };
}

function compilePool(tenant: string, pool: PoolFile, ids: IdAllocator): PoolIntent {
  return {
    id: ids.pool(tenant, pool.name),
    name: pool.name,
    sessionPersistence: pool.session_persistence,
    slots: pool.slots,
    onAllDown: pool.on_all_down,
    drainTimeoutMs: Math.round(pool.drain_timeout * 1000),
    flushTcpOnDown: pool.flush_tcp_on_down,
    members: pool.members.map((member) => {
      const address = must(parseIpv4(member.address));
      return {
        name: member.name,
        endpointId: ids.endpoint(tenant, address, member.protocol_port),
        address,
        port: member.protocol_port,
        weight: member.weight,
        adminStateUp: member.admin_state_up,
        backup: member.backup,
      };
    }),
    ...(pool.health_monitor === undefined ? {} : { monitor: compileMonitor(pool.health_monitor) }),
  };
}

function compileMonitor(monitor: MonitorFile): MonitorIntent {
  return {
    type: monitor.type,
    delayMs: Math.round(monitor.delay * 1000),
    timeoutMs: Math.round(monitor.timeout * 1000),
    maxRetries: monitor.max_retries,
    maxRetriesDown: monitor.max_retries_down,
    httpMethod: monitor.http_method ?? 'GET',
    urlPath: monitor.url_path ?? '/',
    httpVersion: monitor.http_version ?? '1.1',
    expectedCodes: must(parseExpectedCodes(monitor.expected_codes ?? '200')),
    tcpClose: monitor.tcp_close ?? 'rst',
    udpSilence: monitor.udp_silence ?? 'up',
    ...(monitor.domain_name === undefined ? {} : { domainName: monitor.domain_name }),
  };
}
