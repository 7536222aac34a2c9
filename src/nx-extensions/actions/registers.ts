/** Reading and writing of fields: constants, moves, the stack, output to a port held in a field. */
import { decodeOxmHeader, encodeOxmHeader } from '../../ofp/actions/oxm-header.js';
import { OfpEncodeError } from '../../ofp/bytes/errors.js';
import type { Reader } from '../../ofp/bytes/reader.js';
import type { Writer } from '../../ofp/bytes/writer.js';
import { decodeOxm, encodeOxm } from '../../ofp/match.js';
import { registerAction } from '../../ofp/registry.js';
import type { ActionOf } from '../../ofp/types/action.js';
import { OFP14, OFP15, type OfpVersion, type Subfield } from '../../ofp/types/field.js';
import { NX_EXPERIMENTER } from '../fields.js';
import {
  checkSubfield,
  decodeSubfield,
  encodeNxm,
  encodeNxmHeader,
  encodeOfsNBits,
  encodeSubfield,
  fieldValue,
  hasShortHeader,
  placeValue,
  subfieldMask,
  subfieldOf,
} from '../subfield.js';
import { nicira } from './register.js';

const OFPAT_SET_FIELD = { standard: 25 } as const;
const OFPAT_COPY_FIELD = { standard: 28 } as const;
const MAX_LOAD_BITS = 64;
const MAX_LEN = 0xffff;

// ofs_nbits(2) dst(4) value(8)
nicira('reg_load', 7, 'REG_LOAD', {
  to: OFP14,
  accepts: (a, version) => a.dst.nBits <= MAX_LOAD_BITS && hasShortHeader(a.dst.field, version),
  encode(w, a, version) {
    placeValue(a.dst, a.value, 'reg_load.value');
    encodeSubfield(w, a.dst, version, 'reg_load.dst');
    encodeWord64(w, a.value);
  },
  decode(r) {
    const dst = decodeSubfield(r, 'dst');
    const high = r.u32('value');
    const low = r.u32('value');
    if (dst === undefined) return undefined;
    const wide = dst.nBits > 32;
    if ((!wide && high !== 0) || !fits(high, low, dst.nBits))
      throw r.fail('bad-value', `a value of more than ${dst.nBits} bits`, r.pos - 8, 'value');
    return { type: 'reg_load', dst, value: fieldValue(dst.field, wide ? join(high, low) : low) };
  },
});
registerAction(
  'reg_load',
  {
    id: { experimenter: NX_EXPERIMENTER, subtype: 33 },
    to: OFP14,
    name: 'NXAST_REG_LOAD2',
    writeOnly: true,
    encode(w, a, version) {
      encodeNxm(w, asSetField(a), version);
    },
    decode: () => undefined,
  },
  {
    id: OFPAT_SET_FIELD,
    from: OFP15,
    name: 'OFPAT_SET_FIELD',
    writeOnly: true,
    encode(w, a, version) {
      encodeOxm(w, asSetField(a), version);
    },
    decode: () => undefined,
  },
);

/** What a load means as a masked write of the whole field. */
export function asSetField(a: ActionOf<'reg_load'>): ActionOf<'set_field'> {
  const { field } = a.dst;
  const value = placeValue(a.dst, a.value, 'reg_load.value');
  if (a.dst.nBits === field.nBits) return { type: 'set_field', field, value };
  checkSubfield(a.dst, 'reg_load.dst');
  return { type: 'set_field', field, value, mask: subfieldMask(a.dst) };
}

function encodeWord64(w: Writer, value: number | bigint): void {
  if (typeof value === 'bigint') w.u64(value);
  else {
    w.u32(Math.floor(value / 0x1_0000_0000));
    w.u32(value >>> 0);
  }
}

function fits(high: number, low: number, nBits: number): boolean {
  if (nBits >= 64) return true;
  return nBits >= 32 ? high < 2 ** (nBits - 32) : low < 2 ** nBits;
}

function join(high: number, low: number): bigint {
  return (BigInt(high) << 32n) | BigInt(low);
}

// One OXM TLV directly after the header.
registerAction('set_field', {
  id: { experimenter: NX_EXPERIMENTER, subtype: 33 },
  to: OFP14,
  name: 'NXAST_REG_LOAD2',
  writeOnly: true,
  encode(w, a, version) {
    encodeNxm(w, a, version);
  },
  decode: () => undefined,
});
nicira('reg_load2', 33, 'REG_LOAD2', {
  to: OFP14,
  encode(w, a, version) {
    encodeNxm(w, a, version);
  },
  decode(r) {
    const oxm = decodeOxm(r);
    if (oxm.field === null) return undefined;
    // With a mask it is what set_field can't say otherwise before 1.5.
    return (oxm.mask === undefined
      ? { type: 'reg_load2', ...oxm }
      : { type: 'set_field', ...oxm }) as unknown as ActionOf<'reg_load2'>;
  },
});
registerAction('reg_load2', {
  id: OFPAT_SET_FIELD,
  from: OFP15,
  name: 'OFPAT_SET_FIELD',
  writeOnly: true,
  encode(w, a, version) {
    encodeOxm(w, a, version);
  },
  decode: () => undefined,
});

