import { describe, expect, it } from 'vitest';
import { type Flow, KIND, type OwnerState } from '../../../src/pipeline/index.js';
import { describeFailure, describeMod, Synchronizer } from '../../../src/sync/index.js';
import { flow, owner, plain, slots, turns, WINDOW, World } from './world.js';

const A = owner(7);
const B = owner(8);

const meter = (meterId: number, rate = 10) =>
  ({ meterId, flags: ['pktps'], bands: [{ type: 'drop', rate }] }) as const;
const group = (groupId: number) => ({ groupId, groupType: 'all', buckets: [] }) as const;
const metered = (f: Flow, meterId: number): Flow => ({
  ...f,
  instructions: [{ type: 'meter', meterId }, ...f.instructions],
});
const toGroup = (f: Flow, groupId: number): Flow => ({
  ...f,
  instructions: [{ type: 'apply_actions', actions: [{ type: 'group', groupId }] }],
});
const kinds = (w: World) => w.far.takeMods().map((m) => `${m.type} ${m.command}`);

function tenantsOfBundles(w: World): number[][] {
  return w.far.asked.flatMap(({ kind, messages }) =>
    kind === 'bundle'
      ? [[...new Set(messages.map((m) => (m.type === 'flow_mod' ? Number(m.cookie >> 48n) : -1)))]]
      : [],
  );
}

