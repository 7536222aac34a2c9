import type { Reader } from './bytes/reader.js';

/** Entries of a fixed or self-described size, up to the end. */
export function list<E>(r: Reader, decode: () => E): E[] {
  const entries: E[] = [];
  while (r.pos < r.end) entries.push(decode());
  return entries;
}
