/** Matches from ovs-ofctl's syntax. */
import { fieldByName } from '../fields/registry.js';
import type { Field, FieldValue, Match, MatchField, OfpVersion } from '../types/field.js';
import { OFP15 } from '../types/field.js';
import { parseFieldValue, toFieldValue } from './field-text.js';
import { integer, required, small, TextError, type Word, words } from './scanner.js';
import { ones } from './values.js';

/** Words for an Ethernet type and an IP protocol; ovs-fields(7). */
const SHORTHANDS: Readonly<Record<string, readonly [number, number?]>> = {
  eth: [-1],
  ip: [0x0800],
  ipv4: [0x0800],
  ipv6: [0x86dd],
  icmp: [0x0800, 1],
  icmp6: [0x86dd, 58],
  tcp: [0x0800, 6],
  tcp6: [0x86dd, 6],
  udp: [0x0800, 17],
  udp6: [0x86dd, 17],
  sctp: [0x0800, 132],
  sctp6: [0x86dd, 132],
  arp: [0x0806],
  rarp: [0x8035],
  mpls: [0x8847],
  mplsm: [0x8848],
};
const TRANSPORT: Readonly<Record<number, string>> = { 6: 'tcp', 17: 'udp', 132: 'sctp' };
const IPV6 = 0x86dd;
const PRESENT = 0x1000;

/** Parses a whole match. `version`: order and registers as ovs-ofctl sends them in that version. */
export function parseMatch(text: string, version?: OfpVersion): Match {
  const builder = new MatchBuilder();
  for (const word of words(text)) {
    if (!builder.word(word)) throw new TextError(word.at + 1, `unknown field "${word.key}"`);
  }
  return builder.build(version);
}

/** Collects fields word by word. */
export class MatchBuilder {
  readonly #fields = new Map<Field, MatchField>();
  #vlanTci: { value: number; mask: number } | undefined;

  /** Takes a word of a match; false: it is none. */
  word(word: Word): boolean {
    const short = SHORTHANDS[word.key];
    if (short && word.value === undefined) {
      this.#types(...short);
      return true;
    }
    if (word.value === undefined && !word.key.startsWith('tun_metadata')) {
      if (fieldOf(word.key) === undefined) return false;
      required(word);
    }
    return this.#vlanWord(word) || this.#special(word) || this.#field(word);
  }

  /** Whether packets that match have a VLAN header. */
  get hasVlan(): boolean {
    return this.#vlanTci !== undefined && (this.#vlanTci.mask & this.#vlanTci.value & PRESENT) !== 0;
  }

  get protocol(): number | undefined {
    return this.#exact('nw_proto');
  }

