import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { until } from './until.js';

export interface RunResult {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

export interface RunOptions {
  readonly env?: Readonly<Record<string, string>>;
  readonly input?: string;
  readonly cwd?: string;
  /** Milliseconds, 60,000 by default; then the command is killed. */
  readonly timeout?: number;
  /** Return a failed command's result instead of throwing. */
  readonly allowFailure?: boolean;
}

/** A command failed that was expected to work. */
export class CommandError extends Error {
  constructor(
    readonly argv: readonly string[],
    readonly result: RunResult,
  ) {
    super(`${argv.join(' ')}: exit ${result.code}: ${(result.stderr || result.stdout).trim()}`);
    this.name = 'CommandError';
  }
}

/** Runs a command to its end. Throws {@link CommandError} on a non-zero status unless `allowFailure`. */
export async function run(argv: readonly string[], options: RunOptions = {}): Promise<RunResult> {
  const child = new RunningProcess(argv, options, Number.POSITIVE_INFINITY);
  if (options.input !== undefined) child.child.stdin?.write(options.input);
  child.child.stdin?.end();
  const timer = setTimeout(() => child.signal('SIGKILL'), options.timeout ?? 60_000);
  const code = await child.exited.finally(() => clearTimeout(timer));
  const result = { code, stdout: child.stdout, stderr: child.stderr };
  if (code !== 0 && !options.allowFailure) throw new CommandError(argv, result);
  return result;
}

/** For teardown in an exit handler, where nothing can be awaited. Failures are ignored. */
export function runSync(argv: readonly string[]): void {
  try {
    execFileSync(argv[0]!, argv.slice(1), { stdio: 'ignore', timeout: 10_000 });
  } catch {
    // What was to be removed is gone already.
  }
}

/** Characters of the last output of a process that goes on and on. */
const OUTPUT_KEPT = 8 << 20;

/**
 * A process that was started here. It leads its own process group, so that a Ctrl-C at the terminal reaches
 * only the owner of the lab, who then stops things in order.
 */
export class RunningProcess {
  readonly child: ChildProcess;
  /** Exit status; 128 + signal number when killed. */
  readonly exited: Promise<number>;
  stdout = '';
  stderr = '';
  #code: number | undefined;

  constructor(
    readonly argv: readonly string[],
    options: Pick<RunOptions, 'env' | 'cwd'> = {},
    kept = OUTPUT_KEPT,
  ) {
    // A test runner puts its hooks into the environment of whatever is spawned; here things run as on a real machine.
    this.child = spawn('env', ['-u', 'NODE_OPTIONS', ...argv], {
      env: { ...process.env, ...options.env },
      ...(options.cwd === undefined ? {} : { cwd: options.cwd }),
      detached: true,
      stdio: ['pipe', 'pipe', 'pipe'],
    });
    this.child.stdin?.on('error', () => {}); // the process may end before it reads; its status says so
    this.child.stdout?.setEncoding('utf8').on('data', (text: string) => {
      this.stdout = (this.stdout + text).slice(-kept);
    });
    this.child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      this.stderr = (this.stderr + text).slice(-kept);
    });
    this.exited = new Promise((resolve) => {
      this.child.on('error', (error) => {
        this.stderr += error.message;
        this.#code ??= 127;
        resolve(this.#code);
      });
      this.child.on('close', (code, signal) => {
        this.#code ??= code ?? 128 + (signal === 'SIGKILL' ? 9 : 15);
        resolve(this.#code);
      });
    });
  }

  get pid(): number {
    return this.child.pid ?? -1;
  }

  get running(): boolean {
    return this.#code === undefined && this.child.exitCode === null && this.child.signalCode === null;
  }

  /** To the whole group: nginx has workers, shells have children. */
  signal(signal: NodeJS.Signals): void {
    if (this.pid <= 0) return;
    try {
      process.kill(-this.pid, signal);
    } catch {
      // It has ended in the meantime.
    }
  }

  /** Signals and waits for the end; after `grace` milliseconds with SIGKILL. */
  async stop(signal: NodeJS.Signals = 'SIGTERM', grace = 5_000): Promise<number> {
    if (this.running) this.signal(signal);
    const timer = setTimeout(() => this.signal('SIGKILL'), grace);
    return this.exited.finally(() => clearTimeout(timer));
  }

  onLine(handler: (line: string) => void): void {
    if (this.child.stdout) createInterface({ input: this.child.stdout }).on('line', handler);
  }

  /** Awaits a text on either output; fails at once when the process ends without it. */
  async says(pattern: RegExp, timeout = 15_000): Promise<void> {
    const seen = () => pattern.test(this.stdout) || pattern.test(this.stderr);
    await until(() => seen() || !this.running, {
      timeout,
      what: `${this.argv.join(' ')} saying ${pattern}`,
      interval: 10,
    });
    if (!seen())
      throw new CommandError(this.argv, {
        code: await this.exited,
        stdout: this.stdout,
        stderr: this.stderr,
      });
  }
}
