/** Open vSwitch's fields, ovs-fields(7): NXM classes 0 and 1 and the experimenters Nicira (0x2320) and NSH. */
import { oxm } from '../ofp/fields/basic.js';
import { defineField, type FieldSpec, type OxmIdSpec } from '../ofp/fields/registry.js';
import type { Field, Prerequisite } from '../ofp/types/field.js';
import { OFP13 } from '../ofp/types/field.js';

export const NX_EXPERIMENTER = 0x00002320;
export const NSH_EXPERIMENTER = 0x005ad650;

const EXPERIMENTER = 0xffff;

const nxmOf = (number: number, name: string): OxmIdSpec => ({ class: 0, number, name: `NXM_OF_${name}` });
const nx = (number: number, name: string): OxmIdSpec => ({ class: 1, number, name: `NXM_NX_${name}` });
const experimenter = (id: number, number: number, name: string): OxmIdSpec => ({
  class: EXPERIMENTER,
  experimenter: id,
  number,
  name,
});

type Rest = Omit<FieldSpec, 'name' | 'nBits' | 'ids'>;
const field = (name: string, nBits: number, id: OxmIdSpec, rest: Rest = {}): Field =>
  defineField({ name, nBits, ids: [id], ...rest });

/** `n` fields that differ in their number only. */
function numbered(n: number, make: (i: number) => Field): readonly Field[] {
  return Array.from({ length: n }, (_, i) => make(i));
}

const mw = { maskable: true, writable: true } as const;
const hex = { format: 'hexadecimal' } as const;
const register = { ...mw, ...hex } as const;

/** reg0 … reg15 by number. */
export const regs = numbered(16, (i) => field(`reg${i}`, 32, nx(i, `REG${i}`), register));
/** xreg0 … xreg7: xregN is reg2N (upper half) and reg2N+1. */
export const xregs = numbered(8, (i) =>
  field(`xreg${i}`, 64, { class: 0x8001, number: i, name: `OXM_OF_PKT_REG${i}`, since: OFP13 }, register),
);
/** xxreg0 … xxreg3: xxregN is reg4N (uppermost) … reg4N+3. */
export const xxregs = numbered(4, (i) => field(`xxreg${i}`, 128, nx(111 + i, `XXREG${i}`), register));

/** Of the option that the switch's TLV table maps to it; payloads are as long as the mapping says. */
export const tunMetadata = numbered(64, (i) =>
  field(`tun_metadata${i}`, 992, nx(40 + i, `TUN_METADATA${i}`), { ...register, variable: true }),
);

const CT = { NEW: 0x01, EST: 0x02, REL: 0x04, INV: 0x10, TRK: 0x20 } as const;
const ct_state = field('ct_state', 32, nx(105, 'CT_STATE'), { maskable: true, format: 'ct-state' });
/** +new, +est, +rel or +trk-inv. */
const valid: readonly Prerequisite[] = [
  ...[CT.NEW, CT.EST, CT.REL].map((bit) => ({ field: ct_state, value: bit, mask: bit })),
  { field: ct_state, value: CT.TRK, mask: CT.TRK | CT.INV },
];
const ethType = (...values: readonly number[]): Prerequisite[] =>
  values.map((value) => ({ field: oxm.dl_type, value }));
const ip = ethType(0x0800, 0x86dd);
const ctIpv4 = [...valid, ...ethType(0x0800)];
const ctIpv6 = [...valid, ...ethType(0x86dd)];
const ct_nw_proto = field('ct_nw_proto', 8, nx(119, 'CT_NW_PROTO'), { prerequisites: [...valid, ...ip] });
const ctPorts = [...valid, ...ip, ...[6, 17, 132].map((value) => ({ field: ct_nw_proto, value }))];

