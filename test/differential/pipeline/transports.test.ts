import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Host } from '../../../lab/host.js';
import { echoes } from '../../../lab/packets.js';
import { httpServer } from '../../../lab/services.js';
import { until } from '../../../lab/until.js';
import { OFP13, OFP15, type OfpVersion } from '../../../src/ofp/index.js';
import type { ResolvedNeighbour } from '../../../src/pipeline/index.js';
import {
  facts,
  ip,
  listener,
  mac,
  member,
  NO_PROVIDER,
  pool,
  port,
  segment,
  tenant,
} from '../../golden/pipeline/intents.js';
import { ask, World } from './world.js';

/**
 * Two tenants with equal addresses on equal VLAN numbers of two trunks. Behind each trunk is a switch that tags: a
 * second bridge. Tenant 1 also has a host on a port of its own, in the segment of VLAN 120.
 */
const tenants = [1, 2].map((id) =>
  tenant(id, {
    segments: [
      segment(2, '10.20.0.0/24', [port(`trunk${id}`, { vlan: 120 }), ...(id === 1 ? ['v-near'] : [])]),
      segment(3, '10.30.0.0/24', [port(`trunk${id}`, { vlan: 130 })]),
    ],
    listeners: [
      listener(id * 10, '10.20.0.100:80', 2, { poolId: id }),
      listener(id * 10 + 1, '10.20.0.101:80', 2, { poolId: id + 10, mode: 'stateless' }),
      listener(id * 10 + 2, '10.20.0.102:80', 2, { poolId: id + 20 }),
    ],
    pools: [
      pool(id, [member(id * 100 + 1, '10.30.0.2:8080')]),
      pool(id + 10, [member(id * 100 + 2, '10.30.0.2:8081')]),
      pool(id + 20, [member(id * 100 + 3, '10.20.0.3:8080')]),
    ],
  }),
);

let world: World;
const at = new Map<string, Host>();
const ports: Record<string, number> = { 'v-near': 30, trunk1: 21, trunk2: 22 };
const neighbours: Record<string, ResolvedNeighbour[]> = {};

beforeAll(async () => {
  world = await World.create();
  const { vswitch } = world.lab;
  for (const id of [1, 2]) {
    const bridge = `br-sw${id}`;
    await world.lab.addBridge(bridge);
    await vswitch.ofctl(bridge, ['add-flow', 'actions=NORMAL']);
    await vswitch.vsctl(
      `add-port ${bridge} up${id} -- set interface up${id} type=patch options:peer=trunk${id}`.split(' '),
    );
    await vswitch.vsctl(
      `add-port br-lb trunk${id} -- set interface trunk${id} type=patch options:peer=up${id} ofport_request=${20 + id}`.split(
        ' ',
      ),
    );
    for (const [role, address, hw, vlan] of [
      ['client', '10.20.0.10', '02:00:00:00:02:10', 120],
      ['be2', '10.30.0.2', '02:00:00:00:03:02', 130],
    ] as const) {
      const name = `t${id}-${role}`;
      const gateway = address.replace(/\d+$/, '1');
      const host = await world.lab.addHost({ name, addresses: [`${address}/24`], mac: hw, gateway, bridge });
      await vswitch.vsctl(['set', 'port', host.port, `tag=${vlan}`]);
      at.set(name, host);
      const key = `${id}/${vlan === 120 ? 2 : 3}`;
      neighbours[key] = [{ address: ip(address), mac: mac(hw), ofport: 20 + id, vlan }];
    }
    await httpServer(at.get(`t${id}-be2`)!);
    await httpServer(at.get(`t${id}-be2`)!, 8081);
  }
  at.set('near', await world.host('near', '10.20.0.3', '02:00:00:00:02:03', '10.20.0.1', 30));
  await httpServer(at.get('near')!);
  neighbours['1/2']!.push({ address: ip('10.20.0.3'), mac: mac('02:00:00:00:02:03'), ofport: 30 });
}, 60_000);
afterAll(() => world.close());

describe.each([
  ['OpenFlow 1.3', OFP13],
  ['OpenFlow 1.5', OFP15],
] as [string, OfpVersion][])('%s', (_, version) => {
  beforeAll(async () => {
    await world.connect(version);
    await world.install(tenants, NO_PROVIDER, facts(ports, tenants, neighbours));
  });

  it.each([1, 2])('serves tenant %i with client and member on VLANs of one trunk', async (id) => {
    const client = at.get(`t${id}-client`)!;
    expect(await ask(client, 'http://10.20.0.100/', 3)).toEqual({ [`t${id}-be2 for 10.20.0.10`]: 3 });
    expect(await ask(client, 'http://10.20.0.101/', 3)).toEqual({ [`t${id}-be2 for 10.20.0.10`]: 3 });
  });

  it('answers ARP and echo with the VLAN it came by', async () => {
    for (const address of ['10.20.0.1', '10.20.0.100', '10.30.0.1'])
      expect(await echoes(at.get('t1-client')!, address), address).toBe(true);
  });

  it('lets a member behind a trunk open its own VIP', async () => {
    for (const vip of ['10.20.0.100', '10.20.0.101'])
      expect(await ask(at.get('t1-be2')!, `http://${vip}/`, 2)).toEqual({ [`t1-be2 for ${vip}`]: 2 });
  });

  it('switches between a VLAN and a port of one segment, balanced and not', async () => {
    const client = at.get('t1-client')!;
    expect(await ask(client, 'http://10.20.0.102/', 2)).toEqual({ 'near for 10.20.0.10': 2 });
    expect(await ask(client, 'http://10.20.0.3:8080/', 2)).toEqual({ 'near for 10.20.0.10': 2 });
  });

  it('learns where hosts behind a trunk are, with their VLAN', async () => {
    expect(await echoes(at.get('near')!, '10.20.0.10')).toBe(true);
    await until(
      async () => {
        const learned = await world.lab.vswitch.flows('br-lb', 'table=25');
        return learned.some((f) => f.match.includes('02:00:00:00:02:10') && /vlan/.test(f.actions));
      },
      { what: 'the learned entry' },
    );
    const flooded = await at.get('t1-be2')!.capture({ filter: 'ether host 02:00:00:00:02:03' });
    expect(await echoes(at.get('near')!, '10.20.0.10')).toBe(true);
    expect(await flooded.stop()).toEqual([]);
  });

  it('routes between VLANs of one trunk', async () => {
    expect(await ask(at.get('t1-client')!, 'http://10.30.0.2:8080/', 2)).toEqual({
      't1-be2 for 10.20.0.10': 2,
    });
  });
});
