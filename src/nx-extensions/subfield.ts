/** Subfields, and how Nicira's actions write them: `ofs << 6 | (n_bits − 1)` beside an OXM header. */
import { decodeOxmHeader, encodeOxmHeader } from '../ofp/actions/oxm-header.js';
import { OfpEncodeError } from '../ofp/bytes/errors.js';
import type { Reader } from '../ofp/bytes/reader.js';
import type { Writer } from '../ofp/bytes/writer.js';
import { encodeFieldValue, encodeOxm } from '../ofp/match.js';
import type { Field, FieldValue, MatchField, OfpVersion, Subfield } from '../ofp/types/field.js';

/** What `ofs << 6 | (n_bits − 1)` can say. */
const MAX_BITS = 64;

const NXM_OF = 0x0000;
const NXM_NX = 0x0001;
/** No header is this: NXM class 0, field 0, length 0. */
const NO_NXM = 0;
const HAS_MASK = 0x100;

/** Bits `[ofs … ofs + nBits − 1]` of a field; by default all that follow `ofs`. Throws a RangeError beyond its width. */
export function sub(field: Field, ofs = 0, nBits = field.nBits - ofs): Subfield {
  if (!Number.isInteger(ofs) || !Number.isInteger(nBits) || ofs < 0 || nBits < 1 || ofs + nBits > field.nBits)
    throw new RangeError(`${field.name} has ${field.nBits} bits, not [${ofs}..${ofs + nBits - 1}]`);
  return { field, ofs, nBits };
}

/** Throws `out-of-range` where a subfield that was not made by `sub` exceeds its field. */
export function checkSubfield(s: Subfield, path: string, maxBits = s.field.nBits): void {
  if (s.ofs < 0 || s.nBits < 1 || s.nBits > maxBits || s.ofs + s.nBits > s.field.nBits)
    throw new OfpEncodeError(
      'out-of-range',
      path,
      `bits [${s.ofs}..${s.ofs + s.nBits - 1}] of ${s.field.name}`,
    );
}

/** ofs_nbits(2). */
export function encodeOfsNBits(w: Writer, s: Subfield, path: string): void {
  checkSubfield(s, path, MAX_BITS);
  w.u16((s.ofs << 6) | (s.nBits - 1));
}

/** ofs_nbits(2) header(4). */
export function encodeSubfield(w: Writer, s: Subfield, version: OfpVersion, path: string): void {
  encodeOfsNBits(w, s, path);
  encodeShortHeader(w, s.field, version, path);
}

/** ofs_nbits(2) header(4); `undefined` where the field is unknown. */
export function decodeSubfield(r: Reader, path: string): Subfield | undefined {
  const ofsNBits = r.u16(path);
  return subfieldOf(r, decodeShortHeader(r), ofsNBits >> 6, (ofsNBits & 0x3f) + 1, path);
}

/** A subfield read from bytes; throws `bad-value` beyond the field's width. */
export function subfieldOf(
  r: Reader,
  field: Field | undefined,
  ofs: number,
  nBits: number,
  path: string,
): Subfield | undefined {
  if (field === undefined) return undefined;
  if (nBits < 1 || ofs + nBits > field.nBits)
    throw r.fail('bad-value', `bits [${ofs}..${ofs + nBits - 1}] of ${field.name}`, r.pos, path);
  return { field, ofs, nBits };
}

const nxmHeaders = new Map<Field, number>();

/** The NXM header of a field, as for an exact match; NO_NXM where it has none. */
function nxmHeader(field: Field): number {
  let header = nxmHeaders.get(field);
  if (header === undefined) {
    const id = field.ids.find((i) => i.class === NXM_OF || i.class === NXM_NX);
    header = id ? ((id.class << 16) | (id.number << 9) | field.nBytes) >>> 0 : NO_NXM;
    nxmHeaders.set(field, header);
  }
  return header;
}

/** Writes the header that Open vSwitch writes in its own actions, in every version: NXM where the field has one. */
export function encodeNxmHeader(w: Writer, field: Field, version: OfpVersion): void {
  const header = nxmHeader(field);
  if (header === NO_NXM) encodeOxmHeader(w, field, version);
  else w.u32(header);
}

/** Writes a TLV with such a header. */
export function encodeNxm(w: Writer, f: MatchField, version: OfpVersion): void {
  const { field, value, mask, size } = f;
  const header = nxmHeader(field);
  if (header === NO_NXM || size !== undefined) {
    encodeOxm(w, f, version);
    return;
  }
  w.u32(mask === undefined ? header : header + HAS_MASK + field.nBytes);
  encodeFieldValue(w, field, value);
  if (mask !== undefined) encodeFieldValue(w, field, mask);
}

/** A header of a field in 4 bytes only: for actions that have no room for an experimenter's. */
export function encodeShortHeader(w: Writer, field: Field, version: OfpVersion, path: string): void {
  if (!hasShortHeader(field, version))
    throw new OfpEncodeError('unsupported', path, `${field.name} doesn't fit this action`);
  encodeNxmHeader(w, field, version);
}

/** Reads a header of 4 bytes; throws `bad-value` on an experimenter's, which would run into what follows. */
export function decodeShortHeader(r: Reader): Field | undefined {
  if (r.left >= 2 && r.view.getUint16(r.pos) === 0xffff)
    throw r.fail('bad-value', 'an experimenter OXM in a 4-byte header');
  return decodeOxmHeader(r);
}

/** Whether the field has a header of 4 bytes in this version. */
export function hasShortHeader(field: Field, version: OfpVersion): boolean {
  return nxmHeader(field) !== NO_NXM || field.wire[version]?.experimenter === 0;
}

/** `value` as what fields of that width have: a number up to 32 bits, else a bigint. */
export function fieldValue(field: Field, value: FieldValue): FieldValue {
  if (field.nBytes > 4) return typeof value === 'bigint' ? value : BigInt(value);
  return typeof value === 'number' ? value : Number(value);
}

/** `2^nBits − 1`, shifted by `ofs`, as a value of the field. */
export function subfieldMask(s: Subfield): FieldValue {
  if (s.field.nBytes <= 4) return (2 ** s.nBits - 1) * 2 ** s.ofs;
  return ((1n << BigInt(s.nBits)) - 1n) << BigInt(s.ofs);
}

/** A value of the subfield at its place in the field. Throws `out-of-range` where it has more bits. */
export function placeValue(s: Subfield, value: FieldValue, path: string): FieldValue {
  if (s.field.nBytes <= 4) {
    const n = Number(value);
    if (!(n >= 0 && n < 2 ** s.nBits)) throw tooWide(s, value, path);
    return n * 2 ** s.ofs;
  }
  const b = BigInt(value);
  if (b < 0n || b >> BigInt(s.nBits) !== 0n) throw tooWide(s, value, path);
  return b << BigInt(s.ofs);
}

function tooWide(s: Subfield, value: FieldValue, path: string): OfpEncodeError {
  return new OfpEncodeError('out-of-range', path, `${value} doesn't fit ${s.nBits} bits`);
}