const conntrack = {
  ct_state,
  ct_zone: field('ct_zone', 16, nx(106, 'CT_ZONE'), hex),
  ct_mark: field('ct_mark', 32, nx(107, 'CT_MARK'), register),
  ct_label: field('ct_label', 128, nx(108, 'CT_LABEL'), register),
  ct_nw_proto,
  ct_nw_src: field('ct_nw_src', 32, nx(120, 'CT_NW_SRC'), {
    maskable: true,
    format: 'ipv4',
    prerequisites: ctIpv4,
  }),
  ct_nw_dst: field('ct_nw_dst', 32, nx(121, 'CT_NW_DST'), {
    maskable: true,
    format: 'ipv4',
    prerequisites: ctIpv4,
  }),
  ct_ipv6_src: field('ct_ipv6_src', 128, nx(122, 'CT_IPV6_SRC'), {
    maskable: true,
    format: 'ipv6',
    prerequisites: ctIpv6,
  }),
  ct_ipv6_dst: field('ct_ipv6_dst', 128, nx(123, 'CT_IPV6_DST'), {
    maskable: true,
    format: 'ipv6',
    prerequisites: ctIpv6,
  }),
  ct_tp_src: field('ct_tp_src', 16, nx(124, 'CT_TP_SRC'), { maskable: true, prerequisites: ctPorts }),
  ct_tp_dst: field('ct_tp_dst', 16, nx(125, 'CT_TP_DST'), { maskable: true, prerequisites: ctPorts }),
};

const et = (number: number, name: string) => experimenter(NX_EXPERIMENTER, number, `NXOXM_ET_${name}`);
const tunnel = {
  tun_src: field('tun_src', 32, nx(31, 'TUN_IPV4_SRC'), { ...mw, format: 'ipv4' }),
  tun_dst: field('tun_dst', 32, nx(32, 'TUN_IPV4_DST'), { ...mw, format: 'ipv4' }),
  tun_ipv6_src: field('tun_ipv6_src', 128, nx(109, 'TUN_IPV6_SRC'), { ...mw, format: 'ipv6' }),
  tun_ipv6_dst: field('tun_ipv6_dst', 128, nx(110, 'TUN_IPV6_DST'), { ...mw, format: 'ipv6' }),
  /** Bit 0: OAM. */
  tun_flags: field('tun_flags', 1, nx(104, 'TUN_FLAGS'), { ...mw, nBytes: 2, format: 'tunnel-flags' }),
  tun_gbp_id: field('tun_gbp_id', 16, nx(38, 'TUN_GBP_ID'), mw),
  tun_gbp_flags: field('tun_gbp_flags', 8, nx(39, 'TUN_GBP_FLAGS'), register),
  tun_erspan_idx: field('tun_erspan_idx', 20, et(11, 'ERSPAN_IDX'), { ...register, nBytes: 4 }),
  tun_erspan_ver: field('tun_erspan_ver', 4, et(12, 'ERSPAN_VER'), mw),
  tun_erspan_dir: field('tun_erspan_dir', 1, et(13, 'ERSPAN_DIR'), mw),
  tun_erspan_hwid: field('tun_erspan_hwid', 6, et(14, 'ERSPAN_HWID'), register),
  tun_gtpu_flags: field('tun_gtpu_flags', 8, et(15, 'GTPU_FLAGS'), { maskable: true, ...hex }),
  tun_gtpu_msgtype: field('tun_gtpu_msgtype', 8, et(16, 'GTPU_MSGTYPE'), { maskable: true }),
};

const metadata = {
  /** The 16-bit form of in_port, for actions: `load:0->NXM_OF_IN_PORT[]`. */
  in_port_nxm: field('in_port_nxm', 16, nxmOf(0, 'IN_PORT'), { writable: true }),
  pkt_mark: field('pkt_mark', 32, nx(33, 'PKT_MARK'), register),
  dp_hash: defineField({
    name: 'dp_hash',
    nBits: 32,
    ids: [nx(35, 'DP_HASH'), et(0, 'DP_HASH')],
    maskable: true,
    ...hex,
  }),
  recirc_id: field('recirc_id', 32, nx(36, 'RECIRC_ID'), hex),
  conj_id: field('conj_id', 32, nx(37, 'CONJ_ID')),
};

