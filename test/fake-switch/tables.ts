import type { Field, MatchField } from '../../src/ofp/types/field.js';
import type { FlowMod, GroupMod, MeterMod } from '../../src/ofp/types/message.js';
import { OFPTT_ALL } from '../../src/ofp/types/message.js';
import { flowKey } from '../../src/sync/owner-entry.js';
import type { Packet } from './packet.js';

export type Entry = Pick<
  FlowMod,
  'table' | 'priority' | 'cookie' | 'match' | 'instructions' | 'idleTimeout'
> & {
  packets: number;
};

/** Refusals by their OpenFlow names. */
export class Refused extends Error {
  override readonly name = 'Refused';
}

/** What flow-mods, group-mods and meter-mods leave in a switch. */
export class Tables {
  private readonly entries = new Map<number, Map<string, Entry>>();
  /** By priority, highest first; made anew after a change. */
  private readonly sorted = new Map<number, Entry[]>();
  readonly groups = new Map<number, GroupMod>();
  readonly meters = new Map<number, MeterMod>();

  apply(mod: FlowMod | GroupMod | MeterMod): void {
    if (mod.type === 'flow_mod') this.flow(mod);
    else if (mod.type === 'group_mod') this.group(mod);
    else this.meter(mod);
  }

  lookup(table: number, packet: Packet): Entry | undefined {
    let sorted = this.sorted.get(table);
    if (!sorted) {
      sorted = [...(this.entries.get(table)?.values() ?? [])].sort((a, b) => b.priority - a.priority);
      this.sorted.set(table, sorted);
    }
    return sorted.find((e) => packet.matches(e.match as readonly MatchField[]));
  }

  flows(table?: number): Entry[] {
    const tables = table === undefined ? [...this.entries.values()] : [this.entries.get(table) ?? new Map()];
    return tables.flatMap((t) => [...t.values()] as Entry[]);
  }

  private flow(mod: FlowMod): void {
    const key = flowKey(mod);
    if (mod.command === 'add') {
      this.checkReferences(mod);
      const table = this.entries.get(mod.table) ?? new Map<string, Entry>();
      this.entries.set(mod.table, table);
      table.set(key, { ...mod, packets: table.get(key)?.packets ?? 0 });
      this.sorted.delete(mod.table);
      return;
    }
    if (mod.command === 'modify' || mod.command === 'modify_strict')
      throw new Error('the pipeline never modifies: it adds over');
    const strict = mod.command === 'delete_strict';
    for (const [number, table] of this.entries) {
      if (mod.table !== OFPTT_ALL && mod.table !== number) continue;
      for (const [k, entry] of table) {
        if (((entry.cookie ^ mod.cookie) & (mod.cookieMask ?? 0n)) !== 0n) continue;
        if (strict ? k === key : covers(mod.match as MatchField[], entry.match as MatchField[]))
          table.delete(k);
      }
      this.sorted.delete(number);
    }
  }

  private checkReferences(mod: FlowMod): void {
    for (const i of mod.instructions) {
      if (i.type === 'meter' && !this.meters.has(i.meterId)) throw new Refused('OFPMMFC_INVALID_METER');
      if (i.type === 'goto_table' && i.table <= mod.table) throw new Refused('OFPBIC_BAD_TABLE_ID');
      if (i.type !== 'apply_actions') continue;
      for (const a of i.actions)
        if (a.type === 'group' && !this.groups.has(a.groupId)) throw new Refused('OFPBAC_BAD_OUT_GROUP');
    }
  }

  /** What it holds now; `restore` brings it back. */
  save(): () => void {
    const flows = [...this.entries].map(([table, entries]) => [table, new Map(entries)] as const);
    const groups = [...this.groups];
    const meters = [...this.meters];
    return () => {
      this.entries.clear();
      for (const [table, entries] of flows) this.entries.set(table, new Map(entries));
      this.sorted.clear();
      refill(this.groups, groups);
      refill(this.meters, meters);
    };
  }

  /** As OpenFlow wants it: a group or meter that goes takes the flows that use it along. */
  private deleteUsers(uses: (entry: Entry) => boolean): void {
    for (const table of this.entries.values())
      for (const [key, entry] of table) if (uses(entry)) table.delete(key);
    this.sorted.clear();
  }

  private group(mod: GroupMod): void {
    if (mod.command === 'add' && this.groups.has(mod.groupId)) throw new Refused('OFPGMFC_GROUP_EXISTS');
    if (mod.command === 'modify' && !this.groups.has(mod.groupId)) throw new Refused('OFPGMFC_UNKNOWN_GROUP');
    if (mod.command === 'delete') {
      if (this.groups.delete(mod.groupId))
        this.deleteUsers((e) =>
          e.instructions.some(
            (i) =>
              i.type === 'apply_actions' &&
              i.actions.some((a) => a.type === 'group' && a.groupId === mod.groupId),
          ),
        );
    } else this.groups.set(mod.groupId, mod);
  }

  private meter(mod: MeterMod): void {
    if (mod.command === 'add' && this.meters.has(mod.meterId)) throw new Refused('OFPMMFC_METER_EXISTS');
    if (mod.command === 'modify' && !this.meters.has(mod.meterId)) throw new Refused('OFPMMFC_UNKNOWN_METER');
    if (mod.command === 'delete') {
      if (this.meters.delete(mod.meterId))
        this.deleteUsers((e) => e.instructions.some((i) => i.type === 'meter' && i.meterId === mod.meterId));
    } else this.meters.set(mod.meterId, mod);
  }
}

/** Whether every packet of `narrow` is one of `wide`. */
function covers(wide: readonly MatchField[], narrow: readonly MatchField[]): boolean {
  const fields = new Map<Field, MatchField>(narrow.map((f) => [f.field, f]));
  return wide.every((w) => {
    const n = fields.get(w.field);
    if (!n) return false;
    const all = (1n << BigInt(w.field.nBits)) - 1n;
    const mask = w.mask === undefined ? all : BigInt(w.mask);
    const has = n.mask === undefined ? all : BigInt(n.mask);
    return (mask & ~has) === 0n && ((BigInt(w.value) ^ BigInt(n.value)) & mask) === 0n;
  });
}

function refill<K, V>(map: Map<K, V>, entries: readonly (readonly [K, V])[]): void {
  map.clear();
  for (const [key, value] of entries) map.set(key, value);
}
