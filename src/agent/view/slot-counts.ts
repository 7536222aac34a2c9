import { NOBODY, slotTable } from '../../maglev/index.js';
import type { PoolIntent } from '../../model/index.js';
import { poolMembers } from '../../pipeline/index.js';

/** Slots that members hold, computed once per pool and set of members that serve: a table costs milliseconds. */
export class SlotCounts {
  private readonly known = new WeakMap<
    PoolIntent,
    { readonly serving: ReadonlySet<number>; readonly held: ReadonlyMap<number, number> }
  >();
  /** Tables computed so far. */
  computed = 0;

  /** Intents and sets of serving members are never changed in place: the same objects mean the same table. */
  of(pool: PoolIntent, serving: ReadonlySet<number>): ReadonlyMap<number, number> {
    const known = this.known.get(pool);
    if (known?.serving === serving) return known.held;
    const held = this.compute(pool, serving);
    this.known.set(pool, { serving, held });
    return held;
  }

  private compute(pool: PoolIntent, serving: ReadonlySet<number>): ReadonlyMap<number, number> {
    const members = poolMembers(pool, serving);
    const held = new Map<number, number>();
    if (members.length === 0) return held;
    this.computed++;
    for (const index of slotTable({ members, slots: pool.slots })) {
      if (index === NOBODY) continue;
      const { endpointId } = members[index]!;
      held.set(endpointId, (held.get(endpointId) ?? 0) + 1);
    }
    return held;
  }
}
