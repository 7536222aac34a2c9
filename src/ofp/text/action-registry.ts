/** How actions are printed and parsed, by type and by word; extensions add theirs. */
import type { Action, ActionOf, ActionType } from '../types/action.js';
import type { OfpVersion } from '../types/field.js';
import type { Word } from './scanner.js';

/** What surrounds an action that is parsed. */
export interface ActionContext {
  /** Write what ovs-ofctl sends in that version, where a text has several encodings. */
  readonly version?: OfpVersion | undefined;
  /** The flow matches packets with a VLAN header. */
  readonly hasVlan?: boolean;
  /** IP protocol that the flow matches. */
  readonly protocol?: number | undefined;
  /** Lists of actions around this one. */
  readonly depth?: number;
}

export interface ActionText<K extends ActionType> {
  print(action: ActionOf<K>): string;
  /** Words that this action is written with, and what they give. */
  readonly words?: Readonly<Record<string, (word: Word, context: ActionContext) => Action[]>>;
}

type AnyPrint = (action: Action) => string;
type AnyParse = (word: Word, context: ActionContext) => Action[];
const printers = new Map<string, AnyPrint>();
const parsers = new Map<string, AnyParse>();

/** Makes an action's text known. Throws on a type or a word that is taken. */
export function registerActionText<K extends ActionType>(type: K, text: ActionText<K>): void {
  if (printers.has(type)) throw new Error(`text of action ${type} defined twice`);
  printers.set(type, text.print as unknown as AnyPrint);
  for (const [word, parse] of Object.entries(text.words ?? {})) {
    if (parsers.has(word)) throw new Error(`action word ${word} defined twice`);
    parsers.set(word, parse);
  }
}

export function printerOf(type: string): AnyPrint | undefined {
  return printers.get(type);
}

export function parserOf(word: string): AnyParse | undefined {
  return parsers.get(word);
}
