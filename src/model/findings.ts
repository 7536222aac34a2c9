/** Collecting problems while a document is checked. */
import { nearest } from './nearest.js';
import type { Path, Problem } from './problems.js';
import { problemAt, type Source } from './source.js';
import type { Prefix4 } from './types.js';

/** Notes problems at paths of one document. */
export class Findings {
  readonly problems: Problem[] = [];
  constructor(private readonly source: Source) {}

  error(path: Path, message: string): void {
    this.problems.push(problemAt(this.source, path, message));
  }

  warning(path: Path, message: string): void {
    this.problems.push(problemAt(this.source, path, message, 'warning'));
  }

  /** `first` of the things that should differ, and where the earlier one stands. */
  twice(path: Path, what: string, earlier: Path): void {
    this.error(path, `${what} is already used in line ${this.source.place(earlier).line}; choose another`);
  }

  unknown(path: Path, kind: string, name: string, known: readonly string[]): void {
    const guess = nearest(name, known);
    const hint =
      guess !== undefined
        ? `did you mean "${guess}"?`
        : known.length === 0
          ? `none is defined`
          : `known: ${known.slice(0, 10).join(', ')}${known.length > 10 ? ', …' : ''}`;
    this.error(path, `there is no ${kind} "${name}"; ${hint}`);
  }
}

/** Addresses of a tenant with their meaning, so that none has two. */
export interface AddressUse {
  readonly what: string;
  readonly path: Path;
}

/** A subnet of a segment and where it stands. */
export interface SubnetUse {
  readonly prefix: Prefix4;
  readonly segment: number;
  readonly path: Path;
}

/** Reports the later of two equal names or keys. */
export function unique<T>(
  items: Iterable<readonly [key: T, path: Path]>,
  what: (key: T) => string,
  findings: Findings,
): void {
  const seen = new Map<T, Path>();
  for (const [key, path] of items) {
    const earlier = seen.get(key);
    if (earlier === undefined) seen.set(key, path);
    else findings.twice(path, what(key), earlier);
  }
}
