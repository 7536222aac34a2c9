import { existsSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { until } from '../../../lab/until.js';
import { ListenError } from '../../../src/ofp/channel/index.js';
import { OFP13, OFP14, OFP15 } from '../../../src/ofp/types/field.js';
import { active, Fixture, passive } from './fixture.js';
import { badFlow, overlapping, slotFlow, slotFlows } from './slot-flows.js';

const fixture = new Fixture();
beforeAll(() => fixture.start());
afterAll(() => fixture.stop());
afterEach(() => fixture.reset());

test.each([
  [OFP13, 'OpenFlow13'],
  [OFP14, 'OpenFlow14'],
  [OFP15, 'OpenFlow15'],
] as const)(
  'version %i is agreed on with a switch that connects over TCP and installs a bundle',
  async (version, name) => {
    const { ovs } = fixture;
    await ovs.addBridge('br0');
    const target = await fixture.listen('tcp', { versions: [version] });
    await ovs.setController('br0', target);
    const connection = await fixture.arrival();
    expect(connection.version).toBe(version);
    const { stdout } = await ovs.vsctl(['get', 'bridge', 'br0', 'datapath_id']);
    expect(connection.datapathId.toString(16).padStart(16, '0')).toBe(JSON.parse(stdout));

    expect(await connection.bundle(slotFlows(1024))).toEqual({ ok: true });
    expect(await ovs.countFlows('br0')).toBe(1024);
    const { stdout: flows } = await ovs.ofctl([
      '-O',
      name,
      'dump-flows',
      `unix:${ovs.mgmt('br0')}`,
      'cookie=7/-1',
    ]);
    expect(flows).toMatch(
      /table=11,.*priority=100,reg1=0x7,reg4=0x1 actions=set_field:0x8->reg2,goto_table:12/,
    );
  },
);

test.each([OFP13, OFP14, OFP15] as const)(
  'a message that version %i can not add to a bundle is told by its index, and nothing is applied',
  async (version) => {
    const connection = await fixture.connected('br0', { versions: [version] });
    const outcome = await connection.bundle([slotFlow(1), slotFlow(2), badFlow, slotFlow(3), badFlow]);
    expect(outcome).toMatchObject({
      ok: false,
      refusals: [2, 4].map((index) => ({ index, error: 'OFPBIC_BAD_TABLE_ID' })),
    });
    expect(await fixture.ovs.countFlows('br0')).toBe(0);
    expect(await connection.bundle([slotFlow(1)])).toEqual({ ok: true });
  },
);

test.each([OFP13, OFP14, OFP15] as const)(
  'a message that is refused at the commit, version %i, is told by its index, and nothing is applied',
  async (version) => {
    const connection = await fixture.connected('br0', { versions: [version] });
    const outcome = await connection.bundle([slotFlow(1), slotFlow(2), overlapping(1), slotFlow(3)]);
    expect(outcome).toEqual({ ok: false, refusals: [{ index: 2, error: 'OFPFMFC_OVERLAP' }] });
    expect(await fixture.ovs.countFlows('br0')).toBe(0);
    expect(await connection.bundle([slotFlow(1)])).toEqual({ ok: true });
    expect(connection.counters().pending).toBe(0);
  },
);

test('a batch applies what it can and tells the rest by index', async () => {
  const connection = await fixture.connected('br0');
  const outcome = await connection.batch([badFlow, slotFlow(1), slotFlow(2), badFlow]);
  expect(outcome).toMatchObject({ ok: false, refusals: [{ index: 0 }, { index: 3 }] });
  expect(await fixture.ovs.countFlows('br0')).toBe(2);
});

test('bundles and batches take effect in the order of the calls, each with its own outcome', async () => {
  const connection = await fixture.connected('br0');
  const outcomes = await Promise.all([
    connection.bundle(slotFlows(5000)),
    connection.bundle([badFlow]),
    ...Array.from({ length: 8 }, (_, i) => connection.bundle([slotFlow(0, { cookie: BigInt(1000 + i) })])),
    connection.batch([slotFlow(0, { cookie: 4242n })]),
  ]);
  expect(outcomes.map((o) => o.ok)).toEqual([true, false, ...Array(8).fill(true), true]);
  expect(await fixture.ovs.countFlows('br0')).toBe(5000);
  expect(await fixture.ovs.countFlows('br0', 'cookie=4242/-1')).toBe(1);
});

test('a refused request rejects, an unasked-for refusal reaches the handler, an unknown experimenter costs nothing', async () => {
  const connection = await fixture.connected('br0');
  const errors: unknown[] = [];
  connection.onMessage((message) => errors.push(message.type));
  connection.send(badFlow);
  connection.send({ type: 'experimenter', experimenter: 0x00abcdef, expType: 7, data: new Uint8Array(8) });
  await expect(
    connection.request({
      type: 'experimenter',
      experimenter: 0x00abcdef,
      expType: 8,
      data: new Uint8Array(0),
    }),
  ).rejects.toMatchObject({ code: 'refused', error: 'OFPBRC_BAD_VENDOR' });
  expect(errors).toEqual(['error', 'error']);
  await connection.barrier();
  expect(connection.open).toBe(true);
  expect(connection.counters()).toMatchObject({ errors: 3, pending: 0 });
});

test('three bridges are told apart; the second connection of one takes over from the first', async () => {
  const target = await fixture.listen('tcp');
  for (const bridge of ['br0', 'br1', 'br2']) {
    await fixture.ovs.addBridge(bridge);
    await fixture.ovs.setController(bridge, target);
  }
  await fixture.arrival(3);
  expect(fixture.channel.connections.size).toBe(3);
  const first = fixture.arrived[0]!;
  const closed = new Promise<string>((resolve) => first.onClose(resolve));
  const bridge = (await fixture.bridgeOf(first.datapathId))!;
  await fixture.ovs.vsctl(['set-controller', bridge, target, target.replace('127.0.0.1', '127.0.0.2')]);
  expect(await closed).toMatch(/^replaced by a newer connection/);
  expect(fixture.channel.connections.get(first.datapathId)).not.toBe(first);
  expect(fixture.channel.connections.size).toBe(3);
});

test('a switch connects to a Unix socket of ours, which only its owner and group may use', async () => {
  const path = join(fixture.ovs.dir, 'controller.sock');
  await fixture.open({ listen: [passive(`punix:${path}`)] });
  expect(statSync(path).mode & 0o777).toBe(0o660);
  await fixture.ovs.addBridge('br0');
  await fixture.ovs.setController('br0', `unix:${path}`);
  expect(await (await fixture.arrival()).bundle([slotFlow(1)])).toEqual({ ok: true });
  fixture.channel.close('done');
  expect(existsSync(path)).toBe(false);
});

test('a killed switch that comes back connects again by itself, both ways', async () => {
  const { ovs } = fixture;
  await ovs.addBridge('br0');
  await ovs.addBridge('br1');
  const target = await fixture.listen('tcp', { connect: [active(`unix:${ovs.mgmt('br1')}`)] });
  await ovs.setController('br0', target);
  await fixture.arrival(2);
  const before = [...fixture.arrived];
  const pending = before.map((connection) => connection.bundle(slotFlows(200_000)));
  await until(() => before.every((c) => c.counters().bytesOut > 100_000), { interval: 1 });
  await ovs.kill();
  const outcomes = await Promise.all(pending);
  expect(outcomes).toEqual(before.map(() => ({ ok: false, refusals: [{ error: 'closed' }] })));
  expect(fixture.channel.connections.size).toBe(0);
  await ovs.boot();
  await fixture.arrival(4);
  for (const connection of fixture.arrived.slice(2))
    expect(await connection.bundle([slotFlow(1)])).toEqual({ ok: true });
});

test('what can not be listened on is refused with the reason', async () => {
  const path = join(fixture.ovs.dir, 'taken.sock');
  const other = createServer().listen(path);
  const port = createServer().listen(0, '127.0.0.1');
  await until(() => other.listening && port.listening, { interval: 1 });
  const taken = (port.address() as { port: number }).port;
  const refused = (text: string) => fixture.open({ listen: [passive(text)] });
  await expect(refused(`punix:${path}`)).rejects.toMatchObject({ name: 'ListenError', code: 'busy' });
  await expect(refused(`ptcp:${taken}:127.0.0.1`)).rejects.toMatchObject({ code: 'busy' });
  await expect(refused('ptcp:0:192.0.2.1')).rejects.toMatchObject({ code: 'unavailable' });
  await expect(refused(`pssl:0:127.0.0.1`)).rejects.toMatchObject({ code: 'tls' });
  await expect(refused(`punix:${fixture.ovs.dir}/missing/x.sock`)).rejects.toBeInstanceOf(ListenError);
  writeFileSync(join(fixture.ovs.dir, 'file'), 'precious');
  await expect(refused(`punix:${fixture.ovs.dir}/file`)).rejects.toMatchObject({ code: 'busy' });
  other.close();
  port.close();
});
