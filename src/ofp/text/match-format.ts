/** Matches as `ovs-ofctl` prints them: its order, its short names (`tcp`, `dl_vlan`), 32-bit registers. */
import type { Match, MatchField } from '../types/field.js';
import { formatFieldValue } from './field-text.js';
import { CT_STATE, formatSet, formatSigned, TCP_FLAGS, TUNNEL_FLAGS } from './flags.js';
import { formatPort } from './ports.js';
import { formatEthernet, formatIp, hex, hexPadded, ones, toHex } from './values.js';

export const DEFAULT_PRIORITY = 32768;

interface Entry {
  readonly value: bigint;
  readonly mask: bigint;
  readonly source?: MatchField;
}

const ETH_TYPE = {
  IP: 0x0800,
  ARP: 0x0806,
  RARP: 0x8035,
  IPV6: 0x86dd,
  MPLS: 0x8847,
  MPLSM: 0x8848,
  NSH: 0x894f,
};
const TCP = 6;
const ICMPV6 = 58;
const IP_PROTOCOLS: Readonly<Record<number, string>> = {
  1: 'icmp',
  2: 'igmp',
  6: 'tcp',
  17: 'udp',
  132: 'sctp',
};
const IPV6_PROTOCOLS: Readonly<Record<number, string>> = { 6: 'tcp6', 17: 'udp6', 58: 'icmp6', 132: 'sctp6' };
const ETH_NAMES: Readonly<Record<number, string>> = {
  [ETH_TYPE.IP]: 'ip',
  [ETH_TYPE.IPV6]: 'ipv6',
  [ETH_TYPE.ARP]: 'arp',
  [ETH_TYPE.RARP]: 'rarp',
  [ETH_TYPE.MPLS]: 'mpls',
  [ETH_TYPE.MPLSM]: 'mplsm',
};
/** 12 bits; the upper three have no names. */
const ALL_TCP_FLAGS = 0xfffn;
const ALL_CT_STATE = 0xffn;
const CFI = 0x1000n;
const VID = 0xfffn;
const PCP = 0xe000n;

/** `priority=5,tcp,nw_dst=10.0.0.1`; the default priority is left out, an empty match is ''. */
export function formatMatch(match: Match, priority = DEFAULT_PRIORITY): string {
  return new MatchPrinter(match).print(priority);
}

/** Fields by name, in the terms of a packet's flow: registers of 32 bits, one vlan_tci, tp_src for all protocols. */
class MatchPrinter {
  readonly #fields = new Map<string, Entry>();
  readonly #raw: string[] = [];
  readonly #out: string[] = [];
  #protocol: number | undefined;

  constructor(match: Match) {
    for (const f of match) {
      if (f.field === null) this.#raw.push(`oxm=0x${toHex(f.raw)}`);
      else this.#add(f);
    }
  }

