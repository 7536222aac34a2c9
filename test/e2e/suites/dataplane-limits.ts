import t, { type Test } from 'tap';
import { isLearned, kindOf, tenantOf } from '../../../lab/flows.js';
import { HttpLoad } from '../../../lab/load.js';
import { disturbances, memberIs, tenantFlows } from '../../../lab/observations.js';
import { ask, askAll, blast, isSilent, pretend } from '../../../lab/packets.js';
import { pause, until } from '../../../lab/until.js';
import { dropOf, KIND } from '../../../src/pipeline/index.js';
import { NAMES, PUBLIC, type TenantName, VIP } from './dataplane-config.js';
import type { DataplaneWorld } from './dataplane-world.js';

type Lab = DataplaneWorld['lab'];

const idOf = (tenant: TenantName) => NAMES.indexOf(tenant) + 1;

/** What is dropped on purpose is counted by a rule that says why, and whose it is. */
export async function countedDrops({ lab, host }: DataplaneWorld): Promise<void> {
  await t.test('dropped and counted for the tenant whose packets they are', async (t) => {
    for (const tenant of ['b', 'c'] as const) {
      const before = await atRest(lab);
      const client = host(`${tenant}-client`);
      for (const [url, about] of [
        [`http://${VIP.web}:81/`, 'a listener that is off'],
        [`http://${VIP.web}:82/`, 'no listener'],
        [`http://${VIP.web}:83/`, 'an empty pool'],
        ['http://198.18.0.1/', 'no route'],
      ] as const)
        t.ok(await isSilent(client, url), about);
      const reasons = ['empty-pool', 'listener-refuses', 'unknown-destination', 'vip-without-listener'];
      const wanted = reasons.map((reason) => `${idOf(tenant)} ${reason}`);
      const moved = (now: Map<string, number>) => [...now.keys()].filter((k) => now.get(k) !== before.get(k));
      const all = async () => moved(await dropsOf(lab)).length >= wanted.length;
      await until(all, { what: `the drops of ${tenant}` });
      t.same(moved(await atRest(lab)).sort(), wanted, 'and nothing else was dropped');
    }
  });

  await t.test('dropped and counted: a client that allowed_cidrs leaves out', async (t) => {
    await expectDrop(lab, '4 listener-refuses', () => isSilent(host('d-client'), `http://${VIP.web}:85/`), t);
  });

  await t.test('dropped and counted: a stateless public VIP asked from inside', async (t) => {
    await expectDrop(lab, '2 not-for-insiders', () => isSilent(host('b-client'), `http://${PUBLIC.b}/`), t);
  });

  await t.test('dropped and counted: from outside to no VIP, and a VLAN of no segment', async (t) => {
    const { ext, tagged } = { ext: host('ext'), tagged: host('tagged') };
    await ext.exec(['ip', 'route', 'add', '198.18.0.0/15', 'via', '192.168.5.1']);
    await expectDrop(lab, '65535 not-a-vip', () => isSilent(ext, 'http://198.18.0.1/'), t);
    await lab.vswitch.vsctl(['set', 'port', tagged.port, 'tag=501']);
    await expectDrop(lab, '0 unknown-port', () => isSilent(tagged, 'http://192.168.6.21/'), t);
    await lab.vswitch.vsctl(['set', 'port', tagged.port, 'tag=500']);
  });
}

async function expectDrop(lab: Lab, key: string, send: () => Promise<boolean>, t: Test): Promise<void> {
  const before = (await dropsOf(lab)).get(key) ?? 0;
  t.ok(await send(), 'silence');
  await until(async () => ((await dropsOf(lab)).get(key) ?? 0) > before, { what: `a drop: ${key}` });
}

/** The datapath reports to the rules about once a second: what earlier packets did must have arrived. */
async function atRest(lab: Lab): Promise<Map<string, number>> {
  let counts = await dropsOf(lab);
  const isStill = async () => {
    const earlier = JSON.stringify([...counts]);
    await pause(1500);
    counts = await dropsOf(lab);
    return JSON.stringify([...counts]) === earlier;
  };
  await until(isStill, { what: 'counters at rest' });
  return counts;
}

