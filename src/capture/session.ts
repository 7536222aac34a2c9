import { isWanted } from './classes.js';

export interface Captured {
  /** Milliseconds since 1970, with fractions. */
  readonly time: number;
  /** `in`: from the switch. */
  readonly direction: 'in' | 'out';
  /** The same object for all messages of one connection. */
  readonly connection: { readonly peer: string };
  readonly bytes: Uint8Array;
  /** Messages that were dropped just before this one. */
  readonly dropped: number;
}

export interface SessionOptions {
  /** Absent: all. */
  readonly classes?: ReadonlySet<string>;
  /** Messages per second beyond which they are dropped. */
  readonly rate: number;
  /** Bytes that may wait for the reader. 8 MiB. */
  readonly maxWaiting?: number;
  /** Milliseconds since 1970, with fractions. */
  readonly now?: () => number;
}

/** What one captured message costs beside its bytes. */
const OVERHEAD = 128;

/**
 * Messages on their way to one reader. Copying them is all that happens on the connections' side; a reader that is
 * slower than they come loses messages, counted, and holds up nobody.
 */
export class CaptureSession {
  /** All that were dropped, for either reason. */
  dropped = 0;
  private queue: Captured[] = [];
  private waiting = 0;
  private untold = 0;
  private tokens: number;
  private filled: number;
  private wake: (() => void) | undefined;
  private closed = false;
  private readonly now: () => number;
  private readonly maxWaiting: number;

  constructor(
    private readonly options: SessionOptions,
    private readonly onClose: () => void,
  ) {
    this.now = options.now ?? (() => performance.timeOrigin + performance.now());
    this.maxWaiting = options.maxWaiting ?? 8 << 20;
    this.tokens = options.rate;
    this.filled = this.now();
  }

  /** Bytes that wait for the reader. */
  get backlog(): number {
    return this.waiting;
  }

  /** A message that went over a connection; it is copied where it is wanted. */
  offer(direction: 'in' | 'out', message: Uint8Array, connection: { readonly peer: string }): void {
    const { classes } = this.options;
    if (this.closed || (classes !== undefined && !isWanted(message, classes))) return;
    const time = this.now();
    const size = message.length + OVERHEAD;
    if (this.waiting + size > this.maxWaiting || !this.takeToken(time)) {
      this.dropped++;
      this.untold++;
      return;
    }
    this.waiting += size;
    const bytes = new Uint8Array(message);
    this.queue.push({ time, direction, connection, bytes, dropped: this.untold });
    this.untold = 0;
    this.wake?.();
  }

  /** What came since the last call; waits for the first message, at most `ms`. */
  async take(ms: number, signal: AbortSignal): Promise<Captured[]> {
    if (this.queue.length === 0 && !this.closed && !signal.aborted) await this.arrival(ms, signal);
    const taken = this.queue;
    this.queue = [];
    this.waiting = 0;
    return taken;
  }

  /** Takes no more. */
  close(): void {
    if (this.closed) return;
    this.closed = true;
    this.queue = [];
    this.wake?.();
    this.onClose();
  }

  private arrival(ms: number, signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(() => this.wake?.(), ms);
      const done = () => {
        this.wake = undefined;
        clearTimeout(timer);
        signal.removeEventListener('abort', done);
        resolve();
      };
      this.wake = done;
      signal.addEventListener('abort', done, { once: true });
    });
  }

  /** A bucket that holds one second's worth. */
  private takeToken(now: number): boolean {
    const { rate } = this.options;
    this.tokens = Math.min(rate, this.tokens + ((now - this.filled) * rate) / 1000);
    this.filled = now;
    if (this.tokens < 1) return false;
    this.tokens--;
    return true;
  }
}
