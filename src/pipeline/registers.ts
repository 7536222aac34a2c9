import { F, regs } from '../nx-extensions/fields.js';
import type { Field, MatchField, Subfield } from '../ofp/types/field.js';

/** A named part of a register or of metadata. */
export interface RegisterField extends Subfield {
  readonly name: string;
  readonly about: string;
}

function part(name: string, field: Field, ofs: number, nBits: number, about: string): RegisterField {
  return { name, field, ofs, nBits, about };
}

/**
 * Who has which bits. Fields that fill a register are loaded and matched as the whole register, so the flows need no
 * masks; the upper half of reg0 and reg3 is never written.
 */
export const REG = allocate({
  segment: part(
    'segment',
    F.reg0,
    0,
    32,
    'segment id inside the tenant; the egress segment after table 20; 0: none',
  ),
  slot: part('slot', F.reg1, 0, 32, 'slot of the pool, from multipath'),
  member: part('member', F.reg2, 0, 32, 'endpoint id of the chosen member'),
  tenant: part('tenant', F.reg3, 0, 32, 'tenant id, the ct zone too; 65535: the provider'),
  pool: part('pool', F.reg4, 0, 32, 'pool id, unique on the node; its low 16 bits are the multipath basis'),
  listener: part('listener', F.reg5, 0, 16, 'listener id, unique on the node; in ct_mark of its connections'),
  byHeader: part(
    'byHeader',
    F.reg5,
    16,
    1,
    'rewrite by header instead of ct: stateless, or an invalid packet',
  ),
  external: part('external', F.reg5, 17, 1, 'came in by an external network; in ct_mark of its connections'),
  nextHop: part('nextHop', F.reg6, 0, 32, 'IPv4 next hop'),
  fdbLearned: part('fdbLearned', F.reg7, 0, 1, 'learn result: the source MAC is in the FDB, below its limit'),
  adjacencyLearned: part(
    'adjacencyLearned',
    F.reg7,
    1,
    1,
    'learn result: the source is an adjacency, below its limit',
  ),
  vlan: part('vlan', F.metadata, 0, 13, 'VLAN tag taken off at ingress, with bit 12 as in vlan_vid; 0: none'),
  tunnel: part('tunnel', F.metadata, 13, 1, 'came in by a tunnel port'),
});

export type RegisterName = keyof typeof REG;

/** @throws Error where two fields share a bit or one exceeds its register */
export function allocate<T extends Record<string, RegisterField>>(fields: T): T {
  const used = new Map<Field, RegisterField[]>();
  for (const f of Object.values(fields)) {
    if (f.ofs < 0 || f.nBits < 1 || f.ofs + f.nBits > f.field.nBits)
      throw new Error(`${f.name} does not fit ${f.field.name}`);
    const others = used.get(f.field) ?? [];
    const clash = others.find((o) => f.ofs < o.ofs + o.nBits && o.ofs < f.ofs + f.nBits);
    if (clash) throw new Error(`${f.name} overlaps ${clash.name} in ${f.field.name}`);
    used.set(f.field, [...others, f]);
  }
  return fields;
}

/** The bits of a register field in place. */
export function bitsOf(f: Subfield): bigint {
  return ((1n << BigInt(f.nBits)) - 1n) << BigInt(f.ofs);
}

/** Match on a register field. @throws RangeError where the value has more bits */
export function reg(f: RegisterField, value: number): MatchField {
  const { value: placed, mask } = place(f, value);
  return mask === undefined ? { field: f.field, value: placed } : { field: f.field, value: placed, mask };
}

/** A value at its place in the register; no mask where it fills the register. */
export function place(f: RegisterField, value: number): { value: number | bigint; mask?: number | bigint } {
  if (!Number.isInteger(value) || value < 0 || value >= 2 ** f.nBits)
    throw new RangeError(`${f.name}: ${value} does not fit ${f.nBits} bits`);
  if (f.nBits === f.field.nBits) return { value };
  if (f.field.nBits <= 32) return { value: value * 2 ** f.ofs, mask: Number(bitsOf(f)) };
  return { value: BigInt(value) << BigInt(f.ofs), mask: bitsOf(f) };
}

/**
 * The value of a whole 32-bit register in a match, or undefined. Switches that speak OpenFlow 1.5 dump it as half of
 * an xreg, with a mask.
 */
export function registerOf(match: readonly { field: Field | null }[], register: Field): number | undefined {
  const n = regs.indexOf(register as (typeof regs)[number]);
  for (const entry of match as readonly MatchField[]) {
    if (entry.field === register && entry.mask === undefined) return Number(entry.value);
    if (entry.field?.name !== `xreg${n >> 1}`) continue;
    const shift = n % 2 === 0 ? 32n : 0n;
    const mask = entry.mask === undefined ? 0xffffffffn : (BigInt(entry.mask) >> shift) & 0xffffffffn;
    if (mask === 0xffffffffn) return Number((BigInt(entry.value) >> shift) & 0xffffffffn);
  }
  return undefined;
}
