/**
 * Registers overlap: xregN is reg2N (upper half) and reg2N+1, xxregN is reg4N … reg4N+3. On OpenFlow 1.5 Open vSwitch
 * prints a match on reg3 as a masked match on xreg1. For comparisons everything is brought to 32-bit registers.
 */
import type { Field, FieldValue, MatchField, Subfield } from '../ofp/types/field.js';
import { regs, xregs, xxregs } from './fields.js';

const REG_BITS = 32;
const ONES = 0xffff_ffff;

/** By wide register: its 32-bit registers, least significant first. */
const parts = new Map<Field, readonly Field[]>();
xregs.forEach((f, i) => {
  parts.set(f, [regs[2 * i + 1]!, regs[2 * i]!]);
});
xxregs.forEach((f, i) => {
  parts.set(f, [regs[4 * i + 3]!, regs[4 * i + 2]!, regs[4 * i + 1]!, regs[4 * i]!]);
});

/**
 * A value (under a mask) of a wide register as those of reg fields, most significant first; parts that the mask
 * leaves out are dropped. Any other field: itself.
 */
export function splitRegister<T extends { field: Field; value: FieldValue; mask?: FieldValue }>(
  f: T,
): readonly (T | MatchField)[] {
  const fields = parts.get(f.field);
  if (fields === undefined) return [f];
  toWords(BigInt(f.value), valueWords);
  if (f.mask !== undefined) toWords(BigInt(f.mask), maskWords);
  const out: MatchField[] = [];
  for (let i = fields.length - 1; i >= 0; i--) {
    const field = fields[i]!;
    const value = valueWords.getUint32(WORD_BYTES * i, true);
    const mask = f.mask === undefined ? ONES : maskWords.getUint32(WORD_BYTES * i, true);
    if (mask === ONES) out.push({ field, value });
    else if (mask !== 0) out.push({ field, value, mask });
  }
  return out;
}

const WORD_BYTES = 4;
const valueWords = new DataView(new ArrayBuffer(4 * WORD_BYTES));
const maskWords = new DataView(new ArrayBuffer(4 * WORD_BYTES));

/** Up to 128 bits, least significant byte first: shifting a bigint makes another one each time. */
function toWords(value: bigint, to: DataView): void {
  to.setBigUint64(0, value, true);
  to.setBigUint64(2 * WORD_BYTES, value > LOW_64 ? value >> 64n : 0n, true);
}
const LOW_64 = 0xffff_ffff_ffff_ffffn;

export function isWideRegister(field: Field): boolean {
  return parts.has(field);
}

/** A subfield of a wide register that lies in one 32-bit register, as of that one; any other: itself. */
export function narrowSubfield(s: Subfield): Subfield {
  const fields = parts.get(s.field);
  if (fields === undefined) return s;
  const i = Math.floor(s.ofs / REG_BITS);
  const ofs = s.ofs - REG_BITS * i;
  return ofs + s.nBits > REG_BITS ? s : { field: fields[i]!, ofs, nBits: s.nBits };
}
