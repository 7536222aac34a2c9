import type { ListenerIntent, SegmentIntent, TenantIntent } from '../model/types.js';
import { F } from '../nx-extensions/fields.js';
import type { Action } from '../ofp/types/action.js';
import type { MatchField } from '../ofp/types/field.js';
import { ct } from './conntrack.js';
import { type Endpoint, ownAddresses, type Vip } from './lookups.js';
import { destinationPort, ipProtocol, sourcePort } from './protocols.js';
import { punt } from './punt.js';
import { REG, reg } from './registers.js';
import {
  apply,
  FRAGMENT,
  goto,
  ICMP,
  IP,
  inPrefix,
  load,
  m,
  type OwnerRules,
  resubmit,
  SWAP_MACS,
  set,
} from './rules.js';
import { TABLES } from './tables.js';

const ECHO = 290;
/** To a gateway or probe address: answers to probes. */
const TO_US = 280;
const LISTENER = 250;
/** A listener that is off, or a client that it doesn't allow. */
export const LISTENER_REFUSES = 245;
const HAIRPIN_REPLY = 240;
const ICMP_ERROR = 230;
const VIP_FRAGMENT = 220;
export const VIP_WITHOUT_LISTENER = 200;
/** On an external network: a packet for a VIP changes into its tenant. */
const PUBLIC_VIP = 150;
export const PROVIDER_OTHER = 100;

const ECHO_REQUEST = m(F.icmp_type, 8);
/** Destination unreachable (with fragmentation needed), time exceeded, parameter problem. */
export const ICMP_ERRORS: readonly MatchField[] = [3, 11, 12].map((type) => m(F.icmp_type, type));

export function classifyL3Segment(rules: OwnerRules, segment: SegmentIntent): void {
  const { tenant } = rules.owner;
  for (const address of ownAddresses(segment)) {
    rules.tenant(TABLES.l3, ECHO, [...ICMP, m(F.nw_dst, address), ECHO_REQUEST], goto(TABLES.echo));
    rules.tenant(TABLES.l3, TO_US, [IP, m(F.nw_dst, address)], apply(punt(tenant, 'probe')));
  }
}

/** Nothing is routed between external networks. */
export function classifyL3Provider(rules: OwnerRules): void {
  rules.tenant(TABLES.l3, PROVIDER_OTHER, []);
}

export function classifyL3Vip(
  rules: OwnerRules,
  vip: Vip,
  tenant: TenantIntent,
  network?: SegmentIntent,
): void {
  const to = m(F.nw_dst, vip.address);
  const stateful = vip.listeners.some((l) => l.mode === 'stateful');
  rules.tenant(TABLES.l3, ECHO, [...ICMP, to, ECHO_REQUEST], goto(TABLES.echo));
  if (stateful) {
    for (const type of ICMP_ERRORS)
      rules.tenant(TABLES.l3, ICMP_ERROR, [...ICMP, to, type], apply(ct({ table: TABLES.listener })));
    rules.tenant(TABLES.l3, VIP_FRAGMENT, [IP, to, FRAGMENT], apply(ct({ table: TABLES.listener })));
  }
  rules.tenant(TABLES.l3, VIP_WITHOUT_LISTENER, [IP, to]);
  if (!network) return;
  const enter: Action[] = [load(REG.tenant, tenant.id), load(REG.segment, 0), load(REG.external, 1)];
  if (tenant.bandwidth !== undefined) enter.push(resubmit(TABLES.tenantRate));
  rules.provider(
    TABLES.l3,
    PUBLIC_VIP,
    [reg(REG.segment, network.id), IP, to],
    apply(...enter, resubmit(TABLES.l3)),
  );
}

export function classifyL3Listener(rules: OwnerRules, listener: ListenerIntent): void {
  const to = [
    ...ipProtocol(listener.protocol),
    m(F.nw_dst, listener.vip),
    destinationPort(listener.protocol, listener.port),
  ];
  if (!listener.adminStateUp || listener.poolId === undefined) {
    rules.tenant(TABLES.l3, LISTENER_REFUSES, to);
    return;
  }
  const enter = [
    load(REG.pool, listener.poolId),
    load(REG.listener, listener.id),
    ...(listener.mode === 'stateless' ? [load(REG.byHeader, 1)] : []),
  ];
  if (listener.allowedCidrs.length === 0) {
    rules.tenant(TABLES.l3, LISTENER, to, apply(...enter), goto(TABLES.listener));
    return;
  }
  for (const cidr of listener.allowedCidrs)
    rules.tenant(
      TABLES.l3,
      LISTENER,
      [...to, ...inPrefix(F.nw_src, cidr)],
      apply(...enter),
      goto(TABLES.listener),
    );
  rules.tenant(TABLES.l3, LISTENER_REFUSES, to);
}

/**
 * A member answers itself: from the VIP's port again, to its own address, back out of its port. `segment` is where
 * the member lives: the same addresses on an external network are somebody else's.
 */
export function classifyL3Hairpin(
  rules: OwnerRules,
  endpoint: Endpoint,
  listener: ListenerIntent,
  segment: SegmentIntent,
): void {
  const { protocol, vip, port } = listener;
  rules.tenant(
    TABLES.l3,
    HAIRPIN_REPLY,
    hairpinReply(endpoint, listener, segment),
    apply(
      set(F.nw_src, vip),
      set(sourcePort(protocol, 0).field, port),
      set(F.nw_dst, endpoint.address),
      ...SWAP_MACS,
    ),
    goto(TABLES.sender),
  );
}

export const HAIRPIN_REPLY_PRIORITY = HAIRPIN_REPLY;

function hairpinReply(
  endpoint: Endpoint,
  { protocol, vip }: ListenerIntent,
  segment: SegmentIntent,
): MatchField[] {
  return [
    reg(REG.segment, segment.id),
    ...ipProtocol(protocol),
    m(F.nw_src, endpoint.address),
    m(F.nw_dst, vip),
    sourcePort(protocol, endpoint.port),
  ];
}
