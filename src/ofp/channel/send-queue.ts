import type { Duplex } from 'node:stream';
import { Writer } from '../bytes/writer.js';

/** Bytes per write: with one message a write the system calls cost many times the encoding. */
const BATCH = 64 * 1024;
/** Bytes in flight at which senders of many messages pause, and at which they go on. */
export const HIGH_WATER = 1024 * 1024;
const LOW_WATER = 256 * 1024;

/**
 * The ordered way out of a connection. Messages are encoded straight into `writer`; whole batches go to the
 * socket, at the latest at the end of this turn of the event loop.
 */
export class SendQueue {
  readonly writer = new Writer(BATCH + 16 * 1024);
  private inFlight = 0;
  private scheduled: NodeJS.Immediate | undefined;
  private waiting: (() => void)[] = [];
  private closed = false;

  constructor(
    private readonly socket: Duplex,
    private readonly onFlush: (bytes: Uint8Array) => void,
    private readonly onOverflow: (queued: number) => void,
    private readonly maxQueued: number,
  ) {}

  /** Bytes accepted and not yet taken by the kernel. */
  get queued(): number {
    return this.inFlight + this.writer.pos;
  }

  /** To be called after each whole message in `writer`. True where that completed a batch, which was written. */
  written(): boolean {
    if (this.writer.pos >= BATCH) {
      this.flush();
      return true;
    }
    this.scheduled ??= setImmediate(() => {
      this.scheduled = undefined;
      this.flush();
    });
    return false;
  }

  flush(): void {
    const size = this.writer.pos;
    if (size === 0) return;
    if (this.closed) {
      this.writer.reset();
      return;
    }
    // A copy: the socket may keep the bytes while the writer is used on.
    const bytes = this.writer.take();
    this.writer.reset();
    this.inFlight += size;
    this.onFlush(bytes);
    this.socket.write(bytes, () => {
      this.inFlight -= size;
      if (this.queued <= LOW_WATER) this.wake();
    });
    if (this.inFlight > this.maxQueued) this.onOverflow(this.inFlight);
  }

  /** Resolves when at most the low-water mark is queued, or the connection has closed. */
  drained(): Promise<void> {
    if (this.closed || this.queued <= LOW_WATER) return Promise.resolve();
    return new Promise((resolve) => this.waiting.push(resolve));
  }

  /** Writes what is left, then takes nothing more. */
  close(): void {
    if (this.closed) return;
    this.flush();
    this.closed = true;
    if (this.scheduled) clearImmediate(this.scheduled);
    this.wake();
  }

  private wake(): void {
    const waiting = this.waiting;
    this.waiting = [];
    for (const resolve of waiting) resolve();
  }
}
