import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Host } from '../../../lab/host.js';
import { TcpSession } from '../../../lab/load.js';
import { httpServer, tcpEcho } from '../../../lab/services.js';
import { until } from '../../../lab/until.js';
import { OFP13, OFP15, type OfpVersion } from '../../../src/ofp/index.js';
import { renderPool } from '../../../src/pipeline/index.js';
import {
  facts,
  ip,
  listener,
  mac,
  member,
  NO_PROVIDER,
  pool,
  segment,
  tenant,
} from '../../golden/pipeline/intents.js';
import { ask, World } from './world.js';

/** Two tenants with equal addresses: a client and two members in segment 2, one member in segment 3. */
const hosts = [
  ['client', '10.20.0.10', '02:00:00:00:02:10', '10.20.0.1'],
  ['be1', '10.20.0.2', '02:00:00:00:02:02', '10.20.0.1'],
  ['be3', '10.20.0.3', '02:00:00:00:02:03', '10.20.0.1'],
  ['be2', '10.30.0.2', '02:00:00:00:03:02', '10.30.0.1'],
] as const;
const tenants = [1, 2].map((id) => {
  const name = id === 1 ? 'a' : 'b';
  const e = (n: number) => id * 100 + n;
  return tenant(id, {
    segments: [
      segment(
        2,
        '10.20.0.0/24',
        ['client', 'be1', 'be3'].map((h) => `v-${name}-${h}`),
      ),
      segment(3, '10.30.0.0/24', [`v-${name}-be2`]),
    ],
    listeners: [
      listener(id * 10, '10.20.0.100:80', 2, { poolId: id }),
      listener(id * 10 + 1, '10.20.0.100:81', 2, { adminStateUp: false, poolId: id }),
      // A second port of the same VIP to the same member: its answers to itself have to be told apart.
      listener(id * 10 + 2, '10.20.0.100:90', 2, { poolId: id + 10 }),
      listener(id * 10 + 3, '10.20.0.100:91', 2, { poolId: id + 10 }),
      listener(id * 10 + 4, '10.20.0.101:80', 2, { poolId: id + 20 }),
      listener(id * 10 + 6, '10.20.0.103:7', 2, { poolId: id + 30 }),
      listener(id * 10 + 5, '10.20.0.102:80', 2, {
        poolId: id,
        allowedCidrs: [{ address: ip('10.20.0.2'), length: 32 }],
      }),
    ],
    pools: [
      pool(
        id,
        [member(e(1), '10.20.0.2:8080'), member(e(2), '10.30.0.2:8080'), member(e(3), '10.20.0.3:8080')],
        { slots: 251 },
      ),
      pool(id + 10, [member(e(4), '10.20.0.3:8081')]),
      pool(id + 20, [member(e(1), '10.20.0.2:8080')]),
      pool(id + 30, [member(e(5), '10.20.0.3:7')]),
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
  for (const [t, name] of ['a', 'b'].entries())
    for (const [role, address, hw, gateway] of hosts) {
      const host = await world.host(`${name}-${role}`, address, hw, gateway, ofport);
      at.set(`${name}-${role}`, host);
      ports[host.port] = ofport;
      const key = `${t + 1}/${role === 'be2' ? 3 : 2}`;
      if (role !== 'client')
        neighbours[key] = [...(neighbours[key] ?? []), { address: ip(address), mac: mac(hw), ofport }];
      ofport++;
      if (role !== 'client') await httpServer(host);
      if (role !== 'be3') continue;
      await httpServer(host, 8081);
      await tcpEcho(host, 7);
    }
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

  const client = (name: string) => at.get(`${name}-client`)!;

  it('serves both tenants by all of their own members, who see the client', async () => {
    for (const name of ['a', 'b']) {
      const seen = await ask(client(name), 'http://10.20.0.100/', 30);
      expect(Object.keys(seen).sort()).toEqual(
        ['be1', 'be2', 'be3'].map((h) => `${name}-${h} for 10.20.0.10`),
      );
    }
  });

  it('tracks connections in the zone of their tenant and marks them with their listener', async () => {
    await client('a').curl('http://10.20.0.100/');
    const zone = await world.lab.vswitch.connections(1);
    expect(zone.filter((c) => c.includes('dst=10.20.0.100')).every((c) => c.includes('mark=10'))).toBe(true);
    expect(zone.length).toBeGreaterThan(0);
    expect((await world.lab.vswitch.connections()).filter((c) => !/zone=[12]\b/.test(c))).toEqual([]);
  });

  it('leaves TTL and MAC to neighbours and routes to others', async () => {
    const ttl = async (role: string) => {
      const capture = await at
        .get(role)!
        .capture({ filter: 'tcp dst port 8080 and tcp[tcpflags] & tcp-syn != 0' });
      const [frame] = await until(async () => {
        await ask(client('a'), 'http://10.20.0.100/', 1);
        return capture.seen().length > 0 && capture.seen();
      });
      await capture.stop();
      return { ttl: frame!.ttl, source: frame!.sourceMac };
    };
    expect(await ttl('a-be1')).toEqual({ ttl: 64, source: '02:00:00:00:02:10' });
    expect(await ttl('a-be2')).toEqual({ ttl: 63, source: '02:42:0a:00:00:03' });
  });

  it('answers ARP and echo for VIP and gateways', async () => {
    for (const address of ['10.20.0.100', '10.20.0.1', '10.20.0.253', '10.30.0.1'])
      expect(await client('a').ping(address), address).toBe(true);
    expect(await at.get('a-be2')!.ping('10.20.0.100')).toBe(true);
  });

  it('serves a client of another segment', async () => {
    const seen = await ask(at.get('a-be2')!, 'http://10.20.0.101/', 3);
    expect(seen).toEqual({ 'a-be1 for 10.30.0.2': 3 });
  });

  it('lets a member open its own VIP, by one listener and by several', async () => {
    const be1 = at.get('a-be1')!;
    expect(await ask(be1, 'http://10.20.0.101/', 3)).toEqual({ 'a-be1 for 10.20.0.101': 3 });
    const be3 = at.get('a-be3')!;
    expect(await ask(be3, 'http://10.20.0.100:90/', 3)).toEqual({ 'a-be3 for 10.20.0.100': 3 });
    expect(await ask(be3, 'http://10.20.0.100:91/', 3)).toEqual({ 'a-be3 for 10.20.0.100': 3 });
  });

  it('lets hosts talk directly, inside a segment and across', async () => {
    expect(await ask(client('a'), 'http://10.20.0.2:8080/', 2)).toEqual({ 'a-be1 for 10.20.0.10': 2 });
    expect(await ask(client('a'), 'http://10.30.0.2:8080/', 2)).toEqual({ 'a-be2 for 10.20.0.10': 2 });
    expect(await ask(at.get('a-be2')!, 'http://10.20.0.3:8080/', 2)).toEqual({ 'a-be3 for 10.30.0.2': 2 });
    expect(await client('a').ping('10.20.0.3')).toBe(true);
  });

  it('refuses a listener that is off, a port without listener and a client that is not allowed', async () => {
    for (const url of ['http://10.20.0.100:81/', 'http://10.20.0.100:82/', 'http://10.20.0.102/']) {
      const { ok, error } = await client('a').curl(url, ['--max-time', '0.4']);
      expect(ok, url).toBe(false);
      expect(error).toMatch(/curl: \(28\)/);
    }
    expect((await at.get('a-be1')!.curl('http://10.20.0.102/')).ok).toBe(true);
  });

  it('keeps an established connection when slots move, and drops new ones of an empty pool', async () => {
    const session = await TcpSession.open(client('a'), '10.20.0.103', 7);
    const { vswitch } = world.lab;
    await vswitch.ofctl('br-lb', ['del-flows', 'table=11,reg4=31']);
    await world.apply([renderPool(tenants[0]!, tenants[0]!.pools[3]!, new Set())]);
    const before = (await session.sample()).received;
    await until(async () => (await session.sample()).received > before + 3, { what: 'the session going on' });
    expect((await session.close()).error).toBe('');
    const { ok, error } = await client('a').curl('http://10.20.0.103:7/', ['--max-time', '0.4']);
    expect([ok, error]).toEqual([false, expect.stringMatching(/curl: \(28\)/)]);
    const [miss] = (await vswitch.flows('br-lb', 'table=11,reg4=31')).filter((f) => f.priority === 1);
    expect(Number(miss!.packets)).toBeGreaterThan(0);
  });
});
