import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Host } from '../../../lab/host.js';
import { askAll, datagram, echoes, openAtOnce } from '../../../lab/packets.js';
import { httpServer, udpEcho } from '../../../lab/services.js';
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
  prefix,
  segment,
  tenant,
} from '../../golden/pipeline/intents.js';
import { ask, World } from './world.js';

/**
 * One tenant: client and members in two segments, and a router in segment 2 with a network of MTU 1400 behind it,
 * where another client and member live (on the router machine itself).
 */
const one = tenant(1, {
  segments: [
    segment(2, '10.20.0.0/24', ['v-client', 'v-be1', 'v-be3', port('v-router', { uplink: true })]),
    segment(3, '10.30.0.0/24', ['v-be2']),
  ],
  routes: [
    { destination: prefix('172.16.0.0/16'), nextHop: ip('10.20.0.254'), segmentId: 2 },
    // A longer prefix to nowhere: it must win.
    { destination: prefix('172.16.9.0/24'), nextHop: ip('10.20.0.250'), segmentId: 2 },
  ],
  listeners: [
    listener(10, '10.20.0.100:80', 2, { poolId: 1 }),
    listener(11, '10.20.0.100:7', 2, { poolId: 2, protocol: 'UDP' }),
    listener(12, '10.20.0.101:80', 2, { poolId: 3, mode: 'stateless' }),
    listener(13, '10.20.0.100:81', 2, { poolId: 4, connectionRate: 5 }),
    listener(14, '10.20.0.102:80', 2, { poolId: 5 }),
    listener(15, '10.20.0.103:9', 2, { poolId: 6, protocol: 'UDP' }),
  ],
  pools: [
    pool(1, [member(1, '172.16.1.2:8080')]),
    pool(2, [member(2, '10.30.0.2:7')]),
    pool(3, [member(3, '10.20.0.2:8081'), member(4, '10.30.0.2:8081')], { slots: 251 }),
    pool(4, [member(5, '10.20.0.2:8080')]),
    pool(5, [member(5, '10.20.0.2:8080'), member(6, '10.30.0.2:8080')], {
      slots: 251,
      sessionPersistence: 'SOURCE_IP',
    }),
    pool(6, [member(7, '10.30.0.2:9')]),
  ],
});

let world: World;
const at = new Map<string, Host>();
const ports: Record<string, number> = {};
const neighbours: Record<string, ResolvedNeighbour[]> = {};

beforeAll(async () => {
  world = await World.create();
  let ofport = 10;
  for (const [name, address, hw, s] of [
    ['client', '10.20.0.10', '02:00:00:00:02:10', 2],
    ['be1', '10.20.0.2', '02:00:00:00:02:02', 2],
    ['be3', '10.20.0.3', '02:00:00:00:02:03', 2],
    ['be2', '10.30.0.2', '02:00:00:00:03:02', 3],
    ['router', '10.20.0.254', '02:00:00:00:02:fe', 2],
  ] as const) {
    const host = await world.host(name, address, hw, address.replace(/\d+$/, '1'), ofport);
    at.set(name, host);
    ports[host.port] = ofport;
    neighbours[`1/${s}`] = [...(neighbours[`1/${s}`] ?? []), { address: ip(address), mac: mac(hw), ofport }];
    ofport++;
  }
  // Behind the router: a machine on a cable with a small MTU.
  const router = at.get('router')!;
  await router.exec([
    'sysctl',
    '-qw',
    'net.ipv4.ip_forward=1',
    'net.ipv4.conf.all.send_redirects=0',
    'net.ipv4.conf.eth0.send_redirects=0',
  ]);
  const far = await world.farHost(router, 'far', '172.16.1.1', '172.16.1.2', 1400);
  at.set('far', far);
  await httpServer(far);
  await httpServer(at.get('be1')!);
  await httpServer(at.get('be2')!);
  await httpServer(at.get('be1')!, 8081);
  await httpServer(at.get('be2')!, 8081);
  await udpEcho(at.get('be2')!, 7);
}, 60_000);
afterAll(() => world.close());

