/**
 * Text that is equal exactly where canonical forms are equal. Made without making the canonical forms: a node that
 * starts with 100,000 flows in its switch would spend most of its time on objects that are thrown away at once.
 */
import { canonicalMatch, formOf, isSynonym, ORDER, plainSetField, ruleOf } from './canonical.js';
import type { Action, Instruction } from './types/action.js';
import type { Field, Match, Subfield } from './types/field.js';

/** What identifies a flow: equal for equal tables, priorities and canonical matches. */
export function matchKey(table: number, priority: number, match: Match): string {
  let key = `${table},${priority}`;
  for (const f of canonicalMatch(match)) {
    if (f.field === null) key += `,x${hex(f.raw)}`;
    else {
      key += `,${f.field.index}=${f.value}`;
      if (f.mask !== undefined) key += `/${f.mask}`;
    }
  }
  return key;
}

/** Whether two lists have the same canonical form: cheap where they are written alike, as most are. */
export function sameInstructions(a: readonly Instruction[], b: readonly Instruction[]): boolean {
  return isAlike(a, b) || instructionsKey(a) === instructionsKey(b);
}

/** Arrays and objects with equal contents. An action may leave out what has its default. */
function isAlike(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false;
  if (Array.isArray(a)) {
    if (!Array.isArray(b) || a.length !== b.length) return false;
    for (let i = 0; i < a.length; i++) if (!isAlike(a[i], b[i])) return false;
    return true;
  }
  const one = a as Properties;
  const other = b as Properties;
  const defaults = formOf(one.type as Action['type'])?.defaults as Properties | undefined;
  for (const name in one) {
    if (isAlike(one[name], other[name])) continue;
    if (name === 'type' ? !isSynonym(one.type, other.type) : !isAbsent(name, one) || !isAbsent(name, other))
      return false;
  }
  for (const name in other) if (!(name in one) && !isAbsent(name, other)) return false;
  return true;

  function isAbsent(name: string, object: Properties): boolean {
    const value = object[name];
    return value === undefined || (defaults !== undefined && (value === false || value === defaults[name]));
  }
}

/** The slots of a pool repeat a few lists in no order: more than a pool usually has members. */
const RECENT = 32;
const recentLists = new Array<readonly Instruction[] | undefined>(RECENT).fill(undefined);
const recentKeys = new Array<string>(RECENT).fill('');
let oldest = 0;

/** Equal for equal canonical instructions. */
export function instructionsKey(list: readonly Instruction[]): string {
  for (let i = 0; i < RECENT; i++) if (recentLists[i] === list) return recentKeys[i]!;
  const key = makeKey(list);
  recentLists[oldest] = list;
  recentKeys[oldest] = key;
  oldest = (oldest + 1) % RECENT;
  return key;
}

/** As `canonicalInstructions` orders them. */
function makeKey(list: readonly Instruction[]): string {
  const parts: { readonly order: number; readonly text: string }[] = [];
  const add = (order: number, text: string) => parts.push({ order, text });
  for (const i of list) {
    if (i.type === 'goto_table') add(ORDER.goto_table, `goto ${i.table};`);
    else if (i.type === 'meter') add(ORDER.meter, `meter ${i.meterId};`);
    else if (i.type === 'apply_actions') {
      const actions = actionsText(i.actions, (meterId) => add(ORDER.meter, `meter ${meterId};`));
      if (actions !== '') add(ORDER.apply_actions, `apply ${actions};`);
    } else if (i.type === 'write_actions') {
      if (i.actions.length > 0) add(ORDER.write_actions, `write ${actionsText(i.actions)};`);
    } else add(ORDER[i.type], textOf(i));
  }
  if (parts.some((part, n) => n > 0 && parts[n - 1]!.order > part.order))
    parts.sort((a, b) => a.order - b.order);
  let key = '';
  for (const { text } of parts) key += text;
  return key;
}

/** @param atHead takes meter actions that nothing precedes */
function actionsText(actions: readonly Action[], atHead?: (meterId: number) => void): string {
  let key = '';
  for (const a of actions) {
    if (a.type === 'meter' && key === '' && atHead) atHead(a.meterId);
    else key += actionText(a);
  }
  return key;
}

function actionText(a: Action): string {
  const form = formOf(a.type);
  if (form) return objectText(a, form.replaced?.(a), form.defaults);
  const replaced = ruleOf(a.type)?.(a);
  if (replaced === undefined) return plainText(a);
  let key = '';
  for (const r of replaced) key += plainText(r);
  return key;
}

function plainText(action: Action): string {
  const a = plainSetField(action);
  if (a.type !== 'set_field') return objectText(a);
  return a.mask === undefined ? `f${a.field.index}=${a.value},` : `f${a.field.index}=${a.value}/${a.mask},`;
}

type Properties = Readonly<Record<string, unknown>>;

/** Names of properties by the type of the object, in one order whatever the order in an object. */
const names = new Map<unknown, string[]>();

/**
 * @param replaced properties that stand for those of `object`
 * @param defaults values that mean the same as an absent property, as `false` does
 */
function objectText(object: object, replaced?: object, defaults?: object): string {
  const own = object as Properties;
  const other = replaced as Properties | undefined;
  const usual = defaults as Properties | undefined;
  let key = '{';
  for (const name of namesOf(own)) {
    const value = other !== undefined && name in other ? other[name] : own[name];
    if (value === undefined) continue;
    if (usual !== undefined && (value === false || value === usual[name])) continue;
    key += `${name}:${textOf(value)};`;
  }
  return `${key}}`;
}

function namesOf(object: Properties): readonly string[] {
  let known = names.get(object.type);
  if (known === undefined) {
    known = [];
    names.set(object.type, known);
  }
  for (const name in object) if (!known.includes(name)) known.push(name);
  return known;
}

function textOf(value: unknown): string {
  if (typeof value !== 'object' || value === null) return String(value);
  if (value instanceof Uint8Array) return `x${hex(value)}`;
  if (Array.isArray(value)) {
    let key = '[';
    for (const item of value) key += `${textOf(item)},`;
    return `${key}]`;
  }
  const { field, ofs, nBits } = value as Partial<Subfield>;
  if (field !== undefined && ofs !== undefined && nBits !== undefined)
    return `f${field.index}+${ofs}:${nBits}`;
  return isField(value) ? `f${value.index}` : objectText(value);
}

function isField(value: object): value is Field {
  return 'ids' in value && 'wire' in value;
}

function hex(bytes: Uint8Array): string {
  let s = '';
  for (const b of bytes) s += b.toString(16).padStart(2, '0');
  return s;
}
