import { expect, test } from 'vitest';
import type { Message } from '../../../src/ofp/types/message.js';
import { connect, FakeSwitch, message, turns } from './fake.js';

const request: Message = {
  type: 'raw_multipart',
  direction: 'request',
  multipartType: 0x1234,
  data: new Uint8Array(0),
};

/** A part of a reply of the unknown type 0x1234. */
const part = (xid: number, more: boolean, data: number[]) =>
  message(6, 19, xid, [0x12, 0x34, 0, more ? 1 : 0, 0, 0, 0, 0, ...data]);
const dataOf = (m: Message) => [...(m as Message & { type: 'raw_multipart' }).data];

async function asked(limits = {}) {
  const peer = new FakeSwitch();
  const { connection, clock } = await connect({ limits }, peer);
  const reply = connection.multipart(request);
  await turns();
  return { peer, connection, clock, reply, xid: peer.received.at(-1)!.xid };
}

test('the parts come one by one while later ones are still to come', async () => {
  const { peer, reply, xid, connection } = await asked();
  const parts = reply[Symbol.asyncIterator]();
  peer.write(part(xid, true, [1]));
  expect(dataOf((await parts.next()).value)).toEqual([1]);
  peer.write(part(xid, true, [2]));
  peer.write(part(xid, false, [3]));
  expect(dataOf((await parts.next()).value)).toEqual([2]);
  expect(dataOf((await parts.next()).value)).toEqual([3]);
  expect(await parts.next()).toEqual({ done: true, value: undefined });
  expect(connection.counters().pending).toBe(0);
});

test('parts are copies: a later use of the receive buffer does not change them', async () => {
  const { peer, reply, xid } = await asked();
  const bytes = Buffer.concat([part(xid, true, [1, 2, 3]), part(xid, false, [4])]);
  peer.ours.emit('data', bytes);
  bytes.fill(0xee);
  const got: number[][] = [];
  for await (const m of reply) got.push(dataOf(m));
  expect(got).toEqual([[1, 2, 3], [4]]);
});

test('a refusal, silence between parts, and the close each end the loop with their error', async () => {
  const refused = await asked();
  refused.peer.write(message(6, 1, refused.xid, [0, 1, 0, 2]));
  await expect(all(refused.reply)).rejects.toMatchObject({ code: 'refused' });

  const silent = await asked({ probeInterval: 1_000_000 });
  silent.peer.write(part(silent.xid, true, [1]));
  await turns();
  await silent.clock.pass(30_000);
  await expect(all(silent.reply)).rejects.toMatchObject({ code: 'timeout' });

  const closed = await asked();
  closed.peer.write(part(closed.xid, true, [1]));
  await turns();
  closed.connection.close('over');
  await expect(all(closed.reply)).rejects.toMatchObject({ code: 'closed' });
});

test('the deadline counts from part to part', async () => {
  const { peer, reply, xid, clock } = await asked({ probeInterval: 1_000_000 });
  for (let i = 0; i < 4; i++) {
    await clock.pass(20_000);
    peer.write(part(xid, i < 3, [i]));
    await turns();
  }
  expect(await all(reply)).toHaveLength(4);
});

test('leaving the loop drops the rest and leaves the connection as it was', async () => {
  const { peer, reply, xid, connection } = await asked();
  peer.write(part(xid, true, [1]));
  for await (const _ of reply) break;
  peer.write(part(xid, true, [2]));
  peer.write(part(xid, false, [3]));
  await turns();
  expect(connection.open).toBe(true);
  expect(connection.counters().pending).toBe(0);
});

test('a reader that does not read makes the socket wait, but not while another request needs it', async () => {
  const { peer, reply, xid, connection } = await asked();
  const big = part(xid, true, new Array<number>(60_000).fill(7));
  for (let i = 0; i < 1_000; i++) peer.write(big);
  await turns(400);
  const held = connection.counters().bytesIn;
  expect(held).toBeGreaterThan(8 << 20);
  expect(held).toBeLessThan(12 << 20);
  expect(peer.ours.isPaused()).toBe(true);

  peer.answer = (m) => m.type === 20 && peer.reply(m, 21);
  await connection.barrier(); // comes behind the 60 MB: they are taken in for its sake
  expect(connection.counters().bytesIn).toBeGreaterThan(59_000_000);
  peer.write(part(xid, false, []));
  let n = 0;
  for await (const _ of reply) n++;
  expect(n).toBe(1_001);
  expect(peer.ours.isPaused()).toBe(false);
});

test('beyond its limit a reply that nobody reads fails, and costs no more memory', async () => {
  const { peer, reply, xid, connection } = await asked({ maxReply: 100_000 });
  for (let i = 0; i < 5; i++) peer.write(part(xid, i < 4, new Array<number>(40_000).fill(7)));
  await turns(20);
  await expect(all(reply)).rejects.toMatchObject({ code: 'overflow' });
  expect(connection.open).toBe(true);
  expect(connection.counters().pending).toBe(0);
});

async function all(reply: AsyncIterable<Message>): Promise<Message[]> {
  const messages: Message[] = [];
  for await (const m of reply) messages.push(m);
  return messages;
}