/** `TENANT REASON` → packets. */
async function dropsOf({ vswitch }: Lab): Promise<Map<string, number>> {
  const sum = new Map<string, number>();
  for (const flow of await vswitch.flows('br-lb')) {
    const drop = dropOf(flow);
    if (drop === undefined) continue;
    const key = `${drop.owner.tenant} ${drop.reason}`;
    sum.set(key, (sum.get(key) ?? 0) + flow.packets);
  }
  return sum;
}

/** What a tenant may use. */
export async function limits({ lab, host, rewrite }: DataplaneWorld): Promise<void> {
  const { vswitch } = lab;
  const RATE = 8e6;

  for (const [about, change] of [
    ['a port', { portBandwidth: '8M' }],
    ['a whole tenant', { bandwidth: '8M' }],
  ] as const) {
    await t.test(
      `bandwidth of ${about}: 8 Mbit/s of 40 arrive, beside a tenant that has no limit`,
      async (t) => {
        await rewrite('b', change);
        const [b, a] = await Promise.all([
          blast(host('b-client'), host('b-be1')),
          blast(host('a-client'), host('a-be1')),
        ]);
        const mbit = (bits: number, seconds: number) => `${(bits / seconds / 1e6).toFixed(1)} Mbit/s`;
        t.comment(`b: ${mbit(b.sentBits, b.seconds)} sent, ${mbit(b.receivedBits, b.seconds)} received`);
        t.comment(`a: ${mbit(a.sentBits, a.seconds)} sent, ${mbit(a.receivedBits, a.seconds)} received`);
        // The meter counts headers, too, and lets a tenth of a second through at first.
        t.ok(b.receivedBits <= RATE * (b.seconds + 0.1) * 1.05, 'not more');
        t.ok(b.receivedBits >= 0.4 * Math.min(b.sentBits, RATE * 2), 'not much less');
        t.ok(a.receivedBits > 1.3 * b.receivedBits, 'the other tenant is not limited');
        await rewrite('b', {});
        const { stdout } = await vswitch.ofctl('br-lb', ['dump-meters']);
        t.notMatch(stdout, /kbps/, 'the meter went with its limit');
        t.match(await ask(host('b-client'), `http://${VIP.web}/`), /^b-be[123] for/);
      },
    );
  }

  await t.test('connections: the limit is in the zone of its tenant, and goes away again', async (t) => {
    // A zone without a limit has none, or the largest there is; never zero, which would mean: no connection at all.
    const limited = async () => {
      const { stdout } = await vswitch.appctl(['dpctl/ct-get-limits', 'zone=1,2,3,4']);
      const zones = [...stdout.matchAll(/zone=(\d+),limit=(\d+)/g)];
      return zones
        .filter(([, , limit]) => limit !== '4294967295')
        .map(([, zone, limit]) => `${zone}: ${limit}`);
    };
    const none = async () => (await limited()).every((zone) => zone.endsWith(': 0'));
    t.ok(await none());
    await rewrite('d', { connections: 5000 });
    await until(async () => (await limited()).includes('4: 5000'), { what: 'the limit' });
    t.same(
      (await limited()).filter((zone) => !zone.endsWith(': 0')),
      ['4: 5000'],
      'in its zone only',
    );
    t.match(await ask(host('d-client'), `http://${VIP.web}/`), /^d-be[123] for/);
    await rewrite('d', {});
    await until(none, { what: 'no limit' });
    t.match(await ask(host('d-client'), `http://${VIP.web}/`), /^d-be[123] for/);
  });

  await t.test(
    'learning: a segment has room for so many MACs and addresses, and serves on beyond',
    async (t) => {
      await rewrite('b', { learning: 'macs: 40, adjacencies: 30' });
      const learned = async (tenant: TenantName, kind: number) =>
        (await vswitch.flows('br-lb')).filter(
          (flow) => isLearned(flow) && tenantOf(flow) === idOf(tenant) && kindOf(flow) === kind,
        );
      const segmentOf = (flow: { cookie: bigint }) => Number((flow.cookie >> 16n) & 0xffffffn);
      const largest = async (kind: number) => {
        const counts = new Map<number, number>();
        for (const flow of await learned('b', kind))
          counts.set(segmentOf(flow), (counts.get(segmentOf(flow)) ?? 0) + 1);
        return Math.max(...counts.values());
      };
      const others = (await learned('a', KIND.learnedFdb)).map(({ match }) => match).sort();
      await pretend(host('b-client'), 300);
      await until(async () => (await largest(KIND.learnedFdb)) >= 40, { what: '40 MACs' });
      t.equal(await largest(KIND.learnedFdb), 40, 'MACs');
      t.equal(await largest(KIND.learnedAdjacency), 30, 'adjacencies');
      t.same((await learned('a', KIND.learnedFdb)).map(({ match }) => match).sort(), others, 'those of a');
      // A newcomer isn't learned: its frames are flooded in the segment, its address is asked for.
      const client = host('b-client');
      await client.setMac('02:00:00:00:02:77');
      await client.exec(['ip', 'addr', 'flush', 'dev', 'eth0']);
      await client.exec(['ip', 'addr', 'add', '10.20.0.77/24', 'dev', 'eth0']);
      await client.exec(['ip', 'route', 'add', 'default', 'via', '10.20.0.1']);
      const wanted = [1, 2, 3].map((n) => `b-be${n} for 10.20.0.77`);
      t.same(await askAll(client, `http://${VIP.web}/`, wanted), wanted);
      t.equal(await largest(KIND.learnedFdb), 40);
    },
  );
}

