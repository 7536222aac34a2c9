import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { RunningProcess } from '../../lab/process.js';
import { type HttpResponse, requestOver } from '../../lab/unix-http.js';
import { pause } from '../../lab/until.js';

const MAIN = fileURLToPath(new URL('../../bin/hpnn-agent', import.meta.url));

export interface ApplyResult {
  readonly confirmed: boolean;
  readonly flowMods: number;
  readonly elapsedMs: number;
  readonly failed: readonly unknown[];
}

/** The built agent as a process of its own, timed from the moment it is started. */
export class AgentProcess {
  private constructor(
    readonly process: RunningProcess,
    private readonly socket: string,
    /** `performance.now()` at the start. */
    readonly startedAt: number,
  ) {
    const end = () => process.signal('SIGKILL');
    globalThis.process.once('exit', end);
    void process.exited.then(() => globalThis.process.removeListener('exit', end));
  }

  /** Doesn't wait: see {@link ready}. `argv` is put before the command, to run it in a namespace. */
  static start(configDir: string, socket: string, argv: readonly string[] = []): AgentProcess {
    const startedAt = performance.now();
    const child = new RunningProcess([...argv, process.execPath, MAIN, '--config', configDir]);
    return new AgentProcess(child, socket, startedAt);
  }

  /**
   * Resolves when /readyz says 200, with the ms since the start. It is asked every 20 ms, but not before the log says
   * that the switch was read back: answering costs a starting agent more than a running one.
   */
  async ready(timeoutMs = 60_000): Promise<number> {
    return (await this.#untilReady(timeoutMs)) - this.startedAt;
  }

  async #untilReady(timeoutMs: number): Promise<number> {
    for (const end = performance.now() + timeoutMs; performance.now() < end; ) {
      if (!this.process.running)
        throw new Error(`the agent ended: ${this.process.stderr || this.process.stdout}`);
      const isRead = this.process.stdout.includes('"switch read back"');
      const answer = isRead ? await this.get('/readyz').catch(() => undefined) : undefined;
      if (answer?.status === 200) return performance.now();
      await pause(isRead ? 20 : 5);
    }
    throw new Error(`the agent was not ready in ${timeoutMs} ms: ${this.process.stdout.slice(-2000)}`);
  }

  get(path: string): Promise<HttpResponse> {
    return this.#http('GET', path);
  }

  async post<T>(path: string, body: unknown): Promise<T> {
    const answer = await this.#http('POST', path, JSON.stringify(body));
    if (answer.status !== 200) throw new Error(`POST ${path}: ${answer.status} ${answer.body}`);
    return JSON.parse(answer.body) as T;
  }

  /** Reads the configuration again and waits for the switch. */
  async apply(): Promise<ApplyResult> {
    const result = await this.post<ApplyResult>('/config/apply', { wait: 60 });
    if (!result.confirmed || result.failed.length > 0)
      throw new Error(`not applied: ${JSON.stringify(result)}`);
    return result;
  }

  /** MiB: now, and the most it ever was. */
  memory(): { readonly now: number; readonly peak: number } {
    const status = readFileSync(`/proc/${this.process.pid}/status`, 'latin1');
    const of = (name: string) => Number(new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(status)?.[1]) / 1024;
    return { now: of('VmRSS'), peak: of('VmHWM') };
  }

  /** ms that its event loop was late at worst since this was asked last. */
  async loopLag(): Promise<number> {
    const { body } = await this.get('/metrics');
    const lag = /^hpnn_event_loop_lag_seconds\{quantile="1"\} (\S+)$/m.exec(body)?.[1];
    if (lag === undefined) throw new Error('the agent tells no lag of its event loop');
    return Number(lag) * 1000;
  }

  /** Log lines that have this message. */
  logged(message: string): Record<string, unknown>[] {
    return this.process.stdout
      .split('\n')
      .filter((line) => line.includes(message))
      .map((line) => JSON.parse(line) as Record<string, unknown>)
      .filter((line) => line.msg === message);
  }

  async stop(signal: NodeJS.Signals = 'SIGTERM'): Promise<void> {
    await this.process.stop(signal);
  }

  #http(method: string, path: string, body?: string): Promise<HttpResponse> {
    return requestOver(this.socket, method, path, body, 90_000);
  }
}

/** Processor seconds that a process has used. */
export function cpuSeconds(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) / 100;
}
