import { ChannelError } from './errors.js';
import type { Clock } from './types.js';

/** What waits for replies with one xid. */
export interface Pending {
  /** A reply, valid during the call. True: it was the last one. */
  reply(message: Uint8Array): boolean;
  /** An error message, the deadline or the close of the connection; nothing comes after it. */
  fail(error: ChannelError): void;
}

interface Entry {
  readonly pending: Pending;
  readonly timeout: number;
  timer: { cancel(): void };
}

/** Requests that wait for replies, by xid. Every one is answered or failed exactly once. */
export class Transactions {
  private readonly entries = new Map<number, Entry>();
  private xid = 0;

  constructor(private readonly clock: Clock) {}

  /** A transaction id that nothing waits for: 1 to 2³²−1, then again; 0 is what switches put on their own messages. */
  allocate(): number {
    do {
      this.xid = this.xid === 0xffffffff ? 1 : this.xid + 1;
    } while (this.entries.has(this.xid));
    return this.xid;
  }

  get size(): number {
    return this.entries.size;
  }

  /** `timeout`: ms until the first reply, and from each reply to the next. */
  add(xid: number, timeout: number, pending: Pending): void {
    this.entries.set(xid, { pending, timeout, timer: this.deadline(xid, timeout) });
  }

  /** A transaction that ends with its first reply, which `read` turns into a value. */
  single<T>(xid: number, timeout: number, read: (message: Uint8Array) => T): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      this.add(xid, timeout, {
        reply(message) {
          try {
            resolve(read(message));
          } catch (error) {
            reject(error);
          }
          return true;
        },
        fail: reject,
      });
    });
  }

  /** Takes a reply. False where nothing waits for its xid. */
  reply(xid: number, message: Uint8Array): boolean {
    const entry = this.entries.get(xid);
    if (!entry) return false;
    entry.timer.cancel();
    if (entry.pending.reply(message)) this.entries.delete(xid);
    else entry.timer = this.deadline(xid, entry.timeout);
    return true;
  }

  /** Fails what waits for `xid`; false where nothing does. */
  fail(xid: number, error: ChannelError): boolean {
    const entry = this.entries.get(xid);
    if (!entry) return false;
    this.entries.delete(xid);
    entry.timer.cancel();
    entry.pending.fail(error);
    return true;
  }

  /** Stops waiting: later replies go nowhere. */
  forget(xid: number): void {
    this.entries.get(xid)?.timer.cancel();
    this.entries.delete(xid);
  }

  /** Fails everything that waits. */
  close(error: ChannelError): void {
    for (const xid of [...this.entries.keys()]) this.fail(xid, error);
  }

  private deadline(xid: number, timeout: number): { cancel(): void } {
    return this.clock.setTimeout(() => {
      this.fail(xid, new ChannelError('timeout', 'timeout', `no reply within ${timeout} ms`));
    }, timeout);
  }
}
