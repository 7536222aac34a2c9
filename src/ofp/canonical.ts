/**
 * One form for what can be written in several ways, so that what was sent and what a switch dumps compare equal
 * in every version. Extensions add the equivalences of their own fields and actions.
 */
import type { Action, Instruction } from './types/action.js';
import type { Field, FieldValue, Match, MatchField, RawOxm } from './types/field.js';

type MatchRule = (f: MatchField) => readonly MatchField[] | undefined;
type ActionRule = (action: Action) => readonly Action[] | undefined;

/** How an action with parameters that may be left out is written without them. */
export interface ActionForm {
  /** Values that mean the same as an absent parameter; `false` does everywhere. */
  readonly defaults: object;
  /** Parameters in their canonical form, where they have one. */
  readonly replaced?: (action: Action) => object;
}

const matchRules = new Map<Field, MatchRule>();
const actionRules = new Map<string, ActionRule>();
const actionForms = new Map<string, ActionForm>();

/** `rule` says what stands for a match of `field`, e.g. two registers for an xreg; `undefined`: itself. */
export function registerMatchRule(field: Field, rule: MatchRule): void {
  matchRules.set(field, rule);
}

/** `rule` says what stands for an action of that type; `undefined`: itself. */
export function registerActionRule(type: Action['type'], rule: ActionRule): void {
  actionRules.set(type, rule);
}

export function ruleOf(type: Action['type']): ActionRule | undefined {
  return actionRules.get(type);
}

/** As a rule that leaves out what is absent in effect. */
export function registerActionForm(type: Action['type'], form: ActionForm): void {
  actionForms.set(type, form);
  const defaults = form.defaults as Record<string, unknown>;
  registerActionRule(type, (action) => {
    const given: Record<string, unknown> = { ...action, ...form.replaced?.(action) };
    const kept: Record<string, unknown> = {};
    for (const name of Object.keys(given)) {
      const value = given[name];
      if (value !== undefined && value !== false && value !== defaults[name]) kept[name] = value;
    }
    return [kept as unknown as Action];
  });
}

const synonyms = new Map<unknown, unknown>();

/** Two types of actions with the same parameters do the same. */
export function registerSynonym(one: Action['type'], other: Action['type']): void {
  synonyms.set(one, other);
  synonyms.set(other, one);
}

export function isSynonym(one: unknown, other: unknown): boolean {
  return synonyms.get(one) === other;
}

export function formOf(type: Action['type']): ActionForm | undefined {
  return actionForms.get(type);
}

const ones = new Map<number, FieldValue>();
/** All ones in the width of a value of `field`. */
export function allOnes(field: Field): FieldValue {
  const known = ones.get(field.nBits);
  if (known !== undefined && (typeof known === 'number') === field.nBytes <= 4) return known;
  const mask =
    field.nBytes <= 4
      ? field.nBits === 32
        ? 0xffffffff
        : 2 ** field.nBits - 1
      : (1n << BigInt(field.nBits)) - 1n;
  ones.set(field.nBits, mask);
  return mask;
}

function and(a: FieldValue, b: FieldValue): FieldValue {
  return typeof a === 'number' && typeof b === 'number' ? (a & b) >>> 0 : BigInt(a) & BigInt(b);
}
function or(a: FieldValue, b: FieldValue): FieldValue {
  return typeof a === 'number' && typeof b === 'number' ? (a | b) >>> 0 : BigInt(a) | BigInt(b);
}

/**
 * Fields by index, each once; masks of all ones dropped, fields masked by nothing dropped, bits outside a mask
 * cleared. Prerequisites stay. Raw TLVs come last, as they are.
 */
export function canonicalMatch(match: Match): Match {
  if (isCanonical(match)) return match;
  const fields: MatchField[] = [];
  let raw: RawOxm[] | undefined;
  for (const f of match) {
    if (f.field === null) {
      raw ??= [];
      raw.push(f);
      continue;
    }
    const replaced = matchRules.get(f.field)?.(f);
    if (replaced === undefined) add(fields, f);
    else for (const part of replaced) add(fields, part);
  }
  sortByIndex(fields);
  const merged = merge(fields);
  return raw === undefined ? merged : [...merged, ...raw];
}

