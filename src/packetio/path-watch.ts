import type { Clock, TimerHandle } from './types.js';

const BEAT_MS = 100;
/** Delays below this are the ordinary grain. */
const NOTEWORTHY_MS = 10;
const KEPT_MS = 60_000;

/**
 * How long a message takes to the switch and back, by echoes: what probes and ARP ask waits in the same queues. A switch
 * or an agent with more to do than they manage shows here before anything is lost.
 */
export class PathWatch {
  private timer: TimerHandle | undefined;
  private askedAt: number | undefined;
  private last = 0;
  private delays: { readonly at: number; readonly ms: number }[] = [];
  /** Tells echoes of this connection from those of an earlier one. */
  private round = 0;

  constructor(private readonly clock: Clock) {}

  /** `echo` resolves with the reply. */
  start(echo: () => Promise<unknown>): void {
    this.stop();
    this.beat(echo, this.round);
  }

  stop(): void {
    this.round++;
    this.timer?.cancel();
    this.timer = undefined;
    this.askedAt = undefined;
    this.last = 0;
    this.delays = [];
  }

  /** Milliseconds: of the last round trip, or of the one under way where that is longer already. */
  current(): number {
    return this.askedAt === undefined ? this.last : Math.max(this.last, this.clock.now() - this.askedAt);
  }

  /** The longest round trip of those that ended after `since` or last now. */
  worstSince(since: number): number {
    let worst = this.askedAt === undefined ? 0 : this.clock.now() - this.askedAt;
    for (let n = this.delays.length - 1; n >= 0 && this.delays[n]!.at >= since; n--)
      worst = Math.max(worst, this.delays[n]!.ms);
    return worst;
  }

  private beat(echo: () => Promise<unknown>, round: number): void {
    this.askedAt = this.clock.now();
    // No reply within the connection's deadline: the round trip was at least as long.
    echo().then(
      () => this.back(echo, round),
      () => this.back(echo, round),
    );
  }

  private back(echo: () => Promise<unknown>, round: number): void {
    if (round !== this.round || this.askedAt === undefined) return;
    const now = this.clock.now();
    this.last = now - this.askedAt;
    this.askedAt = undefined;
    if (this.last > NOTEWORTHY_MS) this.delays.push({ at: now, ms: this.last });
    while (this.delays.length > 0 && this.delays[0]!.at < now - KEPT_MS) this.delays.shift();
    this.timer = this.clock.setTimeout(() => this.beat(echo, round), BEAT_MS);
  }
}
