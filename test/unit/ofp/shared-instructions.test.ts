import { expect, it } from 'vitest';
import '../../../src/nx-extensions/index.js';
import { F } from '../../../src/nx-extensions/fields.js';
import {
  decodeInstructions,
  encodeInstructions,
  type Instruction,
  OFP13,
  OFP15,
  type OfpVersion,
  Reader,
  Writer,
} from '../../../src/ofp/index.js';

const slot = (value: number): Instruction[] => [
  { type: 'apply_actions', actions: [{ type: 'set_field', field: F.reg2, value }] },
  { type: 'goto_table', table: 12 },
];

function bytesOf(list: readonly Instruction[], version: OfpVersion): Uint8Array {
  const w = new Writer();
  encodeInstructions(w, list, version);
  return w.take();
}

function decode(bytes: Uint8Array, version: OfpVersion = OFP15): readonly Instruction[] {
  const r = new Reader(bytes);
  const list = decodeInstructions(r, version);
  expect(r.pos).toBe(bytes.length);
  return list;
}

it('a list that comes again is one object, with the same contents', () => {
  const bytes = bytesOf(slot(77), OFP15);
  const [, , third, fourth] = [1, 2, 3, 4].map(() => decode(bytes.slice()));
  expect(fourth).toBe(third);
  expect(fourth).toEqual(slot(77));
});

it('a thousand lists, each again and again, are never taken for each other', () => {
  for (let round = 0; round < 4; round++)
    for (let value = 0; value < 1000; value++)
      for (const version of [OFP13, OFP15] as OfpVersion[])
        expect(decode(bytesOf(slot(value), version), version)).toEqual(slot(value));
});

it('a list with a byte changed is decoded, or refused, for what it is', () => {
  const bytes = bytesOf(slot(5), OFP15);
  for (let i = 0; i < 3; i++) decode(bytes);
  for (let at = 0; at < bytes.length; at++) {
    const changed = bytes.slice();
    changed[at]! ^= 1;
    let list: readonly Instruction[] | undefined;
    try {
      list = decodeInstructions(new Reader(changed), OFP15);
    } catch {
      continue;
    }
    expect(list).not.toEqual(slot(5));
    expect(bytesOf(list, OFP15)).toEqual(changed);
  }
});

it('what the same bytes mean on another version is decoded anew', () => {
  const list: Instruction[] = [{ type: 'apply_actions', actions: [{ type: 'output', port: 3, maxLen: 0 }] }];
  const bytes = bytesOf(list, OFP15);
  for (let i = 0; i < 3; i++) decode(bytes, OFP15);
  expect(decode(bytes, OFP13)).not.toBe(decode(bytes, OFP15));
});

it('lists with parts of the message in them are not shared', () => {
  const list: Instruction[] = [
    { type: 'apply_actions', actions: [{ type: 'controller2', userdata: Uint8Array.of(1, 2, 3) }] },
  ];
  const bytes = bytesOf(list, OFP15);
  const [, , third, fourth] = [1, 2, 3, 4].map(() => decode(bytes.slice()));
  expect(fourth).not.toBe(third);
  expect(fourth).toEqual(third);
});
