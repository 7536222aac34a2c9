/** Lists of actions: the frame around each, OpenFlow 1.3.5 §7.2.5. The actions themselves are registered. */
import { OfpEncodeError } from './bytes/errors.js';
import type { Reader } from './bytes/reader.js';
import type { Writer } from './bytes/writer.js';
import { type AnyActionForm, actionFormFor, experimenterAction, standardAction } from './registry.js';
import type { Action } from './types/action.js';
import type { OfpVersion } from './types/field.js';

const OFPAT_EXPERIMENTER = 0xffff;

/** Writes one action with header, padding and length. */
export function encodeAction(w: Writer, action: Action, version: OfpVersion): void {
  if (action.type === 'raw') {
    if (action.bytes.length % 8 !== 0 || action.bytes.length < 8)
      throw new OfpEncodeError('out-of-range', 'raw', 'an action is a multiple of 8 bytes');
    w.bytes(action.bytes);
    return;
  }
  const form = actionFormFor(action, version);
  const start = w.pos;
  const id = form.id;
  if ('standard' in id) w.word(id.standard << 16);
  else {
    w.word(0xffff0000);
    w.u32(id.experimenter);
    w.u16(id.subtype);
  }
  form.encode(w, action, version);
  w.align8(start);
  w.patchLength16(start + 2, start, action.type);
}

export function encodeActions(w: Writer, actions: readonly Action[], version: OfpVersion): void {
  for (let i = 0; i < actions.length; i++) encodeAction(w, actions[i]!, version);
}

/** Actions up to the end of `r`. Unknown ones are kept raw. */
export function decodeActions(r: Reader, version: OfpVersion): Action[] {
  if (r.pos === r.end) return [];
  r.descend('actions');
  const first = decodeAction(r, version, 0);
  // A short list as a literal: the first push would reserve room for 17.
  const actions = r.pos === r.end ? [first] : [first, decodeAction(r, version, 1)];
  for (let i = 2; r.pos < r.end; i++) actions.push(decodeAction(r, version, i));
  r.ascend();
  return actions;
}

function decodeAction(r: Reader, version: OfpVersion, index: number): Action {
  const start = r.pos;
  const head = r.u32('action');
  const type = head >>> 16;
  const length = head & 0xffff;
  if (length < 8 || (length & 7) !== 0)
    throw r.fail('bad-length', `action length ${length}`, start + 2, `actions[${index}].len`);
  const outer = r.enter(length - 4, 'actions', index);
  const form =
    type === OFPAT_EXPERIMENTER ? experimenterForm(r, length, version) : standardAction(type, version);
  const action = form?.decode(r, version);
  if (action === undefined) r.pos = start;
  else padding(r);
  const known = action ?? ({ type: 'raw', bytes: r.bytes(length) } as const);
  r.leave(outer);
  return known;
}

function experimenterForm(r: Reader, length: number, version: OfpVersion): AnyActionForm | undefined {
  return length < 16 ? undefined : experimenterAction(r.u32(), r.u16(), version);
}

function padding(r: Reader): void {
  const left = r.end - r.pos;
  if (left === 0) return;
  if (left >= 8) throw r.fail('bad-length', `${left} bytes too many`);
  r.zero(left);
}
