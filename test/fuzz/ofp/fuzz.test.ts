/** Hostile bytes, seeded: the same on every run. `make bench ONLY=fuzz` does a million. */
import { describe, expect, test } from 'vitest';
import { Framer } from '../../../src/ofp/channel/framing.js';
import { decodeMessage, encodeMessage, MAX_DEPTH, OFP13, OFP15, Writer } from '../../../src/ofp/index.js';
import { Random } from '../../property/ofp/random.js';
import { corpus, nested } from './corpus.js';
import { mutate } from './mutate.js';
import { attempt, footprint, sayAgain } from './target.js';

/** The last type of OpenFlow 1.5: beyond it a stream is known to be broken. */
const OFPT_CONTROLLER_STATUS = 35;
const SEED = 20_261;
const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex');

describe('mutated messages', () => {
  const random = new Random(SEED);
  const valid = corpus(random, SEED, 4);

  test('what we start from is decoded, and says the same again', () => {
    expect(valid.length).toBeGreaterThan(1000);
    for (const bytes of valid) {
      expect(attempt(bytes)).toBe('decoded');
      sayAgain(bytes);
    }
  });

  test('40,000 of them give a bounded message or a typed error', () => {
    const seen = { decoded: 0, refused: 0 };
    for (let i = 0; i < 40_000; i++) {
      const bytes = mutate(random.pick(valid), random);
      try {
        const verdict = attempt(bytes);
        seen[verdict]++;
        if (verdict === 'decoded' && i % 4 === 0) sayAgain(bytes);
      } catch (e) {
        throw new Error(`message ${i}: ${hex(bytes)}`, { cause: e });
      }
    }
    // Both ends are reached: neither is everything refused nor everything taken.
    expect(seen.decoded).toBeGreaterThan(4_000);
    expect(seen.refused).toBeGreaterThan(4_000);
  });
});

/** A packet-out whose action is `levels` clones, one in the other: 16 bytes of header each. */
function clones(levels: number): Uint8Array {
  const actions = new Uint8Array(16 * levels);
  const view = new DataView(actions.buffer);
  for (let i = 0; i < levels; i++) {
    view.setUint32(16 * i, 0xffff0000 + 16 * (levels - i));
    view.setUint32(16 * i + 4, 0x2320);
    view.setUint16(16 * i + 8, 42);
  }
  const w = new Writer();
  w.word(0x040d0000);
  w.u32(1);
  w.u32(0xffffffff);
  w.u32(0xfffffffd);
  w.u16(actions.length);
  w.zero(6);
  w.bytes(actions);
  w.patchLength16(2, 0, 'packet_out');
  return w.take();
}

test('nesting is followed up to its limit, and refused beyond it however deep', () => {
  expect(attempt(clones(MAX_DEPTH - 3))).toBe('decoded');
  for (const levels of [MAX_DEPTH + 1, 100, 4_000])
    expect(() => decodeMessage(clones(levels))).toThrow(/too-deep/);
});

test('the densest of inputs, unknown fields of 4 bytes, stays within the bound', () => {
  const w = new Writer();
  w.word(0x06120000);
  w.u32(1);
  w.u16(1);
  w.zero(6);
  w.u8(255);
  w.zero(3);
  w.u32(0xffffffff);
  w.u32(0xffffffff);
  w.zero(20);
  const start = w.pos;
  w.word(0x00010000);
  for (let i = 0; i < 16_000; i++) w.u32(0x12340000);
  w.patchLength16(start + 2, start, 'match');
  w.align8(start);
  w.patchLength16(2, 0, 'message');
  const bytes = w.take();
  expect(attempt(bytes)).toBe('decoded');
  // The measure itself sees them.
  expect(footprint(decodeMessage(bytes).message)).toBeGreaterThan(20 * bytes.length);
});

describe('a stream', () => {
  const random = new Random(SEED);
  const messages = corpus(random, SEED, 1).filter(
    (bytes) => bytes[0] === OFP15 && bytes[1]! > 0 && bytes[1]! <= OFPT_CONTROLLER_STATUS,
  );

  function cut(chunks: readonly Uint8Array[]): Uint8Array[] {
    const framer = new Framer();
    framer.expect(OFP15);
    const whole: Uint8Array[] = [];
    for (const chunk of chunks) {
      framer.push(chunk);
      for (let one = framer.next(); one !== undefined; one = framer.next()) whole.push(one.slice());
    }
    return whole;
  }

  test('gives the same messages at every split point', () => {
    const few = messages.filter((bytes) => bytes.length < 200).slice(0, 60);
    const stream = new Uint8Array(Buffer.concat(few));
    const expected = few.map(hex).join();
    for (let at = 0; at <= stream.length; at++)
      expect(
        cut([stream.subarray(0, at), stream.subarray(at)])
          .map(hex)
          .join(),
      ).toBe(expected);
  });

  test('gives the same decoded messages in chunks of any size', () => {
    const stream = new Uint8Array(Buffer.concat(messages));
    const expected = messages.map((bytes) => decodeMessage(bytes));
    for (const largest of [1, 7, 64, 1460, 65_536]) {
      const chunks: Uint8Array[] = [];
      for (let at = 0; at < stream.length; ) {
        const size = 1 + random.below(largest);
        chunks.push(stream.subarray(at, at + size));
        at += size;
      }
      expect(cut(chunks).map((bytes) => decodeMessage(bytes))).toEqual(expected);
    }
  });
});

test('nested actions are encoded as deep as they are decoded', () => {
  const actions = nested([{ type: 'dec_nw_ttl' }], MAX_DEPTH - 4);
  const w = new Writer();
  encodeMessage(w, OFP13, 1, { type: 'packet_out', inPort: 1, actions, data: new Uint8Array(0) });
  expect(decodeMessage(w.take()).message).toMatchObject({ actions });
});
