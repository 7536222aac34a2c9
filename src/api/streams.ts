/** Answers that have no end, or are too long to hold: events, captures, dumps. */
import { Readable } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { ReadModel } from '../agent/read-model.js';
import { HttpError } from './problem.js';
import type { AgentEvent, CaptureRequest } from './types.js';

const MAX_LISTENERS = 64;
/** Bytes that may wait for a slow reader before it is cut off. */
const MAX_BACKLOG = 1 << 20;
const HEARTBEAT_MS = 15_000;
const CHUNK = 1 << 16;

/** A JSON array of rows, written as they come. What fails before the first row is still a problem document. */
export async function sendRows<T>(reply: FastifyReply, rows: AsyncIterable<T>): Promise<FastifyReply> {
  const iterator = rows[Symbol.asyncIterator]();
  const first = await iterator.next();
  async function* write(): AsyncGenerator<string> {
    let text = '[';
    let item = first;
    let separator = '';
    try {
      while (!item.done) {
        text += separator + JSON.stringify(item.value);
        separator = ',';
        if (text.length >= CHUNK) {
          yield text;
          text = '';
        }
        item = await iterator.next();
      }
      yield `${text}]`;
    } finally {
      await iterator.return?.();
    }
  }
  return reply.header('content-type', 'application/json; charset=utf-8').send(Readable.from(write()));
}

/** Server-sent events (HTML standard, section 9.2). `Last-Event-ID` or `since` brings back what was missed. */
export class EventStreams {
  private open = 0;

  constructor(private readonly model: ReadModel) {}

  start(
    request: FastifyRequest,
    reply: FastifyReply,
    filter: { tenant?: string | undefined; since?: number | undefined },
  ): void {
    if (this.open >= MAX_LISTENERS) throw new HttpError(503, `There are ${MAX_LISTENERS} listeners already.`);
    const last = filter.since ?? lastEventId(request);
    this.open++;
    reply.hijack();
    const { raw } = reply;
    raw.writeHead(200, {
      'content-type': 'text/event-stream',
      'cache-control': 'no-store',
      'x-accel-buffering': 'no',
    });
    const write = (text: string): void => {
      if (raw.writableLength > MAX_BACKLOG) raw.destroy();
      else raw.write(text);
    };
    const send = (event: AgentEvent): void => {
      if (filter.tenant !== undefined && event.tenant !== filter.tenant) return;
      write(`id: ${event.seq}\nevent: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`);
    };
    write(': events of hpnn-agent\n\n');
    if (last !== undefined) for (const event of this.model.eventsSince(last)) send(event);
    const stop = this.model.onEvent(send);
    const heartbeat = setInterval(() => write(': still here\n\n'), HEARTBEAT_MS);
    heartbeat.unref();
    raw.once('close', () => {
      clearInterval(heartbeat);
      stop();
      this.open--;
    });
  }
}

function lastEventId(request: FastifyRequest): number | undefined {
  const value = request.headers['last-event-id'];
  return typeof value === 'string' && /^[0-9]{1,15}$/.test(value) ? Number(value) : undefined;
}

/** Ends when the client goes. */
export function sendCapture(
  request: FastifyRequest,
  reply: FastifyReply,
  model: ReadModel,
  asked: CaptureRequest,
): FastifyReply {
  const gone = new AbortController();
  request.raw.socket.once('close', () => gone.abort());
  const type = asked.format === 'text' ? 'text/plain; charset=utf-8' : 'application/x-pcapng';
  return reply
    .header('content-type', type)
    .send(Readable.from(model.capture(asked, gone.signal), { objectMode: false }));
}
