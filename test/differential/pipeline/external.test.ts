import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Host } from '../../../lab/host.js';
import { askAll, datagram, echoes } from '../../../lab/packets.js';
import { httpServer, udpEcho } from '../../../lab/services.js';
import type { ProviderIntent } from '../../../src/model/types.js';
import { OFP13, OFP15, type OfpVersion } from '../../../src/ofp/index.js';
import {
  facts,
  ip,
  listener,
  mac,
  member,
  pool,
  port,
  segment,
  tenant,
} from '../../golden/pipeline/intents.js';
import { ask, World } from './world.js';

/**
 * Two tenants with equal private addresses and public VIPs on one external network, a client beside the uplink and
 * one beyond its gateway. Tenant 1 is stateless, tenant 2 stateful; both have a member in each of two segments.
 */
const PUB = '192.168.5.0/24';
const provider = (uplink: ReturnType<typeof port>): ProviderIntent => ({
  networks: [
    segment(1, PUB, [uplink], {
      mac: mac('02:00:c0:a8:05:01'),
      probeAddress: ip('192.168.5.1'),
      externalGateway: ip('192.168.5.254'),
    }),
  ],
});
const tenants = (['stateless', 'stateful'] as const).map((mode, i) => {
  const id = i + 1;
  const name = id === 1 ? 'a' : 'b';
  const vip = id === 1 ? '192.168.5.31' : '192.168.5.22';
  const e = (n: number) => id * 100 + n;
  return tenant(id, {
    segments: [
      segment(
        2,
        '10.20.0.0/24',
        ['client', 'be1'].map((h) => `v-${name}-${h}`),
      ),
      segment(3, '10.30.0.0/24', [`v-${name}-be2`]),
    ],
    listeners: [
      listener(id * 10, `${vip}:80`, 'ext:1', { poolId: id, mode }),
      listener(id * 10 + 1, `${vip}:7`, 'ext:1', { poolId: id + 10, mode, protocol: 'UDP' }),
      // Private, to the same members as the public one.
      listener(id * 10 + 2, '10.20.0.100:80', 2, { poolId: id }),
      listener(id * 10 + 3, '10.20.0.101:7', 2, { poolId: id + 10, protocol: 'UDP' }),
    ],
    pools: [
      pool(id, [member(e(1), '10.20.0.2:8080'), member(e(2), '10.30.0.2:8080')], { slots: 251 }),
      pool(id + 10, [member(e(3), '10.30.0.2:7')]),
    ],
  });
});

let world: World;
const at = new Map<string, Host>();
const ports: Record<string, number> = {};
const neighbours: Record<string, { address: number; mac: bigint; ofport: number }[]> = {};

beforeAll(async () => {
  world = await World.create();
  let ofport = 10;
  const add = async (name: string, address: string, hw: string, gateway: string, key: string) => {
    const host = await world.host(name, address, hw, gateway, ofport);
    at.set(name, host);
    ports[host.port] = ofport;
    neighbours[key] = [...(neighbours[key] ?? []), { address: ip(address), mac: mac(hw), ofport }];
    ofport++;
    return host;
  };
  for (const [t, name] of ['a', 'b'].entries()) {
    await add(`${name}-client`, '10.20.0.10', '02:00:00:00:02:10', '10.20.0.1', `${t + 1}/2`);
    await httpServer(await add(`${name}-be1`, '10.20.0.2', '02:00:00:00:02:02', '10.20.0.1', `${t + 1}/2`));
    const be2 = await add(`${name}-be2`, '10.30.0.2', '02:00:00:00:03:02', '10.30.0.1', `${t + 1}/3`);
    await httpServer(be2);
    await udpEcho(be2, 7);
  }
  await add('ext', '192.168.5.50', '02:00:00:00:05:50', '192.168.5.1', '65535/1');
  // The router beyond which another client lives, on one machine.
  const gw = await add('gw', '192.168.5.254', '02:00:00:00:05:fe', '192.168.5.1', '65535/1');
  await gw.exec(['ip', 'addr', 'add', '203.0.113.9/32', 'dev', 'lo']);
}, 60_000);
afterAll(() => world.close());

