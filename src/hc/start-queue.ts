import { TokenBucket } from '../packetio/token-bucket.js';
import type { Clock } from '../packetio/types.js';
import type { Target } from './target.js';

/** Most probes started before the loop gets a turn. */
const SLICE = 256;

/** While congested, so often it is looked whether that is over; starts are counted in turns of this length then. */
const TURN_MS = 10;
/** Starts of a turn after congestion, what they grow by with each turn, and where there is no bound any more. */
const FIRST = 16;
const GROWTH = 2;
const UNBOUNDED = 512;

export interface StartQueueOptions {
  readonly clock: Clock;
  readonly perSecond: number;
  readonly start: (target: Target) => void;
  /** Nothing is started while this says so. */
  readonly congested: () => boolean;
}

/** Targets whose time has come, started in that order and no faster than the limit. */
export class StartQueue {
  private queue: Target[] = [];
  private head = 0;
  private scheduled = false;
  private readonly bucket: TokenBucket;
  /** Starts that a turn may have: what congestion has taught, as a window of TCP. */
  private allowance = Number.POSITIVE_INFINITY;
  private turn = { at: Number.NEGATIVE_INFINITY, starts: 0 };

  constructor(private readonly options: StartQueueOptions) {
    const { clock, perSecond } = options;
    this.bucket = new TokenBucket(perSecond, Math.max(1, perSecond / 50), clock.now());
  }

  get size(): number {
    return this.queue.length - this.head;
  }

  push(target: Target): void {
    target.phase = 'ready';
    this.queue.push(target);
    if (!this.scheduled) this.drain();
  }

  private drain(): void {
    this.scheduled = false;
    const { clock, start } = this.options;
    this.review(clock.now());
    for (let n = 0; n < SLICE && this.size > 0; n++) {
      if (this.turn.starts >= this.allowance) {
        this.later(TURN_MS);
        return;
      }
      const now = clock.now();
      const wait = this.bucket.wait(now);
      if (wait > 0) {
        this.later(Math.max(1, wait));
        return;
      }
      const target = this.queue[this.head++]!;
      // Removed or changed while it waited: no probe, no token.
      if (target.gone || target.phase !== 'ready') continue;
      this.bucket.take(now);
      this.turn.starts++;
      start(target);
    }
    if (this.size > 0) this.later(0);
    else {
      this.queue = [];
      this.head = 0;
    }
  }

  /** Once a turn: halves the allowance under congestion and stops for the turn, else lets it grow. */
  private review(now: number): void {
    if (now - this.turn.at < TURN_MS) return;
    this.turn = { at: now, starts: 0 };
    if (this.options.congested()) {
      this.allowance =
        this.allowance === Number.POSITIVE_INFINITY ? FIRST : Math.max(FIRST, this.allowance / 2);
      this.turn.starts = Number.POSITIVE_INFINITY;
      return;
    }
    this.allowance += GROWTH;
    if (this.allowance > UNBOUNDED) this.allowance = Number.POSITIVE_INFINITY;
  }

  private later(ms: number): void {
    if (this.head > 4096) {
      this.queue = this.queue.slice(this.head);
      this.head = 0;
    }
    this.scheduled = true;
    this.options.clock.setTimeout(() => this.drain(), ms);
  }
}
