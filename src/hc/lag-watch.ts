import type { Clock, TimerHandle } from '../packetio/types.js';

const BEAT_MS = 50;
/** Lateness below this is the ordinary grain of timers. */
const NOTEWORTHY_MS = 10;
const KEPT_MS = 60_000;

/** How late the event loop was, and when: a verdict by time-out needs a loop that listened. */
export class LagWatch {
  private timer: TimerHandle | undefined;
  private expected = 0;
  private lags: { readonly at: number; readonly ms: number }[] = [];

  constructor(private readonly clock: Clock) {}

  start(): void {
    if (this.timer) return;
    this.expected = this.clock.now() + BEAT_MS;
    this.timer = this.clock.setTimeout(() => this.beat(), BEAT_MS);
  }

  stop(): void {
    this.timer?.cancel();
    this.timer = undefined;
    this.lags = [];
  }

  /** The longest stretch in ms that the loop was deaf, of those that ended after `since` or last now. */
  worstSince(since: number): number {
    let worst = this.timer ? Math.max(0, this.clock.now() - this.expected) : 0;
    for (let n = this.lags.length - 1; n >= 0 && this.lags[n]!.at >= since; n--) {
      worst = Math.max(worst, this.lags[n]!.ms);
    }
    return worst;
  }

  private beat(): void {
    const now = this.clock.now();
    const ms = now - this.expected;
    if (ms > NOTEWORTHY_MS) this.lags.push({ at: now, ms });
    while (this.lags.length > 0 && this.lags[0]!.at < now - KEPT_MS) this.lags.shift();
    this.expected = now + BEAT_MS;
    this.timer = this.clock.setTimeout(() => this.beat(), BEAT_MS);
  }
}
