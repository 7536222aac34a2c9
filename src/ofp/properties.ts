/** Properties of OpenFlow 1.4+ (and of hello, table features): type(2) length(2, without padding) body, padded to 8. */
import type { Reader } from './bytes/reader.js';
import type { Writer } from './bytes/writer.js';

/** Writes one property around what `body` writes. */
export function encodeProperty(w: Writer, type: number, body: () => void): void {
  const start = w.pos;
  w.word(type << 16);
  body();
  w.patchLength16(start + 2, start, `property ${type}`);
  w.align8(start);
}

export function encodeRaw(w: Writer, raw: readonly Uint8Array[] | undefined): void {
  if (raw !== undefined) for (const bytes of raw) w.bytes(bytes);
}

/**
 * Reads properties up to the end of `r`. `known` reads the body of those it knows and returns true; bytes it
 * leaves are an error. Others are returned raw, with header and padding.
 */
export function decodeProperties(r: Reader, known: (type: number) => boolean): Uint8Array[] {
  const raw: Uint8Array[] = [];
  for (let i = 0; r.pos < r.end; i++) {
    const start = r.pos;
    const type = r.u16('properties');
    const length = r.u16('properties');
    const padded = (length + 7) & ~7;
    if (length < 4 || padded > r.end - start)
      throw r.fail('bad-length', `property length ${length}`, start + 2, `properties[${i}].length`);
    const outer = r.enter(length - 4, 'properties', i);
    const understood = known(type);
    if (understood && r.pos !== r.end) throw r.fail('bad-length', `${r.left} bytes too many`);
    r.leave(outer);
    if (understood) r.zero(padded - length);
    else {
      r.pos = start;
      raw.push(r.bytes(padded));
    }
  }
  return raw;
}

/** `{rawProperties}` where there are any, to be spread into a message. */
export function rawProperties(raw: readonly Uint8Array[]): { rawProperties?: readonly Uint8Array[] } {
  return raw.length > 0 ? { rawProperties: raw } : {};
}