const nd = [
  ...ethType(0x86dd),
  { field: oxm.nw_proto, value: 58 },
  { field: oxm.icmpv6_type, value: 135 },
  { field: oxm.icmpv6_type, value: 136 },
];
const eric = (number: number, name: string) => ({ class: 0x1000, number, name: `ERICOXM_OF_${name}` });
const packet = {
  /** 802.1Q TCI with bit 12 set where there is a header; OVS writes vlan_vid and vlan_pcp in its place. */
  vlan_tci: field('vlan_tci', 16, nxmOf(4, 'VLAN_TCI'), register),
  mpls_ttl: field('mpls_ttl', 8, nx(30, 'MPLS_TTL'), {
    writable: true,
    prerequisites: ethType(0x8847, 0x8848),
  }),
  /** Six bits of DSCP in the upper part of the byte; ip_dscp is the standard's form. */
  nw_tos: field('nw_tos', 8, nxmOf(5, 'IP_TOS'), { writable: true, prerequisites: ip, aliases: ['ip_tos'] }),
  nw_ttl: field('nw_ttl', 8, nx(29, 'IP_TTL'), { writable: true, prerequisites: ip, aliases: ['ip_ttl'] }),
  /** Bit 0: a fragment. Bit 1: not the first one. */
  nw_frag: field('nw_frag', 2, nx(26, 'IP_FRAG'), {
    maskable: true,
    format: 'frag',
    prerequisites: ip,
    aliases: ['ip_frag'],
  }),
  nd_reserved: field('nd_reserved', 32, eric(1, 'ICMPV6_ND_RESERVED'), { writable: true, prerequisites: nd }),
  nd_options_type: field('nd_options_type', 8, eric(2, 'ICMPV6_ND_OPTIONS_TYPE'), {
    writable: true,
    prerequisites: nd,
  }),
};

const nshHeader = ethType(0x894f);
const nsh = (name: string, nBits: number, number: number, rest: Rest = {}) =>
  field(`nsh_${name}`, nBits, experimenter(NSH_EXPERIMENTER, number, `NXOXM_NSH_${name.toUpperCase()}`), {
    prerequisites: nshHeader,
    ...rest,
  });
const context = { ...register, prerequisites: nshHeader };
const serviceHeader = {
  nsh_flags: nsh('flags', 8, 1, mw),
  nsh_mdtype: nsh('mdtype', 8, 2),
  nsh_np: nsh('np', 8, 3),
  nsh_spi: nsh('spi', 24, 4, { writable: true, ...hex, nBytes: 4, aliases: ['nsp'] }),
  nsh_si: nsh('si', 8, 5, { writable: true, aliases: ['nsi'] }),
  nsh_c1: nsh('c1', 32, 6, { ...context, aliases: ['nshc1'] }),
  nsh_c2: nsh('c2', 32, 7, { ...context, aliases: ['nshc2'] }),
  nsh_c3: nsh('c3', 32, 8, { ...context, aliases: ['nshc3'] }),
  nsh_c4: nsh('c4', 32, 9, { ...context, aliases: ['nshc4'] }),
  nsh_ttl: nsh('ttl', 8, 10, { writable: true }),
};

type Numbered<P extends string, N extends number> = { readonly [K in `${P}${N}`]: Field };
type Upto3 = 0 | 1 | 2 | 3;
type Upto7 = Upto3 | 4 | 5 | 6 | 7;
type Upto15 = Upto7 | 8 | 9 | 10 | 11 | 12 | 13 | 14 | 15;

const named = <T>(list: readonly Field[]): T => Object.fromEntries(list.map((f) => [f.name, f])) as T;

/** Open vSwitch's fields by ovs-ofctl name, without those that are in `oxm`. */
export const nxm = {
  ...named<Numbered<'reg', Upto15>>(regs),
  ...named<Numbered<'xreg', Upto7>>(xregs),
  ...named<Numbered<'xxreg', Upto3>>(xxregs),
  ...conntrack,
  ...tunnel,
  ...metadata,
  ...packet,
  ...serviceHeader,
} as const;

/** All fields by name, for `m(F.reg3, 7)` and `sub(F.reg0, 0, 16)`; tun_metadata by number in `tunMetadata`. */
export const F = { ...oxm, ...nxm } as const;
