import { instructionsKey, matchKey, sameInstructions } from '../ofp/keys.js';
import type { Flow, Group, Meter, Owner, OwnerState } from '../pipeline/types.js';
import {
  bucketShape,
  flowAdd,
  flowDelete,
  groupDelete,
  groupMod,
  meterDelete,
  meterKey,
  meterMod,
} from './mods.js';
import type { InstalledFlow, Mod, OwnerFailure } from './types.js';

/** One message of a change, and what it makes true once the switch has confirmed it. */
export interface Step {
  readonly mod: Mod;
  readonly confirm: () => void;
  /** flowKey of a flow that was added, maybe over another owner's. */
  readonly added?: string;
}

/**
 * Messages in the order in which the switch must see them. Meters can't be in a bundle: those that flows
 * need come before it, those that nothing uses any more after it.
 */
export interface Change {
  readonly before: Step[];
  readonly bundle: Step[];
  readonly after: Step[];
}

export function changeSize(change: Change): number {
  return change.before.length + change.bundle.length + change.after.length;
}

/** In the order of sending. */
export function modsOf({ before, bundle, after }: Change): Mod[] {
  return [...before, ...bundle, ...after].map((step) => step.mod);
}

export function flowKey(flow: Flow): string {
  return matchKey(flow.table, flow.priority, flow.match);
}

/** Whether what the switch holds does what `flow` wants. One that somebody gave a time-out would vanish. */
export function isHeld({ flow: held, timed }: InstalledFlow, flow: Flow): boolean {
  return !timed && sameInstructions(held.instructions, flow.instructions);
}

/** The key of a group's contents: equal where the switch would treat two groups alike. */
export function groupKey(group: Pick<Group, 'groupType' | 'buckets'>): string {
  const buckets = group.buckets.map((b) => {
    const shape = bucketShape(b);
    return `${shape.weight}:${instructionsKey([{ type: 'apply_actions', actions: shape.actions }])}`;
  });
  return `${group.groupType}|${buckets.join('|')}`;
}

/** Counts comparisons. */
let looks = 0;

/** Desired and confirmed state of one owner. */
export class OwnerEntry {
  /** What should be in the switch; undefined: nothing, and the entry goes once that is so. */
  desired: OwnerState | undefined;
  flows = new Map<string, InstalledFlow>();
  readonly groups = new Map<number, string>();
  readonly meters = new Map<number, string>();
  /** Desired may differ from installed. */
  dirty = false;
  inFlight = false;
  /** Earliest moment of the next bundle, so that a storm of changes becomes one per window. */
  notBefore = 0;
  failure: OwnerFailure | undefined;
  /** Counts changes of `desired`: an entry that changed while its bundle was in flight stays dirty. */
  revision = 0;
  /** Revision of the oldest change that is not confirmed. */
  dirtySince = 0;

  constructor(
    readonly owner: Owner,
    readonly key: number,
  ) {}

  get empty(): boolean {
    return this.flows.size === 0 && this.groups.size === 0 && this.meters.size === 0;
  }

  forgetInstalled(): void {
    this.flows.clear();
    this.groups.clear();
    this.meters.clear();
  }

  /** @param flows belong to the entry from now on */
  replaceFlows(flows: Map<string, InstalledFlow>): void {
    this.flows = flows;
  }

  /** What must be sent so that the switch holds `desired`; additions before deletions. */
  diff(desired: OwnerState | null | undefined = this.desired): Change {
    const change: Change = { before: [], bundle: [], after: [] };
    this.diffMeters(desired?.meters ?? [], change);
    const deletedGroups = this.diffGroups(desired?.groups ?? [], change);
    this.diffFlows(desired?.flows ?? [], change);
    change.bundle.push(...deletedGroups);
    return change;
  }

  private diffMeters(wanted: readonly Meter[], change: Change): void {
    const gone = new Set(this.meters.keys());
    for (const meter of wanted) {
      gone.delete(meter.meterId);
      const key = meterKey(meter);
      const was = this.meters.get(meter.meterId);
      if (was === key) continue;
      change.before.push({
        mod: meterMod(was === undefined ? 'add' : 'modify', meter),
        confirm: () => this.meters.set(meter.meterId, key),
      });
    }
    for (const id of gone) change.after.push({ mod: meterDelete(id), confirm: () => this.meters.delete(id) });
  }

  private diffGroups(wanted: readonly Group[], change: Change): Step[] {
    const gone = new Set(this.groups.keys());
    for (const group of wanted) {
      gone.delete(group.groupId);
      const key = groupKey(group);
      const was = this.groups.get(group.groupId);
      if (was === key) continue;
      change.bundle.push({
        mod: groupMod(was === undefined ? 'add' : 'modify', group),
        confirm: () => this.groups.set(group.groupId, key),
      });
    }
    return [...gone].map((id) => ({ mod: groupDelete(id), confirm: () => this.groups.delete(id) }));
  }

  private diffFlows(wanted: readonly Flow[], change: Change): void {
    const look = ++looks;
    let kept = 0;
    for (const flow of wanted) {
      const key = flowKey(flow);
      const was = this.flows.get(key);
      if (was !== undefined && was.look !== look) {
        was.look = look;
        kept++;
      }
      if (was !== undefined && was.flow.cookie === flow.cookie && isHeld(was, flow)) {
        // What was decoded from a dump is garbage from now on.
        was.flow = flow;
        continue;
      }
      change.bundle.push({
        mod: flowAdd(flow),
        confirm: () => this.flows.set(key, { flow, timed: false, look: 0 }),
        added: key,
      });
    }
    if (kept === this.flows.size) return;
    for (const [key, { flow, look: last }] of this.flows) {
      if (last === look) continue;
      change.bundle.push({ mod: flowDelete(flow), confirm: () => this.flows.delete(key) });
    }
  }
}
