import type { Outcome, SwitchConnection } from '../ofp/channel/types.js';
import type { Message } from '../ofp/index.js';
import type { Clock } from '../packetio/types.js';
import type { Owner, OwnerState } from '../pipeline/types.js';
import { type Change, changeSize, OwnerEntry, type Step } from './owner-entry.js';
import { type OwnerKey, ownerKey } from './owner-key.js';
import { readInstalled } from './read-back.js';
import { nextTurn, slicer } from './slicer.js';
import type { Mod, OwnerFailure, SyncCounters, SyncLog, SyncObserver, SyncSummary } from './types.js';

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

interface Part {
  readonly entry: OwnerEntry;
  readonly revision: number;
  readonly change: Change;
}

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
  private readonly entries = new Map<OwnerKey, OwnerEntry>();
  /** Owners whose difference may not be empty, by tenant; the order of tenants is the order of service. */
  private readonly dirty = new Map<number, Set<OwnerEntry>>();
  private readonly window: number;
  private readonly maxBundle: number;
  private conn: SwitchConnection<Message> | undefined;
  /** Set once what the switch holds is known: only then differences mean anything. */
  private known = false;
  private inFlight = 0;
  private pumping = false;
  private timer: { at: number; cancel(): void } | undefined;
  private waiters: { seen: number; resolve: () => void }[] = [];
  private revision = 0;

  constructor(private readonly options: SyncOptions) {
    this.window = options.window ?? 20;
    this.maxBundle = options.maxBundle ?? 1024;
  }

  /** Replaces what these owners want; the others are left alone. */
  setDesired(states: Iterable<OwnerState>): void {
    for (const state of states) {
      const entry = this.entry(state.owner);
      entry.desired = state;
      this.touch(entry);
    }
    this.wake();
  }

  /** These owners want nothing any more. */
  remove(owners: Iterable<Owner>): void {
    for (const owner of owners) {
      const entry = this.entries.get(ownerKey(owner));
      if (entry === undefined || entry.desired === undefined) continue;
      entry.desired = undefined;
      this.touch(entry);
    }
    this.wake();
  }

  /** Owners of a tenant that want something. */
  ownersOf(tenant: number): Owner[] {
    return [...this.entries.values()]
      .filter((e) => e.owner.tenant === tenant && e.desired)
      .map((e) => e.owner);
  }

  /**
   * Reads what the switch holds. Nothing is sent before `resume`, so that facts can be taken over first.
   * Returns the owners' flows as installed. Throws when the connection is lost meanwhile.
   */
  async readBack(conn: SwitchConnection<Message>): Promise<ReadonlyMap<OwnerKey, OwnerEntry>> {
    this.detach();
    this.conn = conn;
    const groups = new Map<number, Owner>();
    const meters = new Map<number, Owner>();
    for (const { desired } of this.entries.values()) {
      for (const group of desired?.groups ?? []) groups.set(group.groupId, desired!.owner);
      for (const meter of desired?.meters ?? []) meters.set(meter.meterId, desired!.owner);
    }
    await readInstalled(conn, [...this.entries.values()], (owner) => this.entry(owner), {
      isOurGroup: this.options.isOurGroup,
      isOurMeter: this.options.isOurMeter,
      ownerOfGroup: (id) => groups.get(id),
      ownerOfMeter: (id) => meters.get(id),
    });
    return this.entries;
  }

  /** Sends the difference, if any, and from now on every change. Returns the number of messages it takes. */
  async resume(): Promise<number> {
    let differences = 0;
    const pause = slicer();
    for (const entry of this.entries.values()) {
      const n = changeSize(entry.diff());
      if (n > 0) this.touch(entry);
      else this.settle(entry);
      differences += n;
      await pause();
    }
    this.counters.reconciles++;
    if (differences === 0) this.counters.reconcilesEqual++;
    this.counters.reconcileDifferences = differences;
    this.known = true;
    this.wake();
    return differences;
  }

  /** The connection is gone: what the switch holds is unknown until the next `readBack`. */
  detach(): void {
    this.conn = undefined;
    this.known = false;
  }

  /** Resolves when all that was wanted at the time of the call is confirmed or has failed. */
  settled(): Promise<void> {
    return new Promise((resolve) => {
      this.waiters.push({ seen: this.revision, resolve });
      this.notifySettled();
    });
  }

  failures(): OwnerFailure[] {
    return [...this.entries.values()].flatMap((e) => (e.failure ? [e.failure] : []));
  }

  /** By tenant; 0 is the node. */
  summaries(): Map<number, SyncSummary> {
    const byTenant = new Map<number, SyncSummary>();
    for (const entry of this.entries.values()) {
      const { tenant } = entry.owner;
      byTenant.set(tenant, plusEntry(byTenant.get(tenant) ?? NOTHING, entry));
    }
    return byTenant;
  }

  summary(): SyncSummary {
    let all = NOTHING;
    for (const entry of this.entries.values()) all = plusEntry(all, entry);
    return all;
  }

  /** Owners whose installed flows are settled, for drift checks. */
  driftCandidates(): OwnerEntry[] {
    return [...this.entries.values()].filter((e) => !e.dirty && !e.inFlight);
  }

  /** Every owner, with what is wanted of it and what the switch confirmed: to look at, not to change. */
  owners(): IterableIterator<Readonly<OwnerEntry>> {
    return this.entries.values();
  }

  find(owner: Owner): Readonly<OwnerEntry> | undefined {
    return this.entries.get(ownerKey(owner));
  }

  /** A drift check found that the switch holds `flows` flows otherwise than they were installed. */
  drifted(entry: OwnerEntry, flows: number): void {
    this.counters.drifted++;
    const { tenant } = entry.owner;
    this.counters.driftedFlows.set(tenant, (this.counters.driftedFlows.get(tenant) ?? 0) + flows);
    this.touch(entry);
    this.wake();
  }

  get connection(): SwitchConnection<Message> | undefined {
    return this.known ? this.conn : undefined;
  }

  private entry(owner: Owner): OwnerEntry {
    const key = ownerKey(owner);
    let entry = this.entries.get(key);
    if (entry === undefined) {
      entry = new OwnerEntry(owner, key);
      this.entries.set(key, entry);
    }
    return entry;
  }

  private touch(entry: OwnerEntry): void {
    entry.revision = ++this.revision;
    if (!entry.dirty) entry.dirtySince = entry.revision;
    entry.dirty = true;
    entry.failure = undefined;
    const tenant = entry.owner.tenant;
    const set = this.dirty.get(tenant);
    if (set) set.add(entry);
    else this.dirty.set(tenant, new Set([entry]));
  }

  private wake(): void {
    if (!this.known || this.pumping) return;
    this.pumping = true;
    void this.pump().catch((error: unknown) => {
      this.pumping = false;
      this.options.log.warn({ err: error }, 'sending changes failed');
    });
  }

  private async pump(): Promise<void> {
    await nextTurn();
    const pause = slicer();
    while (this.known && this.inFlight < MAX_IN_FLIGHT) {
      const parts = await this.nextParts(pause);
      if (parts.length === 0) break;
      this.inFlight++;
      void this.send(parts).finally(() => {
        this.inFlight--;
        this.notifySettled();
        this.wake();
      });
    }
    this.pumping = false;
    this.notifySettled();
  }

  /** The next owners to send: of one tenant, up to a bundle's size; the node's own before all others. */
  private async nextParts(pause: () => Promise<void>): Promise<Part[]> {
    const node = this.dirty.get(0);
    const nodeFirst = node !== undefined && [...node].some((e) => e.failure === undefined);
    const due = { earliest: Number.POSITIVE_INFINITY };
    for (const [tenant, entries] of this.dirty) {
      if (nodeFirst && tenant !== 0) continue;
      const parts = await this.partsOf(entries, due, pause);
      if (parts.length === 0) continue;
      if (this.dirty.delete(tenant)) this.dirty.set(tenant, entries);
      return parts;
    }
    if (due.earliest !== Number.POSITIVE_INFINITY) this.wakeAt(due.earliest);
    return [];
  }

  private async partsOf(
    entries: Set<OwnerEntry>,
    due: { earliest: number },
    pause: () => Promise<void>,
  ): Promise<Part[]> {
    const parts: Part[] = [];
    let size = 0;
    for (const entry of entries) {
      if (entry.inFlight) continue;
      const now = this.options.clock.now();
      const ready = Math.max(entry.notBefore, entry.failure?.retryAt ?? 0);
      if (ready > now) {
        due.earliest = Math.min(due.earliest, ready);
        continue;
      }
      const change = entry.diff();
      const n = changeSize(change);
      if (n === 0) {
        this.settle(entry);
        continue;
      }
      if (parts.length > 0 && size + n > this.maxBundle) break;
      size += n;
      parts.push({ entry, revision: entry.revision, change });
      entry.inFlight = true;
      entry.notBefore = now + this.window;
      await pause();
      if (size >= this.maxBundle) break;
    }
    return parts;
  }

  private wakeAt(at: number): void {
    if (this.timer && this.timer.at <= at) return;
    this.timer?.cancel();
    const handle = this.options.clock.setTimeout(
      () => {
        this.timer = undefined;
        this.wake();
      },
      Math.max(0, at - this.options.clock.now()),
    );
    this.timer = { at, cancel: () => handle.cancel() };
  }

  private async send(parts: readonly Part[]): Promise<void> {
    const conn = this.conn!;
    const done = await this.deliver(conn, parts).catch((error: unknown) => {
      this.options.log.warn({ err: error }, 'a bundle could not be sent');
      return new Set<Part>();
    });
    for (const part of parts) {
      part.entry.inFlight = false;
      if (!done.has(part) || this.conn !== conn) continue;
      if (part.entry.revision === part.revision) this.settle(part.entry);
      else part.entry.dirtySince = part.entry.revision;
    }
  }

  /**
   * Sends one bundle for all parts; where an owner's message is refused, the others go again without it.
   * Returns the parts that the switch holds now.
   */
  private async deliver(conn: SwitchConnection<Message>, parts: readonly Part[]): Promise<Set<Part>> {
    const none = new Set<Part>();
    const metersRefused = await this.meters(conn, parts, (c) => c.before);
    if (metersRefused === 'lost') return none;
    let rest = parts.filter((p) => !metersRefused.has(p));
    for (;;) {
      const refused = await this.commitBundles(conn, rest);
      if (refused === 'lost') return none;
      if (refused === undefined) break;
      rest = rest.filter((p) => p !== refused);
    }
    const stillThere = await this.meters(conn, rest, (c) => c.after);
    return stillThere === 'lost' ? none : new Set(rest.filter((p) => !stillThere.has(p)));
  }

  /** Returns the part that was refused, if any. Parts larger than a bundle are split: their halves are harmless. */
  private async commitBundles(
    conn: SwitchConnection<Message>,
    parts: readonly Part[],
  ): Promise<Part | 'lost' | undefined> {
    const steps = stepsOf(parts, (c) => c.bundle);
    for (let at = 0; at < steps.length; at += this.maxBundle) {
      const slice = steps.slice(at, at + this.maxBundle);
      const started = this.options.clock.now();
      const outcome = await conn.bundle(slice.map((s) => s.step.mod));
      if (this.conn !== conn) return 'lost';
      if (!outcome.ok) return this.bundleRefused(slice, outcome);
      this.counters.lastBundleMs = this.options.clock.now() - started;
      this.counters.bundles++;
      for (const { step } of slice) this.confirm(step);
      this.options.observer?.bundleCommitted?.(
        [...new Set(slice.map((s) => s.part.entry.owner.tenant))],
        slice.length,
        this.counters.lastBundleMs,
      );
    }
    return undefined;
  }

  private bundleRefused(
    slice: readonly { step: Step; part: Part }[],
    outcome: Extract<Outcome, { ok: false }>,
  ): Part | 'lost' {
    const [first] = outcome.refusals;
    if (first === undefined || first.error === 'closed') return 'lost';
    this.counters.bundlesRefused++;
    const named = first.index !== undefined ? slice[first.index] : undefined;
    const culprit = named ?? slice[0]!;
    this.fail(culprit.part.entry, first.error, named?.step.mod);
    return culprit.part;
  }

  /** Meters can't be in a bundle: sent one after the other, refused one by one. Returns the refused parts. */
  private async meters(
    conn: SwitchConnection<Message>,
    parts: readonly Part[],
    pick: (change: Change) => readonly Step[],
  ): Promise<Set<Part> | 'lost'> {
    const steps = stepsOf(parts, pick);
    const refused = new Set<Part>();
    if (steps.length === 0) return refused;
    const outcome = await conn.batch(steps.map((s) => s.step.mod));
    if (this.conn !== conn) return 'lost';
    const errors = new Map(outcome.ok ? [] : outcome.refusals.map((r) => [r.index ?? 0, r.error]));
    if ([...errors.values()].includes('closed')) return 'lost';
    steps.forEach(({ step, part }, i) => {
      const error = errors.get(i);
      if (error === undefined) {
        this.confirm(step);
        return;
      }
      this.fail(part.entry, error, step.mod);
      refused.add(part);
    });
    return refused;
  }

  private confirm(step: Step): void {
    const name = `${step.mod.type.replace('_mod', '')} ${step.mod.command.replace('_strict', '')}`;
    this.counters.mods.set(name, (this.counters.mods.get(name) ?? 0) + 1);
    step.confirm();
  }

  private fail(entry: OwnerEntry, error: string, refused?: Mod): void {
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
    this.options.log.warn({ owner: entry.owner, error }, 'the switch refused a change');
    this.options.observer?.ownerFailed?.(failure);
    this.wakeAt(failure.retryAt);
  }

  private settle(entry: OwnerEntry): void {
    entry.dirty = false;
    entry.failure = undefined;
    const set = this.dirty.get(entry.owner.tenant);
    set?.delete(entry);
    if (set?.size === 0) this.dirty.delete(entry.owner.tenant);
    if (entry.desired === undefined && entry.empty) this.entries.delete(entry.key);
  }

  private notifySettled(): void {
    if (this.waiters.length === 0 || !this.known) return;
    let oldest = Number.POSITIVE_INFINITY;
    for (const entries of this.dirty.values()) {
      for (const entry of entries) if (!entry.failure) oldest = Math.min(oldest, entry.dirtySince);
    }
    const done = this.waiters.filter((w) => w.seen < oldest);
    this.waiters = this.waiters.filter((w) => w.seen >= oldest);
    for (const waiter of done) waiter.resolve();
  }
}

const NOTHING: SyncSummary = { desiredFlows: 0, installedFlows: 0, owners: 0, pending: 0, failed: 0 };

function plusEntry(sum: SyncSummary, entry: OwnerEntry): SyncSummary {
  const failed = entry.failure !== undefined;
  return {
    desiredFlows: sum.desiredFlows + (entry.desired?.flows.length ?? 0),
    installedFlows: sum.installedFlows + entry.flows.size,
    owners: sum.owners + 1,
    pending: sum.pending + (!failed && (entry.dirty || entry.inFlight) ? 1 : 0),
    failed: sum.failed + (failed ? 1 : 0),
  };
}

function stepsOf(
  parts: readonly Part[],
  pick: (change: Change) => readonly Step[],
): { step: Step; part: Part }[] {
  return parts.flatMap((part) => pick(part.change).map((step) => ({ step, part })));
}
