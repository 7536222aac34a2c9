/**
 * Registers overlap: xregN is reg2N (upper half) and reg2N+1, xxregN is reg4N … reg4N+3. On OpenFlow 1.5 Open vSwitch
 * prints a match on reg3 as a masked match on xreg1. For comparisons everything is brought to 32-bit registers.
 */
import type { Field, FieldValue, MatchField, Subfield } from '../ofp/types/field.js';
import { regs, xregs, xxregs } from './fields.js';

const REG_BITS = 32;
const ONES = 0xffff_ffffn;

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
  const value = BigInt(f.value);
  const mask = f.mask === undefined ? undefined : BigInt(f.mask);
  const out: MatchField[] = [];
  for (let i = fields.length - 1; i >= 0; i--) {
    const shift = BigInt(REG_BITS * i);
    const field = fields[i]!;
    const part = Number((value >> shift) & ONES);
    if (mask === undefined) out.push({ field, value: part });
    else {
      const partMask = (mask >> shift) & ONES;
      if (partMask === ONES) out.push({ field, value: part });
      else if (partMask !== 0n) out.push({ field, value: part, mask: Number(partMask) });
    }
  }
  return out;
}

/** A subfield of a wide register that lies in one 32-bit register, as of that one; any other: itself. */
export function narrowSubfield(s: Subfield): Subfield {
  const fields = parts.get(s.field);
  if (fields === undefined) return s;
  const i = Math.floor(s.ofs / REG_BITS);
  const ofs = s.ofs - REG_BITS * i;
  return ofs + s.nBits > REG_BITS ? s : { field: fields[i]!, ofs, nBits: s.nBits };
}
