/** Flows: `table=3,priority=5,tcp,nw_dst=10.0.0.1 actions=output:2`. */
import type { OfpVersion } from '../types/field.js';
import type { FlowMod, FlowModCommand } from '../types/message.js';
import { OFP_NO_BUFFER, OFPFF, OFPG_ANY, OFPP, OFPTT_ALL } from '../types/message.js';
import type { FlowStats } from '../types/multipart.js';
import { formatInstructions, parseInstructions } from './actions.js';
import { DEFAULT_PRIORITY, formatMatch } from './match-format.js';
import { MatchBuilder } from './match-parse.js';
import { formatPort, parseGroupId, parsePort } from './ports.js';
import { integer, required, small, TextError, type Word, words } from './scanner.js';
import { formatDuration, hex, ones } from './values.js';

/** Bits of OFPFF_* and their words. */
const FLAGS: readonly (readonly [string, number])[] = [
  ['send_flow_rem', OFPFF.SEND_FLOW_REM],
  ['check_overlap', OFPFF.CHECK_OVERLAP],
  ['reset_counts', OFPFF.RESET_COUNTS],
  ['no_packet_counts', OFPFF.NO_PKT_COUNTS],
  ['no_byte_counts', OFPFF.NO_BYT_COUNTS],
];

const COMMANDS: Readonly<Record<FlowModCommand, string>> = {
  add: 'ADD',
  modify: 'MOD',
  modify_strict: 'MOD_STRICT',
  delete: 'DEL',
  delete_strict: 'DEL_STRICT',
};

function flagWords(flags: number): string {
  return FLAGS.filter(([, bit]) => flags & bit)
    .map(([word]) => `${word} `)
    .join('');
}

/** A flow_mod as ovs-ofctl prints it: `ADD table:3 priority=5,in_port=1 actions=output:2`. */
export function formatFlowMod(f: FlowMod): string {
  let s = `${COMMANDS[f.command]} `;
  if (f.table !== 0) s += `table:${f.table} `;
  s += formatMatch(f.match, f.priority);
  if (!s.endsWith(' ')) s += ' ';
  const mask = f.cookieMask ?? 0n;
  if (f.command === 'add' && f.cookie !== 0n && f.cookie !== ones(64)) s += `cookie:${hex(f.cookie)} `;
  if (f.command !== 'add' && mask !== 0n) s += `cookie:${hex(f.cookie)}/${hex(mask)} `;
  if (f.idleTimeout) s += `idle:${f.idleTimeout} `;
  if (f.hardTimeout) s += `hard:${f.hardTimeout} `;
  if (f.importance) s += `importance:${f.importance} `;
  if (f.bufferId !== undefined && f.bufferId !== OFP_NO_BUFFER) s += `buf:${hex(f.bufferId)} `;
  if (f.outPort !== undefined && f.outPort !== OFPP.ANY && f.outPort !== 0)
    s += `out_port:${formatPort(f.outPort)} `;
  return `${s}${flagWords(f.flags ?? 0)}actions=${formatInstructions(f.instructions)}`;
}

/** A flow as in `ovs-ofctl dump-flows`, with its counters. */
export function formatFlowStats(f: FlowStats): string {
  let s = `cookie=0x${f.cookie.toString(16)}, duration=${formatDuration(f.durationSec, f.durationNsec)}, `;
  s += `table=${f.table}, `;
  if (f.packetCount !== undefined) s += `n_packets=${f.packetCount}, `;
  if (f.byteCount !== undefined) s += `n_bytes=${f.byteCount}, `;
  if (f.idleTimeout) s += `idle_timeout=${f.idleTimeout}, `;
  if (f.hardTimeout) s += `hard_timeout=${f.hardTimeout}, `;
  s += flagWords(f.flags);
  if (f.importance) s += `importance=${f.importance}, `;
  if (f.idleSec !== undefined) s += `idle_age=${f.idleSec}, `;
  return `${s}${flowText(f.priority, f)}`;
}

/** What of a flow is the same each time it is asked for: for logs, tests, comparisons. */
export function formatFlow(f: FlowMod | FlowStats): string {
  const parts: string[] = [];
  if (f.cookie !== 0n) parts.push(`cookie=${hex(f.cookie)}`);
  parts.push(`table=${f.table}`);
  if (f.idleTimeout) parts.push(`idle_timeout=${f.idleTimeout}`);
  if (f.hardTimeout) parts.push(`hard_timeout=${f.hardTimeout}`);
  if (f.importance) parts.push(`importance=${f.importance}`);
  for (const [word, bit] of FLAGS) if ((f.flags ?? 0) & bit) parts.push(word);
  const match = formatMatch(f.match, f.priority);
  if (match !== '') parts.push(match);
  return `${parts.join(',')} actions=${formatInstructions(f.instructions)}`;
}

function flowText(priority: number, f: Pick<FlowMod, 'match' | 'instructions'>): string {
  const match = formatMatch(f.match, priority);
  return `${match}${match === '' ? '' : ' '}actions=${formatInstructions(f.instructions)}`;
}

export interface ParseFlowOptions {
  /** Default: add, or what a leading word of the text says. */
  readonly command?: FlowModCommand;
  /** Encode as ovs-ofctl does in that version: order of fields, registers, masked set_field. */
  readonly version?: OfpVersion;
}

