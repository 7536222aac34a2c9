import type { ListenerIntent, RouteIntent, SegmentIntent } from '../model/types.js';
import { F } from '../nx-extensions/fields.js';
import { ctState } from './conntrack.js';
import { REG, reg } from './registers.js';
import { apply, DEC_TTL, goto, IP, inPrefix, load, move, type OwnerRules, set } from './rules.js';
import { TABLES } from './tables.js';

/** Longest prefix first; for one prefix: inside a segment, connected, static. */
const ROUTE_BASE = 100;
const PER_BIT = 4;
const SAME_SEGMENT = 3;
const CONNECTED = 2;
const STATIC = 1;
export const UNKNOWN_DESTINATION = 1;
/** Above every prefix. */
export const CONNECTION_LIMIT = 300;

function priority(length: number, kind: number): number {
  return ROUTE_BASE + PER_BIT * length + kind;
}

export function routesSegment(rules: OwnerRules, segment: SegmentIntent): void {
  for (const { prefix } of segment.subnets) {
    const to = [IP, ...inPrefix(F.nw_dst, prefix)];
    // Neighbours stay neighbours: source MAC and TTL as they were.
    rules.tenant(
      TABLES.routes,
      priority(prefix.length, SAME_SEGMENT),
      [reg(REG.segment, segment.id), ...to],
      apply(move(F.nw_dst, F.reg6)),
      goto(TABLES.adjacency),
    );
    rules.tenant(
      TABLES.routes,
      priority(prefix.length, CONNECTED),
      to,
      apply(DEC_TTL, set(F.dl_src, segment.mac), load(REG.segment, segment.id), move(F.nw_dst, F.reg6)),
      goto(TABLES.adjacency),
    );
  }
}

export function routesStatic(rules: OwnerRules, route: RouteIntent, segment: SegmentIntent): void {
  rules.tenant(
    TABLES.routes,
    priority(route.destination.length, STATIC),
    [IP, ...inPrefix(F.nw_dst, route.destination)],
    apply(
      DEC_TTL,
      set(F.dl_src, segment.mac),
      load(REG.segment, segment.id),
      load(REG.nextHop, route.nextHop),
    ),
    goto(TABLES.adjacency),
  );
}

/**
 * Out by an external network. What gets here was translated for one of its VIPs, or is the agent's own: the hand-over
 * has set MAC, TTL and segment.
 */
export function routesNetwork(rules: OwnerRules, network: SegmentIntent): void {
  const here = reg(REG.segment, network.id);
  for (const { prefix } of network.subnets)
    rules.tenant(
      TABLES.routes,
      priority(prefix.length, CONNECTED),
      [here, IP, ...inPrefix(F.nw_dst, prefix)],
      apply(move(F.nw_dst, F.reg6)),
      goto(TABLES.adjacency),
    );
  if (network.externalGateway !== undefined)
    rules.tenant(
      TABLES.routes,
      priority(0, STATIC),
      [here, IP],
      apply(load(REG.nextHop, network.externalGateway)),
      goto(TABLES.adjacency),
    );
}

/**
 * Where connections of a listener end that conntrack had no room for: the userspace datapath hands them on
 * untranslated. The kernel drops them itself.
 */
export function routesUntranslated(rules: OwnerRules, listener: ListenerIntent): void {
  const untranslated = ctState('+trk', '+new', '-rel', '-dnat');
  rules.tenant(TABLES.routes, CONNECTION_LIMIT, [reg(REG.listener, listener.id), untranslated, IP]);
}

export function routesTenant(rules: OwnerRules): void {
  rules.tenant(TABLES.routes, UNKNOWN_DESTINATION, []);
}
