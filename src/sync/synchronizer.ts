import { nextTurn, slicer } from '../loop/turns.js';
import type { SwitchConnection } from '../ofp/channel/types.js';
import type { Message } from '../ofp/index.js';
import type { Clock } from '../packetio/types.js';
import type { Owner, OwnerState } from '../pipeline/types.js';
import { Delivery } from './delivery.js';
import { Ledger } from './ledger.js';
import { changeSize, modsOf, type OwnerEntry } from './owner-entry.js';
import { readInstalled } from './read-back.js';
import { type Part, Schedule } from './schedule.js';
import type {
  Mod,
  OwnerFailure,
  PlannedChange,
  SyncCounters,
  SyncLog,
  SyncObserver,
  SyncSummary,
} from './types.js';
import { Waiters } from './waiters.js';

export interface SyncOptions {
  readonly clock: Clock;
  readonly log: SyncLog;
  readonly observer?: SyncObserver;
  /** Ids of groups and meters that the pipeline gives out; others belong to somebody else. */
  readonly isOurGroup: (groupId: number) => boolean;
  readonly isOurMeter: (meterId: number) => boolean;
  /** At most one bundle per owner in this many milliseconds. Default 20. */
  readonly window?: number;
  /** Messages after which a bundle is closed; larger ones stall forwarding. Default 1024. */
  readonly maxBundle?: number;
}

/** Bundles on their way at once: enough to keep the switch busy while the next is encoded. */
const MAX_IN_FLIGHT = 2;
const RETRY_FIRST_MS = 1000;
const RETRY_MAX_MS = 60_000;

/**
 * Keeps the switch equal to what owners want. Three tables per owner: desired; installed, which holds only
 * what a commit or barrier has confirmed; and their difference, which is computed when it is sent.
 */
export class Synchronizer {
  readonly counters: SyncCounters = {
    mods: new Map(),
    bundles: 0,
    bundlesRefused: 0,
    reconciles: 0,
    reconcilesEqual: 0,
    reconcileDifferences: 0,
    drifted: 0,
    driftedFlows: new Map(),
    lastBundleMs: 0,
  };
  private readonly ledger = new Ledger();
  private readonly waiters = new Waiters(this.ledger);
  private readonly schedule: Schedule;
  private readonly delivery: Delivery;
  private conn: SwitchConnection<Message> | undefined;
  /** Set once what the switch holds is known: only then differences mean anything. */
  private known = false;
  /** How much differed when an owner was read back, at that revision of it. */
  private readonly compared = new Map<OwnerEntry, { readonly revision: number; readonly size: number }>();
  private inFlight = 0;
  private pumping = false;
  /** Woken while pumping: what was looked at already may have changed. */
  private again = false;
  private timer: { at: number; cancel(): void } | undefined;

  constructor(private readonly options: SyncOptions) {
    const { clock, observer, window = 20, maxBundle = 1024 } = options;
    const now = () => clock.now();
    this.schedule = new Schedule(this.ledger, { now, window, maxBundle });
    this.delivery = new Delivery(this.ledger, {
      now,
      maxBundle,
      observer,
      counters: this.counters,
      current: (conn) => this.conn === conn,
      refuse: (part, error, refused) => this.fail(part, error, refused),
    });
  }

  /** Replaces what these owners want; the others are left alone. */
  setDesired(states: Iterable<OwnerState>): void {
    for (const state of states) this.ledger.want(state.owner, state);
    this.wake();
  }

  /** These owners want nothing any more. */
  remove(owners: Iterable<Owner>): void {
    for (const owner of owners) this.ledger.want(owner, undefined);
    this.wake();
  }

  /** Owners of a tenant that want something. */
  ownersOf(tenant: number): Owner[] {
    return [...this.ledger.of(tenant)].filter((e) => e.desired).map((e) => e.owner);
  }

  /**
   * Owners of which the switch holds something, or may: with those that want something. Undefined while nobody
   * knows what the switch holds.
   */
  holders(): Owner[] | undefined {
    return this.known ? [...this.ledger.all()].map((e) => e.owner) : undefined;
  }

