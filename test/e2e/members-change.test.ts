import t from 'tap';
import { HttpLoad, TcpSession } from '../../lab/load.js';
import {
  disturbances,
  memberIs,
  membersServing,
  movedSlots,
  neighbours,
  slotFlows,
  slots,
  tenantFlows,
} from '../../lab/observations.js';
import { OpenflowSniffer } from '../../lab/openflow-sniffer.js';
import { httpServer, stopServer, tcpEcho } from '../../lab/services.js';
import { BACKENDS, VIP } from '../../lab/two-tenants.js';
import { until } from '../../lab/until.js';
import { serving } from './suites/serving.js';

const { world, agent } = await serving({}, async ({ host }) => {
  for (const role of BACKENDS) {
    await httpServer(host('a', role));
    await tcpEcho(host('b', role));
  }
});
const { lab, host } = world;
const { vswitch } = lab;
t.teardown(() => lab.close());

await t.test(
  'a member that fails loses its slots and no other moves; back, the old table returns',
  async (t) => {
    const before = await slotFlows(vswitch, 1);
    const ofB = await tenantFlows(vswitch, 2);
    const pool = (await slots(agent)).find(({ tenant }) => tenant === 'a');
    const own = pool?.members.find(({ member }) => member === 'be1')?.slots;
    const sniffer = await OpenflowSniffer.start(lab);
    await stopServer(host('a', 'be1'));
    const killed = Date.now();
    await memberIs(agent, 'a/web/be1', 'ERROR');
    const took = Date.now() - killed;
    t.ok(took > 1500, `three failures in a row, a second apart: ${took} ms`);
    await membersServing(vswitch, 1, BACKENDS.length - 1);
    const moved = movedSlots(before, await slotFlows(vswitch, 1));
    t.equal(moved.length, own, 'as many as it had');
    t.equal(new Set(moved.map((slot) => before.get(slot))).size, 1, 'all of them its own');
    const load = await HttpLoad.start(host('a', 'client'), `http://${VIP}/`);
    await until(async () => (await load.sample()).requests > 200, { what: '200 requests' });
    const sum = await load.stop();
    t.match(sum, { failed: 0 }, 'requests go on');
    t.equal(sum.servers['a-be1'], undefined);

    await httpServer(host('a', 'be1'));
    await memberIs(agent, 'a/web/be1', 'ONLINE');
    await membersServing(vswitch, 1, BACKENDS.length);
    t.same(movedSlots(before, await slotFlows(vswitch, 1)), [], 'the old table');
    t.same(disturbances(ofB, await tenantFlows(vswitch, 2)), [], 'b was left alone');
    t.comment(
      `${(await sniffer.stop()).flowMods} flow-mods for ${own} slots there and back (the connection began before: 0 seen)`,
    );
  },
);

await t.test('a drained member keeps its connection and gets no new one', async (t) => {
  const session = await TcpSession.open(host('b', 'client'), VIP, 80);
  const member = session.server.slice('b-'.length);
  const answer = await agent.post('/drain', { tenant: 'b', pool: 'web', member });
  t.equal(answer.status, 200, answer.body);
  await memberIs(agent, `b/web/${member}`, 'DRAINING');
  await membersServing(vswitch, 2, BACKENDS.length - 1);
  const others = new Set<string>();
  for (let index = 0; index < 20; index += 1) {
    const another = await TcpSession.open(host('b', 'client'), VIP, 80);
    others.add(another.server);
    await another.close();
  }
  t.notOk(others.has(session.server), `new ones go to ${[...others].join(' ')}`);
  t.equal((await agent.post('/enable', { tenant: 'b', pool: 'web', member })).status, 200);
  await memberIs(agent, `b/web/${member}`, 'ONLINE');
  const held = await session.close();
  t.equal(held.error, '', `the old one lived on: ${held.received} lines, longest gap ${held.longestGap} ms`);
});

await t.test('a drained member is drained also after a restart of the agent', async (t) => {
  t.equal((await agent.post('/drain', { tenant: 'a', pool: 'web', member: 'be3' })).status, 200);
  await memberIs(agent, 'a/web/be3', 'DRAINING');
  await agent.stop();
  const again = await lab.startAgent({ configDir: world.configDir });
  await memberIs(again, 'a/web/be3', 'DRAINING');
  t.equal((await again.post('/enable', { tenant: 'a', pool: 'web', member: 'be3' })).status, 200);
  await memberIs(again, 'a/web/be3', 'ONLINE');
  Object.assign(agent, again);
});

await t.test('a member whose card was replaced is found at its new address', async (t) => {
  const machine = host('a', 'be3');
  const current = (await neighboursNow()).find(
    ({ tenant, address }) => tenant === 'a' && address === machine.address,
  );
  t.equal(current?.mac, '02:00:00:00:02:03');
  await machine.setMac('02:00:00:00:99:03');
  await machine.exec(['arping', '-U', '-c', '1', '-I', 'eth0', machine.address], { allowFailure: true });
  await until(
    async () =>
      (await neighboursNow()).find((row) => row.tenant === 'a' && row.address === machine.address)?.mac ===
      '02:00:00:00:99:03',
    { what: 'the new MAC' },
  );
  const load = await HttpLoad.start(host('a', 'client'), `http://${VIP}/`);
  await until(async () => (await load.sample()).requests > 200, { what: '200 requests' });
  const sum = await load.stop();
  t.equal(sum.failed, 0);
  t.ok(sum.servers['a-be3'], 'it serves');
});

function neighboursNow() {
  return neighbours(agent);
}