const VIPS = { a: '192.168.5.31', b: '192.168.5.22' };

describe.each([
  ['OpenFlow 1.3', OFP13],
  ['OpenFlow 1.5', OFP15],
] as [string, OfpVersion][])('%s', (_, version) => {
  beforeAll(async () => {
    await world.connect(version);
    const uplinks = [port('v-ext'), port('v-gw')];
    const network = provider(uplinks[0]!).networks[0]!;
    await world.install(
      tenants,
      { networks: [{ ...network, ports: uplinks }] },
      facts(ports, tenants, neighbours),
    );
  });

  it.each(['a', 'b'] as const)('serves external clients of tenant %s', async (name) => {
    const wanted = [`${name}-be1 for 192.168.5.50`, `${name}-be2 for 192.168.5.50`];
    expect(await askAll(at.get('ext')!, `http://${VIPS[name]}/`, wanted)).toEqual(wanted);
  });

  it.each(['a', 'b'] as const)('serves clients beyond the gateway of tenant %s', async (name) => {
    const { stdout } = await at
      .get('gw')!
      .exec(['curl', '-sS', '--max-time', '15', '--interface', '203.0.113.9', `http://${VIPS[name]}/`]);
    expect(stdout).toMatch(new RegExp(`"server":"${name}-be[12]","client":"203.0.113.9"`));
  });

  it.each(['a', 'b'] as const)('serves UDP of tenant %s', async (name) => {
    expect(await datagram(at.get('ext')!, VIPS[name], 7, 'hello')).toBe(`${name}-be2 hello`);
  });

  it('tracks nothing for a stateless listener', async () => {
    await world.lab.vswitch.flushConnections();
    await ask(at.get('ext')!, `http://${VIPS.a}/`, 2);
    const tracked = await world.lab.vswitch.connections();
    expect(tracked.filter((c) => c.includes(VIPS.a))).toEqual([]);
  });

  it('answers echo and ARP for public VIPs and the own address', async () => {
    for (const address of [...Object.values(VIPS), '192.168.5.1'])
      expect(await echoes(at.get('ext')!, address), address).toBe(true);
  });

  it('serves the private VIP to the same members beside the public one', async () => {
    for (const name of ['a', 'b']) {
      const client = at.get(`${name}-client`)!;
      const wanted = [`${name}-be1 for 10.20.0.10`, `${name}-be2 for 10.20.0.10`];
      expect(await askAll(client, 'http://10.20.0.100/', wanted)).toEqual(wanted);
      expect(await datagram(client, '10.20.0.101', 7, 'x')).toBe(`${name}-be2 x`);
    }
  });

  it('lets members talk on their service port, across segments', async () => {
    for (const name of ['a', 'b'])
      expect(await ask(at.get(`${name}-be1`)!, 'http://10.30.0.2:8080/', 2)).toEqual({
        [`${name}-be2 for 10.20.0.2`]: 2,
      });
  });

  it('serves its own public VIP to a member', async () => {
    expect(await ask(at.get('a-be1')!, `http://${VIPS.a}/`, 3)).toEqual({ [`a-be1 for ${VIPS.a}`]: 3 });
    const wanted = [`b-be1 for ${VIPS.b}`, 'b-be2 for 10.20.0.2'];
    expect(await askAll(at.get('b-be1')!, `http://${VIPS.b}/`, wanted)).toEqual(wanted);
  });

  it('serves insiders by a stateful public VIP, not by a stateless one', async () => {
    const wanted = ['b-be1 for 10.20.0.10', 'b-be2 for 10.20.0.10'];
    expect(await askAll(at.get('b-client')!, `http://${VIPS.b}/`, wanted)).toEqual(wanted);
    expect((await at.get('a-client')!.curl(`http://${VIPS.a}/`, ['--max-time', '0.4'])).ok).toBe(false);
  });

  it('routes nothing else out or through', async () => {
    expect(await at.get('a-client')!.ping('192.168.5.50')).toBe(false);
    expect(await at.get('ext')!.ping('192.168.5.254')).toBe(false);
  });
});
