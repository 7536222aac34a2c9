import t from 'tap';
import { tenantOf } from '../../../lab/flows.js';
import { ask, askAll, datagram, drink, echoes, isSilent, openAtOnce, pathMtu } from '../../../lab/packets.js';
import { until } from '../../../lab/until.js';
import { listenerMeterId } from '../../../src/pipeline/index.js';
import { NAMES, PUBLIC, TAGGED, type TenantName, VIP } from './dataplane-config.js';
import type { DataplaneWorld } from './dataplane-world.js';

const CLIENT = '10.20.0.10';

function servers(tenant: TenantName, numbers: readonly number[], client: string): string[] {
  return numbers.map((n) => `${tenant}-be${n} for ${client}`);
}

/** Private listeners: where VIP, client and members may be, and what stays as it was on the way. */
export async function privateListeners({ lab, host }: DataplaneWorld): Promise<void> {
  const client = (tenant: TenantName) => host(`${tenant}-client`);

  await t.test('a VIP in any segment, members in three of them, who see the client', async (t) => {
    for (const tenant of NAMES) {
      for (const vip of [VIP.web, VIP.inP3, VIP.inP4]) {
        const wanted = servers(tenant, [1, 2, 3], CLIENT);
        t.same(await askAll(client(tenant), `http://${vip}/`, wanted), wanted, `${tenant}: ${vip}`);
      }
      const inP4 = [`${tenant}-be1 for 10.40.0.2`];
      t.same(await askAll(host(`${tenant}-be3`), `http://${VIP.web}:91/`, inP4), inP4, 'a client of p4');
    }
  });

  await t.test('neighbours stay neighbours; other segments are one hop away', async (t) => {
    for (const [role, port, ttl] of [
      ['a-be1', 91, 64],
      ['a-be2', 92, 63],
    ] as const) {
      const capture = await host(role).capture({ filter: 'tcp dst port 8080 and src host 10.20.0.10' });
      t.equal(await ask(client('a'), `http://${VIP.web}:${port}/`), `${role} for ${CLIENT}`);
      const frame = await until(() => capture.seen()[0], { what: `a frame at ${role}` });
      await capture.stop();
      t.equal(frame.ttl, ttl, role);
      t.equal(frame.sourceMac === '02:00:00:00:02:10', ttl === 64, `${frame.sourceMac} sent it`);
    }
  });

  await t.test('a private stateless VIP: nothing is tracked, members talk to each other', async (t) => {
    for (const tenant of NAMES) {
      await lab.vswitch.flushConnections();
      const wanted = servers(tenant, [1, 2], CLIENT);
      t.same(await askAll(client(tenant), `http://${VIP.flat}/`, wanted), wanted);
      const be1 = host(`${tenant}-be1`);
      t.equal(await ask(be1, 'http://10.30.0.2:8081/'), `${tenant}-be2 for 10.20.0.2`);
      const tracked = (await lab.vswitch.connections()).filter((c) => /=10\.20\.0\.101,|port=8081\b/.test(c));
      t.same(tracked, [], `${tenant} tracks nothing`);
    }
  });

  await t.test('TCP and UDP on one VIP and port', async (t) => {
    for (const tenant of NAMES) {
      t.equal(await datagram(client(tenant), VIP.web, 7, 'hello'), `${tenant}-be2 hello`);
      t.equal(await drink(client(tenant), VIP.web, 7), 'complete');
    }
  });

  await t.test('several listeners to one pool, one member in several pools', async (t) => {
    for (const tenant of NAMES) {
      const all = servers(tenant, [1, 2, 3], CLIENT);
      t.same(await askAll(client(tenant), `http://${VIP.web}:90/`, all), all);
      for (const n of [1, 2, 3])
        t.equal(await ask(client(tenant), `http://${VIP.web}:9${n}/`), all[n - 1], `port 9${n}`);
    }
  });

  await t.test('SOURCE_IP: a client stays with one member', async (t) => {
    for (const tenant of NAMES) {
      const seen = new Set<string>();
      for (let n = 0; n < 12; n++) seen.add(await ask(client(tenant), `http://${VIP.web}:86/`));
      t.equal(seen.size, 1, [...seen].join());
      t.match([...seen][0], new RegExp(`^${tenant}-be[123] for ${CLIENT}$`));
    }
  });

  await t.test('a member that opens its own VIP is answered, stateful and stateless', async (t) => {
    for (const tenant of NAMES) {
      for (const n of [1, 2, 3])
        t.equal(
          await ask(host(`${tenant}-be${n}`), `http://${VIP.web}:9${n}/`),
          `${tenant}-be${n} for ${VIP.web}`,
        );
      for (const n of [1, 2])
        t.equal(
          await ask(host(`${tenant}-be${n}`), `http://${VIP.flat}/`),
          `${tenant}-be${n} for ${VIP.flat}`,
        );
    }
  });

  await t.test('echo of VIPs and gateways, by port, VLAN and tunnel', async (t) => {
    for (const tenant of NAMES)
      for (const role of ['client', 'be1', 'be2', 'be3'])
        for (const address of [VIP.inP3, '10.20.0.253'])
          t.ok(await echoes(host(`${tenant}-${role}`), address), `${tenant}-${role}: ${address}`);
  });

  await t.test('allowed_cidrs: others are dropped', async (t) => {
    for (const tenant of NAMES) {
      t.ok(await isSilent(client(tenant), `http://${VIP.web}:85/`));
      t.match(
        await ask(host(`${tenant}-be1`), `http://${VIP.web}:85/`),
        new RegExp(`^${tenant}-be[123] for`),
      );
    }
  });

  await t.test('connection_rate: what is above is dropped and counted, in its tenant only', async (t) => {
    const N = 100;
    const meters = new Map<TenantName, number>();
    for (const tenant of NAMES) meters.set(tenant, await meterOf(lab, tenant, 84));
    const metered = (tenant: TenantName) => meterCounts(lab, meters.get(tenant)!);
    const begin = performance.now();
    const connected = await openAtOnce(client('a'), VIP.web, 84, N);
    const { packets, dropped } = await metered('a');
    const seconds = (performance.now() - begin) / 1000;
    t.ok(packets >= N, `${packets} SYNs, ${dropped} dropped, ${connected} connections`);
    t.ok(packets - dropped >= 1);
    t.ok(packets - dropped <= 5 + 5 * seconds, 'a burst of five, and five a second');
    t.ok(connected <= packets - dropped);
    for (const tenant of ['b', 'c', 'd'] as const) t.same(await metered(tenant), { packets: 0, dropped: 0 });
  });
}