  #types(ethType: number, protocol?: number): void {
    if (ethType >= 0) this.#put('dl_type', BigInt(ethType));
    if (protocol !== undefined) this.#put('nw_proto', BigInt(protocol));
  }

  #exact(name: string): number | undefined {
    const field = fieldByName(name);
    const f = field && this.#fields.get(field);
    return f && f.mask === undefined ? Number(f.value) : undefined;
  }

  #put(name: string, value: bigint, mask?: bigint): void {
    const field = fieldOf(name);
    if (field === undefined) throw new TextError(1, `no field ${name} is registered`);
    const v = toFieldValue(field, value);
    this.#fields.set(
      field,
      mask === undefined ? { field, value: v } : { field, value: v, mask: toFieldValue(field, mask) },
    );
  }

  /** VLANs have four ways to be written; ovs-ofctl sends vlan_vid and vlan_pcp. */
  #vlanWord(word: Word): boolean {
    const text = word.value ?? '';
    const tci = this.#vlanTci ?? { value: 0, mask: 0 };
    const set = (value: number, mask: number) => {
      this.#vlanTci = { value: tci.value | (value & mask), mask: tci.mask | mask };
      return true;
    };
    const [first, second] = text.split('/');
    const number = (t: string, max: number) => small(t, word.valueAt, max);
    switch (word.key) {
      case 'dl_vlan': {
        const vid = number(text, 0xffff);
        return vid === 0xffff ? set(0, 0x1fff) : set(PRESENT | (vid & 0xfff), 0x1fff);
      }
      case 'dl_vlan_pcp':
      case 'vlan_pcp':
        return set((number(text, 7) << 13) | PRESENT, 0xe000 | PRESENT);
      case 'vlan_vid':
        return set(number(first!, 0xffff), second === undefined ? 0x1fff : number(second, 0xffff) & 0x1fff);
      case 'vlan_tci':
        return set(number(first!, 0xffff), second === undefined ? 0xffff : number(second, 0xffff));
      default:
        return false;
    }
  }

  #special(word: Word): boolean {
    const key = word.key;
    const text = word.value ?? '';
    const put = (name: string) => {
      const field = fieldOf(name);
      if (field === undefined) throw new TextError(word.at + 1, `unknown field "${key}"`);
      this.#store(field, text, word.valueAt);
      return true;
    };
    if (key === 'tp_src' || key === 'tp_dst') {
      const protocol = TRANSPORT[this.protocol ?? -1];
      if (protocol === undefined) throw new TextError(word.at + 1, `${key} needs tcp, udp or sctp before it`);
      return put(`${protocol}_${key.slice(3)}`);
    }
    if ((key === 'icmp_type' || key === 'icmp_code') && this.#exact('dl_type') === IPV6)
      return put(`icmpv6_${key.slice(5)}`);
    if (key === 'nw_tos' || key === 'ip_tos') {
      this.#put('ip_dscp', integer(text, word.valueAt, 255) >> 2n);
      return true;
    }
    if (key.startsWith('tun_metadata')) return this.#tunMetadata(word);
    if (key === 'nw_frag' || key === 'ip_frag') return put('nw_frag');
    return false;
  }

  /** Payloads are as long as the TLV table says; without one, as long as the value, as ovs-ofctl takes it. */
  #tunMetadata(word: Word): boolean {
    const field = fieldOf(word.key);
    if (field === undefined) return false;
    if (word.value === undefined) {
      this.#fields.set(field, { field, value: 0n, mask: 0n, size: 0 });
      return true;
    }
    const [value, mask] = word.value.split('/');
    const v = integer(value!, word.valueAt, ones(8 * field.nBytes));
    const m =
      mask === undefined
        ? undefined
        : integer(mask, word.valueAt + value!.length + 1, ones(8 * field.nBytes));
    const size = Math.ceil((m === undefined || v > m ? v : m).toString(2).replace(/^0$/, '').length / 8);
    this.#fields.set(field, { field, value: v, ...(m === undefined ? {} : { mask: m }), size });
    return true;
  }

  #field(word: Word): boolean {
    const field = fieldOf(word.key);
    if (field === undefined) return false;
    this.#store(field, required(word), word.valueAt);
    return true;
  }

  #store(field: Field, text: string, at: number): void {
    if (text === '*' || text === 'ANY') return;
    const parsed = parseFieldValue(field, text, at);
    if (parsed.mask !== undefined && BigInt(parsed.mask) === 0n) return;
    // Their TLVs have room for flags that nobody knows: Open vSwitch always writes a mask.
    const flags = FLAG_MASKS[field.format];
    if (flags !== undefined) {
      this.#fields.set(field, { field, value: parsed.value, mask: parsed.mask ?? flags });
      return;
    }
    this.#fields.set(field, { field, ...parsed });
  }

  build(version?: OfpVersion): Match {
    this.#addVlan();
    const list = [...this.#fields.values()];
    if (version === undefined) return list;
    const narrow = list.flatMap(splitWide);
    return (version === OFP15 ? pairRegisters(narrow) : narrow).sort(
      (a, b) => orderInMatch(a.field) - orderInMatch(b.field),
    );
  }

  #addVlan(): void {
    const tci = this.#vlanTci;
    if (tci === undefined) return;
    const pcp = tci.mask & 0xe000;
    const vid = tci.mask & 0x1fff;
    if (pcp !== 0 && pcp !== 0xe000) {
      this.#put('vlan_tci', BigInt(tci.value & tci.mask), BigInt(tci.mask));
      return;
    }
    if (vid !== 0) this.#put('vlan_vid', BigInt(tci.value & vid), vid === 0x1fff ? undefined : BigInt(vid));
    if (pcp !== 0 && tci.value & PRESENT) this.#put('vlan_pcp', BigInt(tci.value >> 13));
  }
}

