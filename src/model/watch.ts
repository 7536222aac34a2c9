/** Notices that a configuration directory changed: also atomic renames and swapped symbolic links. */
import { watch as fsWatch } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { Marks } from './sweep.js';

/** What watching needs of the world; replaced in tests. */
export interface WatchDeps {
  /** Calls back on any event of the directory; returns how to stop. Throws where it can't watch. */
  watch(dir: string, changed: () => void): () => void;
  /** Whether a file that counts differs in identity, size or time from the last call; of the first call nothing. */
  changed(dir: string): Promise<boolean>;
  setTimeout(fn: () => void, ms: number): { cancel(): void };
}

export interface ConfigWatch {
  /** Resolves when the first look has been: what changes from then on is noticed. */
  readonly ready: Promise<void>;
  /** Looks now, without waiting for an event: for SIGHUP use `onChange` itself. */
  poke(): void;
  close(): void;
}

export interface WatchOptions {
  /** Quiet time after the last event: an editor writes, renames and sets modes in several steps. */
  readonly debounceMs?: number;
  /** Events are lost when a link above the directory is swapped, and on network file systems: so look, too. */
  readonly pollMs?: number;
  readonly deps?: WatchDeps;
}

/** Calls `onChange` after the directory has changed and come to rest. Await `ready` before loading: then nothing is missed. */
export function watchConfig(dir: string, onChange: () => void, options: WatchOptions = {}): ConfigWatch {
  const { debounceMs = 200, pollMs = 2000, deps = systemDeps() } = options;
  let closed = false;
  let pending: { cancel(): void } | undefined;
  let stops: (() => void)[] = [];

  const look = async (): Promise<void> => {
    const changed = await deps.changed(dir);
    if (closed) return;
    if (changed) {
      rewatch();
      onChange();
    }
    arm(pollMs);
  };
  const arm = (ms: number): void => {
    pending?.cancel();
    pending = deps.setTimeout(() => void look(), ms);
  };
  const poke = (): void => {
    if (!closed) arm(debounceMs);
  };
  // A swapped directory is a new inode: the old watch would stay with the old one.
  const rewatch = (): void => {
    for (const stop of stops) stop();
    stops = [dir, join(dir, 'tenants.d')].flatMap((path) => {
      try {
        return [deps.watch(path, poke)];
      } catch {
        return []; // doesn't exist now: polling will see it come
      }
    });
  };

  rewatch();
  return {
    ready: look(),
    poke,
    close: () => {
      closed = true;
      pending?.cancel();
      for (const stop of stops) stop();
    },
  };
}

function systemDeps(): WatchDeps {
  const marks = new Marks();
  return {
    watch: (dir, changed) => {
      const watcher = fsWatch(dir, { persistent: false }, changed);
      watcher.on('error', changed);
      return () => watcher.close();
    },
    changed: async (dir) => {
      const tenants = join(dir, 'tenants.d');
      const names = await readdir(tenants).catch((): string[] => []);
      const counted = names.filter((name) => name.endsWith('.yaml') && !name.startsWith('.'));
      return marks.changed([join(dir, 'node.yaml'), tenants, ...counted.map((name) => join(tenants, name))]);
    },
    setTimeout: (fn, ms) => {
      const timer = setTimeout(fn, ms);
      timer.unref();
      return { cancel: () => clearTimeout(timer) };
    },
  };
}
