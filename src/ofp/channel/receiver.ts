import type { Duplex } from 'node:stream';
import type { Framer } from './framing.js';

/** ms of handling messages in one turn of the event loop, per connection. */
const BUDGET = 3;

/**
 * The way in: cuts the stream and hands out messages, for a bounded time in each turn of the event loop. While
 * messages wait for the next turn the socket is paused, so that the kernel's window bounds what is kept.
 */
export class Receiver {
  private chunks: Uint8Array[] = [];
  private turnEnd = 0;
  private inTurn = false;
  private held = false;
  private stopped = false;

  constructor(
    private readonly socket: Duplex,
    private readonly framer: Framer,
    /** A message: a view that is valid during the call. */
    private readonly onMessage: (message: Uint8Array) => void,
    private readonly onBroken: (error: unknown) => void,
  ) {}

  push(chunk: Uint8Array): void {
    if (this.stopped) return;
    this.chunks.push(chunk);
    if (!this.inTurn || performance.now() < this.turnEnd) this.handle();
    this.flow();
  }

  /** Pauses the socket for a slow reader of replies; `false` lets it go on. */
  hold(held: boolean): void {
    if (this.held === held) return;
    this.held = held;
    this.flow();
  }

  stop(): void {
    this.stopped = true;
    this.chunks = [];
  }

  /** Bytes came that have not been handled. */
  private get behind(): boolean {
    return this.chunks.length > 0 || !this.framer.done;
  }

  private handle(): void {
    this.beginTurn();
    try {
      for (;;) {
        const message = this.framer.next();
        if (message === undefined) {
          const chunk = this.chunks.shift();
          if (chunk === undefined) return;
          this.framer.push(chunk);
          continue;
        }
        this.onMessage(message);
        // What is left waits for the next turn, which `beginTurn` has asked for.
        if (this.stopped || performance.now() > this.turnEnd) return;
      }
    } catch (error) {
      this.stop();
      this.onBroken(error);
    }
  }

  private beginTurn(): void {
    if (this.inTurn) return;
    this.inTurn = true;
    this.turnEnd = performance.now() + BUDGET;
    setImmediate(() => {
      this.inTurn = false;
      if (this.stopped || !this.behind) return;
      this.handle();
      this.flow();
    });
  }

  private flow(): void {
    if (this.stopped) return;
    const pause = this.held || this.behind;
    if (pause === this.socket.isPaused()) return;
    if (pause) this.socket.pause();
    else this.socket.resume();
  }
}
