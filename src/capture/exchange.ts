import type { Message } from '../ofp/types/message.js';
import { xidOf } from './classes.js';
import type { Captured } from './session.js';
import { type Subject, subjectOf } from './subject.js';

/** Requests remembered, per capture. */
const REMEMBERED = 8192;
/** Bundles whose tenant is remembered. */
const BUNDLES = 256;

/** What a message has to do with others. */
export interface Exchange {
  /** Of a reply: ms since its request. */
  readonly latency?: number;
  readonly subject?: Subject;
}

interface Request {
  readonly time: number;
  readonly direction: Captured['direction'];
  subject: Subject | undefined;
}

/** Pairs replies with their requests by xid, per connection, and knows whose bundle is whose. */
export class Exchanges {
  private readonly requests = new Map<string, Request>();
  private readonly bundles = new Map<string, Subject>();
  private readonly connections = new WeakMap<object, number>();
  private count = 0;

  take(captured: Captured, message: Message | undefined): Exchange {
    const { bytes, connection, direction, time } = captured;
    const stream = this.streamOf(connection);
    const key = `${stream}/${xidOf(bytes)}`;
    const request = this.requests.get(key);
    const isReply = request !== undefined && request.direction !== direction && answers(bytes);
    const subject = this.subject(stream, message) ?? (isReply ? request.subject : undefined);
    if (!isReply) this.remember(key, { time, direction, subject });
    return {
      ...(isReply ? { latency: time - request.time } : {}),
      ...(subject === undefined ? {} : { subject }),
    };
  }

  private subject(stream: number, message: Message | undefined): Subject | undefined {
    if (message === undefined) return undefined;
    if (message.type === 'bundle_control') return this.bundles.get(`${stream}/${message.bundleId}`);
    const subject = subjectOf(message);
    if (message.type === 'bundle_add' && subject !== undefined) {
      const key = `${stream}/${message.bundleId}`;
      if (!this.bundles.has(key)) bounded(this.bundles, BUNDLES);
      this.bundles.set(key, { tenant: subject.tenant });
    }
    return subject;
  }

  private remember(key: string, request: Request): void {
    this.requests.delete(key);
    bounded(this.requests, REMEMBERED);
    this.requests.set(key, request);
  }

  private streamOf(connection: object): number {
    const known = this.connections.get(connection);
    if (known !== undefined) return known;
    this.connections.set(connection, ++this.count);
    return this.count;
  }
}

/** Makes room for one more by forgetting the oldest. */
function bounded<V>(map: Map<string, V>, most: number): void {
  if (map.size < most) return;
  const [oldest] = map.keys();
  if (oldest !== undefined) map.delete(oldest);
}

/** Types that answer: error, and the second of each pair; experimenter messages and bundle controls may. */
function answers(bytes: Uint8Array): boolean {
  return [1, 3, 4, 6, 8, 19, 21, 23, 25, 27, 33].includes(bytes[1]!);
}
