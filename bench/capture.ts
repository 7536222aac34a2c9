/** What a tap costs: encoding and sending flow-mods over a connection without a capture, and with one. */
import { Duplex } from 'node:stream';
import { type Captured, CaptureHub, captureStream } from '../src/capture/index.js';
import { F } from '../src/nx-extensions/fields.js';
import { Connection, systemClock, type Tap } from '../src/ofp/channel/index.js';
import { encodeMessage, type Message, OFP15, Writer } from '../src/ofp/index.js';
import { median, type Result, result, writeResult } from './harness.js';

const MESSAGES = 20_000;
const ROUNDS = 9;

const mod: Message = {
  type: 'flow_mod',
  command: 'add',
  table: 11,
  priority: 100,
  cookie: 0x0001_0500_000a_4c42n,
  match: [
    { field: F.reg4, value: 10 },
    { field: F.reg1, value: 3 },
  ],
  instructions: [{ type: 'goto_table', table: 12 }],
};
const silent = { debug: () => {}, info: () => {}, warn: () => {} };

/** A switch that shakes hands and swallows the rest. */
class Sink extends Duplex {
  override _read(): void {}
  override _write(chunk: Buffer, _: string, done: () => void): void {
    if (chunk[1] === 0) this.answer(0, chunk.readUInt32BE(4), 0);
    for (let at = 0; at + 8 <= chunk.length; at += chunk.readUInt16BE(at + 2))
      if (chunk[at + 1] === 5) this.answer(6, chunk.readUInt32BE(at + 4), 24);
    done();
  }

  private answer(type: number, xid: number, body: number): void {
    const bytes = Buffer.alloc(8 + body);
    bytes[0] = OFP15;
    bytes[1] = type;
    bytes.writeUInt16BE(bytes.length, 2);
    bytes.writeUInt32BE(xid, 4);
    this.push(bytes);
  }
}

const connection = await Connection.open(new Sink(), 'tcp:127.0.0.1:40000', {
  versions: [OFP15],
  logger: silent,
  clock: systemClock,
  limits: { probeInterval: 0 },
});
let calls = 0;
const hub = new CaptureHub((tap: Tap | undefined) => {
  connection.tap =
    tap &&
    ((...seen) => {
      calls++;
      tap(...seen);
    });
});

/** Nanoseconds per message. */
async function send(): Promise<number> {
  const start = performance.now();
  for (let i = 0; i < MESSAGES; i++) connection.send(mod);
  await connection.drained();
  return ((performance.now() - start) * 1e6) / MESSAGES;
}

const session = () => hub.open({ rate: 1e9, maxWaiting: 1 << 30 });
/** Between captures: nothing is called then. */
const off: number[] = [];
const on: number[] = [];
const filtered: number[] = [];
await send();
for (let round = 0; round < ROUNDS; round++) {
  const all = session();
  on.push(await send());
  all.close();
  const few = hub.open({ rate: 1e9, classes: new Set(['error']) });
  filtered.push(await send());
  few.close();
  const before = calls;
  off.push(await send());
  if (calls !== before) throw new Error('the tap was called without a capture');
}

const w = new Writer();
encodeMessage(w, OFP15, 1, mod);
const bytes = w.take();
/** Messages per second that become text or a file. */
async function write(format: 'text' | 'pcapng'): Promise<number> {
  const from = session();
  const peer = { peer: 'tcp:127.0.0.1:40000' };
  const one: Captured['direction'] = 'out';
  for (let i = 0; i < MESSAGES; i++) from.offer(one, bytes, peer);
  const start = performance.now();
  const options = {
    format,
    frames: true,
    maxBytes: 1 << 30,
    durationMs: 1e6,
    about: 'a benchmark',
    names: { subject: () => 'acme pool web' },
  };
  const over = new AbortController();
  const stream = captureStream(from, options, over.signal);
  let last = start;
  setTimeout(() => over.abort(), 0);
  for await (const _ of stream) last = performance.now();
  return (MESSAGES * 1000) / (last - start);
}
const text: number[] = [];
const file: number[] = [];
for (let round = 0; round < 5; round++) {
  text.push(await write('text'));
  file.push(await write('pcapng'));
}

const results: Result[] = [
  result('send_without_capture', 'ns/message', off),
  result('send_while_capturing', 'ns/message', on, { without: median(on) / median(off) }),
  result('send_while_capturing_another_class', 'ns/message', filtered, {
    without: median(filtered) / median(off),
  }),
  result('written_as_text', 'messages/s', text),
  result('written_as_pcapng', 'messages/s', file),
];
writeResult('capture', results);
connection.close('done');
