import type { Clock } from './types.js';

/**
 * Inactivity probe, as Open vSwitch does it: an echo request that is followed by an interval without a single
 * byte from the peer ends the connection. One goes out in busy intervals too, for its round trip time.
 */
export class Keepalive {
  private timer: { cancel(): void } | undefined;
  private probedAt: number | undefined;
  private heardSinceProbe = true;
  /** ms from the last answered echo request to its reply. */
  roundTrip: number | undefined;

  constructor(
    private readonly clock: Clock,
    private readonly interval: number,
    private readonly probe: () => void,
    private readonly onDead: () => void,
  ) {}

  start(): void {
    this.timer = this.clock.setTimeout(() => this.tick(), this.interval);
  }

  stop(): void {
    this.timer?.cancel();
    this.timer = undefined;
  }

  /** Bytes came, or their absence is our own doing. */
  heard(): void {
    this.heardSinceProbe = true;
  }

  echoReply(): void {
    if (this.probedAt === undefined) return;
    this.roundTrip = this.clock.now() - this.probedAt;
    this.probedAt = undefined;
  }

  private tick(): void {
    if (this.heardSinceProbe) this.next();
    else this.lastLook();
  }

  private next(): void {
    this.heardSinceProbe = false;
    // One outstanding at a time: a reply must not be taken for that of a later request.
    if (this.probedAt === undefined) {
      this.probedAt = this.clock.now();
      this.probe();
    }
    this.start();
  }

  /** After a long stall of this process bytes may wait in the kernel: look at the input once before giving up. */
  private lastLook(): void {
    setImmediate(() => {
      if (this.timer === undefined) return;
      if (this.heardSinceProbe) this.next();
      else this.onDead();
    });
  }
}
