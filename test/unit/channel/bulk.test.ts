import { expect, test } from 'vitest';
import type { Message } from '../../../src/ofp/types/message.js';
import { connect, FakeSwitch, type Received, turns } from './fake.js';

const flowMod = (n = 0): Message => ({
  type: 'raw',
  messageType: 14,
  data: Uint8Array.of(n, 0, 0, 0, 0, 0, 0, 0),
});
const BUNDLE_CONTROL = 33;
const BUNDLE_ADD = 34;
const [OPEN, CLOSE, COMMIT, DISCARD] = [0, 2, 4, 6];

/** Control type of a bundle control message. */
const control = (m: Received) => m.bytes[13]!;
const error = [0, 4, 0, 2];

/** A switch that keeps bundles: `bad` values of flow-mods are refused when added, `worse` at the commit. */
function bundleSwitch(bad = 0xff, worse = 0xff): FakeSwitch {
  const peer = new FakeSwitch();
  const adds: Received[] = [];
  peer.answer = (m) => {
    if (m.type === BUNDLE_ADD) {
      adds.push(m);
      if (m.bytes[24] === bad) peer.reply(m, 1, error);
    } else if (m.type === 14 && m.bytes[8] === bad) peer.reply(m, 1, error);
    else if (m.type === 20) peer.reply(m, 21);
    else if (m.type === BUNDLE_CONTROL) {
      const culprit = control(m) === COMMIT && adds.find((add) => add.bytes[24] === worse);
      if (culprit) {
        peer.reply(culprit, 1, error);
        peer.reply(m, 1, [0, 17, 0, 15]);
      } else peer.reply(m, BUNDLE_CONTROL, [...m.bytes.subarray(8, 13), control(m) + 1, 0, 3]);
    }
  };
  return peer;
}
const story = (peer: FakeSwitch) =>
  peer.received
    .filter((m) => m.type === BUNDLE_CONTROL || m.type === BUNDLE_ADD)
    .map((m) =>
      m.type === BUNDLE_ADD
        ? 'add'
        : (
            { [OPEN]: 'open', [CLOSE]: 'close', [COMMIT]: 'commit', [DISCARD]: 'discard' } as Record<
              number,
              string
            >
          )[control(m)],
    );

test('a bundle is opened, filled, closed and committed; inner xid, version and bundle id are the outer ones', async () => {
  const peer = bundleSwitch();
  const { connection } = await connect({}, peer);
  expect(await connection.bundle([flowMod(1), flowMod(2)])).toEqual({ ok: true });
  expect(story(peer)).toEqual(['open', 'add', 'add', 'close', 'commit']);
  const [add] = peer.received.filter((m) => m.type === BUNDLE_ADD);
  expect([...add!.bytes.subarray(8, 16)]).toEqual([0, 0, 0, 1, 0, 0, 0, 3]);
  expect([...add!.bytes.subarray(16, 24)]).toEqual([6, 14, 0, 16, ...add!.bytes.subarray(4, 8)]);
});

test('on OpenFlow 1.3 bundles are messages of ONF extension 230', async () => {
  const peer = new FakeSwitch({ version: 4 });
  const { connection } = await connect({}, peer);
  peer.answer = (m) => {
    if (m.type === 4 && m.bytes[15] === 0xfc)
      peer.reply(m, 4, [...m.bytes.subarray(8, 21), m.bytes[21]! + 1, 0, 3]);
  };
  expect(await connection.bundle([flowMod(1)])).toEqual({ ok: true });
  const add = peer.received.find((m) => m.bytes[15] === 0xfd)!;
  expect([...add.bytes.subarray(8, 24)]).toEqual([
    0x4f, 0x4e, 0x46, 0, 0, 0, 8, 0xfd, 0, 0, 0, 1, 0, 0, 0, 3,
  ]);
  expect([...add.bytes.subarray(24, 28)]).toEqual([4, 14, 0, 16]);
});

test('refusals while adding: every index is told, and the rest is discarded instead of committed', async () => {
  const peer = bundleSwitch(9);
  const { connection } = await connect({}, peer);
  const outcome = await connection.bundle([1, 9, 2, 9].map(flowMod));
  expect(outcome).toMatchObject({ ok: false, refusals: [{ index: 1 }, { index: 3 }] });
  expect(story(peer).at(-1)).toBe('discard');
  expect(story(peer)).not.toContain('commit');
});

test('a refusal at the commit is told by the index of the message that caused it', async () => {
  const { connection } = await connect({}, bundleSwitch(0xff, 9));
  const outcome = await connection.bundle([1, 2, 9].map(flowMod));
  expect(outcome).toMatchObject({ ok: false, refusals: [{ index: 2 }] });
});

