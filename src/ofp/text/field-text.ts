/** Single fields: values, names, and subfields like `NXM_NX_REG0[0..15]`. */
import { fieldByName } from '../fields/registry.js';
import type { Field, FieldValue, Subfield } from '../types/field.js';
import { CT_STATE, formatSet, formatSigned, parseFlags, TCP_FLAGS, TUNNEL_FLAGS } from './flags.js';
import { formatPort, parsePort } from './ports.js';
import { integer, TextError } from './scanner.js';
import {
  formatEthernet,
  formatIp,
  hex,
  ones,
  parseEthernet,
  parseIpMask,
  parseIpv4,
  parseIpv6,
} from './values.js';

/** Names in set_field and learn where they differ from those in matches. */
const ACTION_NAMES: Readonly<Record<string, string>> = {
  dl_dst: 'eth_dst',
  dl_src: 'eth_src',
  dl_type: 'eth_type',
  nw_src: 'ip_src',
  nw_dst: 'ip_dst',
  nw_frag: 'ip_frag',
  in_port: 'in_port_oxm',
  in_port_nxm: 'in_port',
};
const byActionName = new Map(Object.entries(ACTION_NAMES).map(([name, text]) => [text, name]));

/** The name in `set_field:…->name`. */
export function actionFieldName(field: Field): string {
  return ACTION_NAMES[field.name] ?? field.name;
}

/** A field by a name as in `set_field:…->name`, or by its OXM or NXM name. */
export function parseActionField(name: string, at: number): Field {
  const field = fieldByName(byActionName.get(name) ?? name);
  if (field === undefined) throw new TextError(at + 1, `unknown field "${name}"`);
  return field;
}

/** Brings a value to the type that the field has: a number up to 32 bits, else a bigint. */
export function toFieldValue(field: Field, v: bigint): FieldValue {
  return field.nBytes > 4 ? v : Number(v);
}

/** Whether a mask means an exact match. */
export function isExact(field: Field, mask: FieldValue | undefined): boolean {
  return mask === undefined || (BigInt(mask) & ones(field.nBits)) === ones(field.nBits);
}

/** `value` or `value/mask`, as in `set_field:` and `learn`. */
export function formatFieldValue(field: Field, value: FieldValue, mask?: FieldValue): string {
  const v = BigInt(value);
  const all = ones(8 * field.nBytes);
  const msk = mask === undefined ? all : BigInt(mask);
  const exact = msk === all;
  switch (field.format) {
    case 'ethernet':
      return formatEthernet(v) + (exact ? '' : `/${formatEthernet(msk)}`);
    case 'ipv4':
      return formatIp(v, msk, 32);
    case 'ipv6':
      return formatIp(v, msk, 128);
    case 'ofp-port':
      return formatPort(Number(v)) + (exact ? '' : `/${hex(msk)}`);
    case 'ct-state':
      return exact ? formatSet(CT_STATE, v) : formatSigned(CT_STATE, v, msk);
    case 'tcp-flags':
      return exact ? formatSet(TCP_FLAGS, v) : formatSigned(TCP_FLAGS, v, msk);
    case 'tunnel-flags':
      return exact ? formatSet(TUNNEL_FLAGS, v) : formatSigned(TUNNEL_FLAGS, v, msk);
    case 'packet-type':
      return `(${v >> 16n},${hex(v & 0xffffn)})`;
    case 'frag':
      return FRAG.find(([, fv, fm]) => fv === Number(v & msk) && fm === Number(msk & 3n))?.[0] ?? hex(v);
    case 'hexadecimal':
      if (field.name === 'vlan_vid') return `${v}${exact ? '' : `/${hex(msk)}`}`;
      return hex(v) + (exact ? '' : `/${hex(msk)}`);
    case 'decimal':
      if (field.name === 'in_port_nxm') return formatPort(wide(Number(v)));
      return `${v}${exact ? '' : `/${hex(msk)}`}`;
  }
}

/** A 16-bit port number in 32 bits. */
function wide(port: number): number {
  return port >= 0xff00 ? 0xffff0000 + port : port;
}

/** Name, value, mask of nw_frag; ovs-fields(7). */
const FRAG: readonly (readonly [string, number, number])[] = [
  ['no', 0, 3],
  ['first', 1, 3],
  ['later', 3, 3],
  ['yes', 1, 1],
  ['no', 0, 1],
  ['later', 2, 2],
  ['not_later', 0, 2],
];

