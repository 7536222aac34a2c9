import { contains } from '../model/address.js';
import type {
  Ipv4,
  ListenerIntent,
  MemberIntent,
  PoolIntent,
  Prefix4,
  Protocol,
  ProviderIntent,
  SegmentIntent,
  TenantIntent,
} from '../model/types.js';

/** Questions about intents that several tables ask. */

export function vipKey(vip: Ipv4, protocol: Protocol): string {
  return `${vip}/${protocol}`;
}

/** Prefixes that lie inside the tenant: connected subnets and routes, without a default route. */
export function innerPrefixes(tenant: TenantIntent): Prefix4[] {
  return [
    ...tenant.segments.flatMap((s) => s.subnets.map((n) => n.prefix)),
    ...tenant.routes.map((r) => r.destination).filter((d) => d.length > 0),
  ];
}

export function poolOf(tenant: TenantIntent, listener: ListenerIntent): PoolIntent | undefined {
  return tenant.pools.find((p) => p.id === listener.poolId);
}

/** A (member address, port) of the tenant, with the listeners that balance to it. */
export interface Endpoint {
  readonly id: number;
  readonly address: Ipv4;
  readonly port: number;
  readonly listeners: readonly ListenerIntent[];
}

/** All endpoints of a tenant, by id. */
export function endpointsOf(tenant: TenantIntent): Map<number, Endpoint> {
  const endpoints = new Map<number, Endpoint & { listeners: ListenerIntent[] }>();
  for (const pool of tenant.pools) {
    const listeners = tenant.listeners.filter((l) => l.poolId === pool.id);
    for (const member of pool.members) {
      const known = endpoints.get(member.endpointId);
      if (known) known.listeners.push(...listeners);
      else
        endpoints.set(member.endpointId, {
          id: member.endpointId,
          address: member.address,
          port: member.port,
          listeners: [...listeners],
        });
    }
  }
  for (const endpoint of endpoints.values()) endpoint.listeners.sort((a, b) => a.id - b.id);
  return new Map([...endpoints].sort(([a], [b]) => a - b));
}

/** Addresses of members of stateful listeners, by protocol, each once. */
export function trackedMembers(tenant: TenantIntent): { protocol: Protocol; address: Ipv4 }[] {
  const found = new Map<string, { protocol: Protocol; address: Ipv4 }>();
  for (const { address, listeners } of endpointsOf(tenant).values())
    for (const { protocol, mode } of listeners)
      if (mode === 'stateful') found.set(`${protocol}/${address}`, { protocol, address });
  return [...found.values()].sort((a, b) => a.address - b.address || (a.protocol < b.protocol ? -1 : 1));
}

/** One member per address: the one with the lowest endpoint id. */
export function membersByAddress(pool: PoolIntent): MemberIntent[] {
  const byAddress = new Map<Ipv4, MemberIntent>();
  for (const member of [...pool.members].sort((a, b) => a.endpointId - b.endpointId))
    if (!byAddress.has(member.address)) byAddress.set(member.address, member);
  return [...byAddress.values()];
}

/** A VIP with all its listeners. */
export interface Vip {
  readonly address: Ipv4;
  readonly at: ListenerIntent['at'];
  readonly listeners: readonly ListenerIntent[];
}

export function vipsOf(tenant: TenantIntent): Vip[] {
  const vips = new Map<Ipv4, ListenerIntent[]>();
  for (const listener of tenant.listeners) {
    const known = vips.get(listener.vip);
    if (known) known.push(listener);
    else vips.set(listener.vip, [listener]);
  }
  return [...vips]
    .sort(([a], [b]) => a - b)
    .map(([address, listeners]) => ({ address, at: listeners[0]!.at, listeners }));
}

/** The external network of a VIP; undefined for a private VIP, or where the node doesn't have the network now. */
export function networkOf(at: ListenerIntent['at'], provider: ProviderIntent): SegmentIntent | undefined {
  return at.kind === 'external' ? provider.networks.find((n) => n.id === at.segmentId) : undefined;
}

/** Hosts of a segment whose MAC the agent keeps fresh: members, next hops, the gateway of an external network. */
export function watchedHosts(tenant: TenantIntent, segment: SegmentIntent): Ipv4[] {
  const here = (ip: Ipv4) => segment.subnets.some((n) => contains(n.prefix, ip));
  const hosts = new Set<Ipv4>();
  for (const pool of tenant.pools)
    for (const { address } of pool.members) if (here(address)) hosts.add(address);
  for (const route of tenant.routes) if (route.segmentId === segment.id) hosts.add(route.nextHop);
  return [...hosts].sort((a, b) => a - b);
}

/** Gateway and probe addresses of a segment. */
export function ownAddresses(segment: SegmentIntent): Ipv4[] {
  return [...new Set([...segment.subnets.map((n) => n.gateway), segment.probeAddress])].sort((a, b) => a - b);
}
