import t from 'tap';
import type { Capture } from '../../../lab/capture.js';
import { type DumpedFlow, isLearned, tenantOf } from '../../../lab/flows.js';
import { HttpLoad } from '../../../lab/load.js';
import { disturbances, memberIs, membersServing, tenantFlows } from '../../../lab/observations.js';
import { httpServer, stopServer } from '../../../lab/services.js';
import { BACKENDS, MACHINES, TENANTS, VIP } from '../../../lab/two-tenants.js';
import { pause, until } from '../../../lab/until.js';
import { type Serving, serving, strangers } from './serving.js';

const CLIENT = MACHINES[0]!.address;
/** Ports of {@link MACHINES}, in order: a has 10 to 13, b 14 to 17. */
const OFPORTS = { a: [10, 11, 12, 13], b: [14, 15, 16, 17] };

/** Two tenants that have every address in common, over one version of OpenFlow: nothing of one reaches the other. */
export async function isolation(protocol: 'OpenFlow13' | 'OpenFlow15'): Promise<void> {
  const { world, agent }: Serving = await serving({ protocols: [protocol] });
  const { lab, host } = world;
  const { vswitch } = lab;
  t.teardown(() => lab.close());

  const load = (tenant: 'a' | 'b') => HttpLoad.start(host(tenant, 'client'), `http://${VIP}/`);
  const captureAll = (tenant: 'a' | 'b', filter: string): Promise<Capture[]> =>
    Promise.all(MACHINES.map(({ role }) => lab.capturePort(`v-${tenant}-${role}`, { filter })));
  const counted = async (captures: Capture[]) => {
    const frames = await Promise.all(captures.map((capture) => capture.stop()));
    return frames.reduce((sum, some) => sum + some.length, 0);
  };

  await t.test('the switch speaks the version under test', async (t) => {
    const status = await agent.json<{ switch: { version?: string } }>('/status');
    t.match(status.switch.version, protocol === 'OpenFlow13' ? /1\.?3|13/ : /1\.?5|15/);
  });

  await t.test('traffic of one tenant causes no frame on a port of the other', async (t) => {
    for (const [busy, quiet] of [
      ['a', 'b'],
      ['b', 'a'],
    ] as const) {
      const others = await captureAll(quiet, `host ${CLIENT}`);
      const own = await captureAll(busy, `host ${CLIENT}`);
      const running = await load(busy);
      await until(async () => (await running.sample()).requests >= 100, { what: '100 requests' });
      const sum = await running.stop();
      t.equal(sum.failed, 0, `${busy}: no request failed`);
      t.same(strangers(sum.servers, busy), [], `${busy}: served by its own`);
      t.equal(Object.keys(sum.servers).length, BACKENDS.length, `${busy}: all backends serve`);
      t.ok((await counted(own)) > 1000, `frames on the ports of ${busy}`);
      t.equal(await counted(others), 0, `no frame on a port of ${quiet}`);
    }
  });

  await t.test('a broadcast reaches the ports of its segment, and no other', async (t) => {
    const filter = 'arp and arp[24:4] = 0x0a14004d';
    const own = await captureAll('a', filter);
    const others = await captureAll('b', filter);
    await host('a', 'client').ping('10.20.0.77');
    const byPort = await Promise.all(own.map((capture) => capture.stop()));
    for (const [index, { role, segment }] of MACHINES.entries()) {
      t.equal(byPort[index]!.length > 0, segment === 'p2', `v-a-${role}`);
    }
    t.equal(await counted(others), 0, 'no port of b');
  });

  await t.test('the same VIP serves both at once', async (t) => {
    const both = await Promise.all(TENANTS.map(load));
    await until(
      async () =>
        (await Promise.all(both.map((one) => one.sample()))).every(({ requests }) => requests >= 200),
      {
        what: '200 requests of each',
      },
    );
    for (const [index, tenant] of TENANTS.entries()) {
      const sum = await both[index]!.stop();
      t.equal(sum.failed, 0, `${tenant}: ${sum.requests} requests`);
      t.same(strangers(sum.servers, tenant), [], `${tenant}: served by its own`);
    }
  });

  await t.test('connections of each tenant are tracked in its own zone', async (t) => {
    await vswitch.flushConnections();
    for (const [index, tenant] of TENANTS.entries()) {
      t.ok((await host(tenant, 'client').curl(`http://${VIP}/`, ['--local-port', '40001'])).ok);
      const tracked = (await vswitch.connections()).filter((line) => line.includes('sport=40001'));
      t.same(
        tracked.map((line) => Number(/zone=(\d+)/.exec(line)?.[1])).sort(),
        TENANTS.slice(0, index + 1).map((_, at) => at + 1),
        `the same connection, also in ${tenant}`,
      );
    }
  });

  await t.test('what was learned in one tenant leads to its own ports only', async (t) => {
    const learned = (await vswitch.flows('br-lb')).filter(isLearned);
    for (const [index, tenant] of TENANTS.entries()) {
      const own = learned.filter((flow) => tenantOf(flow) === index + 1);
      const tables = new Set(own.map(({ table }) => table));
      t.same([...tables].sort(), [21, 25], `${tenant} has learned MACs and next hops`);
      const outputs = own.flatMap(({ actions }) =>
        [...actions.matchAll(/output:(\d+)/g)].map((match) => Number(match[1])),
      );
      t.ok(outputs.length >= own.length);
      t.same(
        outputs.filter((port) => !OFPORTS[tenant].includes(port)),
        [],
        `${tenant}: only its own ports`,
      );
    }
    t.equal(learned.filter((flow) => ![1, 2].includes(tenantOf(flow))).length, 0, 'each belongs to a tenant');
  });

  await t.test('no rule behind table 0 matches an address without the tenant', async (t) => {
    const addressed = (await vswitch.flows('br-lb')).filter(
      ({ table, match }) =>
        table > 0 && /(^|,)(nw_src|nw_dst|arp_[st]pa|arp_[st]ha|dl_src|dl_dst|ipv6_\w+|nd_\w+)=/.test(match),
    );
    t.ok(addressed.length > 20, `${addressed.length} rules match addresses`);
    t.same(
      addressed.filter(({ match }) => !/(^|,)(reg3|xreg1|xxreg0)=/.test(match)).map(({ line }) => line),
      [],
    );
  });

  await t.test('load on a moves no counter of a rule that serves b', async (t) => {
    const serves = async () =>
      (await tenantFlows(vswitch, 2)).filter(({ table }) => table >= 10 && table <= 12);
    const packets = (flows: DumpedFlow[]) => flows.map(({ match, packets }) => `${match} ${packets}`).sort();
    // The datapath reports to the rules about once a second; what b did before must have arrived.
    let before = await serves();
    await until(
      async () => {
        const earlier = packets(before);
        await pause(1500);
        before = await serves();
        return packets(before).join() === earlier.join();
      },
      { what: "b's counters at rest" },
    );
    const running = await load('a');
    await until(async () => (await running.sample()).requests >= 200, { what: '200 requests' });
    t.equal((await running.stop()).failed, 0);
    await pause(1500);
    const after = await serves();
    t.ok(before.length > 251);
    t.same(packets(after), packets(before));
  });

  await t.test('all members of a down: b does not notice', async (t) => {
    const before = await tenantFlows(vswitch, 2);
    const running = await load('b');
    for (const role of BACKENDS) await stopServer(host('a', role));
    for (const role of BACKENDS) await memberIs(agent, `a/web/${role}`, 'ERROR');
    await membersServing(vswitch, 1, 0);
    const refused = await host('a', 'client').curl(`http://${VIP}/`, ['--max-time', '1']);
    t.match(refused.error, /curl: \(28\)/, 'a is dropped in the switch: fail-close');
    const sum = await running.stop();
    t.equal(sum.failed, 0, `${sum.requests} requests of b`);
    t.same(disturbances(before, await tenantFlows(vswitch, 2)), [], 'flows of b are untouched');
    for (const role of BACKENDS) await httpServer(host('a', role));
    for (const role of BACKENDS) await memberIs(agent, `a/web/${role}`, 'ONLINE');
    await membersServing(vswitch, 1, BACKENDS.length);
    t.ok((await host('a', 'client').curl(`http://${VIP}/`)).ok, 'a is back');
  });
}
