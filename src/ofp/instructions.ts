/** Instructions, OpenFlow 1.3.5 §7.2.4, 1.5.1 §7.2.5. */
import { decodeActions, encodeActions } from './actions.js';
import { OfpEncodeError } from './bytes/errors.js';
import type { Reader } from './bytes/reader.js';
import type { Writer } from './bytes/writer.js';
import { instructionsHash, sharedInstructions, shareInstructions } from './shared-instructions.js';
import type { Action, Instruction } from './types/action.js';
import type { OfpVersion } from './types/field.js';
import { OFP15 } from './types/field.js';

/** OFPIT_* */
export const OFPIT = {
  GOTO_TABLE: 1,
  WRITE_METADATA: 2,
  WRITE_ACTIONS: 3,
  APPLY_ACTIONS: 4,
  CLEAR_ACTIONS: 5,
  METER: 6,
  STAT_TRIGGER: 7,
} as const;

/**
 * Writes instructions in the given order. A meter instruction becomes, on OpenFlow 1.5, a meter action at the
 * head of the apply_actions instruction, as OVS does.
 */
export function encodeInstructions(w: Writer, list: readonly Instruction[], version: OfpVersion): void {
  if (version === OFP15) list = metersAsActions(list);
  for (let i = 0; i < list.length; i++) encodeInstruction(w, list[i]!, version);
}

function metersAsActions(list: readonly Instruction[]): readonly Instruction[] {
  let meters: Action[] | undefined;
  for (const i of list) {
    if (i.type === 'meter') {
      meters ??= [];
      meters.push({ type: 'meter', meterId: i.meterId });
    }
  }
  if (meters === undefined) return list;
  const head = meters;
  const rest: Instruction[] = [];
  let placed = false;
  for (const i of list) {
    if (i.type === 'meter') continue;
    if (i.type === 'apply_actions' && !placed) {
      rest.push({ type: 'apply_actions', actions: [...head, ...i.actions] });
      placed = true;
    } else rest.push(i);
  }
  return placed ? rest : [{ type: 'apply_actions', actions: head }, ...rest];
}

function encodeInstruction(w: Writer, i: Instruction, version: OfpVersion): void {
  switch (i.type) {
    case 'goto_table':
      w.word((OFPIT.GOTO_TABLE << 16) | 8);
      w.u8(i.table);
      w.zero(3);
      return;
    case 'write_metadata':
      w.word((OFPIT.WRITE_METADATA << 16) | 24);
      w.u32(0);
      w.u64(i.metadata);
      w.u64(i.mask);
      return;
    case 'write_actions':
      encodeActionsInstruction(w, OFPIT.WRITE_ACTIONS, i.actions, version);
      return;
    case 'apply_actions':
      encodeActionsInstruction(w, OFPIT.APPLY_ACTIONS, i.actions, version);
      return;
    case 'clear_actions':
      w.word((OFPIT.CLEAR_ACTIONS << 16) | 8);
      w.u32(0);
      return;
    case 'meter':
      w.word((OFPIT.METER << 16) | 8);
      w.u32(i.meterId);
      return;
    case 'stat_trigger': {
      if (version < OFP15) throw new OfpEncodeError('unsupported', 'stat_trigger', 'OpenFlow 1.5 is needed');
      const start = w.pos;
      w.word(OFPIT.STAT_TRIGGER << 16);
      w.u32(i.flags);
      w.bytes(i.stats);
      w.align8(start);
      w.patchLength16(start + 2, start, 'stat_trigger');
      return;
    }
    case 'raw':
      w.bytes(i.bytes);
      return;
  }
}

function encodeActionsInstruction(
  w: Writer,
  type: number,
  actions: readonly Action[],
  version: OfpVersion,
): void {
  const start = w.pos;
  w.word(type << 16);
  w.u32(0);
  encodeActions(w, actions, version);
  w.patchLength16(start + 2, start, 'actions');
}

/** Instructions up to the end of `r`. Unknown ones, and experimenters', are kept raw. Lists may be shared. */
export function decodeInstructions(r: Reader, version: OfpVersion): readonly Instruction[] {
  const hash = instructionsHash(r);
  if (hash === 0) return decodeOwnInstructions(r, version);
  const shared = sharedInstructions(r, version, hash);
  if (shared !== undefined) return shared;
  const start = r.pos;
  const list = decodeOwnInstructions(r, version);
  shareInstructions(r, start, version, hash, list);
  return list;
}

/** As {@link decodeInstructions}; the list is the caller's own. */
export function decodeOwnInstructions(r: Reader, version: OfpVersion): Instruction[] {
  // Short lists as literals: the first push would reserve room for 17.
  if (r.pos >= r.end) return [];
  const first = decodeInstruction(r, version, 0);
  if (r.pos >= r.end) return [first];
  const list = [first, decodeInstruction(r, version, 1)];
  for (let i = 2; r.pos < r.end; i++) list.push(decodeInstruction(r, version, i));
  return list;
}

function decodeInstruction(r: Reader, version: OfpVersion, index: number): Instruction {
  const start = r.pos;
  const head = r.u32('instructions');
  const length = head & 0xffff;
  if (length < 8 || (length & 7) !== 0)
    throw r.fail('bad-length', `instruction length ${length}`, start + 2, `instructions[${index}].len`);
  const outer = r.enter(length - 4, 'instructions', index);
  let instruction = decodeBody(r, head >>> 16, version);
  if (instruction === undefined) {
    r.pos = start;
    instruction = { type: 'raw', bytes: r.bytes(length) };
  } else if (r.pos !== r.end) throw r.fail('bad-length', `${r.left} bytes too many`);
  r.leave(outer);
  return instruction;
}

function decodeBody(r: Reader, type: number, version: OfpVersion): Instruction | undefined {
  switch (type) {
    case OFPIT.GOTO_TABLE: {
      const word = r.u32('table_id');
      if ((word & 0xffffff) !== 0) r.zeroAt(r.pos - 3, 3);
      return { type: 'goto_table', table: word >>> 24 };
    }
    case OFPIT.WRITE_METADATA:
      r.zero(4);
      return { type: 'write_metadata', metadata: r.u64(), mask: r.u64() };
    case OFPIT.WRITE_ACTIONS:
      r.zero(4);
      return { type: 'write_actions', actions: decodeActions(r, version) };
    case OFPIT.APPLY_ACTIONS:
      r.zero(4);
      return { type: 'apply_actions', actions: decodeActions(r, version) };
    case OFPIT.CLEAR_ACTIONS:
      r.zero(4);
      return { type: 'clear_actions' };
    case OFPIT.METER:
      return version >= OFP15 ? undefined : { type: 'meter', meterId: r.u32() };
    case OFPIT.STAT_TRIGGER: {
      if (version < OFP15) return undefined;
      const flags = r.u32();
      const at = r.pos;
      r.skip(2);
      const length = r.u16();
      if (length < 4) throw r.fail('bad-length', `stats length ${length}`, at + 2, 'stats');
      r.pos = at;
      const stats = r.bytes(length, 'stats');
      r.zero(r.left);
      return { type: 'stat_trigger', flags, stats };
    }
    default:
      return undefined;
  }
}
