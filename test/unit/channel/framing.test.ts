import fc from 'fast-check';
import { expect, test } from 'vitest';
import { Framer, FramingError } from '../../../src/ofp/channel/framing.js';
import { message } from './fake.js';

const concat = (parts: readonly Uint8Array[]) => new Uint8Array(Buffer.concat(parts));

/** All messages of a stream that comes in these chunks, copied. */
function cut(chunks: readonly Uint8Array[], framer = new Framer()): Uint8Array[] {
  const messages: Uint8Array[] = [];
  for (const chunk of chunks) {
    framer.push(chunk);
    for (let m = framer.next(); m !== undefined; m = framer.next()) messages.push(m.slice());
  }
  return messages;
}

const sample = [
  message(6, 0, 1),
  message(6, 10, 2, [1, 2, 3, 4, 5]),
  message(6, 19, 3, new Array<number>(40).fill(7)),
  message(6, 21, 4),
];

test('every pair of split points gives the same messages', () => {
  const stream = concat(sample);
  for (let a = 0; a <= stream.length; a++)
    for (let b = a; b <= stream.length; b++) {
      const got = cut([stream.subarray(0, a), stream.subarray(a, b), stream.subarray(b)]);
      expect(got).toEqual(sample);
    }
});

test('any chunking of any messages gives the same messages', () => {
  const sizes = fc.array(fc.oneof(fc.integer({ min: 0, max: 64 }), fc.constant(65_527)), { maxLength: 8 });
  fc.assert(
    fc.property(sizes, fc.array(fc.integer({ min: 1, max: 70_000 }), { minLength: 1 }), (bodies, cuts) => {
      const messages = bodies.map((n, i) => message(4, 19, i + 1, new Array<number>(n).fill(i)));
      const stream = concat(messages);
      const chunks: Uint8Array[] = [];
      for (let at = 0, i = 0; at < stream.length; i++) {
        const size = cuts[i % cuts.length]!;
        chunks.push(stream.subarray(at, at + size));
        at += size;
      }
      expect(cut(chunks).map((m) => Buffer.from(m).toString('latin1'))).toEqual(
        messages.map((m) => Buffer.from(m).toString('latin1')),
      );
    }),
    { numRuns: 60 },
  );
});

test('a message inside a chunk is a slice of it, one that straddles chunks is not', () => {
  const framer = new Framer();
  const chunk = concat([sample[0]!, sample[1]!.subarray(0, 9)]);
  framer.push(chunk);
  expect(framer.next()!.buffer).toBe(chunk.buffer);
  expect(framer.next()).toBeUndefined();
  framer.push(sample[1]!.subarray(9));
  expect(framer.next()!.buffer).not.toBe(chunk.buffer);
});

test('what a length field claims is not allocated', () => {
  const framer = new Framer();
  framer.push(Uint8Array.of(6, 19, 0xff, 0xff, 0, 0, 0, 1));
  expect(framer.next()).toBeUndefined();
  expect(framer.buffered).toBe(8);
  expect((framer as unknown as { merge: Uint8Array }).merge.length).toBeLessThan(65_535);
});

test.each([
  ['a length below the header', [6, 19, 0, 7, 0, 0, 0, 1], 'bad-length'],
  ['a length of zero', [6, 19, 0, 0, 0, 0, 0, 1], 'bad-length'],
  ['another version', [4, 19, 0, 8, 0, 0, 0, 1], 'bad-version'],
  ['a type that the version lacks', [6, 36, 0, 8, 0, 0, 0, 1], 'bad-type'],
  ['zeros', [0, 0, 0, 0, 0, 0, 0, 0], 'bad-length'],
] as const)('%s breaks the stream, at any split, and says where', (_, bytes, code) => {
  for (let split = 0; split <= bytes.length; split++) {
    const framer = new Framer();
    framer.expect(6);
    const run = () =>
      cut([sample[1]!, Uint8Array.from(bytes.slice(0, split)), Uint8Array.from(bytes.slice(split))], framer);
    expect(run).toThrow(FramingError);
    expect(() => {
      const again = new Framer();
      again.expect(6);
      cut([sample[1]!, Uint8Array.from(bytes)], again);
    }).toThrow(expect.objectContaining({ code, offset: sample[1]!.length }));
  }
});

test('hello, error and echo may have another version than was agreed', () => {
  const framer = new Framer();
  framer.expect(6);
  const others = [0, 1, 2, 3].map((type) => message(4, type, type));
  expect(cut(others, framer)).toEqual(others);
});

test('a packet-in whose length overflowed 16 bits is found out', () => {
  // 65,536 + 40 bytes that claim to be 40.
  const framer = new Framer();
  framer.expect(6);
  const packet = message(6, 10, 0, new Array<number>(32).fill(0));
  const rest = new Uint8Array(65_536).map((_, i) => (i * 37 + 11) & 0xff);
  expect(() => cut([packet, rest], framer)).toThrow(FramingError);
});