/** Routes, fragments, ICMP errors, and cables with a small MTU. */
export async function routedTraffic({ host }: DataplaneWorld): Promise<void> {
  const client = (tenant: TenantName) => host(`${tenant}-client`);

  await t.test('the longest prefix wins, and each tenant has its own routes', async (t) => {
    for (const tenant of NAMES) {
      const [short, long] = tenant === 'a' ? ['a-far', 'a-be1'] : [`${tenant}-be1`, `${tenant}-be3`];
      t.equal(await ask(client(tenant), 'http://172.16.1.2:8080/'), `${short} for ${CLIENT}`);
      t.equal(await ask(client(tenant), 'http://172.16.9.2:8080/'), `${long} for ${CLIENT}`);
      t.equal(
        await ask(client(tenant), `http://${VIP.far}/`),
        `${short} for ${CLIENT}`,
        'a member behind a route',
      );
    }
    t.equal(
      await ask(host('a-far'), `http://${VIP.web}:92/`),
      'a-be2 for 172.16.1.2',
      'a client behind a route',
    );
  });

  await t.test('fragments: balanced, routed, and from outside', async (t) => {
    const text = 'y'.repeat(4000);
    for (const tenant of NAMES) {
      t.ok(
        (await datagram(client(tenant), VIP.web, 7, text)) === `${tenant}-be2 ${text}`,
        `${tenant}, balanced`,
      );
      t.ok((await datagram(client(tenant), '10.30.0.2', 7, text)) === `${tenant}-be2 ${text}`, 'routed');
    }
    for (const tenant of ['a', 'c'] as const)
      t.ok(
        (await datagram(host('ext'), PUBLIC[tenant], 7, text)) === `${tenant}-be2 ${text}`,
        'from outside',
      );
  });

  await t.test('a port where nobody listens is refused by the member, in the name of the VIP', async (t) => {
    for (const tenant of NAMES)
      t.equal(await datagram(client(tenant), VIP.inP3, 9, 'x'), 'ECONNREFUSED', tenant);
  });

  await t.test('time exceeded at a hop behind the VIP reaches the client', async (t) => {
    // The route takes one off, so the router is the hop that may not forward.
    t.equal(await datagram(client('a'), VIP.far, 7, 'x', { ttl: 2 }), 'EHOSTUNREACH');
    t.equal(await datagram(client('a'), VIP.far, 7, 'x', { ttl: 3 }), 'a-far x');
  });

  await t.test('with DF through a hop of MTU 1400: to a member, and to a client', async (t) => {
    const body = ['-X', 'POST', '-d', 'x'.repeat(60_000)];
    t.equal(await ask(client('a'), `http://${VIP.far}/`, body), `a-far for ${CLIENT}`);
    t.equal(await pathMtu(client('a'), VIP.far), 1400, 'the client heard of it, from the VIP');
    t.equal(await drink(host('a-far'), VIP.web, 7), 'complete', 'a client behind the hop');
    t.equal(await pathMtu(host('a-be2'), '172.16.1.2'), 1400, 'the member heard of it');
    t.equal(await drink(host('beyond'), PUBLIC.a, 7), 'complete', 'a client beyond the gateway');
    t.equal(await pathMtu(host('a-be2'), '203.0.113.9'), 1400, 'the member heard of that, too');
  });
}

