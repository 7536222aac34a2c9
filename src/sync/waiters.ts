import type { Ledger } from './ledger.js';

/** `settled`: confirmed or refused; `confirmed`: confirmed, however long that takes. */
export type Until = 'settled' | 'confirmed';

interface Waiter {
  readonly until: Until;
  /** Revision of the last change that has to be confirmed. */
  seen: number;
  readonly resolve: () => void;
}

/** Who waits for changes to reach the switch: of one tenant, or of all. */
export class Waiters {
  private readonly byTenant = new Map<number | undefined, Waiter[]>();

  constructor(private readonly ledger: Ledger) {}

  /** Resolves when all that was wanted at the time of the call has come so far. */
  add(until: Until, tenant: number | undefined): Promise<void> {
    return new Promise((resolve) => {
      const waiter = { until, seen: this.ledger.revision, resolve };
      const list = this.byTenant.get(tenant);
      if (list) list.push(waiter);
      else this.byTenant.set(tenant, [waiter]);
    });
  }

  /** What was wanted while nobody knew what the switch held, is what differs now: waited for by all who came meanwhile. */
  includeAll(): void {
    for (const waiters of this.byTenant.values())
      for (const waiter of waiters) waiter.seen = this.ledger.revision;
  }

  /** To be called when something of the tenant may have been confirmed or refused. */
  notify(tenant: number): void {
    this.check(tenant);
    this.check(undefined);
  }

  notifyAll(): void {
    for (const tenant of [...this.byTenant.keys()]) this.check(tenant);
  }

  private check(tenant: number | undefined): void {
    const waiters = this.byTenant.get(tenant);
    if (waiters === undefined) return;
    const oldest = { settled: Number.POSITIVE_INFINITY, confirmed: Number.POSITIVE_INFINITY };
    for (const { failure, dirtySince } of this.ledger.unconfirmed(tenant)) {
      oldest.confirmed = Math.min(oldest.confirmed, dirtySince);
      if (failure === undefined) oldest.settled = Math.min(oldest.settled, dirtySince);
    }
    const rest = waiters.filter((w) => w.seen >= oldest[w.until]);
    if (rest.length === waiters.length) return;
    if (rest.length > 0) this.byTenant.set(tenant, rest);
    else this.byTenant.delete(tenant);
    for (const waiter of waiters) if (waiter.seen < oldest[waiter.until]) waiter.resolve();
  }
}
