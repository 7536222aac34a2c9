import { expect, test } from 'vitest';
import { F, tunMetadata } from '../../../src/nx-extensions/index.js';
import {
  decodeMatch,
  encodeMatch,
  fieldByName,
  m,
  OFP13,
  OFP15,
  Reader,
  Writer,
} from '../../../src/ofp/index.js';
import { bytes, hex } from './bytes.js';

function encodedMatch(...fields: Parameters<typeof encodeMatch>[1]): string {
  const w = new Writer();
  encodeMatch(w, fields, OFP13);
  return hex(w.take());
}

test('lengths double with a mask; an experimenter counts its 4 bytes once', () => {
  expect(encodedMatch(m(F.reg3, 5, 0xffff))).toBe('0001001000010708000000050000ffff');
  expect(encodedMatch(m(F.nsh_c1, 1))).toBe('00010010ffff0c08005ad65000000001');
  expect(encodedMatch(m(F.tun_gtpu_flags, 3, 3))).toBe('0001000effff1f060000232003030000');
});
test('the length of a match excludes its padding', () => {
  expect(encodedMatch(m(F.ct_zone, 5))).toBe('0001000a0001d402000500000000'.padEnd(32, '0'));
});
test('fields by OpenFlow name, NXM name and alias are the same object', () => {
  expect(fieldByName('NXM_NX_REG3')).toBe(F.reg3);
  expect(fieldByName('OXM_OF_PKT_REG1')).toBe(F.xreg1);
  expect(fieldByName('ip_frag')).toBe(F.nw_frag);
  expect(fieldByName('tun_metadata63')).toBe(tunMetadata[63]);
});
test('NXM forms of standard fields decode to the standard field, and are written as OXM', () => {
  const match = decodeMatch(new Reader(bytes('0001000c 00000e04 0a000001 00000000')));
  expect(match).toEqual([{ field: F.nw_src, value: 0x0a000001 }]);
  const w = new Writer();
  encodeMatch(w, match, OFP15);
  expect(hex(w.take())).toBe('0001000c800016040a00000100000000');
});
test('an option matched by its presence has no bytes', () => {
  const text = '00010008000155000000000000000000'.slice(0, 16);
  const match = decodeMatch(new Reader(bytes(text)));
  expect(match).toMatchObject([{ field: tunMetadata[2], size: 0 }]);
  expect(encodedMatch(...match)).toBe(text);
});
test('every register has its place', () => {
  expect(F.reg15.ids[0]).toMatchObject({ class: 1, number: 15 });
  expect(F.xreg7.ids[0]).toMatchObject({ class: 0x8001, number: 7 });
  expect(F.xxreg3.ids[0]).toMatchObject({ class: 1, number: 114 });
  expect(tunMetadata[63]!.ids[0]).toMatchObject({ class: 1, number: 103 });
});
