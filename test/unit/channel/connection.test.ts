import { expect, test, vi } from 'vitest';
import type { Message } from '../../../src/ofp/types/message.js';
import { connect, FakeSwitch, message, turns } from './fake.js';

const raw = (messageType: number, size = 0): Message => ({
  type: 'raw',
  messageType,
  data: new Uint8Array(size),
});

test('echo requests are answered with their own xid and data', async () => {
  const { peer } = await connect();
  peer.write(message(6, 2, 0xfffffffe, [1, 2, 3]));
  await turns();
  const reply = peer.received.at(-1)!;
  expect([reply.type, reply.xid, ...reply.bytes.subarray(8)]).toEqual([3, 0xfffffffe, 1, 2, 3]);
});

test('a silent peer is probed after 5 s and given up after 10', async () => {
  const { connection, peer, clock } = await connect();
  const closed = vi.fn();
  connection.onClose(closed);
  await clock.pass(4_999);
  expect(peer.types()).not.toContain(2);
  await clock.pass(1);
  expect(peer.types()).toContain(2);
  await clock.pass(4_999);
  expect(connection.open).toBe(true);
  await clock.pass(1);
  await turns();
  expect(closed).toHaveBeenCalledExactlyOnceWith('no byte within 5000 ms of an inactivity probe');
  expect(clock.pending).toBe(0);
});

test('a peer that answers probes stays, and its round trip is known', async () => {
  const peer = new FakeSwitch();
  const { connection, clock } = await connect({}, peer);
  peer.answer = (m) => {
    if (m.type === 2) clock.setTimeout(() => peer.reply(m, 3), 7);
  };
  await clock.pass(60_000);
  await turns();
  expect(connection.open).toBe(true);
  expect(connection.counters().roundTrip).toBe(7);
});

test('any byte from the peer counts as life, also without a reply to the probe', async () => {
  const { connection, peer, clock } = await connect();
  for (let i = 0; i < 10; i++) {
    await clock.pass(4_000);
    peer.write(message(6, 10, 0));
    await turns();
  }
  expect(connection.open).toBe(true);
});

test('a request resolves with the reply of its xid, whatever comes between', async () => {
  const peer = new FakeSwitch();
  const { connection } = await connect({}, peer);
  const first = connection.request(raw(24, 16));
  const second = connection.request(raw(7));
  await turns();
  const [a, b] = peer.received.slice(-2);
  peer.reply(b!, 8, [0, 0, 0, 9]);
  peer.reply({ ...a!, xid: 77 }, 25);
  peer.reply(a!, 25, new Array<number>(16).fill(0));
  expect(await second).toBeDefined();
  expect(await first).toBeDefined();
  expect(connection.counters().pending).toBe(0);
});

test('a request fails by error message, by its deadline, by the close; later replies do no harm', async () => {
  const peer = new FakeSwitch();
  const { connection, clock } = await connect({}, peer);
  const refused = expect(connection.request(raw(7))).rejects.toMatchObject({ code: 'refused' });
  await turns();
  peer.reply(peer.received.at(-1)!, 1, [0, 1, 0, 1]);
  await refused;

  const late = expect(connection.request(raw(7), 100)).rejects.toMatchObject({ code: 'timeout' });
  await turns();
  await clock.pass(100);
  await late;
  peer.reply(peer.received.at(-1)!, 8, [0, 0, 0, 9]);
  await turns();
  expect(connection.open).toBe(true);

  const lost = expect(connection.request(raw(7))).rejects.toMatchObject({ code: 'closed' });
  const drained = connection.drained();
  connection.close('enough');
  await lost;
  await drained;
  await expect(connection.request(raw(7))).rejects.toMatchObject({ code: 'closed', message: /enough/ });
  await expect(connection.barrier()).rejects.toMatchObject({ code: 'closed' });
  expect(await connection.bundle([raw(14)])).toEqual({ ok: false, refusals: [{ error: 'closed' }] });
  expect(connection.send(raw(14))).toBe(0);
  await expect(connection.multipart(raw(18))[Symbol.asyncIterator]().next()).rejects.toMatchObject({
    code: 'closed',
  });
  expect(clock.pending).toBe(0);
});

test('messages of one turn leave in one write, in order', async () => {
  const { connection, peer } = await connect();
  const writes = vi.spyOn(peer.ours, 'write');
  const xids = Array.from({ length: 100 }, () => connection.send(raw(13, 100)));
  await turns();
  expect(writes).toHaveBeenCalledTimes(1);
  expect(peer.received.slice(-100).map((m) => m.xid)).toEqual(xids);
});

