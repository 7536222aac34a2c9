import { KIND } from '../pipeline/types.js';
import type { Ledger } from './ledger.js';
import { type Change, changeSize, type OwnerEntry } from './owner-entry.js';

/** An owner's difference, on its way to the switch. */
export interface Part {
  readonly entry: OwnerEntry;
  /** Of the entry when the difference was made. */
  readonly revision: number;
  readonly change: Change;
  /** Something was left for later: the owner stays dirty. */
  readonly partial: boolean;
}

export interface ScheduleOptions {
  readonly now: () => number;
  /** At most one bundle per owner in this many milliseconds. */
  readonly window: number;
  /** Messages after which a bundle is closed. */
  readonly maxBundle: number;
}

export interface Turn {
  readonly parts: readonly Part[];
  /** Where there are no parts: when to look again; Infinity where only a commit can change that. */
  readonly again: number;
  /** Tenants of owners that turned out to have no difference. */
  readonly settled: ReadonlySet<number>;
}

/**
 * Decides what is sent next: one tenant after the other, the node's own rules before all. Tenants share a bundle while
 * they fit into it whole, because each commit costs the switch time for every port that it has.
 */
export class Schedule {
  constructor(
    private readonly ledger: Ledger,
    private readonly options: ScheduleOptions,
  ) {}

  /** Marks what it returns as in flight. `pause` gives the event loop its turn. */
  async next(pause: () => Promise<void>): Promise<Turn> {
    const { dirty } = this.ledger;
    const turn = { again: Number.POSITIVE_INFINITY, settled: new Set<number>() };
    const node = dirty.get(0);
    const nodeFirst = node !== undefined && [...node].some((e) => e.failure === undefined);
    const parts: Part[] = [];
    let room = this.options.maxBundle;
    for (const [tenant, entries] of nodeFirst ? [[0, node] as const] : [...dirty]) {
      const more = await this.partsOf(tenant, entries, turn, pause);
      if (more.length === 0) continue;
      const size = sizeOf(more);
      if (parts.length > 0 && size > room) break;
      const again = more.some(({ entry }) => entry.failure !== undefined);
      // What was refused before goes alone: nobody else shall have to be sent twice.
      if (parts.length > 0 && again) continue;
      room -= size;
      parts.push(...more);
      for (const { entry } of more) {
        entry.inFlight = true;
        entry.notBefore = this.options.now() + this.options.window;
      }
      // To the end of the line.
      if (dirty.delete(tenant)) dirty.set(tenant, entries);
      if (again || room <= 0) break;
    }
    return { ...turn, parts };
  }

  /** What a tenant has to send, up to a bundle of it. */
  private async partsOf(
    tenant: number,
    entries: Set<OwnerEntry>,
    turn: { again: number; settled: Set<number> },
    pause: () => Promise<void>,
  ): Promise<Part[]> {
    const parts: Part[] = [];
    let size = 0;
    const base = baseOf(entries);
    if (base && !base.inFlight && base.failure === undefined && !this.ready(base, turn)) return parts;
    for (const entry of base ? [base, ...[...entries].filter((e) => e !== base)] : entries) {
      if (!entry.dirty || !this.ready(entry, turn)) continue;
      const whole = entry.diff();
      if (changeSize(whole) === 0) {
        this.ledger.settle(entry);
        turn.settled.add(tenant);
        continue;
      }
      // A meter takes the flows that use it along when it goes: other owners' must have changed before.
      const partial = whole.after.length > 0 && othersHoldFlows(entries, entry, parts);
      const change: Change = partial ? { ...whole, after: [] } : whole;
      const n = changeSize(change);
      if (n === 0) continue;
      if (parts.length > 0 && size + n > this.options.maxBundle) break;
      size += n;
      parts.push({ entry, revision: entry.revision, change, partial });
      await pause();
      if (size >= this.options.maxBundle) break;
    }
    return parts;
  }

  private ready(entry: OwnerEntry, turn: { again: number }): boolean {
    if (entry.inFlight) return false;
    const at = Math.max(entry.notBefore, entry.failure?.retryAt ?? 0);
    if (at <= this.options.now()) return true;
    turn.again = Math.min(turn.again, at);
    return false;
  }
}

/** The owner of the meters that other owners' flows use: it goes first. */
function baseOf(entries: ReadonlySet<OwnerEntry>): OwnerEntry | undefined {
  for (const entry of entries) if (entry.owner.kind === KIND.tenant) return entry;
  return undefined;
}

function othersHoldFlows(
  entries: ReadonlySet<OwnerEntry>,
  entry: OwnerEntry,
  parts: readonly Part[],
): boolean {
  for (const other of entries)
    if (other !== entry && other.flows.size > 0 && !parts.some((p) => p.entry === other)) return true;
  return false;
}

function sizeOf(parts: readonly Part[]): number {
  return parts.reduce((n, { change }) => n + changeSize(change), 0);
}