test('indices stay right where other messages take xids between those of a bundle', async () => {
  const peer = bundleSwitch(9);
  const { connection } = await connect({}, peer);
  function* slow(): Generator<Message> {
    for (let i = 0; i < 200; i++) {
      if (i % 7 === 0) connection.send({ type: 'raw', messageType: 13, data: new Uint8Array(0) });
      yield flowMod(i === 150 ? 9 : 1);
    }
  }
  expect(await connection.bundle(slow())).toMatchObject({ ok: false, refusals: [{ index: 150 }] });
});

test('a message that can’t be encoded costs its bundle, but only itself in a batch', async () => {
  const tooLong: Message = { type: 'raw', messageType: 14, data: new Uint8Array(65_520) };
  const peer = bundleSwitch(9);
  const { connection } = await connect({}, peer);
  const bundle = await connection.bundle([flowMod(1), tooLong, flowMod(2)]);
  expect(bundle).toMatchObject({ ok: false, refusals: [{ index: 1, error: /at most 65535/ }] });
  expect(story(peer)).toEqual(['open', 'add', 'discard']);
  const batch = await connection.batch([
    flowMod(9),
    { ...tooLong, data: new Uint8Array(65_528) },
    flowMod(2),
  ]);
  expect(batch).toMatchObject({ ok: false });
  expect(!batch.ok && batch.refusals.map((r) => r.index).sort()).toEqual([0, 1]);
  expect(peer.types().filter((t) => t === 14)).toHaveLength(2);
});

test('messages that throw while they are made discard the bundle and reject', async () => {
  const peer = bundleSwitch();
  const { connection } = await connect({}, peer);
  function* broken(): Generator<Message> {
    yield flowMod(1);
    throw new Error('no more');
  }
  await expect(connection.bundle(broken())).rejects.toThrow('no more');
  expect(story(peer)).toEqual(['open', 'add', 'discard']);
  expect(await connection.bundle([flowMod(1)])).toEqual({ ok: true });
});

test('a peer that closes after any message of a bundle: the outcome says closed', async () => {
  for (let n = 1; n <= 6; n++) {
    const peer = bundleSwitch();
    const { connection, clock } = await connect({}, peer);
    const answer = peer.answer;
    let seen = 0;
    peer.answer = (m) => {
      if (++seen >= n) peer.socket.end();
      else answer(m);
    };
    const outcome = await connection.bundle([1, 2, 3].map(flowMod));
    expect(outcome).toEqual({ ok: false, refusals: [{ error: 'closed' }] });
    expect(connection.open).toBe(false);
    expect(clock.pending).toBe(0);
  }
});

test('a commit without an answer: the outcome is a timeout, and the connection ends, as its effect is unknown', async () => {
  const peer = bundleSwitch();
  const { connection, clock } = await connect({}, peer);
  const answer = peer.answer;
  peer.answer = (m) => {
    if (m.type === 2) peer.reply(m, 3);
    else if (m.type !== BUNDLE_CONTROL || control(m) !== COMMIT) answer(m);
  };
  const outcome = connection.bundle([flowMod(1)]);
  await turns(20);
  await clock.pass(30_000);
  expect(await outcome).toEqual({ ok: false, refusals: [{ error: 'timeout' }] });
  expect(connection.open).toBe(false);
});

test('a peer that stops reading mid-bundle: what is queued stays bounded, everything settles', async () => {
  const peer = bundleSwitch();
  const { connection, clock } = await connect({}, peer);
  peer.socket.pause();
  const big: Message = { type: 'raw', messageType: 14, data: new Uint8Array(1_000) };
  let taken = 0;
  function* endless(): Generator<Message> {
    for (;;) {
      taken++;
      yield big;
    }
  }
  const outcomes = Promise.all([
    connection.bundle(endless()),
    connection.batch([big]),
    connection.bundle([big]),
  ]);
  await turns(50);
  const stopped = taken;
  await turns(50);
  expect(taken).toBe(stopped);
  expect(connection.queued).toBeLessThan(16 << 20);
  await clock.pass(10_000);
  await turns();
  const closed = { ok: false, refusals: [{ error: 'closed' }] };
  expect(await outcomes).toEqual([closed, closed, closed]);
  expect(clock.pending).toBe(0);
});

test('encoding a big bundle lets the event loop go on', async () => {
  const { connection } = await connect({}, bundleSwitch());
  const RENDERING_MS = 0.1;
  let rendered = 0;
  function* costly(): Generator<Message> {
    for (; rendered < 2_000; rendered++) {
      for (const end = performance.now() + RENDERING_MS; performance.now() < end; );
      yield flowMod(1);
    }
  }
  let mostAtOnce = 0;
  let done = false;
  const outcome = connection.bundle(costly()).finally(() => {
    done = true;
  });
  for (let before = 0; !done; before = rendered) {
    await new Promise((resolve) => setImmediate(resolve));
    mostAtOnce = Math.max(mostAtOnce, rendered - before);
  }
  expect(await outcome).toEqual({ ok: true });
  expect(mostAtOnce * RENDERING_MS).toBeLessThan(20);
});
