import { describe, expect, it } from 'vitest';
import { KIND } from '../../../src/pipeline/index.js';
import { DriftCheck } from '../../../src/sync/index.js';
import { flow, owner, slots, World } from './world.js';

const A = owner(7);
const B = owner(8);
const FOREIGN = { ...flow(A, 0, 99), table: 3, cookie: 0x1234n };
const add = (f: typeof FOREIGN, more = {}) => ({ type: 'flow_mod', command: 'add', ...f, ...more }) as const;

describe('a switch that connects', () => {
  it('gets all that is wanted, and nothing when it comes back with it', async () => {
    const w = new World();
    w.sync.setDesired([slots(A, 1, 2, 3), slots(B, 4)]);
    expect(await w.connect()).toBe(4);
    expect(w.far.tables.flows()).toHaveLength(4);
    expect(w.sync.summary()).toMatchObject({ desiredFlows: 4, installedFlows: 4, pending: 0 });
    w.sync.detach();
    w.far.takeMods();
    expect(await w.connect()).toBe(0);
    expect(w.far.takeMods()).toEqual([]);
    expect(w.sync.counters).toMatchObject({ reconciles: 2, reconcilesEqual: 1, reconcileDifferences: 0 });
  });

  it('gets nothing for what is set again as it was', async () => {
    const w = new World();
    w.sync.setDesired([slots(A, 1, 2)]);
    await w.connect();
    w.far.takeMods();
    w.sync.setDesired([slots(A, 1, 2)]);
    await w.sync.settled();
    expect(w.far.takeMods()).toEqual([]);
  });

  it('keeps what is not ours: flows by cookie, groups and meters by number', async () => {
    const w = new World();
    w.far.apply(add(FOREIGN));
    w.far.apply({ type: 'group_mod', command: 'add', groupId: 2000, groupType: 'all', buckets: [] });
    w.far.apply({ type: 'meter_mod', command: 'add', meterId: 2000, flags: ['kbps'], bands: [] });
    const before = w.held();
    expect(await w.connect()).toBe(0);
    expect(w.held()).toEqual(before);
  });

  it('loses what we left there and nobody wants: owners, flows, groups, meters', async () => {
    const w = new World();
    for (const f of [...slots(A, 1, 2, 3).flows, ...slots(B, 4).flows]) w.far.apply(add(f));
    w.far.apply({ type: 'group_mod', command: 'add', groupId: 5, groupType: 'all', buckets: [] });
    w.far.apply({ type: 'meter_mod', command: 'add', meterId: 5, flags: ['kbps'], bands: [] });
    w.sync.setDesired([slots(A, 1)]);
    expect(await w.connect()).toBe(5);
    expect(w.far.tables.flows().map((f) => f.cookie)).toEqual([slots(A, 1).flows[0]!.cookie]);
    expect(w.far.tables.groups.size + w.far.tables.meters.size).toBe(0);
  });

  it('keeps what it has learned', async () => {
    const w = new World();
    const learned = slots(owner(7, KIND.learnedFdb, 1), 1).flows[0]!;
    w.far.apply(add(learned, { idleTimeout: 300 }));
    expect(await w.connect()).toBe(0);
    expect(w.far.tables.flows()).toHaveLength(1);
  });

  it.each([
    ['another action', add({ ...flow(A, 1, 42) })],
    ['another cookie', add({ ...flow(A, 1, 2), cookie: 0x99n })],
    ['a time-out', add(flow(A, 1, 2), { idleTimeout: 10 })],
  ] as const)('has a flow with %s put right, and only that one', async (_, mod) => {
    const w = new World();
    w.sync.setDesired([slots(A, 1, 2, 3)]);
    await w.connect();
    const right = w.held();
    w.far.apply(mod);
    w.sync.detach();
    w.far.takeMods();
    expect(await w.connect()).toBe(1);
    expect(w.held()).toEqual(right);
  });

  it('that is lost while it is being read back changes nothing of what its successor says', async () => {
    const w = new World();
    w.sync.setDesired([slots(A, 1, 2), slots(B, 4)]);
    await w.connect();
    w.sync.detach();
    const first = w.far.connect();
    const reading = w.sync.readBack(first).catch((error: Error) => error);
    first.close('gone');
    w.far.tables.apply({ ...add(flow(A, 1, 2)), command: 'delete_strict' });
    expect(await w.connect()).toBe(1);
    expect(await reading).toBeInstanceOf(Error);
    expect(w.far.tables.flows()).toHaveLength(3);
  });

  it('that has lost everything has confirmed it again before anybody who waited meanwhile goes on', async () => {
    const w = new World();
    w.sync.setDesired([slots(A, 1, 2)]);
    await w.connect();
    w.sync.detach();
    for (const f of slots(A, 1, 2).flows) w.far.tables.apply({ ...add(f), command: 'delete_strict' });
    let heldThen = -1;
    void w.sync.settled(A.tenant).then(() => {
      heldThen = w.far.tables.flows().length;
    });
    await w.connect();
    expect(heldThen).toBe(2);
  });

  it('that is lost before the difference is sent leaves nothing known', async () => {
    const w = new World();
    w.sync.setDesired([slots(A, 1)]);
    const connection = w.far.connect();
    await w.sync.readBack(connection);
    w.sync.detach();
    await w.sync.resume();
    expect(w.sync.connection).toBeUndefined();
    w.sync.setDesired([slots(A, 2)]);
    await w.rest();
    expect(w.far.takeMods()).toEqual([]);
    expect(await w.connect()).toBe(1);
  });
});

describe('the drift check', () => {
  async function watched() {
    const w = new World();
    w.sync.setDesired([slots(A, 1, 2, 3), slots(B, 4)]);
    await w.connect();
    const log = { debug: () => undefined, info: () => undefined, warn: () => undefined };
    const drift = new DriftCheck(w.sync, { clock: w.clock, log, ownersPerSecond: 10 });
    drift.start();
    w.far.takeMods();
    return { w, drift };
  }

  it('sends nothing while nothing has changed', async () => {
    const { w, drift } = await watched();
    await w.pass(2000, 20);
    expect(w.far.takeMods()).toEqual([]);
    expect(w.sync.counters.drifted).toBe(0);
    drift.stop();
  });

  it.each([
    ['changed', (w: World) => w.far.apply(add(flow(A, 1, 42)))],
    ['deleted', (w: World) => w.far.apply({ ...add(flow(A, 1, 2)), command: 'delete_strict' })],
    ['added', (w: World) => w.far.apply(add(flow(A, 9, 1)))],
    ['taken over', (w: World) => w.far.apply(add({ ...flow(A, 1, 2), cookie: 0x77n }))],
  ] as const)('repairs a flow that somebody has %s', async (_, change) => {
    const { w, drift } = await watched();
    const right = w.held();
    change(w);
    expect(w.held()).not.toEqual(right);
    await w.pass(1000, 20);
    expect(w.held()).toEqual(right);
    expect(w.sync.counters.drifted).toBe(1);
    expect(w.far.takeMods()).toHaveLength(1);
    drift.stop();
  });

  it('asks for one owner at a time, as often as it may', async () => {
    const { w, drift } = await watched();
    await w.pass(1000, 20);
    const dumps = w.far.asked.filter((a) => a.kind === 'multipart');
    expect(dumps.length).toBeGreaterThanOrEqual(8);
    expect(dumps.length).toBeLessThanOrEqual(10);
    drift.stop();
  });
});
