import { deleteLimits, getLimits, setLimits, type Unixctl } from '../ovs/index.js';
import type { Logger } from './logging.js';

export interface ConnectionLimitsOptions {
  readonly vswitchd: Unixctl;
  readonly log: Logger;
  /** Limit by zone, of zones that have one. */
  readonly wanted: () => ReadonlyMap<number, number>;
  /** Whether a zone is, or was, one of ours: others on the same datapath are left alone. */
  readonly isOurs: (zone: number) => boolean;
}

/** Limits of conntrack entries aren't OpenFlow; where vswitchd can't be asked, tenants run without. */
export class ConnectionLimits {
  private running: Promise<void> | undefined;
  private again = false;
  /** What vswitchd was last given. */
  private given: ReadonlyMap<number, number> | undefined;

  constructor(private readonly options: ConnectionLimitsOptions) {}

  /** As `apply`, where something else is wanted than was last set: for every change of the configuration. */
  follow(): Promise<void> {
    const want = this.options.wanted();
    const same =
      this.given?.size === want.size && [...want].every(([zone, n]) => this.given?.get(zone) === n);
    return same && this.running === undefined ? Promise.resolve() : this.apply();
  }

  /** Reads what vswitchd has and sets the differences. Calls while that goes on are answered by one more round. */
  apply(): Promise<void> {
    if (this.running) {
      this.again = true;
      return this.running;
    }
    this.running = this.rounds();
    return this.running;
  }

  private async rounds(): Promise<void> {
    do {
      this.again = false;
      await this.round().catch((error: Error) =>
        this.options.log.warn({ reason: error.message }, 'connection limits not set'),
      );
    } while (this.again);
    this.running = undefined;
  }

  private async round(): Promise<void> {
    const { vswitchd, wanted, isOurs } = this.options;
    const { zones } = await getLimits(vswitchd);
    const want = wanted();
    this.given = undefined;
    const differing = [...want].filter(([zone, limit]) => zones.get(zone)?.limit !== limit);
    await setLimits(vswitchd, new Map(differing));
    await deleteLimits(
      vswitchd,
      [...zones.keys()].filter((zone) => !want.has(zone) && isOurs(zone)),
    );
    this.given = want;
  }
}
