import type { TenantIntent } from '../../../src/model/types.js';
import { checkRawFlow, flowOf, isRawFlow, parsePacket, placePacket } from '../../../src/trace/index.js';
import { facts, ip, listener, mac, member, pool, port, prefix, segment, tenant } from '../pipeline/intents.js';

/** Two tenants with the same addresses on one node, and what is asked about their packets. */

export const PORTS = {
  'v-a-client': 11,
  'v-a-be1': 12,
  'v-a-be2': 13,
  'v-b-client': 21,
  'v-b-be1': 22,
  'v-b-be2': 23,
  uplink0: 30,
  trunk0: 31,
  spare: 40,
};

export const tenants: readonly TenantIntent[] = [1, 2].map((id) => {
  const name = id === 1 ? 'a' : 'b';
  const e = (n: number) => id * 100 + n;
  const l = (n: number) => id * 20 + n;
  return tenant(id, {
    name,
    ...(id === 1 ? { bandwidth: 1_000_000_000 } : {}),
    segments: [
      segment(2, '10.20.0.0/24', [`v-${name}-client`, `v-${name}-be1`]),
      segment(3, '10.30.0.0/24', [`v-${name}-be2`, port('trunk0', { vlan: 100 + id })]),
    ],
    routes: [{ destination: prefix('172.16.0.0/12'), nextHop: ip('10.20.0.254'), segmentId: 2 }],
    listeners: [
      // One member each: which slot a hash chooses is the switch's business.
      listener(l(1), '10.20.0.100:80', 2, { name: 'http', loadBalancer: 'web', poolId: id * 10 }),
      listener(l(2), '10.20.0.100:81', 2, { name: 'spare', loadBalancer: 'web', poolId: id * 10 + 1 }),
      listener(l(3), '10.20.0.100:82', 2, {
        name: 'old',
        loadBalancer: 'web',
        poolId: id * 10,
        adminStateUp: false,
      }),
      listener(l(4), '10.20.0.100:83', 2, { name: 'bare', loadBalancer: 'web' }),
      listener(l(5), '10.20.0.100:84', 2, {
        name: 'staff',
        loadBalancer: 'web',
        poolId: id * 10,
        allowedCidrs: [prefix('10.30.0.0/24')],
        connectionRate: 500,
      }),
      listener(l(6), '10.20.0.100:53', 2, {
        name: 'dns',
        loadBalancer: 'web',
        protocol: 'UDP',
        poolId: id * 10 + 2,
      }),
      listener(l(7), '10.20.0.101:80', 2, {
        name: 'plain',
        loadBalancer: 'flat',
        mode: 'stateless',
        poolId: id * 10 + 2,
      }),
      listener(l(8), `192.168.5.3${id}:80`, 'ext:1', {
        name: 'www',
        loadBalancer: 'front',
        poolId: id * 10,
      }),
    ],
    pools: [
      pool(id * 10, [member(e(1), '10.30.0.2:8080', { name: 'be2' })], { name: 'web' }),
      pool(id * 10 + 1, [member(e(2), '10.20.0.2:9090', { name: 'be1' })], { name: 'spare' }),
      pool(id * 10 + 2, [member(e(3), '10.20.0.2:8080', { name: 'be1' })], { name: 'near' }),
    ],
  });
});

export const provider = {
  networks: [
    segment(1, '192.168.5.0/24', [port('uplink0', { uplink: true })], {
      name: 'public',
      mac: mac('02:00:c0:a8:05:01'),
      subnets: [{ prefix: prefix('192.168.5.0/24'), gateway: ip('192.168.5.1') }],
      probeAddress: ip('192.168.5.1'),
      externalGateway: ip('192.168.5.254'),
    }),
  ],
};

const at = (address: string, macText: string, ofport: number, more: { vlan?: number } = {}) => ({
  address: ip(address),
  mac: mac(macText),
  ofport,
  ...more,
});
const everyone = facts(PORTS, tenants, {
  '1/2': [at('10.20.0.2', '02:00:00:00:02:02', 12), at('10.20.0.10', '02:00:00:00:02:10', 11)],
  '1/3': [at('10.30.0.2', '02:00:00:00:03:02', 13), at('10.30.0.7', '02:00:00:00:03:07', 31, { vlan: 101 })],
  '2/2': [at('10.20.0.2', '02:00:00:00:02:02', 22), at('10.20.0.10', '02:00:00:00:02:10', 21)],
  '2/3': [at('10.30.0.2', '02:00:00:00:03:02', 23)],
  '65535/1': [at('192.168.5.254', '02:00:00:00:05:fe', 30)],
});
/** Pools 11 and 21 have a member, but nobody serves. */
export const known = {
  ...everyone,
  serving: new Map([...everyone.serving].filter(([id]) => id !== 11 && id !== 21)),
};

export interface Case {
  readonly name: string;
  readonly tenant: 'a' | 'b';
  readonly packet: string;
  readonly from?: string;
  readonly segment?: string;
  readonly ctNext?: readonly string[];
}