/** A port leaves, comes back with another number, and is renumbered while it is there. */
export async function ports({ lab, agent, host }: DataplaneWorld): Promise<void> {
  const { vswitch } = lab;

  await t.test(
    'ports that vanish, appear and change their number: flows and groups follow, nothing else',
    async (t) => {
      const { port } = host('b-be1');
      const before = await Promise.all([1, 3, 4].map((id) => tenantFlows(vswitch, id)));
      const groups = async () =>
        (await vswitch.groups('br-lb')).filter((g) => !g.includes('group_id=131073,'));
      const groupsBefore = await groups();
      const uses = async (ofport: number) => {
        const flows = await tenantFlows(vswitch, 2);
        const flood = (await vswitch.groups('br-lb')).join('\n');
        return (
          flows.some(({ table, match }) => table === 0 && match.includes(`in_port=${ofport},`)) &&
          new RegExp(`output:${ofport}\\b`).test(flood)
        );
      };
      const load = await HttpLoad.start(host('a-client'), `http://${VIP.web}/`, 2);
      const old = await vswitch.ofport(port);
      t.ok(await uses(old), `${port} is ${old}`);

      await vswitch.vsctl(['del-port', port]);
      await until(async () => !(await uses(old)), { what: 'the flows of the port being gone' });
      await memberIs(agent, 'b/one/be1', 'ERROR');
      t.ok(await isSilent(host('b-client'), `http://${VIP.web}:91/`), 'its member serves nobody');

      for (const number of [old + 100, old + 101]) {
        const request = ['set', 'interface', port, `ofport_request=${number}`];
        await vswitch.vsctl(['--may-exist', 'add-port', 'br-lb', port, '--', ...request]);
        await until(() => uses(number), { what: `${port} being ${number}` });
        await memberIs(agent, 'b/one/be1', 'ONLINE');
        const served = () => ask(host('b-client'), `http://${VIP.web}:91/`);
        await until(async () => (await served()).startsWith('b-be1 for'), { what: 'the member serving' });
      }

      const { failed, requests } = await load.stop();
      t.equal(failed, 0, `${requests} requests of a`);
      const after = await Promise.all([1, 3, 4].map((id) => tenantFlows(vswitch, id)));
      for (const [i, flows] of after.entries()) t.same(disturbances(before[i]!, flows), []);
      t.same(await groups(), groupsBefore, 'groups of other segments');
    },
  );
}