test('a message that can’t be encoded throws and sends nothing', async () => {
  const { connection, peer } = await connect();
  const before = peer.received.length;
  expect(() => connection.send(raw(14, 65_528))).toThrow(/at most 65535/);
  expect(() => connection.multipart({ type: 'no such message' } as unknown as Message)).toThrow(
    /no encoding/,
  );
  connection.send(raw(14));
  await turns();
  expect(peer.received.slice(before).map((m) => m.type)).toEqual([14]);
  expect(connection.counters().pending).toBe(0);
});

test('unsolicited messages go to the handler; one that can’t be decoded, or handled, costs nothing', async () => {
  const { connection, peer, logged } = await connect();
  const seen: string[] = [];
  connection.onMessage((m) => {
    seen.push(m.type);
    if (m.type === 'experimenter') throw new Error('a bug');
  });
  peer.write(message(6, 4, 0, [0, 0xab, 0xcd, 0xef, 0, 0, 0, 1, 9, 9])); // an unknown experimenter
  peer.write(message(6, 4, 0, [0, 0])); // an experimenter message without its id
  peer.write(message(6, 4, 5, [0, 0xab, 0xcd, 0xef, 0, 0, 0, 2]));
  await turns();
  expect(connection.open).toBe(true);
  expect(seen).toEqual(['experimenter', 'experimenter']);
  expect(connection.counters().undecodable).toBe(1);
  expect(logged.filter((l) => l.level === 'warn').map((l) => l.text)).toEqual([
    'a message could not be handled',
    'a message could not be decoded and was dropped',
    'a message could not be handled',
  ]);
});

test('garbage after good messages ends the connection with the reason', async () => {
  const { connection, peer } = await connect();
  const closed = new Promise((resolve) => connection.onClose(resolve));
  const waiting = expect(connection.barrier()).rejects.toMatchObject({ code: 'closed' });
  peer.write(message(6, 10, 0));
  peer.write(Uint8Array.of(0xde, 0xad, 0xbe, 0xef, 0, 0, 0, 0));
  expect(await closed).toMatch(/^broken stream: version 0xde where 0x06 was agreed at byte \d+$/);
  await waiting;
});

test('the tap sees every message of both directions, from when it is set until it is unset', async () => {
  const { connection, peer } = await connect();
  const seen: string[] = [];
  connection.tap = (direction, bytes) => seen.push(`${direction} ${bytes[1]} ${bytes.length}`);
  connection.send(raw(14, 8));
  await turns();
  // In two pieces, and the second message's beginning with the first.
  peer.write(Buffer.concat([message(6, 10, 0, [1]), message(6, 12, 0, [1, 2]).subarray(0, 5)]));
  await turns();
  peer.write(message(6, 12, 0, [1, 2]).subarray(5));
  await turns();
  connection.tap = undefined;
  connection.send(raw(14));
  await turns();
  expect(seen).toEqual(['out 14 16', 'in 10 9', 'in 12 10']);
});

test('messages and bytes are counted by type', async () => {
  const { connection, peer } = await connect();
  for (let i = 0; i < 3; i++) connection.send(raw(14, 8));
  peer.write(message(6, 12, 0, new Array<number>(80).fill(0)));
  await turns();
  expect(connection.counters()).toMatchObject({
    messagesIn: { hello: 1, features_reply: 1, port_status: 1 },
    messagesOut: { hello: 1, features_request: 1, flow_mod: 3 },
    bytesIn: 8 + 32 + 88,
    bytesOut: 16 + 8 + 3 * 16,
    queued: 0,
  });
});

test('a peer that stops reading is given up before the queue grows without end', async () => {
  const peer = new FakeSwitch();
  const { connection } = await connect({ limits: { maxQueued: 4 << 20 } }, peer);
  peer.socket.pause();
  const closed = new Promise((resolve) => connection.onClose(resolve));
  const drained = connection.drained();
  for (let i = 0; i < 20_000 && connection.open; i++) {
    connection.send(raw(13, 1_000));
    if ((i & 63) === 0) await new Promise((resolve) => setImmediate(resolve));
  }
  expect(await closed).toMatch(/^the peer does not read: \d+ bytes are queued$/);
  expect(connection.queued).toBeLessThan(5 << 20);
  await drained;
});

test('a flood of messages is handled in slices: the event loop goes on', async () => {
  const HANDLER_MS = 0.2;
  const { connection, peer } = await connect();
  let handled = 0;
  connection.onMessage(() => {
    handled++;
    for (const end = performance.now() + HANDLER_MS; performance.now() < end; );
  });
  const flood = Buffer.concat(
    Array.from({ length: 1_000 }, () => message(6, 30, 0, new Array<number>(16).fill(0))),
  );
  for (let i = 0; i < 3; i++) peer.write(flood);
  let mostAtOnce = 0;
  for (let before = 0; handled < 3_000; before = handled) {
    await new Promise((resolve) => setImmediate(resolve));
    mostAtOnce = Math.max(mostAtOnce, handled - before);
  }
  expect(mostAtOnce * HANDLER_MS).toBeLessThan(20);
});
