import { expect, test } from 'vitest';
import { Writer } from '../../../src/ofp/bytes/writer.js';
import { Connection } from '../../../src/ofp/channel/connection.js';
import { negotiate, readHello, versionNames, writeHello } from '../../../src/ofp/channel/wire.js';
import { OFP13, OFP15 } from '../../../src/ofp/types/field.js';
import { connect, FakeSwitch, FEATURES, message, options, turns } from './fake.js';

const element = (type: number, length: number, ...rest: number[]) => [0, type, 0, length, ...rest];

test('our hello has the highest version in its header and all of them in its bitmap', () => {
  const w = new Writer();
  writeHello(w, [OFP13, OFP15], 7);
  expect([...w.take()]).toEqual([6, 0, 0, 16, 0, 0, 0, 7, 0, 1, 0, 8, 0, 0, 0, 0x50]);
});

test.each([
  ['no elements: all versions up to the header’s', message(5, 0, 1), [4, 5, 6], 5],
  ['no elements, and a version beyond ours', message(9, 0, 1), [4, 6], 6],
  ['a bitmap with a gap', message(6, 0, 1, element(1, 8, 0, 0, 0, 0x12)), [4, 5, 6], 4],
  [
    'a bitmap after an unknown element with padding',
    message(6, 0, 1, [...element(9, 5, 1, 0, 0, 0), ...element(1, 8, 0, 0, 0, 0x70)]),
    [4, 5, 6],
    6,
  ],
  ['an element of length 0: the header counts', message(4, 0, 1, element(9, 0)), [4, 5, 6], 4],
  [
    'an element that is longer than the message',
    message(4, 0, 1, element(1, 200, 0, 0, 0, 0x70)),
    [4, 5, 6],
    4,
  ],
  ['only OpenFlow 1.0', message(1, 0, 1), [4, 5, 6], undefined],
  ['a bitmap without any of ours', message(6, 0, 1, element(1, 8, 0, 0, 0, 2)), [4, 5, 6], undefined],
] as const)('%s', (_, hello, ours, agreed) => {
  expect(negotiate(ours, readHello(hello))).toBe(agreed);
});

test('versions are named as Open vSwitch names them', () => {
  expect(versionNames(readHello(message(4, 0, 1)))).toBe('OpenFlow10, OpenFlow11, OpenFlow12, OpenFlow13');
});

test('the handshake asks for the features in the agreed version, and names the datapath', async () => {
  const peer = new FakeSwitch({ version: OFP13 });
  const { connection } = await connect({}, peer);
  expect(connection.version).toBe(OFP13);
  expect(connection.datapathId).toBe(0x1122334455667788n);
  expect(peer.received.map((m) => [m.version, m.type])).toEqual([
    [6, 0],
    [4, 5],
  ]);
});

test('the setup is sent before the connection is handed out, and its refusal ends it', async () => {
  const setup = () => [{ type: 'raw', messageType: 28, data: new Uint8Array(8) } as const];
  const good = new FakeSwitch();
  good.answer = (m) => m.type === 20 && good.reply(m, 21);
  await connect({ setup }, good);
  expect(good.types()).toEqual([0, 5, 28, 20]);

  const bad = new FakeSwitch();
  bad.answer = (m) => {
    if (m.type === 28) bad.reply(m, 1, [0, 1, 0, 1]);
    if (m.type === 20) bad.reply(m, 21);
  };
  await expect(connect({ setup }, bad)).rejects.toThrow(/the switch refused the setup/);
  await turns();
  expect(bad.closed).toBe(true);
});

test('no version in common: HELLO_FAILED in the peer’s version says what we speak, then the end', async () => {
  const peer = new FakeSwitch({ shakeHands: false });
  peer.write(message(1, 0, 9));
  await expect(connect({}, peer)).rejects.toThrow(
    'no version in common: we speak OpenFlow13, OpenFlow14, OpenFlow15, the peer OpenFlow10',
  );
  await turns();
  const error = peer.received.at(-1)!;
  expect([error.version, error.type, error.xid]).toEqual([1, 1, 9]);
  expect([...error.bytes.subarray(8, 12)]).toEqual([0, 0, 0, 0]);
  expect(peer.closed).toBe(true);
});

test.each([
  [
    'an error instead of a hello',
    message(1, 1, 1, [0, 0, 0, 0, ...Buffer.from('go away')]),
    'the peer refused our hello: go away',
  ],
  ['another message instead of a hello', message(6, 10, 1), 'expected a hello, got packet_in'],
  ['HTTP', Buffer.from('GET / HTTP/1.1\r\n\r\n'), 'broken stream: message type 69 at byte 0'],
  ['TLS on a plain port', Uint8Array.of(0x16, 3, 1, 2, 0, 1, 0, 1, 0xfc), /broken stream: TLS, where plain/],
  ['zeros', new Uint8Array(64), /broken stream/],
])('%s is the end, with the reason', async (_, bytes, reason) => {
  const peer = new FakeSwitch({ shakeHands: false });
  peer.write(bytes);
  await expect(connect({}, peer)).rejects.toThrow(reason);
});

test('a peer that stays silent, before or after its hello, is given up', async () => {
  for (const hello of [false, true]) {
    const peer = new FakeSwitch({ shakeHands: false });
    const o = options();
    const opened = Connection.open(peer.ours, 'fake', o);
    const refused = expect(opened).rejects.toThrow(hello ? /no features reply within/ : /no hello within/);
    if (hello) peer.write(message(6, 0, 1));
    await turns();
    peer.answer = (m) => m.type === 2 && peer.reply(m, 3); // echo alone does not keep it
    await o.clock.pass(10_000);
    await refused;
    expect(o.clock.pending).toBe(0);
  }
});

test('a peer that closes after any byte of the handshake leaves nothing behind', async () => {
  const stream = Buffer.concat([message(6, 0, 1), message(6, 6, 2, FEATURES)]);
  for (let n = 0; n < stream.length; n++) {
    const peer = new FakeSwitch({ shakeHands: false });
    const o = options();
    const opened = Connection.open(peer.ours, 'fake', o);
    peer.write(stream.subarray(0, n));
    peer.socket.end();
    await expect(opened).rejects.toMatchObject({ code: 'closed' });
    expect(o.clock.pending).toBe(0);
  }
});