describe('changes', () => {
  it('cost only what differs, and other owners nothing', async () => {
    const w = new World();
    w.sync.setDesired([slots(A, 1, 2, 3), slots(B, 1, 2, 3)]);
    await w.connect();
    w.far.takeMods();
    w.sync.setDesired([slots(A, 1, 9, 3)]);
    await w.sync.settled();
    expect(w.far.takeMods().map(plain)).toEqual([
      plain({ type: 'flow_mod', command: 'add', table: 11, priority: 100, ...pick(flow(A, 1, 9)) }),
    ]);
  });

  it('of one owner go in one bundle, groups before the flows that use them, and away after them', async () => {
    const w = new World();
    await w.connect();
    w.sync.setDesired([{ ...slots(A), flows: [toGroup(flow(A, 0, 1), 5)], groups: [group(5)] }]);
    await w.sync.settled();
    expect(w.far.asked.filter((a) => a.kind === 'bundle')).toHaveLength(1);
    expect(kinds(w)).toEqual(['group_mod add', 'flow_mod add']);
    w.sync.remove([A]);
    await w.pass(40);
    expect(kinds(w)).toEqual(['flow_mod delete_strict', 'group_mod delete']);
    expect(w.sync.summary().owners).toBe(0);
  });

  it('of meters come before the bundle, and their end when no flow of the tenant uses them any more', async () => {
    const w = new World({ maxBundle: 4 });
    await w.connect();
    const base = owner(7, KIND.tenant, 0);
    const users = [1, 2, 3].map((n) => owner(7, KIND.segment, n));
    const using = users.map((u): OwnerState => ({ ...slots(u), flows: [metered(flow(u, u.object, 1), 5)] }));
    // The owner of the meter comes last: it has to be sent first all the same.
    w.sync.setDesired([...using, { ...slots(base, 1), meters: [meter(5)] }]);
    await w.pass(60);
    expect(w.sync.failures()).toEqual([]);
    expect(kinds(w)[0]).toBe('meter_mod add');
    const plainFlows = users.map((u): OwnerState => ({ ...slots(u), flows: [flow(u, u.object, 1)] }));
    w.sync.setDesired([slots(base, 1), ...plainFlows]);
    await w.pass(100);
    expect(kinds(w)).toEqual(['flow_mod add', 'flow_mod add', 'flow_mod add', 'meter_mod delete']);
    expect(w.far.tables.flows()).toHaveLength(4);
    expect(w.sync.summary().pending).toBe(0);
  });

  it('of a meter modify it in place', async () => {
    const w = new World();
    w.sync.setDesired([{ ...slots(A, 1), meters: [meter(5)] }]);
    await w.connect();
    w.far.takeMods();
    w.sync.setDesired([{ ...slots(A, 1), meters: [meter(5, 20)] }]);
    await w.pass(40);
    expect(kinds(w)).toEqual(['meter_mod modify']);
  });

  it('of an owner that is larger than a bundle are split, those of small ones put together', async () => {
    const w = new World({ maxBundle: 10 });
    await w.connect();
    w.sync.setDesired([slots(A, ...Array(25).keys())]);
    await w.sync.settled();
    expect(w.far.asked.flatMap((a) => (a.kind === 'bundle' ? [a.messages.length] : []))).toEqual([10, 10, 5]);
    w.far.takeMods();
    w.sync.setDesired([1, 2, 3, 4].map((n) => slots(owner(8, KIND.pool, n), 1, 2, 3, 4)));
    await w.sync.settled();
    expect(w.far.asked.flatMap((a) => (a.kind === 'bundle' ? [a.messages.length] : []))).toEqual([8, 8]);
  });

  it('of several tenants share a bundle while they fit into it whole', async () => {
    const w = new World({ maxBundle: 10 });
    await w.connect();
    w.sync.setDesired([7, 8, 9].map((tenant) => slots(owner(tenant), 1, 2, 3, 4)));
    await w.sync.settled();
    expect(tenantsOfBundles(w)).toEqual([[7, 8], [9]]);
  });

  it('of a tenant that was refused go alone when it is tried again', async () => {
    const w = new World();
    await w.connect();
    w.far.refuses = () => 'OFPBAC_BAD_ARGUMENT';
    w.sync.setDesired([slots(owner(7), 1)]);
    await w.sync.settled();
    w.far.refuses = () => undefined;
    w.far.asked.length = 0;
    w.clock.advance(1001);
    w.sync.setDesired([slots(owner(8), 1), slots(owner(9), 1)]);
    await w.rest();
    expect(tenantsOfBundles(w)).toEqual([[7], [8, 9]]);
  });

  it('of the node go before those of tenants', async () => {
    const w = new World();
    await w.connect();
    const node = owner(0, KIND.node, 0);
    w.sync.setDesired([slots(A, 1), slots(B, 1), slots(node, 1)]);
    await w.sync.settled();
    expect(w.far.takeMods().map((m) => (m.type === 'flow_mod' ? m.cookie >> 48n : -1n))).toEqual([
      0n,
      7n,
      8n,
    ]);
  });

  it('that come while others are looked at are not forgotten', async () => {
    // From each microtask of a round that finds nothing to send.
    for (let depth = 0; depth < 12; depth++) {
      const w = new World();
      w.sync.setDesired([slots(A, 1)]);
      await w.connect();
      w.sync.setDesired([slots(A, 2)]);
      await w.rest();
      w.sync.setDesired([slots(A, 3)]); // waits for the window
      let armed = true;
      const now = w.clock.now.bind(w.clock);
      w.clock.now = () => {
        if (armed) {
          armed = false;
          deep(depth, () => w.sync.setDesired([slots({ ...A, object: 2 }, 5)]));
        }
        return now();
      };
      await w.rest();
      await turns(20);
      expect(w.far.tables.flows().filter((f) => (f.cookie & 0xffffff0000n) === 0x20000n)).toHaveLength(1);
    }
  });

  it('that give a flow from one owner to another and back leave it there', async () => {
    const w = new World();
    const [one, two] = [owner(7, KIND.listener, 1), owner(7, KIND.listener, 2)];
    const mine = (of: typeof one): OwnerState => ({ ...slots(of), flows: [flow(of, 0, 1)] });
    w.sync.setDesired([mine(one)]);
    await w.connect();
    w.sync.setDesired([slots(one), mine(two)]);
    // The second owner's flow is in the switch, the first one's deletion is not yet sent.
    w.far.step = () => {
      w.far.step = () => undefined;
      w.sync.setDesired([mine(one), slots(two)]);
    };
    await w.pass(100);
    expect(w.far.tables.flows().map((f) => f.cookie)).toEqual([flow(one, 0, 1).cookie]);
    expect(await reconnected(w)).toBe(0);
  });
});

