/**
 * Instruction lists that were decoded before. The slots of one member do the same, so a dump repeats few lists many
 * times: finding one costs a third of decoding it, and flows that share it take less memory.
 */
import type { Reader } from './bytes/reader.js';
import type { Instruction } from './types/action.js';
import type { OfpVersion } from './types/field.js';

/** Longer lists repeat too seldom to be worth a copy of their bytes. */
const MAX_BYTES = 64;
const PLACES = 256;

interface Known {
  readonly version: OfpVersion;
  readonly words: Int32Array;
  readonly list: readonly Instruction[];
}

const known = new Array<Known | undefined>(PLACES).fill(undefined);
/** What was seen last at each place: only a list that comes again is kept. */
const seen = new Int32Array(PLACES);

/** The hash of the bytes up to the end of `r`; 0 where they are too many. */
export function instructionsHash(r: Reader): number {
  const { view, pos, end } = r;
  const n = end - pos;
  if (n > MAX_BYTES || (n & 3) !== 0) return 0;
  let h = n;
  for (let at = pos; at < end; at += 4) h = Math.imul(h ^ view.getInt32(at), 0x9e3779b1) ^ (h >>> 15);
  return h;
}

/** The list with exactly these bytes, if there is one; then `r` is at its end. */
export function sharedInstructions(
  r: Reader,
  version: OfpVersion,
  hash: number,
): readonly Instruction[] | undefined {
  const entry = known[hash & (PLACES - 1)];
  if (entry === undefined || entry.version !== version) return undefined;
  const { words } = entry;
  const { view, pos } = r;
  if (words.length << 2 !== r.end - pos) return undefined;
  for (let i = 0; i < words.length; i++) if (view.getInt32(pos + (i << 2)) !== words[i]) return undefined;
  r.pos = r.end;
  return entry.list;
}

/** Keeps a list that was decoded from `start` to the position of `r`, when it comes for the second time. */
export function shareInstructions(
  r: Reader,
  start: number,
  version: OfpVersion,
  hash: number,
  list: readonly Instruction[],
): void {
  const place = hash & (PLACES - 1);
  if (seen[place] !== hash) {
    seen[place] = hash;
    return;
  }
  if (!list.every(isPlain)) return;
  const words = new Int32Array((r.pos - start) >> 2);
  for (let i = 0; i < words.length; i++) words[i] = r.view.getInt32(start + (i << 2));
  known[place] = { version, words, list };
}

/** Without parts of the message's own bytes, which a shared list would keep alive. */
function isPlain(instruction: Instruction): boolean {
  if (instruction.type === 'goto_table') return true;
  return (
    instruction.type === 'apply_actions' &&
    instruction.actions.every(
      (action) =>
        action.type === 'output' || (action.type === 'set_field' && typeof action.value !== 'object'),
    )
  );
}