const ask = (name: string, packet: string, more: Partial<Case> = {}): Case => ({
  name,
  tenant: 'a',
  packet,
  ...more,
});

export const CASES: readonly Case[] = [
  ask('a served request', 'tcp 10.20.0.10:40000 > 10.20.0.100:80'),
  ask('the same request in the other tenant', 'tcp 10.20.0.10:40000 > 10.20.0.100:80', { tenant: 'b' }),
  ask('a request from another segment', 'tcp 10.30.0.7:40000 > 10.20.0.100:80', { from: 'trunk0' }),
  ask('a request to a UDP listener', 'udp 10.20.0.10:40000 > 10.20.0.100:53'),
  ask('a request to a stateless listener', 'tcp 10.30.0.7:40000 > 10.20.0.101:80'),
  ask('a member asks its own VIP', 'udp 10.20.0.2:40000 > 10.20.0.100:53'),
  ask('a request from outside', 'tcp 192.168.5.10:40000 > 192.168.5.31:80', { from: 'uplink0' }),
  ask('a packet of a known connection', 'tcp 10.20.0.10:40000 > 10.20.0.100:80', { ctNext: ['est'] }),
  ask('an answer of a member', 'tcp 10.20.0.2:8080 > 10.20.0.10:40000', { ctNext: ['est,rpl'] }),
  ask('an answer of a member in another segment', 'tcp 10.30.0.2:8080 > 10.20.0.10:40000'),
  ask('a pool that nobody serves', 'tcp 10.20.0.10:40000 > 10.20.0.100:81'),
  ask('a listener that is off', 'tcp 10.20.0.10:40000 > 10.20.0.100:82'),
  ask('a listener without a pool', 'tcp 10.20.0.10:40000 > 10.20.0.100:83'),
  ask('a client that is not allowed', 'tcp 10.20.0.10:40000 > 10.20.0.100:84'),
  ask('a VIP without such a listener', 'tcp 10.20.0.10:40000 > 10.20.0.100:99'),
  ask('no route', 'tcp 10.20.0.10:40000 > 10.99.0.1:80'),
  ask('a static route whose next hop is silent', 'icmp 10.20.0.10 > 172.16.3.4'),
  ask('another segment', 'icmp 10.20.0.10 > 10.30.0.2'),
  ask('another segment, with a used up TTL', 'icmp 10.20.0.10 > 10.30.0.2 ttl=1'),
  ask('a neighbour', 'tcp 10.20.0.10:40000 > 10.20.0.2:22'),
  ask('an unknown neighbour', 'udp 10.20.0.10:40000 > 10.20.0.77:53'),
  ask('ARP for the gateway', 'arp 10.20.0.10 > 10.20.0.1'),
  ask('ARP for a VIP', 'arp 10.20.0.10 > 10.20.0.100'),
  ask('ARP for a neighbour', 'arp 10.20.0.10 > 10.20.0.77'),
  ask('ARP of a member', 'arp 10.20.0.2 > 10.20.0.10'),
  ask('a ping of the gateway, from a VLAN', 'icmp 10.30.0.7 > 10.30.0.1'),
  ask('an answer to a health check', 'tcp 10.20.0.2:8080 > 10.20.0.253:50000'),
  ask('an ICMP error about a balanced packet', 'icmp unreachable 10.30.0.2 > 10.20.0.100', {
    ctNext: ['rel,rpl'],
  }),
  ask('an ICMP error about nothing', 'icmp unreachable 10.30.0.2 > 10.20.0.100'),
  ask('from outside to no VIP', 'tcp 192.168.5.10:40000 > 192.168.5.99:80 dst_mac=02:00:c0:a8:05:01', {
    from: 'uplink0',
  }),
  ask('a port of nobody', 'in_port=40,tcp,nw_src=10.20.0.10,nw_dst=10.20.0.100,nw_ttl=64,tp_dst=80'),
  ask('IPv6 to the gateway', 'in_port=11,ipv6,dl_dst=02:42:0a:00:00:02'),
];

/** The flow that the switch is asked about. */
export async function flowFor(c: Case): Promise<{ flow: string; notes: readonly string[]; from: string }> {
  if (isRawFlow(c.packet)) return { flow: checkRawFlow(c.packet), notes: [], from: c.packet.split(/[=,]/)[1]! };
  const packet = parsePacket(c.packet);
  if (!packet.ok) throw new Error(packet.why);
  const world = {
    tenant: tenants.find((t) => t.name === c.tenant)!,
    provider,
    bridge: 'br-lb',
    ports: known.ports,
    neighbour: async (id: number, segmentId: number, address: number) =>
      known.neighbours.get(`${id}/${segmentId}`)?.find((n) => n.address === address),
  };
  const place = await placePacket(world, packet.value, c.from, c.segment);
  return { flow: flowOf(packet.value, place), notes: place.notes, from: place.port.name };
}
