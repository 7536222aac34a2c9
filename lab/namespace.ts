import { readdirSync, statSync } from 'node:fs';
import { RunningProcess, type RunOptions, type RunResult, run, runSync } from './process.js';

const NETNS = '/run/netns';

/** A network namespace: a host, or the node itself. */
export class Namespace {
  private constructor(readonly name: string) {}

  static async create(name: string): Promise<Namespace> {
    await run(['ip', 'netns', 'add', name]);
    const namespace = new Namespace(name);
    await run(['ip', '-n', name, 'link', 'set', 'lo', 'up']);
    return namespace;
  }

  /** Runs a command inside to its end. */
  exec(argv: readonly string[], options: RunOptions = {}): Promise<RunResult> {
    return run(this.inside(argv), options);
  }

  /** Starts a process inside; its pid is the command's own. */
  spawn(argv: readonly string[], options: Pick<RunOptions, 'env' | 'cwd'> = {}): RunningProcess {
    return new RunningProcess(this.inside(argv), options);
  }

  inside(argv: readonly string[]): string[] {
    return ['nsenter', `--net=${NETNS}/${this.name}`, '--', ...argv];
  }

  /** `net.ipv4.…` and `net.ipv6.…` belong to the namespace. */
  async sysctl(settings: Readonly<Record<string, string | number>>): Promise<void> {
    await this.exec(['sysctl', '-qw', ...Object.entries(settings).map(([key, value]) => `${key}=${value}`)]);
  }
}

/** Names of the namespaces whose name begins so. */
export function namespacesOf(prefix: string): string[] {
  try {
    return readdirSync(NETNS).filter((name) => name.startsWith(prefix));
  } catch {
    return [];
  }
}

/** Kills what runs in the namespaces, then deletes them with their interfaces. Synchronous: for exit handlers. */
export function removeNamespaces(names: readonly string[]): void {
  const end = Date.now() + 3_000;
  for (let pids = processesIn(names); pids.length > 0 && Date.now() < end; pids = processesIn(names)) {
    for (const pid of pids) kill(pid);
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 5);
  }
  for (const name of names) runSync(['ip', 'netns', 'del', name]);
}

/** One walk over /proc for all names; `ip netns pids` would walk once for each. */
function processesIn(names: readonly string[]): number[] {
  const inodes = new Set(names.map((name) => inode(`${NETNS}/${name}`)).filter((id) => id !== undefined));
  if (inodes.size === 0) return [];
  return readdirSync('/proc')
    .map(Number)
    .filter((pid) => pid > 0 && pid !== process.pid && inodes.has(inode(`/proc/${pid}/ns/net`) ?? -1));
}

function inode(path: string): number | undefined {
  try {
    return statSync(path).ino;
  } catch {
    return undefined; // ended, a zombie, or gone
  }
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // ended meanwhile
  }
}
