/** Matches: ofp_match with OXM TLVs, OpenFlow 1.3.5 §7.2.3. */
import { OfpEncodeError } from './bytes/errors.js';
import type { Reader } from './bytes/reader.js';
import type { Writer } from './bytes/writer.js';
import { fieldByOxm } from './fields/registry.js';
import type { Field, FieldValue, Match, MatchField, OfpVersion, RawOxm } from './types/field.js';

const OFPMT_OXM = 1;
const EXPERIMENTER_CLASS = 0xffff;

/** One field of a match; `m(oxm.nw_dst, 0x0a000000, 0xff000000)`. */
export function m(field: Field, value: FieldValue, mask?: FieldValue): MatchField {
  return mask === undefined ? { field, value } : { field, value, mask };
}

function outOfRange(field: Field, value: FieldValue): OfpEncodeError {
  return new OfpEncodeError('out-of-range', field.name, `${value} does not fit ${field.nBytes} bytes`);
}

/** Writes a field's value in `size` bytes (default: the field's). */
export function encodeFieldValue(w: Writer, field: Field, value: FieldValue, size = field.nBytes): void {
  if (size <= 4) {
    const n = typeof value === 'number' ? value : Number(value);
    switch (size) {
      case 4:
        if (n >>> 0 !== n) throw outOfRange(field, value);
        w.word(n);
        return;
      case 2:
        if ((n & 0xffff) !== n) throw outOfRange(field, value);
        w.u16(n);
        return;
      case 1:
        if ((n & 0xff) !== n) throw outOfRange(field, value);
        w.u8(n);
        return;
      default:
        if (!(n >= 0 && n < 2 ** (8 * size))) throw outOfRange(field, value);
        w.uint(n, size);
        return;
    }
  }
  const b = typeof value === 'bigint' ? value : BigInt(value);
  if (b < 0n || b >> BigInt(8 * size) !== 0n) throw outOfRange(field, value);
  if (size === 8) w.u64(b);
  else w.uint(b, size);
}

/** Reads a field's value of `size` bytes: a number up to 32 bits of field width, else a bigint. */
export function decodeFieldValue(r: Reader, field: Field, size = field.nBytes): FieldValue {
  const v = r.uint(size, field.name);
  return field.nBytes > 4 && typeof v === 'number' ? BigInt(v) : v;
}

/** Writes one TLV. Throws `unsupported` where the field has no id in that version. */
export function encodeOxm(w: Writer, f: MatchField | RawOxm, version: OfpVersion): void {
  const field = f.field;
  if (field === null) {
    w.bytes(f.raw);
    return;
  }
  const wire = field.wire[version];
  if (wire === undefined)
    throw new OfpEncodeError('unsupported', field.name, `no OXM in OpenFlow version ${version}`);
  const { value, mask, size } = f;
  if (size !== undefined && size !== field.nBytes) {
    encodeVariable(w, f, wire.id.class, wire.id.number, wire.experimenter, size);
    return;
  }
  w.word(mask === undefined ? wire.header : wire.maskedHeader);
  if (wire.experimenter !== 0) w.u32(wire.experimenter);
  encodeFieldValue(w, field, value);
  if (mask !== undefined) encodeFieldValue(w, field, mask);
}

function encodeVariable(
  w: Writer,
  f: MatchField,
  oxmClass: number,
  number: number,
  experimenter: number,
  size: number,
): void {
  const { field, value, mask } = f;
  if (!field.variable || size > field.nBytes || size < 0)
    throw new OfpEncodeError('out-of-range', field.name, `a size of ${size} bytes`);
  const payload = mask === undefined ? size : 2 * size;
  w.u16(oxmClass);
  w.u8((number << 1) | (mask === undefined ? 0 : 1));
  w.u8(payload + (experimenter !== 0 ? 4 : 0));
  if (experimenter !== 0) w.u32(experimenter);
  encodeFieldValue(w, field, value, size);
  if (mask !== undefined) encodeFieldValue(w, field, mask, size);
}