  #add(f: MatchField): void {
    const value = BigInt(f.value);
    const mask = f.mask === undefined ? ones(f.field.nBits) : BigInt(f.mask);
    const name = f.field.name;
    const wide = /^(xx?reg)(\d)$/.exec(name);
    if (wide) this.#addRegisters(Number(wide[2]), wide[1] === 'xreg' ? 2 : 4, value, mask);
    else if (name === 'vlan_vid') this.#merge('vlan_tci', value, mask & (CFI | VID));
    else if (name === 'vlan_pcp') this.#merge('vlan_tci', (value << 13n) | CFI, PCP | CFI);
    else if (name === 'ip_dscp') this.#fields.set('nw_tos', { value: value << 2n, mask: 0xfcn });
    else if (/^(tcp|udp|sctp)_(src|dst)$/.test(name))
      this.#fields.set(`tp_${name.slice(-3)}`, { value, mask: mask });
    else if (name.startsWith('icmpv6_')) this.#fields.set(`icmp_${name.slice(7)}`, { value, mask });
    else this.#fields.set(name, { value, mask, source: f });
  }

  #merge(name: string, value: bigint, mask: bigint): void {
    const old = this.#fields.get(name) ?? { value: 0n, mask: 0n };
    this.#fields.set(name, { value: old.value | value, mask: old.mask | mask });
  }

  #addRegisters(number: number, n: number, value: bigint, mask: bigint): void {
    for (let i = 0; i < n; i++) {
      const shift = BigInt(32 * (n - 1 - i));
      const part = (mask >> shift) & 0xffffffffn;
      if (part !== 0n) this.#merge(`reg${number * n + i}`, (value >> shift) & 0xffffffffn, part);
    }
  }

  /** Takes a field out; what nobody took is printed last. */
  #take(name: string): Entry | undefined {
    const entry = this.#fields.get(name);
    this.#fields.delete(name);
    return entry?.mask === 0n ? undefined : entry;
  }

  #value(name: string): number | undefined {
    const entry = this.#fields.get(name);
    return entry === undefined ? undefined : Number(entry.value);
  }

  print(priority: number): string {
    if (priority !== DEFAULT_PRIORITY) this.#out.push(`priority=${priority}`);
    this.#metadata();
    this.#conntrack();
    const type = this.#types();
    for (let i = 0; i < 16; i++) this.#masked(`reg${i}`, 32, hex);
    this.#tunnel();
    this.#masked('metadata', 64, hex);
    this.#port('in_port');
    this.#port('in_phy_port');
    this.#vlan();
    this.#linkAndNetwork(type);
    this.#transport(type);
    return [...this.#out, ...this.#rest(), ...this.#raw].join(',');
  }

  #metadata(): void {
    for (const name of ['pkt_mark', 'recirc_id', 'dp_hash']) this.#masked(name, 32, hex);
    this.#masked('conj_id', 32, String);
    this.#port('actset_output');
  }

  #conntrack(): void {
    const state = this.#take('ct_state');
    if (state) {
      const mask = state.mask & ALL_CT_STATE;
      this.#out.push(
        `ct_state=${mask === ALL_CT_STATE ? formatSet(CT_STATE, state.value) : formatSigned(CT_STATE, state.value, mask)}`,
      );
    }
    this.#masked('ct_zone', 16, String);
    this.#masked('ct_mark', 32, hex);
    this.#masked('ct_label', 128, hex);
    this.#address('ct_nw_src', 32);
    this.#address('ct_ipv6_src', 128);
    this.#address('ct_nw_dst', 32);
    this.#address('ct_ipv6_dst', 128);
    if (!this.#fields.has('ct_nw_proto')) return;
    this.#masked('ct_nw_proto', 8, String);
    this.#masked('ct_tp_src', 16, String);
    this.#masked('ct_tp_dst', 16, String);
  }

  /** `ip`, `tcp6`, `packet_type=(1,0x800)`; returns the effective Ethernet type. */
  #types(): number | undefined {
    let type = this.#value('dl_type');
    const packetType = this.#take('packet_type');
    if (packetType && packetType.value !== 0n) {
      const ns = packetType.value >> 16n;
      this.#out.push(`packet_type=(${ns},${hex(packetType.value & 0xffffn)})`);
      if (ns === 1n) type = Number(packetType.value & 0xffffn);
    }
    if (!this.#fields.has('dl_type') || type === undefined) return type;
    const protocol = this.#value('nw_proto');
    const names = type === ETH_TYPE.IP ? IP_PROTOCOLS : type === ETH_TYPE.IPV6 ? IPV6_PROTOCOLS : {};
    const known = protocol === undefined ? undefined : names[protocol];
    if (known !== undefined) this.#take('nw_proto');
    const name = known ?? ETH_NAMES[type];
    if (name !== undefined) {
      this.#take('dl_type');
      this.#out.push(name);
    }
    this.#protocol = protocol;
    return type;
  }

  #tunnel(): void {
    this.#masked('tun_id', 64, hex);
    this.#address('tun_src', 32);
    this.#address('tun_dst', 32);
    this.#address('tun_ipv6_src', 128);
    this.#address('tun_ipv6_dst', 128);
    this.#masked('tun_gbp_id', 16, String);
    this.#plain('tun_gbp_flags', hex);
    const version = this.#value('tun_erspan_ver');
    this.#plain('tun_erspan_ver', String);
    this.#erspan('tun_erspan_idx', version === 1, hex);
    this.#erspan('tun_erspan_dir', version === 2, String);
    this.#erspan('tun_erspan_hwid', version === 2, hex);
    this.#plain('tun_gtpu_flags', hex, 'gtpu_flags');
    this.#plain('tun_gtpu_msgtype', String, 'gtpu_msgtype');
    const flags = this.#take('tun_flags');
    if (flags) this.#out.push(`tun_flags=${formatSigned(TUNNEL_FLAGS, flags.value, flags.mask)}`);
    for (let i = 0; i < 64; i++) this.#tunMetadata(`tun_metadata${i}`);
  }

  /** ovs-ofctl leaves these out unless the version of ERSPAN that has them is matched. */
  #erspan(name: string, shown: boolean, format: (v: bigint) => string): void {
    if (shown) this.#plain(name, format);
    else this.#take(name);
  }

  #tunMetadata(name: string): void {
    const entry = this.#fields.get(name);
    if (entry === undefined) return;
    this.#fields.delete(name);
    const size = entry.source?.size ?? entry.source?.field.nBytes ?? 124;
    const all = ones(8 * size);
    if (entry.mask === 0n) this.#out.push(name);
    else {
      const mask = (entry.mask & all) === all ? '' : `/${hex(entry.mask)}`;
      this.#out.push(`${name}=${hex(entry.value)}${mask}`);
    }
  }

  #vlan(): void {
    const tci = this.#take('vlan_tci');
    if (!tci) return;
    const { value, mask } = tci;
    const vid = mask & VID;
    const pcp = mask & PCP;
    const whole = (vid === 0n || vid === VID) && (pcp === 0n || pcp === PCP) && (vid | pcp) !== 0n;
    if (mask & value & CFI && whole) {
      if (vid) this.#out.push(`dl_vlan=${value & VID}`);
      if (pcp) this.#out.push(`dl_vlan_pcp=${value >> 13n}`);
    } else
      this.#out.push(`vlan_tci=${hexPadded(value, 4)}${mask === 0xffffn ? '' : `/${hexPadded(mask, 4)}`}`);
  }

  #linkAndNetwork(type: number | undefined): void {
    this.#ethernet('dl_src');
    this.#ethernet('dl_dst');
    const dlType = this.#take('dl_type');
    if (dlType) this.#out.push(`dl_type=${hexPadded(type ?? dlType.value, 4)}`);
    this.#address('ipv6_src', 128);
    this.#address('ipv6_dst', 128);
    this.#masked('ipv6_label', 20, (v) => hexPadded(v, 5));
    this.#address('arp_spa', 32);
    this.#address('arp_tpa', 32);
    this.#nsh();
    this.#address('nw_src', 32);
    this.#address('nw_dst', 32);
    this.#masked('arp_op', 16, String);
    this.#masked('nw_proto', 8, String);
    this.#ethernet('arp_sha');
    this.#ethernet('arp_tha');
    for (const name of ['nw_tos', 'nw_ecn', 'nw_ttl']) this.#plain(name, String);
    for (const name of ['mpls_label', 'mpls_tc', 'mpls_ttl', 'mpls_bos']) this.#plain(name, String);
    const frag = this.#fields.get('nw_frag')?.source;
    if (frag && this.#take('nw_frag'))
      this.#out.push(`nw_frag=${formatFieldValue(frag.field, frag.value, frag.mask)}`);
  }

  #nsh(): void {
    this.#octet('nsh_flags');
    for (const name of ['nsh_ttl', 'nsh_mdtype', 'nsh_np']) this.#octet(name);
    this.#masked('nsh_spi', 24, hex);
    this.#octet('nsh_si');
    for (let i = 1; i <= 4; i++) this.#masked(`nsh_c${i}`, 32, hex);
  }

  #transport(type: number | undefined): void {
    for (const name of ['icmp_type', 'icmp_code', 'tp_src', 'tp_dst']) this.#masked(name, 16, String);
    if (type === ETH_TYPE.IPV6 && this.#protocol === ICMPV6) {
      this.#address('nd_target', 128);
      this.#ethernet('nd_sll');
      this.#ethernet('nd_tll');
      this.#masked('nd_reserved', 32, String);
      this.#masked('nd_options_type', 8, String);
    }
    const flags = this.#take('tcp_flags');
    if (!flags) return;
    const mask = flags.mask & ALL_TCP_FLAGS;
    const exact = mask === ALL_TCP_FLAGS && this.#protocol === TCP;
    this.#out.push(
      `tcp_flags=${exact ? formatSet(TCP_FLAGS, flags.value) : formatSigned(TCP_FLAGS, flags.value, mask)}`,
    );
  }

  #rest(): string[] {
    return [...this.#fields].map(([name, { value, mask, source }]) =>
      source
        ? `${name}=${formatFieldValue(source.field, source.value, source.mask)}`
        : `${name}=${value}${mask === ones(16) ? '' : `/${hex(mask)}`}`,
    );
  }

  #masked(name: string, nBits: number, format: (v: bigint) => string): void {
    const entry = this.#take(name);
    if (!entry) return;
    if ((entry.mask & ones(widths[name] ?? nBits)) === ones(widths[name] ?? nBits))
      this.#out.push(`${name}=${format(entry.value)}`);
    else {
      const masked = name === 'ipv6_label' ? format : hex0;
      const both = format === hex ? hex : masked;
      this.#out.push(`${name}=${both(entry.value)}/${both(entry.mask)}`);
    }
  }

  #octet(name: string): void {
    const entry = this.#take(name);
    if (!entry) return;
    this.#out.push(
      entry.mask === 0xffn
        ? `${name}=${entry.value}`
        : `${name}=${hexPadded(entry.value, 2)}/${hexPadded(entry.mask, 2)}`,
    );
  }

  #plain(name: string, format: (v: bigint) => string, shown = name): void {
    const entry = this.#take(name);
    if (entry) this.#out.push(`${shown}=${format(entry.value)}`);
  }

  #port(name: string): void {
    const entry = this.#take(name);
    if (entry) this.#out.push(`${name}=${formatPort(Number(entry.value))}`);
  }

  #ethernet(name: string): void {
    const entry = this.#take(name);
    if (!entry) return;
    const mask = entry.mask === ones(48) ? '' : `/${formatEthernet(entry.mask)}`;
    this.#out.push(`${name}=${formatEthernet(entry.value)}${mask}`);
  }

  #address(name: string, nBits: 32 | 128): void {
    const entry = this.#take(name);
    if (entry) this.#out.push(`${name}=${formatIp(entry.value, entry.mask, nBits)}`);
  }
}

/** Fields whose exact masks are narrower than the number that holds them. */
const widths: Readonly<Record<string, number>> = { icmp_type: 8, icmp_code: 8 };

function hex0(v: bigint): string {
  return `0x${v.toString(16)}`;
}
