import fc from 'fast-check';
import { expect, it } from 'vitest';
import { sourcePort } from '../../../src/hc/source-ports.js';
import { RECEIVE_WINDOW, TcpClient, type TcpHost } from '../../../src/hc/tcp-client.js';
import { TCP, type TcpSegment } from '../../../src/packetio/frames/tcp.js';

const ISS = 0xfffffffa;
const ISN = 0xfffffff5;
const segment = (s: Partial<TcpSegment>): TcpSegment => ({
  srcPort: 80,
  dstPort: 50000,
  seq: (ISN + 1) >>> 0,
  ack: (ISS + 1) >>> 0,
  flags: TCP.ack,
  window: 65535,
  mss: 0,
  payload: new Uint8Array(),
  ...s,
});

function connected() {
  const got: number[] = [];
  const sent: { seq: number; ack: number; flags: number; length: number }[] = [];
  let ended = 0;
  const host: TcpHost = {
    segment: (seq, ack, flags, _w, _m, payload) =>
      sent.push({ seq, ack, flags, length: payload?.length ?? 0 }),
    timer: () => {},
    connected: () => {},
    data: (bytes) => got.push(...bytes),
    ended: () => ended++,
    reset: () => {},
    silent: () => {},
  };
  const client = new TcpClient(host, ISS, 250);
  client.open();
  client.onSegment(segment({ seq: ISN, flags: TCP.syn | TCP.ack, mss: 1460 }));
  return { client, got, sent, ended: () => ended };
}

it('whatever the pieces, their order, repetitions and overlaps: the stream, each byte once, then the end', () => {
  const pieces = fc.array(fc.record({ at: fc.nat(3000), length: fc.integer({ min: 1, max: 700 }) }), {
    maxLength: 60,
  });
  fc.assert(
    fc.property(fc.uint8Array({ minLength: 1, maxLength: 3000 }), pieces, (stream, order) => {
      const { client, got, sent, ended } = connected();
      const deliver = (at: number, length: number) => {
        const end = Math.min(stream.length, at + length);
        const flags = TCP.ack | (end === stream.length ? TCP.fin : 0);
        if (at < end)
          client.onSegment(segment({ seq: (ISN + 1 + at) >>> 0, flags, payload: stream.subarray(at, end) }));
      };
      for (const { at, length } of order) {
        deliver(at, length);
        // Never more than the stream's beginning, in order.
        expect(got).toEqual([...stream.subarray(0, got.length)]);
      }
      // A sender repeats what was not acknowledged.
      for (let n = 0; n < 50 && ended() === 0; n++) deliver(got.length, 536);
      expect(got).toEqual([...stream]);
      expect(ended()).toBe(1);
      expect(sent.at(-1)!.ack).toBe((ISN + 1 + stream.length + 1) >>> 0);
    }),
  );
});

it('any segments at all: no exception, bounded talk, nothing beyond the window delivered', () => {
  const u32 = fc.integer({ min: 0, max: 0xffffffff });
  const near = (base: number) => fc.integer({ min: -9000, max: 9000 }).map((n) => (base + n) >>> 0);
  const any = fc.record({
    seq: fc.oneof(near(ISN), u32),
    ack: fc.oneof(near(ISS), u32, fc.constant((ISS + 1) >>> 0)),
    flags: fc.integer({ min: 0, max: 63 }),
    window: fc.integer({ min: 0, max: 0xffff }),
    mss: fc.integer({ min: 0, max: 0xffff }),
    payload: fc.uint8Array({ maxLength: 1500 }),
  });
  const step = fc.oneof(any, fc.constantFrom('timer', 'send', 'close', 'abort'));
  fc.assert(
    fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
      const { client, got, sent } = connected();
      for (const s of steps) {
        const before = sent.length;
        const delivered = got.length;
        if (s === 'timer') client.onTimer();
        else if (s === 'send') {
          if (client.state === 'established') client.send(new Uint8Array(2000));
        } else if (s === 'close') client.close();
        else if (s === 'abort') client.abort();
        else client.onSegment(segment(s));
        expect(got.length - delivered).toBeLessThanOrEqual(RECEIVE_WINDOW);
        const payload = sent.slice(before).reduce((n, x) => n + x.length, 0);
        expect(payload).toBeLessThanOrEqual(4000);
      }
    }),
    { numRuns: 1000 },
  );
});

it('source ports are a permutation of the dynamic ports, another one for each key', () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 0xffffffff }), (key) => {
      const ports = Array.from({ length: 16_384 }, (_, n) => sourcePort(key, n));
      expect(new Set(ports).size).toBe(16_384);
      expect(Math.min(...ports.slice(0, 100))).toBeGreaterThanOrEqual(0xc000);
      const steps = new Set(ports.slice(1, 200).map((p, n) => p - ports[n]!));
      expect(steps.size).toBeGreaterThan(150);
    }),
    { numRuns: 20 },
  );
});
