/** Notices that a configuration directory changed: also atomic renames and swapped symbolic links. */
import { watch as fsWatch } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';

/** What watching needs of the world; replaced in tests. */
export interface WatchDeps {
  /** Calls back on any event of the directory; returns how to stop. Throws where it can't watch. */
  watch(dir: string, changed: () => void): () => void;
  /** A text that differs whenever a file that counts differs in identity, size or time. */
  fingerprint(dir: string): Promise<string>;
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
  const { debounceMs = 200, pollMs = 2000, deps = systemDeps } = options;
  let last: string | undefined;
  let closed = false;
  let pending: { cancel(): void } | undefined;
  let stops: (() => void)[] = [];

  const look = async (): Promise<void> => {
    const now = await deps.fingerprint(dir);
    if (closed) return;
    const changed = last !== undefined && now !== last;
    last = now;
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

const systemDeps: WatchDeps = {
  watch: (dir, changed) => {
    const watcher = fsWatch(dir, { persistent: false }, changed);
    watcher.on('error', changed);
    return () => watcher.close();
  },
  fingerprint: async (dir) => {
    const tenants = join(dir, 'tenants.d');
    const names = await readdir(tenants).catch(() => ['(unreadable)']);
    const counted = names.filter((name) => name.endsWith('.yaml') && !name.startsWith('.')).sort();
    const paths = [join(dir, 'node.yaml'), tenants, ...counted.map((name) => join(tenants, name))];
    const marks: string[] = [];
    for (const path of paths) {
      const info = await stat(path, { bigint: true }).catch(() => undefined);
      // A directory's own time changes with swap files of editors, which don't count.
      const times =
        info === undefined
          ? 'absent'
          : info.isDirectory()
            ? `${info.ino}`
            : `${info.ino} ${info.size} ${info.mtimeNs} ${info.mode}`;
      marks.push(`${path} ${times}`);
    }
    return marks.join('\n');
  },
  setTimeout: (fn, ms) => {
    const timer = setTimeout(fn, ms);
    timer.unref();
    return { cancel: () => clearTimeout(timer) };
  },
};