// n_bits(2) src_ofs(2) dst_ofs(2) src(4 or 8) dst(4 or 8)
nicira('reg_move', 6, 'REG_MOVE', {
  to: OFP14,
  encode(w, a, version) {
    encodeOffsets(w, a);
    encodeNxmHeader(w, a.src.field, version);
    encodeNxmHeader(w, a.dst.field, version);
  },
  decode(r) {
    const nBits = r.u16('n_bits');
    const srcOfs = r.u16('src_ofs');
    const dstOfs = r.u16('dst_ofs');
    const srcField = decodeOxmHeader(r);
    const dstField = srcField && decodeOxmHeader(r);
    const src = subfieldOf(r, srcField, srcOfs, nBits, 'src');
    const dst = subfieldOf(r, dstField, dstOfs, nBits, 'dst');
    return src && dst && { type: 'reg_move', src, dst };
  },
});
// n_bits(2) src_offset(2) dst_offset(2) pad(2) src dst
registerAction('reg_move', {
  id: OFPAT_COPY_FIELD,
  from: OFP15,
  name: 'OFPAT_COPY_FIELD',
  writeOnly: true,
  encode(w, a, version) {
    encodeOffsets(w, a);
    w.zero(2);
    encodeOxmHeader(w, a.src.field, version);
    encodeOxmHeader(w, a.dst.field, version);
  },
  decode: () => undefined,
});

function encodeOffsets(w: Writer, a: { src: Subfield; dst: Subfield }): void {
  checkSubfield(a.src, 'reg_move.src');
  checkSubfield(a.dst, 'reg_move.dst');
  if (a.src.nBits !== a.dst.nBits)
    throw new OfpEncodeError('out-of-range', 'reg_move', `${a.src.nBits} bits to ${a.dst.nBits}`);
  w.u16(a.src.nBits);
  w.u16(a.src.ofs);
  w.u16(a.dst.ofs);
}

// ofs_nbits(2) src(4) max_len(2) zero(6)
nicira('output_reg', 15, 'OUTPUT_REG', {
  accepts: (a, version) => hasShortHeader(a.src.field, version),
  encode(w, a, version) {
    encodeSubfield(w, a.src, version, 'output_reg.src');
    w.u16(a.maxLen ?? MAX_LEN);
    w.zero(6);
  },
  decode(r) {
    const src = decodeSubfield(r, 'src');
    if (src === undefined) return undefined;
    const maxLen = r.u16('max_len');
    r.zero(6);
    return { type: 'output_reg', src, maxLen };
  },
});

// ofs_nbits(2) max_len(2) src(4 or 8) zero(6 or 2)
function encodeOutputReg2(w: Writer, a: { src: Subfield; maxLen?: number }, version: OfpVersion): void {
  const start = w.pos;
  encodeOfsNBits(w, a.src, 'output_reg2.src');
  w.u16(a.maxLen ?? MAX_LEN);
  encodeNxmHeader(w, a.src.field, version);
  w.zero(start + 14 - w.pos);
}
registerAction('output_reg', {
  id: { experimenter: NX_EXPERIMENTER, subtype: 32 },
  name: 'NXAST_OUTPUT_REG2',
  writeOnly: true,
  encode: encodeOutputReg2,
  decode: () => undefined,
});
nicira('output_reg2', 32, 'OUTPUT_REG2', {
  encode: encodeOutputReg2,
  decode(r) {
    const ofsNBits = r.u16('ofs_nbits');
    const maxLen = r.u16('max_len');
    const src = subfieldOf(r, decodeOxmHeader(r), ofsNBits >> 6, (ofsNBits & 0x3f) + 1, 'src');
    if (src === undefined) return undefined;
    r.zero(r.left);
    return { type: 'output_reg2', src, maxLen };
  },
});

// offset(2) field(4 or 8) n_bits(2) zero(6 or 2)
function encodeStack(w: Writer, s: Subfield, version: OfpVersion, path: string): void {
  const start = w.pos;
  checkSubfield(s, path);
  w.u16(s.ofs);
  encodeNxmHeader(w, s.field, version);
  w.u16(s.nBits);
  w.zero(start + 14 - w.pos);
}
function decodeStack(r: Reader): Subfield | undefined {
  const ofs = r.u16('offset');
  const field = decodeOxmHeader(r);
  if (field === undefined) return undefined;
  const s = subfieldOf(r, field, ofs, r.u16('n_bits'), 'field');
  r.zero(r.left);
  return s;
}
nicira('stack_push', 27, 'STACK_PUSH', {
  encode: (w, a, version) => encodeStack(w, a.src, version, 'stack_push.src'),
  decode(r) {
    const src = decodeStack(r);
    return src && { type: 'stack_push', src };
  },
});
nicira('stack_pop', 28, 'STACK_POP', {
  encode: (w, a, version) => encodeStack(w, a.dst, version, 'stack_pop.dst'),
  decode(r) {
    const dst = decodeStack(r);
    return dst && { type: 'stack_pop', dst };
  },
});
