import { TokenBucket } from '../packetio/token-bucket.js';
import type { Clock } from '../packetio/types.js';
import type { Target } from './target.js';

/** Most probes started before the loop gets a turn. */
const SLICE = 256;

/** While congested, so often it is looked whether that is over. */
const PAUSE_MS = 10;

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
    const { clock, congested, start } = this.options;
    if (congested()) {
      this.later(PAUSE_MS);
      return;
    }
    for (let n = 0; n < SLICE && this.size > 0; n++) {
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
      start(target);
    }
    if (this.size > 0) this.later(0);
    else {
      this.queue = [];
      this.head = 0;
    }
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
