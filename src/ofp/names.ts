/** Names for numbers of the protocol, both ways. */
import { OfpEncodeError } from './bytes/errors.js';
import type { Reader } from './bytes/reader.js';

export interface Names<T extends string> {
  /** Number of a name in this version's numbering. */
  number(name: T): number;
  /** Name of a number; throws `bad-value` for others. */
  name(n: number, r: Reader, what: string): T;
  find(n: number): T | undefined;
}

/** A numbering given as name → number. */
export function names<T extends string>(numbers: Readonly<Record<T, number>>): Names<T> {
  const byNumber = new Map<number, T>();
  for (const [name, n] of Object.entries(numbers)) byNumber.set(n as number, name as T);
  return {
    number(name) {
      const n = numbers[name];
      if (n === undefined) throw new OfpEncodeError('out-of-range', name, 'no such name');
      return n;
    },
    name(n, r, what) {
      const name = byNumber.get(n);
      if (name === undefined) throw r.fail('bad-value', `${what} ${n}`, r.pos, what);
      return name;
    },
    find: (n) => byNumber.get(n),
  };
}