/** Most matches that we make are; the others of these have to be looked at in full. */
function isCanonical(match: Match): boolean {
  let last = -1;
  for (const f of match) {
    if (f.field === null || f.mask !== undefined || f.size !== undefined) return false;
    if (f.field.index <= last || matchRules.has(f.field)) return false;
    last = f.field.index;
  }
  return true;
}

/** In place and stable: a handful of fields, most of them in order. */
function sortByIndex(fields: MatchField[]): void {
  for (let i = 1; i < fields.length; i++) {
    const f = fields[i]!;
    let at = i;
    for (; at > 0 && fields[at - 1]!.field.index > f.field.index; at--) fields[at] = fields[at - 1]!;
    fields[at] = f;
  }
}

function add(fields: MatchField[], f: MatchField): void {
  const { field, value, mask } = f;
  if (mask === undefined) {
    fields.push(f.size === undefined ? f : { field, value });
    return;
  }
  const full = allOnes(field);
  const bits = and(mask, full);
  if (bits === 0 || bits === 0n) return;
  fields.push(bits === full ? { field, value } : { field, value: and(value, bits), mask: bits });
}

/** Two masked matches of one field become one. */
function merge(fields: MatchField[]): MatchField[] {
  let n = 0;
  for (const f of fields) {
    const last = n > 0 ? fields[n - 1]! : undefined;
    if (last === undefined || last.field !== f.field) {
      fields[n++] = f;
      continue;
    }
    if (last.mask === undefined || f.mask === undefined) {
      if (last.mask !== undefined) fields[n - 1] = f;
      continue;
    }
    const mask = or(last.mask, f.mask);
    const value = or(last.value, f.value);
    fields[n - 1] = mask === allOnes(f.field) ? { field: f.field, value } : { field: f.field, value, mask };
  }
  fields.length = n;
  return fields;
}

/**
 * A meter action at the head of apply_actions becomes a meter instruction, empty instructions of actions vanish,
 * instructions are in the order of their execution, actions in the one form that the rules give.
 */
export function canonicalInstructions(list: readonly Instruction[]): readonly Instruction[] {
  const result: Instruction[] = [];
  for (const i of list) {
    if (i.type === 'apply_actions') {
      let actions = canonicalActions(i.actions);
      while (actions[0]?.type === 'meter') {
        result.push({ type: 'meter', meterId: actions[0].meterId });
        actions = actions.slice(1);
      }
      if (actions.length > 0) result.push({ type: 'apply_actions', actions });
    } else if (i.type === 'write_actions') {
      if (i.actions.length > 0) result.push({ type: 'write_actions', actions: canonicalActions(i.actions) });
    } else result.push(i);
  }
  return result.length > 1 ? result.sort((a, b) => ORDER[a.type] - ORDER[b.type]) : result;
}
/** OpenFlow 1.3.5 §5.9: the order in which instructions are executed. */
export const ORDER: Readonly<Record<Instruction['type'], number>> = {
  meter: 0,
  apply_actions: 1,
  clear_actions: 2,
  write_actions: 3,
  write_metadata: 4,
  stat_trigger: 5,
  goto_table: 6,
  raw: 7,
};

/** Actions in one form: full masks dropped, equivalents replaced. Nested lists are left to the rules. */
export function canonicalActions(actions: readonly Action[]): readonly Action[] {
  const result: Action[] = [];
  for (const a of actions) {
    const replaced = actionRules.get(a.type)?.(a);
    if (replaced === undefined) result.push(plainSetField(a));
    else for (const r of replaced) result.push(plainSetField(r));
  }
  return result;
}

/** Without a mask of all ones. */
export function plainSetField(a: Action): Action {
  if (a.type !== 'set_field' || a.mask === undefined || a.mask !== allOnes(a.field)) return a;
  return { type: 'set_field', field: a.field, value: a.value };
}
