/** Asks the agent, over its unix socket or TCP. */
import { type IncomingMessage, request } from 'node:http';
import type { ProblemDocument } from '../api/types.js';
import { CliError, EXIT } from './io.js';

const DEFAULT_REMOTE = 'unix:/run/hpnn/agent.sock';
/** Silence after which an answer isn't waited for any more. */
const TIMEOUT_MS = 30_000;
const MAX_ANSWER = 512 << 20;

export type Query = Readonly<Record<string, string | number | undefined>>;

interface Target {
  readonly socketPath?: string;
  readonly host?: string;
  readonly port?: number;
}

export class Client {
  private readonly target: Target;

  constructor(
    private readonly remote: string = DEFAULT_REMOTE,
    private readonly token?: string,
  ) {
    this.target = parseTarget(remote);
  }

  async get<T>(path: string, query: Query = {}): Promise<T> {
    return this.json<T>(await this.send('GET', path + toQuery(query)));
  }

  /** @param timeoutMs silence to accept, where the agent may take its time */
  async post<T>(path: string, body: object, timeoutMs = TIMEOUT_MS): Promise<T> {
    return this.json<T>(await this.send('POST', path, body, timeoutMs));
  }

  /** An answer without end; `signal` ends it. */
  async *stream(
    method: 'GET' | 'POST',
    path: string,
    body: object | undefined,
    signal: AbortSignal,
  ): AsyncGenerator<Uint8Array> {
    const response = await this.send(method, path, body, 0, signal);
    try {
      for await (const chunk of response) yield chunk as Uint8Array;
    } catch (error) {
      if (!signal.aborted)
        throw new CliError(EXIT.usage, `the agent ended the answer: ${(error as Error).message}`);
    }
  }

  private async json<T>(response: IncomingMessage): Promise<T> {
    const text = await readAll(response);
    try {
      return JSON.parse(text) as T;
    } catch {
      throw new CliError(
        EXIT.usage,
        `what answers at ${this.remote} is no hpnn-agent: its answer is no JSON`,
      );
    }
  }

  /** Resolves with a successful answer; an error status becomes a CliError in the agent's words. */
  private async send(
    method: string,
    path: string,
    body?: object,
    timeoutMs = TIMEOUT_MS,
    signal?: AbortSignal,
  ): Promise<IncomingMessage> {
    const text = body === undefined ? undefined : JSON.stringify(body);
    const response = await new Promise<IncomingMessage>((resolve, reject) => {
      const sent = request(
        {
          ...this.target,
          method,
          path,
          agent: false,
          timeout: timeoutMs,
          ...(signal === undefined ? {} : { signal }),
          headers: {
            accept: 'application/json',
            ...(text === undefined
              ? {}
              : { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) }),
            ...(this.token === undefined ? {} : { authorization: `Bearer ${this.token}` }),
          },
        },
        resolve,
      );
      sent.once('timeout', () =>
        sent.destroy(Object.assign(new Error(`no answer for ${timeoutMs / 1000} s`), { code: 'ETIMEDOUT' })),
      );
      sent.once('error', (error: NodeJS.ErrnoException) =>
        reject(new CliError(EXIT.usage, this.unreachable(error))),
      );
      sent.end(text);
    });
    const status = response.statusCode ?? 0;
    if (status >= 200 && status < 300) return response;
    throw new CliError(EXIT.refused, describeRefusal(status, await readAll(response)));
  }

  private unreachable(error: NodeJS.ErrnoException): string {
    const hint = '--remote or HPNN_API names another place';
    switch (error.code) {
      case 'ENOENT':
      case 'ECONNREFUSED':
        return `can't reach the agent at ${this.remote}: nobody listens there. Is hpnn-agent running? ${hint}`;
      case 'EACCES':
        return `can't reach the agent at ${this.remote}: permission denied. Become a member of the socket's group, or root`;
      default:
        return `can't reach the agent at ${this.remote}: ${error.message}`;
    }
  }
}

function parseTarget(remote: string): Target {
  const unix = /^unix:(.+)$/.exec(remote);
  if (unix !== null) return { socketPath: unix[1]! };
  const tcp = /^(?:tcp:|http:\/\/)(\[[0-9a-fA-F:.]+\]|[^:/[\]]+):([0-9]{1,5})\/?$/.exec(remote);
  if (tcp !== null && Number(tcp[2]) <= 65535) {
    return { host: tcp[1]!.replace(/^\[|\]$/g, ''), port: Number(tcp[2]) };
  }
  throw new CliError(
    EXIT.usage,
    `"${remote}" is no place of an agent; write unix:/run/hpnn/agent.sock or tcp:127.0.0.1:9653`,
  );
}

function toQuery(query: Query): string {
  const pairs = Object.entries(query).flatMap(([key, value]) =>
    value === undefined ? [] : [`${key}=${encodeURIComponent(value)}`],
  );
  return pairs.length === 0 ? '' : `?${pairs.join('&')}`;
}

async function readAll(response: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    for await (const chunk of response) {
      size += (chunk as Buffer).length;
      if (size > MAX_ANSWER) throw new Error('it is larger than 512 MiB');
      chunks.push(chunk as Buffer);
    }
  } catch (error) {
    throw new CliError(EXIT.usage, `the answer broke off: ${(error as Error).message}`);
  }
  return Buffer.concat(chunks).toString();
}

function describeRefusal(status: number, text: string): string {
  try {
    const { detail, hint } = JSON.parse(text) as Partial<ProblemDocument>;
    if (detail !== undefined) return hint === undefined ? detail : `${detail.replace(/\.$/, '')}; ${hint}`;
  } catch {
    // No problem document: the status is all there is to tell.
  }
  return `the agent answered with status ${status}`;
}
