import type { ProviderIntent, SegmentIntent, TenantIntent } from '../../../src/model/types.js';
import { type Facts, type OwnerState, renderNode, renderTenant } from '../../../src/pipeline/index.js';
import { facts, ip, listener, mac, member, NO_PROVIDER, pool, port, prefix, segment, tenant } from './intents.js';

/** One small world per feature: what the pipeline makes of each is kept as text. */
export interface Feature {
  readonly tenants: readonly TenantIntent[];
  readonly provider: ProviderIntent;
  readonly facts: Facts;
}

export const PORTS = { p1: 1, p2: 2, p3: 3, trunk: 8, tunnel: 9, uplink: 10 };
const two = [segment(2, '10.20.0.0/24', ['p1', 'p2']), segment(3, '10.30.0.0/24', ['p3'])];
const web = pool(70, [member(701, '10.20.0.2:8080'), member(702, '10.30.0.2:8080', { weight: 2 })], { slots: 7 });
const uplink = (more: Partial<SegmentIntent> = {}): ProviderIntent => ({
  networks: [
    segment(1, '192.168.5.0/24', ['uplink'], {
      mac: mac('02:00:c0:a8:05:01'),
      probeAddress: ip('192.168.5.1'),
      ...more,
    }),
  ],
});

function feature(tenants: readonly TenantIntent[], provider = NO_PROVIDER, more: Partial<Facts> = {}): Feature {
  return { tenants, provider, facts: { ...facts(PORTS, tenants), ...more } };
}

const one = (more: Partial<TenantIntent>) => [tenant(7, { segments: two, ...more })];

export const FEATURES: Readonly<Record<string, Feature>> = {
  'empty-node': feature([]),
  segments: feature(one({})),
  'missing-port': feature([tenant(7, { segments: [segment(2, '10.20.0.0/24', ['p1', 'gone'])] })]),
  'private-stateful': feature(one({ listeners: [listener(71, '10.20.0.100:80', 2, { poolId: 70 })], pools: [web] })),
  'private-stateless': feature(
    one({ listeners: [listener(71, '10.20.0.100:80', 2, { poolId: 70, mode: 'stateless' })], pools: [web] }),
  ),
  'external-stateful': feature(
    one({ listeners: [listener(71, '192.168.5.31:80', 'ext:1', { poolId: 70 })], pools: [web] }),
    uplink(),
  ),
  'external-stateless-with-gateway': feature(
    one({
      listeners: [listener(71, '192.168.5.31:80', 'ext:1', { poolId: 70, mode: 'stateless' })],
      pools: [web],
    }),
    uplink({ externalGateway: ip('192.168.5.254') }),
  ),
  'external-vlan': feature([], uplink({ ports: [port('trunk', { vlan: 500 })] })),
  'udp-and-tcp-on-one-port': feature(
    one({
      listeners: [
        listener(71, '10.20.0.100:53', 2, { poolId: 70, protocol: 'UDP' }),
        listener(72, '10.20.0.100:53', 2, { poolId: 70 }),
      ],
      pools: [web],
    }),
  ),
  'several-listeners-to-one-member': feature(
    one({
      listeners: [
        listener(71, '10.20.0.100:80', 2, { poolId: 70 }),
        listener(72, '10.20.0.100:443', 2, { poolId: 71 }),
      ],
      pools: [web, pool(71, [member(701, '10.20.0.2:8080')], { slots: 3 })],
    }),
  ),
  'source-ip-persistence': feature(
    one({
      listeners: [listener(71, '10.20.0.100:80', 2, { poolId: 70 })],
      pools: [{ ...web, sessionPersistence: 'SOURCE_IP' }],
    }),
  ),
  limits: feature(
    one({
      bandwidth: 500_000_000,
      segments: [
        segment(2, '10.20.0.0/24', [port('p1', { bandwidth: 10_000_000 }), 'p2'], {
          learning: { macs: 32, adjacencies: 64 },
        }),
      ],
      listeners: [
        listener(71, '10.20.0.100:80', 2, {
          poolId: 70,
          connectionRate: 500,
          allowedCidrs: [prefix('10.20.0.0/25'), prefix('172.16.0.0/12')],
        }),
      ],
      pools: [pool(70, [member(701, '10.20.0.2:8080')], { slots: 3 })],
    }),
  ),
  'nothing-to-serve': feature(
    one({
      listeners: [
        listener(71, '10.20.0.100:80', 2, { poolId: 70 }),
        listener(72, '10.20.0.100:81', 2),
        listener(73, '10.20.0.100:82', 2, { poolId: 70, adminStateUp: false }),
      ],
      pools: [web],
    }),
    NO_PROVIDER,
    { serving: new Map() },
  ),
  'one-member-down': feature(
    one({ listeners: [listener(71, '10.20.0.100:80', 2, { poolId: 70 })], pools: [web] }),
    NO_PROVIDER,
    { serving: new Map([[70, new Set([702])]]) },
  ),
  'backup-member': feature(
    one({
      listeners: [listener(71, '10.20.0.100:80', 2, { poolId: 70 })],
      pools: [pool(70, [member(701, '10.20.0.2:8080'), member(702, '10.20.0.3:8080', { backup: true })], { slots: 5 })],
    }),
  ),
  routes: feature(
    one({
      segments: [segment(2, '10.20.0.0/24', ['p1', port('p2', { uplink: true })])],
      routes: [
        { destination: prefix('0.0.0.0/0'), nextHop: ip('10.20.0.254'), segmentId: 2 },
        { destination: prefix('172.16.0.0/12'), nextHop: ip('10.20.0.253'), segmentId: 2 },
      ],
    }),
  ),
  transports: feature([
    tenant(7, {
      segments: [
        segment(2, '10.20.0.0/24', [port('trunk', { vlan: 120 }), 'p1']),
        segment(3, '10.30.0.0/24', [port('trunk', { vlan: 130 })]),
        segment(4, '10.40.0.0/24', [port('tunnel', { vni: 5001, remote: ip('203.0.113.7') })]),
      ],
    }),
  ]),
  neighbours: feature(one({}), uplink(), {
    neighbours: new Map([
      [
        '7/2',
        [
          { address: ip('10.20.0.2'), mac: mac('02:00:00:00:02:02'), ofport: 1 },
          { address: ip('10.20.0.3'), mac: mac('02:00:00:00:02:03'), ofport: 8, vlan: 120 },
          { address: ip('10.20.0.4'), mac: mac('02:00:00:00:02:04'), ofport: 9, tunId: 5001, tunDst: ip('203.0.113.7') },
        ],
      ],
      ['65535/1', [{ address: ip('192.168.5.254'), mac: mac('02:00:00:00:05:fe'), ofport: 10 }]],
    ]),
  }),
};

export function renderFeature({ tenants, provider, facts: known }: Feature): OwnerState[] {
  return [...renderNode(provider, known), ...tenants.flatMap((t) => renderTenant(t, known, provider))];
}