function fieldOf(key: string): Field | undefined {
  const aliases: Readonly<Record<string, string>> = {
    gtpu_flags: 'tun_gtpu_flags',
    gtpu_msgtype: 'tun_gtpu_msgtype',
  };
  return fieldByName(aliases[key] ?? key);
}

/** xreg and xxreg as the registers of 32 bits that they are made of. */
function splitWide(f: MatchField): MatchField[] {
  const wide = /^(xx?reg)(\d)$/.exec(f.field.name);
  if (!wide) return [f];
  const n = wide[1] === 'xreg' ? 2 : 4;
  const value = BigInt(f.value);
  const mask = f.mask === undefined ? ones(32 * n) : BigInt(f.mask);
  const out: MatchField[] = [];
  for (let i = 0; i < n; i++) {
    const shift = BigInt(32 * (n - 1 - i));
    const part = Number((mask >> shift) & 0xffffffffn);
    const field = fieldOf(`reg${Number(wide[2]) * n + i}`);
    if (part === 0 || field === undefined) continue;
    const v = Number((value >> shift) & 0xffffffffn);
    out.push(part === 0xffffffff ? { field, value: v } : { field, value: v, mask: part });
  }
  return out;
}

/** OpenFlow 1.5's packet registers: two of 32 bits in one TLV, as Open vSwitch sends them. */
function pairRegisters(list: readonly MatchField[]): MatchField[] {
  const out: MatchField[] = [];
  const pairs = new Map<number, { value: bigint; mask: bigint }>();
  for (const f of list) {
    const number = /^reg(\d+)$/.exec(f.field.name)?.[1];
    if (number === undefined) out.push(f);
    else {
      const i = Number(number);
      const pair = pairs.get(i >> 1) ?? { value: 0n, mask: 0n };
      const shift = i & 1 ? 0n : 32n;
      pair.value |= BigInt(f.value) << shift;
      pair.mask |= (f.mask === undefined ? 0xffffffffn : BigInt(f.mask)) << shift;
      pairs.set(i >> 1, pair);
    }
  }
  for (const [i, { value, mask }] of pairs) {
    const field = fieldOf(`xreg${i}`);
    if (field === undefined) throw new TextError(1, `no field xreg${i} is registered`);
    out.push(mask === ones(64) ? { field, value } : { field, value, mask: mask as FieldValue });
  }
  return out;
}

const FLAG_MASKS: Readonly<Record<string, number>> = { 'tunnel-flags': 0x1, 'ct-state': 0xff };

/** The order in which Open vSwitch writes the TLVs of a match. */
const ORDER: readonly string[] = [
  'packet_type',
  'dp_hash',
  'recirc_id',
  'conj_id',
  'skb_priority',
  'in_port',
  'actset_output',
  'dl_src',
  'dl_dst',
  'dl_type',
  'vlan_tci',
  'vlan_vid',
  'vlan_pcp',
  'mpls_tc',
  'mpls_bos',
  'mpls_ttl',
  'mpls_label',
  'nw_src',
  'nw_dst',
  'ipv6_src',
  'ipv6_dst',
  'ipv6_label',
  'ip_dscp',
  'nw_ecn',
  'nw_ttl',
  'nw_proto',
  'nw_frag',
  'tcp_src',
  'tcp_dst',
  'tcp_flags',
  'udp_src',
  'udp_dst',
  'sctp_src',
  'sctp_dst',
];
const rank = new Map(ORDER.map((name, i) => [name, i]));

/** A number by which fields are sorted as Open vSwitch sends them. */
export function orderInMatch(field: Field): number {
  const late = field.name === 'ct_nw_proto' ? fieldOf('ct_ipv6_dst') : undefined;
  return rank.get(field.name) ?? ORDER.length + (late === undefined ? field.index : late.index + 0.5);
}
