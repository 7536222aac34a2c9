/**
 * Properties in the style of OpenFlow 1.4: type(2) length(2), which excludes padding; the next one starts at a
 * multiple of 8. Nicira uses them in every version.
 */
import { OfpEncodeError } from '../ofp/bytes/errors.js';
import type { Reader } from '../ofp/bytes/reader.js';
import type { Writer } from '../ofp/bytes/writer.js';

/** Writes one property; `body` writes what follows type and length. */
export function encodeProperty(w: Writer, type: number, body: (w: Writer) => void): void {
  const start = w.pos;
  w.u32(type << 16);
  body(w);
  w.patchLength16(start + 2, start, 'property');
  w.align8(start);
}

/** A property that is one number of 1, 2 or 4 bytes: 8 bytes long, the padding inside its length, as OVS wants it. */
export function encodeNumberProperty(w: Writer, type: number, value: number, size: 1 | 2 | 4): void {
  w.u32((type << 16) | 8);
  w.uint(value, size);
  w.zero(4 - size);
}

/** Reads the number of a property, with `r` narrowed to it. */
export function decodeNumberProperty(r: Reader, size: 1 | 2 | 4, path: string): number {
  const value = r.uint(size, path) as number;
  r.zero(4 - size);
  return value;
}

/** Writes a property that was kept whole. */
export function encodeRawProperty(w: Writer, bytes: Uint8Array): void {
  if (bytes.length % 8 !== 0 || bytes.length < 8)
    throw new OfpEncodeError(
      'out-of-range',
      'rawProperties',
      'a property with padding is a multiple of 8 bytes',
    );
  w.bytes(bytes);
}

/**
 * Reads properties up to the end of `r`. `read` gets the type, with `r` narrowed to what follows the length, and
 * returns false where it doesn't know the type: those are returned whole, with header and padding.
 */
export function decodeProperties(r: Reader, read: (type: number) => boolean): Uint8Array[] {
  const unknown: Uint8Array[] = [];
  for (let i = 0; r.left > 0; i++) {
    const start = r.pos;
    const type = r.u16('property.type');
    const length = r.u16('property.length');
    if (length < 4) throw r.fail('bad-length', `property of ${length} bytes`, start + 2, `properties[${i}]`);
    const padded = Math.min((length + 7) & ~7, r.end - start);
    const outer = r.enter(length - 4, 'properties', i);
    const known = read(type);
    if (known && r.pos !== r.end) throw r.fail('bad-length', `${r.left} bytes too many`);
    r.leave(outer);
    if (known) r.zero(padded - length, 'property.pad');
    else {
      r.pos = start;
      unknown.push(r.bytes(padded, 'property'));
    }
  }
  return unknown;
}
