import { NOBODY, slotTable } from '../maglev/index.js';
import type { PoolIntent } from '../model/types.js';
import { F } from '../nx-extensions/fields.js';
import type { Instruction } from '../ofp/types/action.js';
import type { MatchField } from '../ofp/types/field.js';
import { poolMembers } from './pool-members.js';
import { REG, reg } from './registers.js';
import { apply, goto, load, type OwnerRules } from './rules.js';
import { TABLES } from './tables.js';

const SLOT = 100;
/** Fail-close: no member serves. */
export const EMPTY_POOL = 1;

/** @param serving endpoint ids of members that may take packets */
export function slotRules(rules: OwnerRules, pool: PoolIntent, serving: ReadonlySet<number>): void {
  const members = poolMembers(pool, serving);
  const table = slotTable({ members, slots: pool.slots });
  // Hundreds of flows per pool: all but the flow itself is shared.
  const instructions = new Map<number, readonly Instruction[]>();
  for (const { endpointId } of members)
    instructions.set(endpointId, [apply(load(REG.member, endpointId)), goto(TABLES.member)]);
  rules.slots(
    SLOT,
    pool.id,
    pool.slots,
    (slot) => slotMatch(slot),
    (slot) => (table[slot] === NOBODY ? undefined : instructions.get(members[table[slot]!]!.endpointId)),
  );
  rules.pool(TABLES.slots, EMPTY_POOL, pool.id, []);
}

const matches: MatchField[] = [];

function slotMatch(slot: number): MatchField {
  let match = matches[slot];
  if (!match) {
    match = reg(REG.slot, slot);
    matches[slot] = match;
  }
  return match;
}

/** Endpoint ids that slot flows of a pool name, by their instructions as read back from a switch. */
export function adoptServing(lists: Iterable<readonly Instruction[]>): Set<number> {
  const serving = new Set<number>();
  for (const instructions of lists)
    for (const i of instructions) {
      if (i.type !== 'apply_actions') continue;
      for (const a of i.actions) {
        if (a.type === 'set_field' && a.field === F.reg2) serving.add(Number(a.value));
        if (a.type === 'reg_load' && a.dst.field === F.reg2) serving.add(Number(a.value));
      }
    }
  return serving;
}
