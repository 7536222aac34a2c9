import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  allActionForms,
  allMessageForms,
  decodeActions,
  decodeMessage,
  encodeActions,
  encodeMessage,
  type Message,
  OfpDecodeError,
  type OfpVersion,
  Reader,
  VERSIONS,
  Writer,
} from '../../../src/ofp/index.js';
import { mutate } from '../../fuzz/ofp/mutate.js';
import { Random } from './random.js';
import { actionSamples, messageSamples } from './samples.js';

function encoded(version: OfpVersion, message: Message): Uint8Array {
  const w = new Writer(16);
  encodeMessage(w, version, 0xfedcba98, message);
  return w.take();
}

describe.each(VERSIONS)('OpenFlow version %i', (version) => {
  it.each(Object.entries(messageSamples))('%s survives encode, decode, encode', (type, sample) => {
    fc.assert(
      fc.property(fc.integer(), (seed) => {
        const message = sample(new Random(seed), version);
        if (message === undefined) return;
        const bytes = encoded(version, message);
        const decoded = decodeMessage(bytes);
        expect(decoded.message.type).toBe(type);
        expect(decoded.xid).toBe(0xfedcba98);
        expect(decoded.message).toEqual(message);
        expect(encoded(version, decoded.message)).toEqual(bytes);
      }),
      { numRuns: 40 },
    );
  });

  it.each(Object.entries(actionSamples))('action %s survives encode, decode, encode', (_, sample) => {
    fc.assert(
      fc.property(fc.integer(), (seed) => {
        const action = sample(new Random(seed), version);
        if (action === undefined) return;
        const w = new Writer(16);
        encodeActions(w, [action], version);
        const bytes = w.take();
        expect(bytes.length % 8).toBe(0);
        const back = decodeActions(new Reader(bytes), version);
        expect(back).toEqual([action]);
        const again = new Writer();
        encodeActions(again, back, version);
        expect(again.take()).toEqual(bytes);
      }),
      { numRuns: 40 },
    );
  });

  it('has a sample of every message and action that is registered', () => {
    const missing = [
      ...allMessageForms().filter((f) => !(f.type in messageSamples)),
      ...allActionForms().filter((f) => !(f.type in actionSamples)),
    ].map((f) => f.name);
    expect(missing).toEqual([]);
  });

  it.each(Object.entries(messageSamples))(
    '%s cut or mutated is decoded or refused, never worse',
    (_, sample) => {
      const random = new Random(version);
      for (let round = 0; round < 4; round++) {
        const message = sample(random, version);
        if (message === undefined) return;
        const bytes = encoded(version, message);
        for (let end = 0; end < bytes.length; end++)
          expect(() => decodeMessage(bytes, 0, end)).toThrow(OfpDecodeError);
        for (let i = 0; i < 50; i++) attempt(mutate(bytes, random));
      }
    },
  );
});

function attempt(bytes: Uint8Array): void {
  try {
    decodeMessage(bytes);
  } catch (e) {
    expect(e).toBeInstanceOf(OfpDecodeError);
  }
}