/** Parses what {@link formatFieldValue} prints, and the other ways to write it. Mask: undefined where exact. */
export function parseFieldValue(
  field: Field,
  text: string,
  at: number,
): { readonly value: FieldValue; readonly mask?: FieldValue } {
  const { value, mask } = parseRaw(field, text, at);
  const width = ones(8 * field.nBytes);
  if (value > width)
    throw new TextError(at + 1, `${text} doesn't fit the ${field.nBits} bits of ${field.name}`);
  const exact = mask === undefined || isExact(field, toFieldValue(field, mask));
  if (!exact && !field.maskable && field.format !== 'frag')
    throw new TextError(at + 1, `${field.name} takes no mask`);
  if (exact) return { value: toFieldValue(field, value) };
  return { value: toFieldValue(field, value & mask!), mask: toFieldValue(field, mask!) };
}

function parseRaw(field: Field, text: string, at: number): { value: bigint; mask?: bigint } {
  switch (field.format) {
    case 'ct-state':
      return parseFlags(CT_STATE, text, at);
    case 'tcp-flags':
      return parseFlags(TCP_FLAGS, text, at);
    case 'tunnel-flags':
      return parseFlags(TUNNEL_FLAGS, text, at);
    case 'frag':
      return parseFrag(text, at);
    case 'packet-type': {
      const parts = /^\(\s*(\d+)\s*,\s*(0x[0-9a-f]+|\d+)\s*\)$/i.exec(text);
      if (!parts) throw new TextError(at + 1, `"${text}" is not a packet type like (1,0x800)`);
      return { value: (BigInt(parts[1]!) << 16n) | BigInt(parts[2]!) };
    }
  }
  const slash = text.indexOf('/');
  const value = parseOne(field, slash < 0 ? text : text.slice(0, slash), at);
  if (slash < 0) return { value };
  return { value, mask: parseMask(field, text.slice(slash + 1), at + slash + 1) };
}

function parseFrag(text: string, at: number): { value: bigint; mask?: bigint } {
  const known = FRAG.find(([name]) => name === text);
  if (known === undefined)
    throw new TextError(at + 1, `"${text}" is not one of no yes first later not_later`);
  return { value: BigInt(known[1]), mask: BigInt(known[2]) };
}

function parseOne(field: Field, text: string, at: number): bigint {
  switch (field.format) {
    case 'ethernet':
      return known(parseEthernet(text), text, at, 'an Ethernet address');
    case 'ipv4':
      return known(parseIpv4(text), text, at, 'an IPv4 address');
    case 'ipv6':
      return known(parseIpv6(text), text, at, 'an IPv6 address');
    case 'ofp-port':
      return BigInt(parsePort(text, at));
    default:
      if (field.name === 'in_port_nxm') return BigInt(parsePort(text, at) & 0xffff);
      return integer(text, at, ones(8 * field.nBytes));
  }
}

function parseMask(field: Field, text: string, at: number): bigint {
  switch (field.format) {
    case 'ipv4':
      return known(parseIpMask(text, 32), text, at, 'an IPv4 mask');
    case 'ipv6':
      return known(parseIpMask(text, 128), text, at, 'an IPv6 mask');
    case 'ethernet':
      return known(parseEthernet(text), text, at, 'an Ethernet mask');
    default:
      return text === '-1' ? ones(field.nBits) : integer(text, at, ones(8 * field.nBytes));
  }
}

function known(v: bigint | undefined, text: string, at: number, what: string): bigint {
  if (v === undefined) throw new TextError(at + 1, `"${text}" is not ${what}`);
  return v;
}

/** The name in `move:` and `load:`: the NXM one where there is any. */
export function subfieldName(field: Field): string {
  return (field.ids.find((id) => id.class < 2) ?? field.ids[0])?.name ?? field.name;
}

/** `NXM_NX_REG0[]`, `[5]`, `[0..15]`. */
export function formatSubfield({ field, ofs, nBits }: Subfield): string {
  const name = subfieldName(field);
  if (ofs === 0 && nBits === field.nBits) return `${name}[]`;
  return nBits === 1 ? `${name}[${ofs}]` : `${name}[${ofs}..${ofs + nBits - 1}]`;
}

/** Parses a subfield; where `bracketsOptional`, a name alone is the whole field. */
export function parseSubfield(text: string, at: number, bracketsOptional = false): Subfield {
  const parts = /^([A-Za-z0-9_]+)(?:\[(?:(\d+)(?:\.\.(\d+))?)?\])?$/.exec(text);
  if (!parts) throw new TextError(at + 1, `"${text}" is not a subfield like NXM_NX_REG0[0..15]`);
  const field = parseActionField(parts[1]!, at);
  if (!text.endsWith(']') && !bracketsOptional)
    throw new TextError(at + 1, `[] is missing after ${parts[1]}`);
  if (parts[2] === undefined) return { field, ofs: 0, nBits: field.nBits };
  const ofs = Number(parts[2]);
  const end = parts[3] === undefined ? ofs : Number(parts[3]);
  if (end < ofs || end >= field.nBits)
    throw new TextError(at + 1, `${field.name} has ${field.nBits} bits, not [${ofs}..${end}]`);
  return { field, ofs, nBits: end - ofs + 1 };
}