  /**
   * Reads what the switch holds and compares it with what is wanted, owner by owner. Nothing is sent before `resume`.
   * Throws when the connection is lost meanwhile.
   * @param onRead told of each owner before it is compared: what it wants may follow from what the switch holds
   */
  async readBack(
    conn: SwitchConnection<Message>,
    onRead: (entry: OwnerEntry) => void = () => undefined,
  ): Promise<void> {
    this.detach();
    this.conn = conn;
    this.compared.clear();
    await readInstalled(conn, this.ledger, this.options, (entry) => {
      onRead(entry);
      this.compare(entry);
    });
  }

  private compare(entry: OwnerEntry): void {
    const size = changeSize(entry.diff());
    if (size === 0) this.ledger.settle(entry);
    else {
      this.ledger.touch(entry);
      this.compared.set(entry, { revision: entry.revision, size });
    }
  }

  /** Sends the difference, if any, and from now on every change. Returns the number of messages it takes. */
  async resume(): Promise<number> {
    const { conn } = this;
    if (conn === undefined) return 0;
    let differences = 0;
    const pause = slicer();
    for (const entry of [...this.ledger.unconfirmed()]) {
      const compared = this.compared.get(entry);
      differences += compared?.revision === entry.revision ? compared.size : changeSize(entry.diff());
      await pause();
      if (this.conn !== conn) return differences;
    }
    this.compared.clear();
    this.counters.reconciles++;
    if (differences === 0) this.counters.reconcilesEqual++;
    this.counters.reconcileDifferences = differences;
    this.known = true;
    this.waiters.includeAll();
    this.waiters.notifyAll();
    this.wake();
    return differences;
  }

  /** The connection is gone: what the switch holds is unknown until the next `readBack`. */
  detach(): void {
    this.conn = undefined;
    this.known = false;
  }

  /** Resolves when all that was wanted at the time of the call, of a tenant or of all, is confirmed or has failed. */
  settled(tenant?: number): Promise<void> {
    return this.awaited(this.waiters.add('settled', tenant));
  }

  /** Resolves when all that a tenant wanted at the time of the call is confirmed, after failures and retries too. */
  confirmed(tenant: number): Promise<void> {
    return this.awaited(this.waiters.add('confirmed', tenant));
  }

  failures(tenant?: number): OwnerFailure[] {
    return [...this.ledger.unconfirmed(tenant)].flatMap((e) => (e.failure ? [e.failure] : []));
  }

  /** Owners whose changes the switch has neither confirmed nor refused. */
  pending(): number {
    let n = 0;
    for (const { failure } of this.ledger.unconfirmed()) if (failure === undefined) n++;
    return n;
  }

  /** By tenant; 0 is the node. */
  summaries(): Map<number, SyncSummary> {
    return this.ledger.summaries();
  }

  summary(): SyncSummary {
    return this.ledger.summary();
  }

  /**
   * What would be sent if these owners wanted this, and all others of these tenants nothing. Against what the switch
   * is known to hold, or was when it was last connected.
   */
  async plan(states: Iterable<OwnerState>, tenants: Iterable<number>): Promise<PlannedChange[]> {
    const pause = slicer();
    const planned: PlannedChange[] = [];
    const wanted = new Map<OwnerEntry, OwnerState>();
    const fresh = new Ledger();
    for (const state of states)
      wanted.set(this.ledger.find(state.owner) ?? fresh.entryOf(state.owner), state);
    const idle = [...tenants].flatMap((t) => [...this.ledger.of(t)]).filter((e) => !wanted.has(e));
    for (const entry of [...wanted.keys(), ...idle]) {
      const mods = modsOf(entry.diff(wanted.get(entry) ?? null));
      if (mods.length > 0) planned.push({ owner: entry.owner, mods });
      await pause();
    }
    return planned;
  }

  /** Owners whose installed flows are settled, for drift checks. */
  driftCandidates(): OwnerEntry[] {
    return [...this.ledger.all()].filter((e) => !e.dirty && !e.inFlight);
  }

  /** Every owner, with what is wanted of it and what the switch confirmed: to look at, not to change. */
  owners(): IterableIterator<Readonly<OwnerEntry>> {
    return this.ledger.all();
  }

