import type {
  ListenerIntent,
  MemberIntent,
  PoolIntent,
  PortRef,
  ProviderIntent,
  SegmentIntent,
  TenantIntent,
} from '../../../src/model/types.js';
import type { Facts, ResolvedNeighbour } from '../../../src/pipeline/index.js';

/** Intents as the model compiles them, in few words. */

export function ip(text: string): number {
  return text.split('.').reduce((n, part) => n * 256 + Number(part), 0);
}

export function mac(text: string): bigint {
  return BigInt(`0x${text.replaceAll(':', '')}`);
}

export function prefix(text: string) {
  const [address, length] = text.split('/');
  return { address: ip(address!), length: Number(length) };
}

export function port(name: string, more: Partial<PortRef> = {}): PortRef {
  return { name, uplink: false, ...more };
}

export function segment(
  id: number,
  subnet: string,
  ports: readonly (string | PortRef)[],
  more: Partial<SegmentIntent> = {},
): SegmentIntent {
  const p = prefix(subnet);
  return {
    id,
    name: `p${id}`,
    mac: mac(`02:42:0a:00:00:${id.toString(16).padStart(2, '0')}`),
    subnets: [{ prefix: p, gateway: p.address + 1 }],
    probeAddress: p.address + 253,
    learning: { macs: 1024, adjacencies: 4096 },
    ports: ports.map((x) => (typeof x === 'string' ? port(x) : x)),
    ...more,
  };
}

export function member(endpointId: number, at: string, more: Partial<MemberIntent> = {}): MemberIntent {
  const [address, p] = at.split(':');
  return {
    name: `m${endpointId}`,
    endpointId,
    address: ip(address!),
    port: Number(p),
    weight: 1,
    adminStateUp: true,
    backup: false,
    ...more,
  };
}

export function pool(id: number, members: readonly MemberIntent[], more: Partial<PoolIntent> = {}): PoolIntent {
  return {
    id,
    name: `pool${id}`,
    sessionPersistence: 'NONE',
    slots: 13,
    onAllDown: 'closed',
    drainTimeoutMs: 0,
    flushTcpOnDown: false,
    members,
    ...more,
  };
}

/** `at`: a segment id of the tenant, or `ext:ID`. */
export function listener(
  id: number,
  vip: string,
  at: number | `ext:${number}`,
  more: Partial<ListenerIntent> = {},
): ListenerIntent {
  const [address, p] = vip.split(':');
  return {
    id,
    name: `l${id}`,
    loadBalancer: 'lb',
    vip: ip(address!),
    at:
      typeof at === 'number'
        ? { kind: 'segment', segmentId: at }
        : { kind: 'external', segmentId: Number(at.slice(4)) },
    protocol: 'TCP',
    port: Number(p),
    mode: 'stateful',
    allowedCidrs: [],
    adminStateUp: true,
    ...more,
  };
}

export function tenant(id: number, more: Partial<TenantIntent>): TenantIntent {
  return { id, name: `t${id}`, segments: [], routes: [], listeners: [], pools: [], ...more };
}

export const NO_PROVIDER: ProviderIntent = { networks: [] };

/** All members of all pools serve. */
export function facts(
  ports: Readonly<Record<string, number>>,
  tenants: readonly TenantIntent[],
  neighbours: Readonly<Record<string, readonly ResolvedNeighbour[]>> = {},
): Facts {
  return {
    ports: new Map(Object.entries(ports)),
    neighbours: new Map(Object.entries(neighbours)),
    serving: new Map(
      tenants.flatMap((t) => t.pools.map((p) => [p.id, new Set(p.members.map((m) => m.endpointId))] as const)),
    ),
  };
}
