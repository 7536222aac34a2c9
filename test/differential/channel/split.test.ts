/** What is too long for one message, said to a real switch in several. */
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import '../../../src/nx-extensions/index.js';
import { type GroupMod, type Message, OFP13, OFP15, splitGroup } from '../../../src/ofp/index.js';
import { Fixture } from './fixture.js';

const fixture = new Fixture();
beforeAll(() => fixture.start());
afterAll(() => fixture.stop());
afterEach(() => fixture.reset());

const BUCKETS = 5_000;
const group: GroupMod = {
  type: 'group_mod',
  command: 'add',
  groupType: 'select',
  groupId: 1,
  buckets: Array.from({ length: BUCKETS }, (_, i) => ({
    weight: 1 + (i % 7),
    actions: [{ type: 'output', port: 1 + (i % 4) }],
  })),
};

test('a group of 5,000 buckets arrives whole', async () => {
  // The switch copies the whole group for each change of it, and answers no probe meanwhile.
  const connection = await fixture.connected('br0', { versions: [OFP15], limits: { probeInterval: 60_000 } });
  const parts = splitGroup(group, OFP15);
  expect(parts.length).toBeGreaterThan(2);
  expect(await connection.bundle(parts)).toEqual({ ok: true });
  // A reply is one message too: the switch can't tell of a group this big. Taking out a bucket is refused where it
  // isn't there, so the last thousand are taken out by their ids, and the rest is counted.
  const KEPT = 4_000;
  const remove = (bucketId: number): Message => ({
    type: 'group_mod',
    command: 'remove_bucket',
    groupType: 'select',
    groupId: 1,
    buckets: [],
    commandBucketId: bucketId,
  });
  const outcome = await connection.batch(
    Array.from({ length: BUCKETS - KEPT + 1 }, (_, i) => remove(KEPT + i)),
  );
  // The one beyond the last is the only one that isn't there.
  expect(outcome).toEqual({
    ok: false,
    refusals: [{ index: BUCKETS - KEPT, error: 'OFPGMFC_UNKNOWN_BUCKET' }],
  });
  const reply = await connection.request({ type: 'group_stats_request', groupId: 1 });
  expect(reply).toMatchObject({ type: 'group_stats_reply', entries: [{ groupId: 1 }] });
  expect(reply.type === 'group_stats_reply' && reply.entries[0]?.buckets.length).toBe(KEPT);
}, 90_000);

test('OpenFlow 1.3 has no way to say it: refused before anything is sent', async () => {
  const connection = await fixture.connected('br0', { versions: [OFP13] });
  expect(() => splitGroup(group, OFP13)).toThrow(/too-long/);
  expect(await connection.bundle([group])).toMatchObject({
    ok: false,
    refusals: [{ index: 0, error: expect.stringMatching(/group_mod: \d+ bytes, at most 65535 fit/) }],
  });
  const sent = connection.counters().bytesOut;
  expect(() => connection.send(group)).toThrow(/too-long/);
  expect(connection.counters().bytesOut).toBe(sent);
});

test.each([OFP13, OFP15] as const)(
  'version %i: a request for 4,000 monitors goes out in parts, and all are there then',
  async (version) => {
    const connection = await fixture.connected('br0', { versions: [version] });
    const request = (command: 'add' | 'delete'): Message => ({
      type: 'flow_monitor_request',
      monitors: Array.from({ length: 4_000 }, (_, i) => ({
        monitorId: i + 1,
        flags: 2, // OFPFMF_ADD: nothing is told of what is there, so the reply is empty
        table: 5,
        command,
        match: [],
      })),
    });
    const before = connection.counters().bytesOut;
    expect(await connection.request(request('add'))).toEqual({ type: 'flow_monitor_reply', entries: [] });
    expect(connection.counters().bytesOut - before).toBeGreaterThan(0xffff);
    // The end of one that isn't there is refused.
    if (version === OFP13) {
      const cancels = Array.from(
        { length: 4_000 },
        (_, i): Message => ({ type: 'flow_monitor_cancel', monitorId: i + 1 }),
      );
      expect(await connection.batch(cancels)).toEqual({ ok: true });
    } else
      expect(await connection.request(request('delete'))).toEqual({
        type: 'flow_monitor_reply',
        entries: [],
      });
  },
);
