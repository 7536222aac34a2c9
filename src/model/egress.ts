import { contains } from './address.js';
import type { Ipv4, Prefix4, SegmentIntent, TenantIntent } from './types.js';

/** Where packets of a tenant leave for an address. */
export interface Egress {
  readonly segment: SegmentIntent;
  /** The address itself where it is connected, else the route's next hop. */
  readonly nextHop: Ipv4;
}

/**
 * Longest prefix of connected subnets and static routes, connected before static for one length: what table 20
 * decides of every packet. Undefined: no route.
 */
export function egressOf(tenant: TenantIntent, address: Ipv4): Egress | undefined {
  let best: { length: number; egress: Egress } | undefined;
  const consider = (prefix: Prefix4, segment: SegmentIntent | undefined, nextHop: Ipv4) => {
    if (segment === undefined || !contains(prefix, address)) return;
    if (best === undefined || prefix.length > best.length)
      best = { length: prefix.length, egress: { segment, nextHop } };
  };
  for (const segment of tenant.segments)
    for (const { prefix } of segment.subnets) consider(prefix, segment, address);
  for (const { destination, segmentId, nextHop } of tenant.routes)
    consider(
      destination,
      tenant.segments.find((s) => s.id === segmentId),
      nextHop,
    );
  return best?.egress;
}