/** Public VIPs on shared uplinks. */
export async function publicListeners({ lab, host }: DataplaneWorld): Promise<void> {
  const zone = (tenant: TenantName) => NAMES.indexOf(tenant) + 1;
  const isStateful = (tenant: TenantName, vips: object) =>
    (tenant === 'a' || tenant === 'c') === (vips === PUBLIC);

  await t.test('clients beside the uplink, beyond its gateway and on the tagged network', async (t) => {
    for (const tenant of NAMES) {
      for (const [from, vips, address] of [
        ['ext', PUBLIC, '192.168.5.50'],
        ['beyond', PUBLIC, '203.0.113.9'],
        ['tagged', TAGGED, '192.168.6.50'],
      ] as const) {
        const stateful = isStateful(tenant, vips);
        await lab.vswitch.flushConnections(zone(tenant));
        const wanted = servers(tenant, stateful ? [1, 2, 3] : [1, 3], address);
        t.same(await askAll(host(from), `http://${vips[tenant]}/`, wanted), wanted, `${tenant}, ${from}`);
        t.equal(await datagram(host(from), vips[tenant], 7, 'x'), `${tenant}-be2 x`);
        const tracked = (await lab.vswitch.connections(zone(tenant))).filter((c) => c.includes(vips[tenant]));
        t.equal(tracked.length > 0, stateful, stateful ? 'tracked' : 'not tracked');
      }
    }
  });

  await t.test('echo of public VIPs and of the node', async (t) => {
    for (const address of [...Object.values(PUBLIC), '192.168.5.1'])
      t.ok(await echoes(host('ext'), address), address);
    for (const address of [...Object.values(TAGGED), '192.168.6.1'])
      t.ok(await echoes(host('tagged'), address), address);
  });

  await t.test('a member and its own public VIP', async (t) => {
    for (const tenant of ['b', 'd'] as const) {
      const vip = PUBLIC[tenant];
      t.equal(await ask(host(`${tenant}-be1`), `http://${vip}/`), `${tenant}-be1 for ${vip}`);
    }
    for (const tenant of ['a', 'c'] as const) {
      const vip = PUBLIC[tenant];
      const wanted = [`${tenant}-be1 for ${vip}`, ...servers(tenant, [2, 3], '10.20.0.2')];
      t.same(await askAll(host(`${tenant}-be1`), `http://${vip}/`, wanted), wanted);
    }
  });

  await t.test('nothing else goes out, comes in or through', async (t) => {
    t.notOk(await host('a-client').ping('192.168.5.50'));
    t.notOk(await host('ext').ping('192.168.5.254'), 'uplinks are not bridged');
    t.ok(await isSilent(host('tagged'), `http://${PUBLIC.a}/`), 'the VIP of the other network');
    await host('ext').exec(['ip', 'route', 'add', '10.20.0.0/24', 'via', '192.168.5.1']);
    t.ok(await isSilent(host('ext'), 'http://10.20.0.2:8080/'), 'an address inside a tenant');
  });
}

type Lab = DataplaneWorld['lab'];

/** The meter of the listener's connection rate: its id comes from the rule that recognises the listener. */
async function meterOf({ vswitch }: Lab, tenant: TenantName, port: number): Promise<number> {
  const found = (await vswitch.flows('br-lb', 'table=2')).find(
    (flow) => tenantOf(flow) === NAMES.indexOf(tenant) + 1 && flow.match.includes(`tp_dst=${port}`),
  );
  return listenerMeterId(Number((found!.cookie >> 16n) & 0xffffffn));
}

async function meterCounts({ vswitch }: Lab, id: number): Promise<{ packets: number; dropped: number }> {
  const { stdout } = await vswitch.ofctl('br-lb', ['meter-stats', `meter=${id}`]);
  const [, packets, dropped] = /packet_in_count:(\d+).*?\s0: ?packet_count:(\d+)/s.exec(stdout)!;
  return { packets: Number(packets), dropped: Number(dropped) };
}