/** Parses a flow as `ovs-ofctl add-flow` takes it; `modify …`, `delete_strict …` in front give the command. */
export function parseFlow(text: string, options: ParseFlowOptions = {}): FlowMod {
  const { command, rest, at } = leadingCommand(text, options.command ?? 'add');
  const found = ACTIONS.exec(rest);
  const head = found === null ? rest : rest.slice(0, found.index);
  const flow = new FlowWords(command);
  for (const word of words(head, at)) flow.take(word);
  if (found === null) {
    if (!command.startsWith('delete')) throw new TextError(text.length + 1, 'actions=… expected');
    return flow.build([], options.version);
  }
  const from = found.index + found[0].length;
  const context = {
    version: options.version,
    hasVlan: flow.match.hasVlan,
    protocol: flow.match.protocol,
  };
  return flow.build(parseInstructions(rest.slice(from), context, at + from), options.version);
}

/** `actions=` at the beginning of a word. */
const ACTIONS = /(?<![^\s,])actions?\s*=/;

function leadingCommand(
  text: string,
  fallback: FlowModCommand,
): { command: FlowModCommand; rest: string; at: number } {
  const m = /^\s*(add|modify_strict|modify|delete_strict|delete)(?=\s|$)\s*/.exec(text);
  if (!m) return { command: fallback, rest: text, at: 0 };
  return { command: m[1] as FlowModCommand, rest: text.slice(m[0].length), at: m[0].length };
}

class FlowWords {
  readonly match = new MatchBuilder();
  #table: number | undefined;
  #priority = DEFAULT_PRIORITY;
  #cookie = 0n;
  #cookieMask = 0n;
  #idleTimeout = 0;
  #hardTimeout = 0;
  #importance = 0;
  #flags = 0;
  #outPort: number = OFPP.ANY;
  #outGroup: number = OFPG_ANY;
  #bufferId: number | undefined;

  constructor(readonly command: FlowModCommand) {}

  take(word: Word): void {
    const flag = FLAGS.find(([name]) => name === word.key);
    if (flag && word.value === undefined) {
      this.#flags |= flag[1];
      return;
    }
    if (!this.#parameter(word) && !this.match.word(word))
      throw new TextError(word.at + 1, `unknown keyword "${word.key}"`);
  }

  #parameter(word: Word): boolean {
    const number = (max: number) => small(required(word), word.valueAt, max, word.key);
    switch (word.key) {
      case 'table':
        this.#table = number(OFPTT_ALL);
        return true;
      case 'priority':
        this.#priority = number(0xffff);
        return true;
      case 'idle_timeout':
        this.#idleTimeout = number(0xffff);
        return true;
      case 'hard_timeout':
        this.#hardTimeout = number(0xffff);
        return true;
      case 'importance':
        this.#importance = number(0xffff);
        return true;
      case 'buffer_id':
        this.#bufferId = number(0xffffffff);
        return true;
      case 'out_port':
        this.#outPort = parsePort(required(word), word.valueAt);
        return true;
      case 'out_group':
        this.#outGroup = parseGroupId(required(word), word.valueAt);
        return true;
      case 'cookie':
        this.#takeCookie(word);
        return true;
      default:
        // What a dump says of a flow's past, so that its lines can be parsed.
        return /^(duration|n_packets|n_bytes|idle_age|hard_age)$/.test(word.key) && word.value !== undefined;
    }
  }

  #takeCookie(word: Word): void {
    const [value, mask] = required(word).split('/');
    this.#cookie = integer(value!, word.valueAt, ones(64), 'cookie');
    if (mask === undefined) return;
    if (this.command === 'add')
      throw new TextError(word.valueAt + 1, 'an added flow has a cookie without a mask');
    this.#cookieMask =
      mask === '-1' ? ones(64) : integer(mask, word.valueAt + value!.length + 1, ones(64), 'mask');
  }

  build(instructions: FlowMod['instructions'], version: OfpVersion | undefined): FlowMod {
    const isDelete = this.command.startsWith('delete');
    return {
      type: 'flow_mod',
      command: this.command,
      table: this.#table ?? (isDelete ? OFPTT_ALL : 0),
      priority: this.#priority,
      cookie: this.command === 'add' ? this.#cookie : this.#cookie & this.#cookieMask,
      ...(this.#cookieMask === 0n ? {} : { cookieMask: this.#cookieMask }),
      ...(this.#idleTimeout === 0 ? {} : { idleTimeout: this.#idleTimeout }),
      ...(this.#hardTimeout === 0 ? {} : { hardTimeout: this.#hardTimeout }),
      ...(this.#importance === 0 ? {} : { importance: this.#importance }),
      ...(this.#bufferId === undefined ? {} : { bufferId: this.#bufferId }),
      ...(this.#outPort === OFPP.ANY ? {} : { outPort: this.#outPort }),
      ...(this.#outGroup === OFPG_ANY ? {} : { outGroup: this.#outGroup }),
      ...(this.#flags === 0 ? {} : { flags: this.#flags }),
      match: this.match.build(version),
      instructions,
    };
  }
}
