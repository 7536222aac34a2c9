import type { Host } from './host.js';
import type { RunningProcess } from './process.js';
import { program } from './services.js';
import { until } from './until.js';

export interface LoadReport {
  readonly requests: number;
  readonly failed: number;
  /** Requests by the name of the server that answered. */
  readonly servers: Readonly<Record<string, number>>;
  /** Failures by error code or message. */
  readonly errors: Readonly<Record<string, number>>;
  /** Milliseconds of the slowest request. */
  readonly slowest: number;
}

export interface SessionReport {
  readonly server: string;
  readonly sent: number;
  readonly received: number;
  /** Milliseconds without an answer, at worst. */
  readonly longestGap: number;
  /** Empty: every line came back, in order, from one server. */
  readonly error: string;
}

export interface UdpReport {
  readonly sent: number;
  readonly received: number;
  /** A new one whenever another server answers; times are Unix ms. */
  readonly runs: readonly {
    readonly server: string;
    readonly answers: number;
    readonly first: number;
    readonly last: number;
  }[];
}

/** HTTP requests, each on a connection of its own, until stopped. */
export class HttpLoad {
  private constructor(private readonly process: RunningProcess) {}

  static async start(host: Host, url: string, concurrency = 4, timeoutMs = 3000): Promise<HttpLoad> {
    return new HttpLoad(await program(host, 'http-load.mjs', [url, String(concurrency), String(timeoutMs)]));
  }

  /** Requests so far. */
  sample(): Promise<LoadReport> {
    return report<LoadReport>(this.process, 'SIGUSR2');
  }

  /** Ends after the requests that are under way. */
  async stop(): Promise<LoadReport> {
    return final<LoadReport>(this.process);
  }
}

/** One long TCP connection to a TCP echo. */
export class TcpSession {
  private constructor(
    private readonly process: RunningProcess,
    /** Who answers. */
    readonly server: string,
  ) {}

  /** Resolves when the first line has come back. */
  static async open(host: Host, address: string, port: number, intervalMs = 50): Promise<TcpSession> {
    const { execPath } = process;
    const path = new URL('./programs/tcp-session.mjs', import.meta.url).pathname;
    const child = host.spawn([execPath, path, address, String(port), String(intervalMs)]);
    await child.says(/^ready \S+$/m);
    return new TcpSession(child, /^ready (\S+)$/m.exec(child.stdout)?.[1] ?? '');
  }

  sample(): Promise<SessionReport> {
    return report<SessionReport>(this.process, 'SIGUSR2');
  }

  get open(): boolean {
    return this.process.running;
  }

  async close(): Promise<SessionReport> {
    return final<SessionReport>(this.process);
  }
}

/** One UDP socket that sends steadily to a UDP echo. */
export class UdpSession {
  private constructor(private readonly process: RunningProcess) {}

  /** Resolves when the first answer has come. */
  static async open(host: Host, address: string, port: number, intervalMs = 20): Promise<UdpSession> {
    return new UdpSession(
      await program(host, 'udp-session.mjs', [address, String(port), String(intervalMs)]),
    );
  }

  sample(): Promise<UdpReport> {
    return report<UdpReport>(this.process, 'SIGUSR2');
  }

  async close(): Promise<UdpReport> {
    return final<UdpReport>(this.process);
  }
}

async function report<T>(child: RunningProcess, signal: NodeJS.Signals): Promise<T> {
  const before = child.stdout.length;
  child.signal(signal);
  const line = () =>
    child.stdout
      .slice(before)
      .split('\n')
      .slice(0, -1)
      .find((text) => text.startsWith('{'));
  return JSON.parse(await until(line, { what: 'a report', interval: 10 })) as T;
}

async function final<T>(child: RunningProcess): Promise<T> {
  await child.stop('SIGTERM', 15_000);
  const line = child.stdout.trim().split('\n').at(-1) ?? '';
  if (!line.startsWith('{')) throw new Error(`no report: ${child.stderr}`);
  return JSON.parse(line) as T;
}
