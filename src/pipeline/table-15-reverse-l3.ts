import type { Ipv4, ListenerIntent, Prefix4, Protocol, SegmentIntent } from '../model/types.js';
import { PROVIDER_TENANT } from '../model/types.js';
import { F } from '../nx-extensions/fields.js';
import type { Action } from '../ofp/types/action.js';
import type { MatchField } from '../ofp/types/field.js';
import { ct } from './conntrack.js';
import type { Endpoint } from './lookups.js';
import { ipProtocol, sourcePort } from './protocols.js';
import { REG } from './registers.js';
import {
  apply,
  DEC_TTL,
  FRAGMENT,
  goto,
  ICMP,
  inPrefix,
  load,
  m,
  type OwnerRules,
  resubmit,
  set,
} from './rules.js';
import { ICMP_ERRORS } from './table-02-classify-l3.js';
import { TABLES } from './tables.js';

/** To a client in a subnet of the external network of a stateless VIP. */
const STATELESS_EXTERNAL = 130;
/** Inside the tenant, whatever an external network's gateway would take. */
const INSIDE = 120;
/** To a client beyond the gateway of the external network. */
const STATELESS_BEYOND = 110;
const TRANSLATE_BACK = 100;

/** How answers of a member leave its segment. */
export interface ReverseL3 {
  readonly endpoint: Endpoint;
  readonly protocol: Protocol;
  readonly stateful: boolean;
  /** A private stateless listener; the model allows one per member and protocol. */
  readonly statelessInside?: ListenerIntent | undefined;
  readonly statelessExternal?:
    | { readonly listener: ListenerIntent; readonly network: SegmentIntent }
    | undefined;
  readonly inner: readonly Prefix4[];
}

export function reverseL3Endpoint(rules: OwnerRules, r: ReverseL3): void {
  const from = answers(r.endpoint, r.protocol);
  const back = inside(r);
  if (back) rules.tenant(TABLES.reverseL3, TRANSLATE_BACK, from, ...back);
  if (!r.statelessExternal) return;
  const { listener, network } = r.statelessExternal;
  const out = [
    apply(
      set(F.nw_src, listener.vip),
      set(sourcePort(r.protocol, 0).field, listener.port),
      ...toProvider(network),
    ),
    goto(TABLES.routes),
  ];
  for (const { prefix } of network.subnets)
    rules.tenant(TABLES.reverseL3, STATELESS_EXTERNAL, [...from, ...inPrefix(F.nw_dst, prefix)], ...out);
  if (network.externalGateway === undefined) return;
  for (const prefix of r.inner)
    rules.tenant(
      TABLES.reverseL3,
      INSIDE,
      [...from, ...inPrefix(F.nw_dst, prefix)],
      ...(back ?? [goto(TABLES.routes)]),
    );
  rules.tenant(TABLES.reverseL3, STATELESS_BEYOND, from, ...out);
}

function inside(r: ReverseL3) {
  if (r.statelessInside) return [statelessBack(r.statelessInside), goto(TABLES.routes)];
  if (r.stateful) return [apply(ct({ table: TABLES.afterCt }))];
  return undefined;
}

/** Fragments of what members of stateful listeners send: without ports, so for all endpoints of the address. */
export function reverseL3Fragments(rules: OwnerRules, protocol: Protocol, address: Ipv4): void {
  rules.tenant(
    TABLES.reverseL3,
    TRANSLATE_BACK,
    [...ipProtocol(protocol), m(F.nw_src, address), FRAGMENT],
    apply(ct({ table: TABLES.afterCt })),
  );
}

/** Errors about translated packets come from any hop. */
export function reverseL3Tenant(rules: OwnerRules): void {
  for (const type of ICMP_ERRORS)
    rules.tenant(TABLES.reverseL3, TRANSLATE_BACK, [...ICMP, type], apply(ct({ table: TABLES.afterCt })));
}

/** What a member sends from its service port. */
export function answers(endpoint: Endpoint, protocol: Protocol): MatchField[] {
  return [...ipProtocol(protocol), m(F.nw_src, endpoint.address), sourcePort(protocol, endpoint.port)];
}

export function statelessBack(listener: ListenerIntent) {
  return apply(load(REG.listener, listener.id), resubmit(TABLES.stateless));
}

/** Hands a packet to the provider: routed to an external network, where only this leads. */
export function toProvider(network: SegmentIntent): Action[] {
  return [
    DEC_TTL,
    set(F.dl_src, network.mac),
    load(REG.tenant, PROVIDER_TENANT),
    load(REG.segment, network.id),
  ];
}
