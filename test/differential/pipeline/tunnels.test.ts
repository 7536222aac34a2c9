import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Host } from '../../../lab/host.js';
import { echoes } from '../../../lab/packets.js';
import { httpServer } from '../../../lab/services.js';
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
 * Two tenants with equal addresses in two VNIs of one VXLAN port whose remote end and key are the flows' business.
 * Behind it are kernels with VXLAN devices of their own. Tenant 1 has a machine on a port beside.
 */
const VXLAN = 9;
const tenants = [1, 2].map((id) =>
  tenant(id, {
    segments: [
      segment(4, '10.40.0.0/24', [
        port('vxlan0', { vni: 5000 + id, remote: ip(`198.51.100.${id + 1}`) }),
        ...(id === 1 ? ['v-near'] : []),
      ]),
    ],
    listeners: [
      listener(id * 10, '10.40.0.100:80', 4, { poolId: id }),
      listener(id * 10 + 1, '10.40.0.101:80', 4, { poolId: id + 10 }),
    ],
    pools: [
      pool(id, [member(id * 100 + 1, '10.40.0.2:8080')]),
      pool(id + 10, id === 1 ? [member(103, '10.40.0.3:8080')] : []),
    ],
  }),
);
const far = (id: number): ResolvedNeighbour => ({
  address: ip('10.40.0.2'),
  mac: mac('02:00:00:00:04:02'),
  ofport: VXLAN,
  tunId: 5000 + id,
  tunDst: ip(`198.51.100.${id + 1}`),
});
const known = facts({ vxlan0: VXLAN, 'v-near': 30 }, tenants, {
  '1/4': [far(1), { address: ip('10.40.0.3'), mac: mac('02:00:00:00:04:03'), ofport: 30 }],
  '2/4': [far(2)],
});

let world: World;
let near: Host;
const vteps: Host[] = [];

beforeAll(async () => {
  world = await World.create();
  const { lab } = world;
  // The underlay: a bridge whose own port has the local address, as userspace tunnels need it.
  await lab.addBridge('br-phy');
  await lab.vswitch.ofctl('br-phy', ['add-flow', 'actions=NORMAL']);
  await lab.node.exec(['ip', 'addr', 'add', '198.51.100.1/24', 'dev', 'br-phy']);
  await lab.node.exec(['ip', 'link', 'set', 'br-phy', 'up']);
  const tunnel = 'set interface vxlan0 type=vxlan options:remote_ip=flow options:key=flow ofport_request=9';
  await lab.vswitch.vsctl(`add-port br-lb vxlan0 -- ${tunnel}`.split(' '));
  for (const id of [1, 2]) {
    const local = `198.51.100.${id + 1}`;
    const vtep = await lab.addHost({ name: `far${id}`, addresses: [`${local}/24`], bridge: 'br-phy' });
    const vxlan = `type vxlan id ${5000 + id} dstport 4789 local ${local} remote 198.51.100.1 dev eth0`;
    await vtep.exec(`ip link add vx address 02:00:00:00:04:02 mtu 1400 ${vxlan}`.split(' '));
    await vtep.exec('ip addr add 10.40.0.2/24 dev vx'.split(' '));
    await vtep.exec('ip link set vx up'.split(' '));
    await httpServer(vtep);
    vteps.push(vtep);
  }
  near = await world.host('near', '10.40.0.3', '02:00:00:00:04:03', '10.40.0.1', 30);
  await httpServer(near);
}, 60_000);
afterAll(() => world.close());

describe.each([
  ['OpenFlow 1.3', OFP13],
  ['OpenFlow 1.5', OFP15],
] as [string, OfpVersion][])('%s', (_, version) => {
  beforeAll(async () => {
    await world.connect(version);
    await world.install(tenants, NO_PROVIDER, known);
    for (const vtep of vteps) await vtep.exec(['ip', 'neigh', 'flush', 'dev', 'vx']);
  });

  it('answers ARP and echo through the tunnel, to each VNI', async () => {
    for (const vtep of vteps)
      for (const address of ['10.40.0.1', '10.40.0.100'])
        expect(await echoes(vtep, address), address).toBe(true);
  });

  it('lets a member behind the tunnel open its own VIP', async () => {
    expect(await ask(vteps[0]!, 'http://10.40.0.100/', 2)).toEqual({ 'far1 for 10.40.0.100': 2 });
    expect(await ask(vteps[1]!, 'http://10.40.0.100/', 2)).toEqual({ 'far2 for 10.40.0.100': 2 });
  });

  it('balances into the tunnel and out of it', async () => {
    expect(await ask(near, 'http://10.40.0.100/', 2)).toEqual({ 'far1 for 10.40.0.3': 2 });
    expect(await ask(vteps[0]!, 'http://10.40.0.101/', 2)).toEqual({ 'near for 10.40.0.2': 2 });
  });

  it('switches between tunnel and port of one segment, flooded to the remote end first, then learned', async () => {
    await near.exec(['ip', 'neigh', 'flush', 'all']);
    expect(await ask(near, 'http://10.40.0.2:8080/', 2)).toEqual({ 'far1 for 10.40.0.3': 2 });
    const learned = await world.lab.vswitch.flows('br-lb', 'table=25');
    expect(
      learned.some(
        (f) =>
          (f.match.includes('02:00:00:00:04:02') && f.actions.includes('TUN_IPV4_DST')) ||
          f.actions.includes('tun_dst'),
      ),
    ).toBe(true);
  });
});
