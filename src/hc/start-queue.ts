import { TokenBucket } from '../packetio/token-bucket.js';
import type { Clock } from '../packetio/types.js';
import type { Target } from './target.js';

/** Most probes started before the loop gets a turn. */
const SLICE = 256;

/** Targets whose time has come, started in that order and no faster than the limit. */
export class StartQueue {
  private queue: Target[] = [];
  private head = 0;
  private scheduled = false;
  private readonly bucket: TokenBucket;

  constructor(
    private readonly clock: Clock,
    perSecond: number,
    private readonly start: (target: Target) => void,
  ) {
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
    for (let n = 0; n < SLICE && this.size > 0; n++) {
      const now = this.clock.now();
      const wait = this.bucket.wait(now);
      if (wait > 0) {
        this.later(Math.max(1, wait));
        return;
      }
      const target = this.queue[this.head++]!;
      // Removed or changed while it waited: no probe, no token.
      if (target.gone || target.phase !== 'ready') continue;
      this.bucket.take(now);
      this.start(target);
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
    this.clock.setTimeout(() => this.drain(), ms);
  }
}
