import { contains, type Ipv4, type Prefix4, type SegmentIntent, type TenantIntent } from '../model/index.js';

/** Where packets of a tenant leave for an address. */
export interface Egress {
  readonly segment: SegmentIntent;
  /** The address itself where it is connected, else the route's next hop. */
  readonly nextHop: Ipv4;
}

/** Longest prefix of connected subnets and static routes, as table 20 decides; undefined: no route. */
export function egressOf(tenant: TenantIntent, address: Ipv4): Egress | undefined {
  let best: { length: number; egress: Egress } | undefined;
  const consider = (prefix: Prefix4, segment: SegmentIntent | undefined, nextHop: Ipv4, atLeast: number) => {
    if (segment === undefined || !contains(prefix, address)) return;
    if (best === undefined || prefix.length + atLeast > best.length)
      best = { length: prefix.length, egress: { segment, nextHop } };
  };
  for (const route of tenant.routes) {
    const segment = tenant.segments.find((s) => s.id === route.segmentId);
    consider(route.destination, segment, route.nextHop, 0);
  }
  for (const segment of tenant.segments) {
    // A connected subnet wins over a route of the same length.
    for (const subnet of segment.subnets) consider(subnet.prefix, segment, address, 0.5);
  }
  return best?.egress;
}
