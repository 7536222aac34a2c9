import type { Outcome, SwitchConnection } from '../ofp/channel/types.js';
import type { Message } from '../ofp/index.js';
import { KIND, TABLES } from '../pipeline/index.js';
import type { Ledger } from './ledger.js';
import type { Change, OwnerEntry, Step } from './owner-entry.js';
import type { Part } from './schedule.js';
import type { Mod, SyncCounters, SyncObserver } from './types.js';

export interface DeliveryOptions {
  readonly now: () => number;
  readonly maxBundle: number;
  readonly counters: SyncCounters;
  readonly observer: SyncObserver | undefined;
  /** Whether what is confirmed on this connection still counts. */
  readonly current: (conn: SwitchConnection<Message>) => boolean;
  /** The switch refused a message of the owner. */
  readonly refuse: (part: Part, error: string, refused: Mod | undefined) => void;
}

interface PartStep {
  readonly step: Step;
  readonly part: Part;
}

/** Errors that say nothing about the message: what the switch holds is not known then. */
const NO_ANSWER = ['closed', 'timeout'];

/** Brings differences to the switch, and notes what it confirmed. */
export class Delivery {
  constructor(
    private readonly ledger: Ledger,
    private readonly options: DeliveryOptions,
  ) {}

  /**
   * Sends one bundle for all parts, meters around it; where an owner's message is refused, the others go again
   * without it. Returns the parts that the switch holds now.
   */
  async deliver(conn: SwitchConnection<Message>, parts: readonly Part[]): Promise<ReadonlySet<Part>> {
    const none = new Set<Part>();
    const metersRefused = await this.meters(conn, parts, (c) => c.before);
    if (metersRefused === 'lost') return none;
    let rest = parts.filter((p) => !metersRefused.has(p));
    for (;;) {
      const refused = await this.commit(conn, rest);
      if (refused === 'lost') return none;
      if (refused === undefined) break;
      rest = rest.filter((p) => p !== refused);
    }
    const stillThere = await this.meters(conn, rest, (c) => c.after);
    return stillThere === 'lost' ? none : new Set(rest.filter((p) => !stillThere.has(p)));
  }

  /** Returns the part that was refused, if any. Parts larger than a bundle are split: their halves are harmless. */
  private async commit(
    conn: SwitchConnection<Message>,
    parts: readonly Part[],
  ): Promise<Part | 'lost' | undefined> {
    const { counters, observer, maxBundle, now, current } = this.options;
    const steps = stepsOf(parts, (c) => c.bundle);
    for (let at = 0; at < steps.length; at += maxBundle) {
      const slice = steps.slice(at, at + maxBundle);
      const started = now();
      const outcome = await conn.bundle(slice.map((s) => s.step.mod));
      if (!current(conn)) return 'lost';
      if (!outcome.ok) return this.refused(slice, outcome);
      counters.lastBundleMs = now() - started;
      counters.bundles++;
      this.confirm(slice);
      const tenants = new Set(slice.map((s) => s.part.entry.owner.tenant));
      observer?.bundleCommitted?.([...tenants], slice.length, counters.lastBundleMs);
    }
    return undefined;
  }

  private refused(slice: readonly PartStep[], outcome: Extract<Outcome, { ok: false }>): Part | 'lost' {
    const [first] = outcome.refusals;
    if (first === undefined || NO_ANSWER.includes(first.error)) return 'lost';
    this.options.counters.bundlesRefused++;
    const named = first.index !== undefined ? slice[first.index] : undefined;
    const culprit = named ?? slice[0]!;
    this.options.refuse(culprit.part, first.error, named?.step.mod);
    return culprit.part;
  }

  /** Meters can't be in a bundle: sent one after the other, refused one by one. Returns the refused parts. */
  private async meters(
    conn: SwitchConnection<Message>,
    parts: readonly Part[],
    pick: (change: Change) => readonly Step[],
  ): Promise<ReadonlySet<Part> | 'lost'> {
    const steps = stepsOf(parts, pick);
    const refused = new Set<Part>();
    if (steps.length === 0) return refused;
    const outcome = await conn.batch(steps.map((s) => s.step.mod));
    if (!this.options.current(conn)) return 'lost';
    const errors = new Map(outcome.ok ? [] : outcome.refusals.map((r) => [r.index ?? 0, r.error]));
    if ([...errors.values()].some((error) => NO_ANSWER.includes(error))) return 'lost';
    this.confirm(steps.filter((_, i) => !errors.has(i)));
    for (const [i, error] of errors) {
      const { step, part } = steps[i]!;
      this.options.refuse(part, error, step.mod);
      refused.add(part);
    }
    return refused;
  }

  private confirm(steps: readonly PartStep[]): void {
    const { mods } = this.options.counters;
    const rivals = this.rivals(steps);
    for (const { step, part } of steps) {
      const name = `${step.mod.type.replace('_mod', '')} ${step.mod.command.replace('_strict', '')}`;
      mods.set(name, (mods.get(name) ?? 0) + 1);
      step.confirm();
      if (step.added === undefined) continue;
      const shared = step.mod.type === 'flow_mod' && step.mod.table === TABLES.ingress.number;
      for (const rival of shared ? rivals.atIngress() : rivals.inTenants)
        if (rival !== part.entry && rival.flows.delete(step.added)) this.ledger.touch(rival);
    }
  }

  /**
   * Owners whose flows may have been replaced: a flow that one owner gives up may be another's now (a listener that
   * was renamed, a port that was renumbered), and the switch keeps only the last one. Only at the ingress can it be
   * another tenant's.
   */
  private rivals(steps: readonly PartStep[]): Rivals {
    const { dirty } = this.ledger;
    const giving = (entry: OwnerEntry) => entry.flows.size > 0;
    const tenants = new Set(steps.map((s) => s.part.entry.owner.tenant));
    const inTenants = [...tenants].flatMap((tenant) => [...(dirty.get(tenant) ?? [])].filter(giving));
    let atIngress: OwnerEntry[] | undefined;
    return {
      inTenants,
      atIngress: () => {
        atIngress ??= [...dirty.values()].flatMap((entries) =>
          [...entries].filter((entry) => entry.owner.kind === KIND.segment && giving(entry)),
        );
        return atIngress;
      },
    };
  }
}

interface Rivals {
  readonly inTenants: readonly OwnerEntry[];
  readonly atIngress: () => readonly OwnerEntry[];
}

function stepsOf(parts: readonly Part[], pick: (change: Change) => readonly Step[]): PartStep[] {
  return parts.flatMap((part) => pick(part.change).map((step) => ({ step, part })));
}
