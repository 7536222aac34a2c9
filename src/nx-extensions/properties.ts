/** Properties whose body is one number, as OVS writes them in every version. */
import type { Reader } from '../ofp/bytes/reader.js';
import type { Writer } from '../ofp/bytes/writer.js';

/** A property of a number. OVS counts the padding of 2 bytes in its length, which is 8, but not that of 1, where it is 5. */
export function encodeNumberProperty(w: Writer, type: number, value: number, size: 1 | 2 | 4): void {
  w.word((type << 16) | (size === 1 ? 5 : 8));
  w.uint(value, size);
  w.zero(4 - size);
}

/** Reads the number of a property, with `r` narrowed to it; padding may be inside its length. */
export function decodeNumberProperty(r: Reader, size: 1 | 2 | 4, path: string): number {
  const value = r.uint(size, path) as number;
  r.zero(r.left);
  return value;
}