describe('a storm of changes', () => {
  it('becomes one bundle per owner and window: 10,000 in 100 pools in a second', async () => {
    const w = new World();
    const pools = Array.from({ length: 100 }, (_, n) => owner(1 + (n % 10), KIND.pool, n + 1));
    w.sync.setDesired(pools.map((p) => slots(p, 0, 0)));
    await w.connect();
    w.far.asked.length = 0;
    let changes = 0;
    for (let t = 0; t < 1000; t += 5) {
      for (let n = 0; n < 50; n++, changes++) {
        const p = pools[(changes * 37) % 100]!;
        w.sync.setDesired([slots(p, changes, 0)]);
      }
      await w.pass(5);
    }
    expect(changes).toBe(10_000);
    await w.pass(60);
    const times = new Map<bigint, number[]>();
    for (const { kind, messages, at } of w.far.asked) {
      expect(kind).toBe('bundle');
      for (const cookie of new Set(messages.map((m) => (m.type === 'flow_mod' ? m.cookie : 0n))))
        times.set(cookie, [...(times.get(cookie) ?? []), at]);
    }
    expect(times.size).toBe(100);
    for (const at of times.values())
      for (let n = 1; n < at.length; n++) expect(at[n]! - at[n - 1]!).toBeGreaterThanOrEqual(WINDOW);
    expect(w.sync.summary().pending).toBe(0);
    expect(await reconnected(w)).toBe(0);
  });

  it('reaches the switch no later than a window after its end', async () => {
    const w = new World();
    w.sync.setDesired([slots(A, 0)]);
    await w.connect();
    for (let n = 1; n <= 20; n++) {
      w.sync.setDesired([slots(A, n)]);
      await w.pass(3, 1);
    }
    await w.pass(20, 1);
    expect(plain(w.far.tables.flows()[0]!.instructions)).toContain('"value":20');
  });
});

describe('what the switch refuses', () => {
  it('fails its owner only, is told in words, and is tried again later and later', async () => {
    const w = new World();
    await w.connect();
    w.far.refuses = (m) =>
      m.type === 'flow_mod' && plain(m).includes('"value":13') ? 'OFPBAC_BAD_ARGUMENT' : undefined;
    w.sync.setDesired([slots(A, 1, 13), slots(owner(7, KIND.pool, 2), 2), slots(B, 3)]);
    await w.sync.settled();
    expect(w.far.tables.flows()).toHaveLength(2);
    expect(w.sync.failures(8)).toEqual([]);
    const [failure] = w.sync.failures(7);
    expect(failure).toMatchObject({ owner: A, error: 'OFPBAC_BAD_ARGUMENT', attempts: 1 });
    expect(describeFailure(failure!)).toBe(
      'the switch refused add flow cookie=0x7050000014c42,table=11,priority=100,reg1=0x1,reg3=0x7,reg4=0x1 actions=set_field:0xd->reg2,goto_table:12: OFPBAC_BAD_ARGUMENT',
    );
    expect(w.sync.summaries().get(7)).toMatchObject({ failed: 1, pending: 0 });
    const tries = () => w.far.takeMods().length;
    tries();
    await w.pass(900, 50);
    expect(tries()).toBe(0);
    await w.pass(200, 50);
    expect(tries()).toBe(2);
    await w.pass(1500, 50);
    expect(tries()).toBe(0);
    await w.pass(600, 50);
    expect(tries()).toBe(2);
    w.far.refuses = () => undefined;
    await w.pass(5000, 50);
    expect(w.far.tables.flows()).toHaveLength(4);
    expect(w.sync.failures()).toEqual([]);
  });

  it('is tried again at once when something else is wanted', async () => {
    const w = new World();
    await w.connect();
    w.far.refuses = (m) => (plain(m).includes('"value":13') ? 'OFPBAC_BAD_ARGUMENT' : undefined);
    w.sync.setDesired([slots(A, 13)]);
    await w.sync.settled();
    expect(w.sync.failures()).toHaveLength(1);
    w.sync.setDesired([slots(A, 1)]);
    await w.pass(30);
    expect(w.sync.failures()).toEqual([]);
    expect(w.far.tables.flows()).toHaveLength(1);
  });

  it('does not count against what is wanted by the time of the answer', async () => {
    const w = new World();
    await w.connect();
    w.far.refuses = (m) => (plain(m).includes('"value":13') ? 'OFPBAC_BAD_ARGUMENT' : undefined);
    w.sync.setDesired([slots(A, 13)]);
    w.far.step = () => {
      w.far.step = () => undefined;
      w.sync.setDesired([slots(A, 1)]);
    };
    await w.pass(40);
    expect(w.sync.failures()).toEqual([]);
    expect(w.far.tables.flows()).toHaveLength(1);
  });

  it('may be a meter', async () => {
    const w = new World();
    await w.connect();
    w.far.refuses = (m) => (m.type === 'meter_mod' ? 'OFPMMFC_OUT_OF_METERS' : undefined);
    w.sync.setDesired([{ ...slots(A, 1), meters: [meter(5)] }, slots(B, 1)]);
    await w.sync.settled();
    expect(w.sync.failures().map((f) => [f.owner.tenant, f.error])).toEqual([[7, 'OFPMMFC_OUT_OF_METERS']]);
    expect(w.far.tables.flows()).toHaveLength(1);
  });
});

