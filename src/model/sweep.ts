/** Looks at many files at once, cheaply: who only wants to know whether something changed opens nothing. */
import { type BigIntStats, statSync } from 'node:fs';
import { stat, statfs } from 'node:fs/promises';
import { dirname } from 'node:path';
import { nextTurn, turnIsUsed } from '../loop/turns.js';
import { inBatches } from './batches.js';

/** What differs whenever a file was written, replaced, or a link on the way to it was swapped. */
export interface Mark {
  readonly dev: bigint;
  readonly ino: bigint;
  readonly size: bigint;
  readonly mtimeNs: bigint;
  readonly ctimeNs: bigint;
}

export function markOf({ dev, ino, size, mtimeNs, ctimeNs }: BigIntStats): Mark {
  return { dev, ino, size, mtimeNs, ctimeNs };
}

export function sameMark(a: Mark, b: Mark): boolean {
  return (
    a.ino === b.ino &&
    a.dev === b.dev &&
    a.size === b.size &&
    a.mtimeNs === b.mtimeNs &&
    a.ctimeNs === b.ctimeNs
  );
}

/**
 * File systems that answer from memory: ext, xfs, btrfs, f2fs, zfs, tmpfs, ramfs, overlayfs, squashfs. There a
 * synchronous look takes 2 µs, an asynchronous one 10 to 60; any other might let the process wait for a network.
 */
const LOCAL = new Set([
  0xef53, 0x58465342, 0x9123683e, 0xf2f52010, 0x2fc12fc1, 0x01021994, 0x858458f6, 0x794c7630, 0x73717368,
]);

/** Calls `seen` for each file in turn, with undefined for one that can't be looked at. Links are followed. */
export async function sweep(
  files: readonly string[],
  seen: (file: string, info: BigIntStats | undefined) => void,
): Promise<void> {
  if (files.length === 0) return;
  if (!(await isLocal(dirname(files[0]!)))) return sweepPatiently(files, seen);
  for (const file of files) {
    seen(file, lookAt(file));
    if (turnIsUsed()) await nextTurn();
  }
}

async function sweepPatiently(files: readonly string[], seen: Parameters<typeof sweep>[1]): Promise<void> {
  const look = (file: string) => stat(file, { bigint: true }).catch(() => undefined);
  for await (const [file, info] of inBatches(files, look)) seen(file, info);
}

async function isLocal(dir: string): Promise<boolean> {
  const type = await statfs(dir).then(
    (info) => info.type,
    () => undefined,
  );
  return type !== undefined && LOCAL.has(type);
}

function lookAt(file: string): BigIntStats | undefined {
  try {
    return statSync(file, { bigint: true, throwIfNoEntry: false });
  } catch {
    return undefined;
  }
}

/** How files looked the last time. */
export class Marks {
  private last: ReadonlyMap<string, Mark | undefined> | undefined;

  /** Whether any of the files changed since the last call, or another set of files was given; the first time: no. */
  async changed(files: readonly string[]): Promise<boolean> {
    const { last } = this;
    const now = new Map<string, Mark | undefined>();
    let differs = last !== undefined && last.size !== files.length;
    await sweep(files, (file, info) => {
      const before = last?.get(file);
      const mark = info === undefined ? undefined : markOfEntry(info);
      const same =
        before === undefined || mark === undefined
          ? before === mark && last?.has(file) === true
          : sameMark(before, mark);
      if (last !== undefined && !same) differs = true;
      now.set(file, same ? before : mark);
    });
    this.last = now;
    return differs;
  }
}

/** A directory's own size and times change with swap files of editors, which don't count. */
function markOfEntry(info: BigIntStats): Mark {
  return info.isDirectory() ? { ...markOf(info), size: 0n, mtimeNs: 0n, ctimeNs: 0n } : markOf(info);
}