  find(owner: Owner): Readonly<OwnerEntry> | undefined {
    return this.ledger.find(owner);
  }

  /** A drift check found that the switch holds `flows` flows otherwise than they were installed. */
  drifted(entry: OwnerEntry, flows: number): void {
    this.counters.drifted++;
    const { tenant } = entry.owner;
    this.counters.driftedFlows.set(tenant, (this.counters.driftedFlows.get(tenant) ?? 0) + flows);
    this.ledger.touch(entry);
    this.wake();
  }

  get connection(): SwitchConnection<Message> | undefined {
    return this.known ? this.conn : undefined;
  }

  private awaited(promise: Promise<void>): Promise<void> {
    if (this.known) this.waiters.notifyAll();
    return promise;
  }

  private wake(): void {
    if (!this.known) return;
    this.again = true;
    if (this.pumping) return;
    this.pumping = true;
    void this.pump().catch((error: unknown) =>
      this.options.log.warn({ err: error }, 'sending changes failed'),
    );
  }

  private async pump(): Promise<void> {
    try {
      await nextTurn();
      const pause = slicer();
      while (this.again && this.known && this.inFlight < MAX_IN_FLIGHT) {
        this.again = false;
        await this.sendNext(pause);
      }
    } finally {
      // With no turn between the last look at `again` and this: who wakes now is not forgotten.
      this.pumping = false;
    }
  }

  private async sendNext(pause: () => Promise<void>): Promise<void> {
    const { parts, again, settled } = await this.schedule.next(pause);
    for (const tenant of settled) if (this.known) this.waiters.notify(tenant);
    // Those that turned out to want nothing may have been in the way of others.
    if (parts.length > 0 || settled.size > 0) this.again = true;
    if (parts.length > 0) this.launch(parts);
    else if (again !== Number.POSITIVE_INFINITY) this.wakeAt(again);
  }

  private launch(parts: readonly Part[]): void {
    this.inFlight++;
    void this.send(parts).finally(() => {
      this.inFlight--;
      if (this.known)
        for (const tenant of new Set(parts.map((p) => p.entry.owner.tenant))) this.waiters.notify(tenant);
      this.wake();
    });
  }

  private async send(parts: readonly Part[]): Promise<void> {
    const { conn } = this;
    const done = conn && (await this.delivered(conn, parts));
    for (const part of parts) {
      const { entry } = part;
      entry.inFlight = false;
      if (this.conn !== conn || !done?.has(part)) continue;
      if (entry.revision !== part.revision) entry.dirtySince = part.revision + 1;
      else if (!part.partial) this.ledger.settle(entry);
    }
  }

  private async delivered(
    conn: SwitchConnection<Message>,
    parts: readonly Part[],
  ): Promise<ReadonlySet<Part>> {
    try {
      return await this.delivery.deliver(conn, parts);
    } catch (error) {
      for (const part of parts) this.fail(part, String(error), undefined);
      return new Set();
    }
  }

  private wakeAt(at: number): void {
    if (this.timer && this.timer.at <= at) return;
    this.timer?.cancel();
    const { clock } = this.options;
    const due = () => {
      this.timer = undefined;
      this.wake();
    };
    const handle = clock.setTimeout(due, Math.max(0, at - clock.now()));
    this.timer = { at, cancel: () => handle.cancel() };
  }

  private fail({ entry, revision }: Part, error: string, refused: Mod | undefined): void {
    this.options.log.warn({ owner: entry.owner, error }, 'the switch refused a change');
    // It wants something else by now: that has not failed.
    if (entry.revision !== revision) return;
    const now = this.options.clock.now();
    const attempts = (entry.failure?.attempts ?? 0) + 1;
    const failure: OwnerFailure = {
      owner: entry.owner,
      error,
      ...(refused ? { refused } : {}),
      since: entry.failure?.since ?? now,
      attempts,
      retryAt: now + Math.min(RETRY_MAX_MS, RETRY_FIRST_MS * 2 ** (attempts - 1)),
    };
    entry.failure = failure;
    this.options.observer?.ownerFailed?.(failure);
    this.wakeAt(failure.retryAt);
  }
}