describe.each([
  ['OpenFlow 1.3', OFP13],
  ['OpenFlow 1.5', OFP15],
] as [string, OfpVersion][])('%s', (_, version) => {
  beforeAll(async () => {
    await world.connect(version);
    await world.install([one], NO_PROVIDER, facts(ports, [one], neighbours));
    await Promise.all([...at.values()].map((h) => h.exec(['ip', 'route', 'flush', 'cache'])));
  });

  it('balances to a member behind a static route, and serves a client from there', async () => {
    expect(await ask(at.get('client')!, 'http://10.20.0.100/', 2)).toEqual({ 'far for 10.20.0.10': 2 });
    expect(await datagram(at.get('far')!, '10.20.0.100', 7, 'x')).toBe('be2 x');
    expect(await echoes(at.get('be2')!, '172.16.1.2')).toBe(true);
  });

  it('prefers the longest prefix', async () => {
    expect(await at.get('be2')!.ping('172.16.9.2')).toBe(false);
  });

  it('brings fragmentation needed of a hop to the client: a large upload with DF goes through', async () => {
    const body = 'x'.repeat(60_000);
    const client = at.get('client')!;
    const { ok } = await client.curl('http://10.20.0.100/', ['--max-time', '15', '-X', 'POST', '-d', body]);
    expect(ok).toBe(true);
    const { stdout } = await client.exec(['ip', 'route', 'get', '10.20.0.100']);
    expect(stdout).toMatch(/mtu 1400/);
  });

  it('brings an unreachable port of a UDP member to the client', async () => {
    expect(await datagram(at.get('client')!, '10.20.0.103', 9, 'x')).toBe('ECONNREFUSED');
  });

  it('carries fragmented datagrams both ways through a stateful listener', async () => {
    expect(await datagram(at.get('client')!, '10.20.0.100', 7, 'y'.repeat(4000))).toBe(
      `be2 ${'y'.repeat(4000)}`,
    );
    // Again: the connection is known now.
    expect(await datagram(at.get('client')!, '10.20.0.100', 7, 'z'.repeat(4000))).toBe(
      `be2 ${'z'.repeat(4000)}`,
    );
  });

  it('serves a private stateless VIP without conntrack, inside and across segments', async () => {
    await world.lab.vswitch.flushConnections();
    const wanted = ['be1 for 10.20.0.10', 'be2 for 10.20.0.10'];
    expect(await askAll(at.get('client')!, 'http://10.20.0.101/', wanted)).toEqual(wanted);
    const tracked = await world.lab.vswitch.connections();
    expect(tracked.filter((c) => /=10\.20\.0\.101,|port=8081\b/.test(c))).toEqual([]);
    // Members: to each other directly, to the VIP by themselves.
    expect(await ask(at.get('be1')!, 'http://10.30.0.2:8081/', 2)).toEqual({ 'be2 for 10.20.0.2': 2 });
    expect(await ask(at.get('be2')!, 'http://10.20.0.101/', 2)).toEqual({ 'be2 for 10.20.0.101': 2 });
  });

  it('keeps a client on one member by its address', async () => {
    expect(Object.keys(await ask(at.get('client')!, 'http://10.20.0.102/', 10))).toHaveLength(1);
  });

  it('limits new connections of a listener and counts what it drops', async () => {
    const N = 100;
    const begin = performance.now();
    const connected = await openAtOnce(at.get('client')!, '10.20.0.100', 81, N);
    const { stdout } = await world.lab.vswitch.ofctl('br-lb', ['meter-stats']);
    const seconds = (performance.now() - begin) / 1000;
    const counts = /meter:33554445 .*?packet_in_count:(\d+).*?\s0: ?packet_count:(\d+)/s.exec(stdout)!;
    const passed = Number(counts[1]) - Number(counts[2]);
    expect(Number(counts[1])).toBeGreaterThanOrEqual(N);
    // A burst of five, and five a second.
    expect(passed).toBeLessThanOrEqual(5 + 5 * seconds);
    expect(passed).toBeGreaterThan(0);
    expect(connected).toBeLessThanOrEqual(passed);
  });

  it('leaves what is not ours alone: broadcast, multicast, and hosts by the router', async () => {
    const capture = await at.get('be3')!.capture({ filter: 'udp port 5353' });
    const foreign = await at.get('be2')!.capture({ filter: 'udp port 5353' });
    const send =
      "require('dgram').createSocket('udp4').send('mdns', 5353, '224.0.0.251', () => process.exit())";
    await at.get('client')!.exec([process.execPath, '-e', send]);
    await until(() => capture.frames().length > 0, { what: 'the multicast' });
    expect((await capture.stop()).length).toBe(1);
    expect(await foreign.stop()).toEqual([]);
    expect(await echoes(at.get('client')!, '10.20.0.254')).toBe(true);
  });
});