/** Reads one TLV. Unknown ones are kept raw; known ones of a wrong length are an error. */
export function decodeOxm(r: Reader): MatchField | RawOxm {
  const start = r.pos;
  const header = r.u32('oxm');
  // Most fields are 4 bytes, exact; a function short enough to be inlined reads those.
  if ((header & 0x1ff) === 4 && r.end - r.pos >= 4) {
    const field = fieldByOxm(header >>> 16, (header >>> 9) & 0x7f);
    if (field !== undefined && field.nBytes === 4) return { field, value: r.u32() };
  }
  return decodeOther(r, start, header);
}

function decodeOther(r: Reader, start: number, header: number): MatchField | RawOxm {
  const oxmClass = header >>> 16;
  const number = (header >>> 9) & 0x7f;
  let payload = header & 0xff;
  if (payload > r.left) throw r.fail('bad-length', `OXM of ${payload} bytes, ${r.left} left`, start, 'oxm');
  let experimenter: number | undefined;
  if (oxmClass === EXPERIMENTER_CLASS) {
    if (payload < 4) throw r.fail('bad-length', 'experimenter OXM below 4 bytes', start, 'oxm');
    payload -= 4;
    experimenter = r.u32('oxm');
  }
  const field = fieldByOxm(oxmClass, number, experimenter);
  if (field === undefined) {
    const end = r.pos + payload;
    r.pos = start;
    return { field: null, raw: r.bytes(end - start) };
  }
  const masked = (header & 0x100) !== 0;
  const size = masked ? payload >> 1 : payload;
  if (size !== field.nBytes || (masked && (payload & 1) !== 0))
    return decodeVariable(r, field, payload, masked);
  const value = decodeFieldValue(r, field);
  return masked ? { field, value, mask: decodeFieldValue(r, field) } : { field, value };
}

function decodeVariable(r: Reader, field: Field, payload: number, masked: boolean): MatchField {
  const size = masked ? payload / 2 : payload;
  if (!field.variable || size > field.nBytes || !Number.isInteger(size))
    throw r.fail('bad-length', `${payload} bytes of value for ${field.nBytes}`, r.pos, field.name);
  const value = decodeFieldValue(r, field, size);
  return masked ? { field, value, mask: decodeFieldValue(r, field, size), size } : { field, value, size };
}

/** TLVs one after the other, without ofp_match's header and padding. */
export function encodeOxms(w: Writer, match: Match, version: OfpVersion): void {
  for (let i = 0; i < match.length; i++) encodeOxm(w, match[i]!, version);
}

/** TLVs up to the end of `r`. */
export function decodeOxms(r: Reader): Match {
  // Short lists as literals: the first push would reserve room for 17.
  if (r.pos >= r.end) return [];
  const a = decodeOxm(r);
  if (r.pos >= r.end) return [a];
  const b = decodeOxm(r);
  if (r.pos >= r.end) return [a, b];
  const c = decodeOxm(r);
  if (r.pos >= r.end) return [a, b, c];
  const match = [a, b, c, decodeOxm(r)];
  while (r.pos < r.end) match.push(decodeOxm(r));
  return match;
}

/** struct ofp_match: type, length without padding, TLVs, zeros up to a multiple of 8. */
export function encodeMatch(w: Writer, match: Match, version: OfpVersion): void {
  const start = w.pos;
  w.word(OFPMT_OXM << 16);
  encodeOxms(w, match, version);
  w.patchLength16(start + 2, start, 'match');
  w.align8(start);
}

/** struct ofp_match with its padding. Throws on a standard (OpenFlow 1.1) match. */
export function decodeMatch(r: Reader): Match {
  const start = r.pos;
  const head = r.u32('match.type');
  if (head >>> 16 !== OFPMT_OXM) throw r.fail('bad-value', `match type ${head >>> 16}`, start, 'match.type');
  const length = head & 0xffff;
  if (length < 4) throw r.fail('bad-length', `match length ${length}`, start + 2, 'match.length');
  const outer = r.enter(length - 4, 'match');
  const match = decodeOxms(r);
  r.leave(outer);
  const over = length & 7;
  if (over !== 0) r.zero(8 - over, 'match.pad');
  return match;
}
