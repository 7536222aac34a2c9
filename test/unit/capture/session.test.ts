import { describe, expect, it } from 'vitest';
import { CaptureBusyError, CaptureHub, CLASSES, classOf } from '../../../src/capture/index.js';
import type { Tap } from '../../../src/ofp/channel/types.js';
import {
  encodeMessage,
  type Message,
  OFP13,
  OFP15,
  type OfpVersion,
  Writer,
} from '../../../src/ofp/index.js';
import '../../../src/nx-extensions/index.js';

const peer = { peer: 'tcp:127.0.0.1:40000' };
const never = new AbortController().signal;

function bytes(message: Message, version: OfpVersion = OFP15, xid = 1): Uint8Array {
  const w = new Writer();
  encodeMessage(w, version, xid, message);
  return w.take();
}

const echo = (size: number) => bytes({ type: 'echo_request', data: new Uint8Array(size) });
const flowMod = {
  type: 'flow_mod',
  command: 'add',
  table: 0,
  priority: 1,
  cookie: 1n,
  match: [],
  instructions: [],
} as const;
const add = { type: 'bundle_add', bundleId: 3, flags: 3, message: flowMod } as const;

/** A hub, and what its connections would do. */
function hub() {
  const taps: (Tap | undefined)[] = [];
  return { hub: new CaptureHub((tap) => taps.push(tap)), taps, tap: () => taps.at(-1)! };
}

describe('the hub', () => {
  it('has a tap at the connections only while a capture runs', () => {
    const { hub: h, taps } = hub();
    expect(taps).toEqual([]);
    const a = h.open({ rate: 1 });
    const b = h.open({ rate: 1 });
    expect(taps).toHaveLength(1);
    a.close();
    a.close();
    expect(taps).toHaveLength(1);
    b.close();
    expect(taps).toEqual([expect.any(Function), undefined]);
    h.open({ rate: 1 });
    expect(taps).toHaveLength(3);
  });

  it('refuses the fifth', () => {
    const { hub: h } = hub();
    for (let i = 0; i < 4; i++) h.open({ rate: 1 });
    expect(() => h.open({ rate: 1 })).toThrow(CaptureBusyError);
  });

  it('cuts batches into messages, and copies them', async () => {
    const { hub: h, tap } = hub();
    const session = h.open({ rate: 10 });
    const batch = Buffer.concat([echo(3), echo(0)]);
    tap()('out', batch, peer);
    batch.fill(0xff);
    const taken = await session.take(0, never);
    expect(taken.map((m) => [m.direction, m.bytes.length, m.bytes[1]])).toEqual([
      ['out', 11, 2],
      ['out', 8, 2],
    ]);
  });

  it('stops at bytes that are no message', async () => {
    const { hub: h, tap } = hub();
    const session = h.open({ rate: 10 });
    tap()('out', new Uint8Array(64), peer);
    expect(await session.take(0, never)).toEqual([]);
  });
});

describe('a session', () => {
  it('drops and counts what waits too long for a slow reader', async () => {
    const { hub: h, tap } = hub();
    const session = h.open({ rate: 1e6, maxWaiting: 10_000 });
    for (let i = 0; i < 100; i++) tap()('in', echo(1000), peer);
    expect(session.backlog).toBeLessThanOrEqual(10_000);
    expect((await session.take(0, never)).length).toBe(8);
    expect(session.dropped).toBe(92);
    tap()('in', echo(1000), peer);
    tap()('in', echo(1000), peer);
    const dropped = (await session.take(0, never)).map((m) => m.dropped);
    expect(dropped).toEqual([92, 0]);
  });

  it('takes no more per second than its rate', async () => {
    const { hub: h, tap } = hub();
    let now = 1000;
    const session = h.open({ rate: 10, now: () => now });
    for (let i = 0; i < 30; i++) tap()('in', echo(0), peer);
    expect(session.dropped).toBe(20);
    now += 500;
    for (let i = 0; i < 30; i++) tap()('in', echo(0), peer);
    expect(session.dropped).toBe(45);
    expect(await session.take(0, never)).toHaveLength(15);
  });

  it('wakes its reader for a message, at the end of the time, and when the reader goes', async () => {
    const { hub: h, tap } = hub();
    const session = h.open({ rate: 10 });
    const first = session.take(60_000, never);
    tap()('in', echo(0), peer);
    expect(await first).toHaveLength(1);
    expect(await session.take(1, never)).toEqual([]);
    const gone = new AbortController();
    const waiting = session.take(60_000, gone.signal);
    gone.abort();
    expect(await waiting).toEqual([]);
    const closing = session.take(60_000, never);
    session.close();
    expect(await closing).toEqual([]);
  });

  it('keeps only the classes that are wanted', async () => {
    const { hub: h, tap } = hub();
    const flows = h.open({ rate: 10, classes: new Set(['flow_mod']) });
    const bundles = h.open({ rate: 10, classes: new Set(['bundle']) });
    tap()('out', Buffer.concat([bytes(flowMod), bytes(add), echo(0)]), peer);
    expect((await flows.take(0, never)).map((m) => m.bytes[1])).toEqual([14, 34]);
    expect((await bundles.take(0, never)).map((m) => m.bytes[1])).toEqual([34]);
  });
});

describe('the class of a message', () => {
  it.each<[string, Message, OfpVersion]>([
    ['flow_mod', flowMod, OFP13],
    ['flow_mod', add, OFP13],
    ['flow_mod', add, OFP15],
    ['bundle', { type: 'bundle_control', bundleId: 1, control: 'commit_request', flags: 3 }, OFP13],
    ['bundle', { type: 'bundle_control', bundleId: 1, control: 'commit_reply', flags: 3 }, OFP15],
    ['experimenter', { type: 'nx_ct_flush_zone', zone: 3 }, OFP13],
    ['multipart', { type: 'port_desc_request' }, OFP15],
    ['barrier', { type: 'barrier_request' }, OFP13],
  ])('%s', (name, message, version) => {
    expect(classOf(bytes(message, version))).toBe(name);
    expect(CLASSES).toContain(name);
  });

  it('packet-ins of either form', () => {
    const packetIn = {
      type: 'packet_in',
      totalLen: 1,
      reason: 'apply_action',
      table: 0,
      cookie: 1n,
      match: [],
      userdata: Uint8Array.of(1),
      data: Uint8Array.of(1),
    } as const;
    expect(classOf(bytes({ ...packetIn, form: 'nxt_packet_in2' }))).toBe('packet_in');
    expect(classOf(bytes({ ...packetIn, userdata: new Uint8Array(0) }))).toBe('packet_in');
  });
});
