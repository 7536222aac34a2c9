import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Namespace } from './namespace.js';
import { type RunningProcess, type RunResult, run } from './process.js';
import { type HttpResponse, requestOver } from './unix-http.js';
import { until } from './until.js';
import type { VSwitch } from './vswitch.js';

const BIN = fileURLToPath(new URL('../bin/', import.meta.url));

export interface AgentOptions {
  /** Directory with node.yaml and tenants.d; its `api.listen` must name `socket`. */
  readonly configDir: string;
  /** Path of the API's unix socket, `agent.sock` in the lab's directory by default. */
  readonly socket?: string;
  readonly env?: Readonly<Record<string, string>>;
}

/** A running `hpnn-agent`, and its API. */
export class Agent {
  private constructor(
    readonly socket: string,
    readonly process: RunningProcess,
  ) {}

  /** Resolves when `/healthz` answers; fails with the agent's own words when it ends before that. */
  static async start(node: Namespace, vswitch: VSwitch, dir: string, options: AgentOptions): Promise<Agent> {
    const socket = options.socket ?? join(dir, 'agent.sock');
    const child = node.spawn([join(BIN, 'hpnn-agent'), '--config', options.configDir], {
      env: { ...vswitch.environment, ...options.env },
    });
    const agent = new Agent(socket, child);
    await until(async () => !child.running || (await agent.get('/healthz')).status === 200, {
      what: 'the agent',
      interval: 25,
      timeout: 20_000,
    });
    if (!child.running)
      throw new Error(`hpnn-agent ended with ${await child.exited}: ${child.stderr || child.stdout}`);
    return agent;
  }

  get(path: string): Promise<HttpResponse> {
    return this.#http('GET', path);
  }

  async json<T>(path: string): Promise<T> {
    const { status, body } = await this.get(path);
    if (status !== 200) throw new Error(`GET ${path}: ${status} ${body}`);
    return JSON.parse(body) as T;
  }

  post(path: string, body: unknown): Promise<HttpResponse> {
    return this.#http('POST', path, JSON.stringify(body));
  }

  /** The sum of a metric over the series whose labels contain all of `labels`; 0 where there is none. */
  async metric(name: string, labels: Readonly<Record<string, string>> = {}): Promise<number> {
    return sumOf((await this.get('/metrics')).body, name, labels);
  }

  lbctl(argv: readonly string[], allowFailure = false): Promise<RunResult> {
    return run([join(BIN, 'lbctl'), '--remote', `unix:${this.socket}`, ...argv], { allowFailure });
  }

  async lbctlJson<T>(argv: readonly string[]): Promise<T> {
    return JSON.parse((await this.lbctl(['-f', 'json', ...argv])).stdout) as T;
  }

  /** SIGKILL: no chance to say goodbye to the switch. */
  async kill(): Promise<void> {
    await this.process.stop('SIGKILL');
  }

  /** SIGTERM; resolves with the exit status. */
  stop(): Promise<number> {
    return this.process.stop('SIGTERM');
  }

  #http(method: string, path: string, body?: string): Promise<HttpResponse> {
    return requestOver(this.socket, method, path, body, 10_000);
  }
}

/** Of the Prometheus text format. */
export function sumOf(text: string, name: string, labels: Readonly<Record<string, string>>): number {
  const wanted = Object.entries(labels).map(([key, value]) => `${key}="${value}"`);
  return text
    .split('\n')
    .map((line) => /^([a-zA-Z_:][\w:]*)(?:\{(.*)\})? (\S+)$/.exec(line))
    .filter(
      (parts) =>
        parts?.[1] === name && wanted.every((label) => (parts[2] ?? '').split(/,(?=\w+=")/).includes(label)),
    )
    .reduce((sum, parts) => sum + Number(parts?.[3]), 0);
}
