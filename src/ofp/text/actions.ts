/** Lists of actions and instructions: `set_field:1->reg0,resubmit(,5)`. */
import { MAX_DEPTH } from '../bytes/reader.js';
import type { Action, Instruction } from '../types/action.js';
import { type ActionContext, parserOf, printerOf } from './action-registry.js';
import { portNumber } from './ports.js';
import { integer, required, small, TextError, type Word, words } from './scanner.js';
import './standard-actions.js';
import { hex, ones, toHex } from './values.js';

/** `output:1,output:2`; nothing: `drop`. */
export function formatActions(actions: readonly Action[]): string {
  return actions.length === 0 ? 'drop' : actions.map(formatAction).join(',');
}

export function formatAction(action: Action): string {
  const print = printerOf(action.type);
  if (print !== undefined) return print(action);
  return action.type === 'raw' ? `raw(0x${toHex(action.bytes)})` : action.type;
}

/** Parses a list of actions. `at`: offset of the text in the whole, for columns in errors. */
export function parseActions(text: string, context: ActionContext = {}, at = 0): Action[] {
  const depth = (context.depth ?? 0) + 1;
  if (depth > MAX_DEPTH) throw new TextError(at + 1, `more than ${MAX_DEPTH} levels`);
  return words(text, at).flatMap((word) => parseAction(word, { ...context, depth }));
}

function parseAction(word: Word, context: ActionContext): Action[] {
  const parse = parserOf(word.key);
  if (parse !== undefined) return parse(word, context);
  if (word.value === undefined) {
    if (word.key === 'drop') return [];
    const port = portNumber(word.key);
    if (port !== undefined) return [{ type: 'output', port }];
  }
  throw new TextError(word.at + 1, `unknown action "${word.key}"`);
}

/** Instructions in the order in which they take effect. */
const ORDER = [
  'meter',
  'apply_actions',
  'clear_actions',
  'write_actions',
  'stat_trigger',
  'raw',
  'write_metadata',
  'goto_table',
];

/** `meter:1,output:2,goto_table:3`; nothing: `drop`. */
export function formatInstructions(list: readonly Instruction[]): string {
  const sorted = [...list].sort((a, b) => ORDER.indexOf(a.type) - ORDER.indexOf(b.type));
  return (
    sorted
      .map(formatInstruction)
      .filter((text) => text !== '')
      .join(',') || 'drop'
  );
}

function formatInstruction(i: Instruction): string {
  switch (i.type) {
    case 'meter':
      return `meter:${i.meterId}`;
    case 'apply_actions':
      return i.actions.map(formatAction).join(',');
    case 'clear_actions':
      return 'clear_actions';
    case 'write_actions':
      return `write_actions(${formatActions(i.actions)})`;
    case 'write_metadata':
      return `write_metadata:${hex(i.metadata)}${i.mask === ones(64) ? '' : `/${hex(i.mask)}`}`;
    case 'goto_table':
      return `goto_table:${i.table}`;
    case 'stat_trigger':
      return `stat_trigger(flags=${i.flags},stats=0x${toHex(i.stats)})`;
    case 'raw':
      return `raw_instruction(0x${toHex(i.bytes)})`;
  }
}

/** Parses actions and instructions in one list, as flows have them. */
export function parseInstructions(text: string, context: ActionContext = {}, at = 0): Instruction[] {
  const actions: Action[] = [];
  const others: Instruction[] = [];
  for (const word of words(text, at)) {
    const instruction = parseInstruction(word, context);
    if (instruction === undefined) actions.push(...parseAction(word, context));
    else if (others.some((i) => i.type === instruction.type))
      throw new TextError(word.at + 1, `${word.key} is there twice`);
    else others.push(instruction);
  }
  const list = actions.length === 0 ? others : [...others, { type: 'apply_actions' as const, actions }];
  return list.sort((a, b) => ORDER.indexOf(a.type) - ORDER.indexOf(b.type));
}

function parseInstruction(word: Word, context: ActionContext): Instruction | undefined {
  switch (word.key) {
    case 'goto_table':
      return { type: 'goto_table', table: small(required(word), word.valueAt, 254, 'table') };
    case 'meter':
      return { type: 'meter', meterId: small(required(word), word.valueAt) };
    case 'clear_actions':
      return { type: 'clear_actions' };
    case 'write_actions':
      return { type: 'write_actions', actions: parseActions(required(word), context, word.valueAt) };
    case 'write_metadata': {
      const [value, mask] = required(word).split('/');
      const metadata = integer(value!, word.valueAt, ones(64));
      const all = mask === undefined || mask === '-1';
      return {
        type: 'write_metadata',
        metadata,
        mask: all ? ones(64) : integer(mask, word.valueAt + value!.length + 1, ones(64)),
      };
    }
    default:
      return undefined;
  }
}
