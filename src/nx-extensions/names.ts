/** Numbers of the wire with names of the model: one table for both directions. */
import { OfpEncodeError } from '../ofp/bytes/errors.js';

export interface Names<N extends string> {
  /** Throws `out-of-range` on a name that isn't in the table. */
  number(name: N, path: string): number;
  name(number: number): N | undefined;
}

/** Names by number, from 0. */
export function names<N extends string>(...list: readonly N[]): Names<N> {
  const numbers = new Map(list.map((name, i) => [name, i]));
  return {
    number(name, path) {
      const n = numbers.get(name);
      if (n === undefined) throw new OfpEncodeError('out-of-range', path, `'${name}' is unknown`);
      return n;
    },
    name: (number) => list[number],
  };
}