describe('waiting', () => {
  it('for one tenant does not wait for others, and counts refused as settled but not as confirmed', async () => {
    const w = new World();
    await w.connect();
    w.far.refuses = (m) => (plain(m).includes('"value":13') ? 'OFPBAC_BAD_ARGUMENT' : undefined);
    w.sync.setDesired([slots(A, 13), slots(B, 1)]);
    const done: string[] = [];
    void w.sync.confirmed(7).then(() => done.push('confirmed 7'));
    void w.sync.confirmed(8).then(() => done.push('confirmed 8'));
    void w.sync.settled(7).then(() => done.push('settled 7'));
    void w.sync.settled().then(() => done.push('settled'));
    await w.rest();
    expect(done.sort()).toEqual(['confirmed 8', 'settled', 'settled 7']);
    w.far.refuses = () => undefined;
    await w.pass(1100, 50);
    expect(done).toContain('confirmed 7');
  });

  it('is over only when a change was confirmed that came while another was on its way', async () => {
    const w = new World();
    await w.connect();
    w.sync.setDesired([slots(A, 1)]);
    let early: boolean | undefined;
    w.far.step = () => {
      w.far.step = () => undefined;
      w.sync.setDesired([slots(A, 2)]);
      void w.sync.settled(7).then(() => {
        early = !plain(w.far.tables.flows()[0]!.instructions).includes('"value":3');
      });
      w.sync.setDesired([slots(A, 3)]);
    };
    await w.pass(60);
    expect(early).toBe(false);
  });

  it('outlasts a lost connection', async () => {
    const w = new World();
    let done = false;
    w.sync.setDesired([slots(A, 1)]);
    void w.sync.settled().then(() => {
      done = true;
    });
    await turns(10);
    expect(done).toBe(false);
    await w.connect();
    expect(done).toBe(true);
  });
});

describe('a plan', () => {
  it('says what would be sent, and sends nothing', async () => {
    const w = new World();
    w.sync.setDesired([slots(A, 1, 2), slots({ ...A, object: 2 }, 1), slots(B, 1)]);
    await w.connect();
    w.far.takeMods();
    const planned = await w.sync.plan([slots(A, 1, 3), slots({ ...A, object: 3 }, 7)], [7]);
    expect(planned.map((p) => [p.owner.object, p.mods.map(describeMod)])).toEqual([
      [
        1,
        [
          'add flow cookie=0x7050000014c42,table=11,priority=100,reg1=0x1,reg3=0x7,reg4=0x1 actions=set_field:0x3->reg2,goto_table:12',
        ],
      ],
      [
        3,
        [
          'add flow cookie=0x7050000034c42,table=11,priority=100,reg1=0,reg3=0x7,reg4=0x3 actions=set_field:0x7->reg2,goto_table:12',
        ],
      ],
      [2, ['delete flow cookie=0x7050000024c42,table=11,priority=100,reg1=0,reg3=0x7,reg4=0x2']],
    ]);
    await w.pass(40);
    expect(w.far.takeMods()).toEqual([]);
    expect(w.sync.summary().owners).toBe(3);
  });
});

describe('what can not be encoded', () => {
  it('fails with back-off instead of being tried for ever', async () => {
    const w = new World();
    const far = w.far.connect();
    far.bundle = () => Promise.reject(new TypeError('no such field'));
    await w.sync.readBack(far);
    await w.sync.resume();
    w.sync.setDesired([slots(A, 1)]);
    await w.pass(500);
    expect(w.sync.failures()[0]).toMatchObject({ error: 'TypeError: no such field', attempts: 1 });
    expect(w.sync).toBeInstanceOf(Synchronizer);
  });
});

function pick({ cookie, match, instructions }: Flow) {
  return { cookie, match, instructions };
}

function deep(depth: number, fn: () => void): void {
  if (depth === 0) fn();
  else queueMicrotask(() => deep(depth - 1, fn));
}

async function reconnected(w: World): Promise<number> {
  w.sync.detach();
  return w.connect();
}
