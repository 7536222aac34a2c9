import { nextTurn, turnIsUsed } from '../../loop/turns.js';
import { ChannelError } from './errors.js';
import type { Pending } from './transactions.js';
import { hasMore } from './wire.js';

/** Bytes of undecoded parts at which the connection stops reading, while nothing else waits for a reply. */
export const SOFT_LIMIT = 8 * 1024 * 1024;

/** What the stream needs of its connection. */
export interface MultipartPort<Message> {
  decode(part: Uint8Array): Message;
  /** Bytes kept for a reader that is slower than the switch. */
  readonly limit: number;
  /** The number of bytes kept has changed. */
  onChange(): void;
}

/**
 * The parts of a multipart reply, OpenFlow 1.3 §7.3.5, in order. Parts are kept as they came and decoded when
 * the reader takes them, so that a big reply costs neither a long stall nor the memory of its decoded form.
 */
export class MultipartStream<Message> implements Pending, AsyncIterable<Message>, AsyncIterator<Message> {
  private parts: Uint8Array[] = [];
  private bytes = 0;
  private complete = false;
  private failure: Error | undefined;
  private wake: (() => void) | undefined;

  constructor(private readonly port: MultipartPort<Message>) {}

  /** Bytes that wait for the reader. */
  get buffered(): number {
    return this.bytes;
  }

  /** The last part is still to come. */
  get waiting(): boolean {
    return !this.complete;
  }

  reply(message: Uint8Array): boolean {
    const last = !hasMore(message);
    // The reader has left, or the reply was given up: the rest only passes by.
    if (this.complete) return last;
    if (this.bytes + message.length > this.port.limit) {
      const text = `more than ${this.port.limit} bytes of a reply wait for its reader`;
      this.fail(new ChannelError('overflow', 'overflow', text));
      return last;
    }
    this.parts.push(message.slice());
    this.bytes += message.length;
    this.complete = last;
    this.notify();
    return last;
  }

  fail(error: Error): void {
    if (!this.complete) this.failure = error;
    this.discard();
    this.notify();
  }

  [Symbol.asyncIterator](): AsyncIterator<Message> {
    return this;
  }

  async next(): Promise<IteratorResult<Message>> {
    while (this.parts.length === 0 && !this.complete) {
      await new Promise<void>((resolve) => {
        this.wake = resolve;
      });
    }
    if (turnIsUsed()) await nextTurn();
    const part = this.parts.shift();
    if (part === undefined) {
      const error = this.failure;
      this.failure = undefined;
      if (error) throw error;
      return { done: true, value: undefined };
    }
    this.bytes -= part.length;
    this.port.onChange();
    return { done: false, value: this.port.decode(part) };
  }

  return(): Promise<IteratorResult<Message>> {
    this.discard();
    this.notify();
    return Promise.resolve({ done: true, value: undefined });
  }

  private discard(): void {
    this.parts = [];
    this.bytes = 0;
    this.complete = true;
  }

  private notify(): void {
    this.port.onChange();
    const wake = this.wake;
    this.wake = undefined;
    wake?.();
  }
}
