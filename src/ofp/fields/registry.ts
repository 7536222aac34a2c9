import type { Field, FieldFormat, OfpVersion, OxmId, Prerequisite, WireId } from '../types/field.js';
import { OFP13, OFP14, OFP15 } from '../types/field.js';

/** ONF's experimenter OXMs of OpenFlow 1.3 (e.g. EXT-109 tcp_flags). */
export const ONFOXM_ET = 0x4f4e4600;

/** How a field id is given to `defineField`; `since` defaults to OpenFlow 1.3, `until` to the newest. */
export interface OxmIdSpec {
  readonly class: number;
  readonly number: number;
  readonly experimenter?: number;
  readonly name: string;
  readonly since?: OfpVersion;
}

export interface FieldSpec {
  /** ovs-ofctl's name. */
  readonly name: string;
  readonly aliases?: readonly string[];
  readonly nBits: number;
  /** Default: the bits rounded up to bytes. */
  readonly nBytes?: number;
  readonly variable?: boolean;
  readonly maskable?: boolean;
  readonly writable?: boolean;
  /** Default: decimal. */
  readonly format?: FieldFormat;
  readonly prerequisites?: readonly Prerequisite[];
  readonly ids: readonly OxmIdSpec[];
}

const fields: Field[] = [];
const byName = new Map<string, Field>();
/** By class, then number. The classes that every flow uses have a table of their own: a look-up is hot. */
const newTable = (): (Field | undefined)[] => new Array<Field | undefined>(128).fill(undefined);
const basic = newTable();
const nicira = newTable();
const byClass = new Map<number, (Field | undefined)[]>([
  [0x8000, basic],
  [0x0001, nicira],
]);
const byExperimenter = new Map<number, (Field | undefined)[]>();

function wireId(ids: readonly OxmId[], nBytes: number, version: OfpVersion): WireId | undefined {
  const id = ids.find((i) => i.since <= version);
  if (id === undefined) return undefined;
  const extra = id.experimenter === undefined ? 0 : 4;
  const head = ((id.class << 16) | (id.number << 9)) >>> 0;
  return {
    id,
    header: (head | (nBytes + extra)) >>> 0,
    maskedHeader: (head | 0x100 | (2 * nBytes + extra)) >>> 0,
    experimenter: id.experimenter ?? 0,
  };
}

/** Makes a field known to encoders, decoders and name look-up. Throws on a name or id that is taken. */
export function defineField(spec: FieldSpec): Field {
  const nBytes = spec.nBytes ?? (spec.nBits + 7) >> 3;
  const ids: OxmId[] = spec.ids.map((i) => ({ ...i, since: i.since ?? OFP13 }));
  const field: Field = {
    name: spec.name,
    nBits: spec.nBits,
    nBytes,
    variable: spec.variable ?? false,
    maskable: spec.maskable ?? false,
    writable: spec.writable ?? false,
    format: spec.format ?? 'decimal',
    index: fields.length,
    ids,
    aliases: spec.aliases ?? [],
    prerequisites: spec.prerequisites ?? [],
    wire: {
      [OFP13]: wireId(ids, nBytes, OFP13),
      [OFP14]: wireId(ids, nBytes, OFP14),
      [OFP15]: wireId(ids, nBytes, OFP15),
    },
  };
  fields.push(field);
  for (const name of [field.name, ...field.aliases, ...ids.map((i) => i.name)]) {
    if (byName.has(name)) throw new Error(`field name ${name} defined twice`);
    byName.set(name, field);
  }
  for (const id of ids) {
    if (fieldByOxm(id.class, id.number, id.experimenter)) throw new Error(`${id.name} defined twice`);
    if (id.experimenter === undefined) {
      const known = byClass.get(id.class) ?? newTable();
      known[id.number] = field;
      byClass.set(id.class, known);
    } else {
      const known = byExperimenter.get(id.experimenter) ?? [];
      known[id.number] = field;
      byExperimenter.set(id.experimenter, known);
    }
  }
  return field;
}

/** By ovs-ofctl name or alias (`nw_dst`, `ip_dst`) or OXM/NXM name (`OXM_OF_IPV4_DST`). */
export function fieldByName(name: string): Field | undefined {
  return byName.get(name);
}

/** By OXM class and field number; `experimenter` for class 0xffff. */
export function fieldByOxm(oxmClass: number, number: number, experimenter?: number): Field | undefined {
  if (oxmClass === 0x0001) return nicira[number];
  if (oxmClass === 0x8000) return basic[number];
  if (experimenter === undefined) return byClass.get(oxmClass)?.[number];
  return byExperimenter.get(experimenter)?.[number];
}

/** The id of `field` with that class and number. */
export function oxmId(field: Field, oxmClass: number, number: number): OxmId | undefined {
  return field.ids.find((i) => i.class === oxmClass && i.number === number);
}

/** Every field, by index. */
export function allFields(): readonly Field[] {
  return fields;
}
