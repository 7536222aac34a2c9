/** Fields of class OFPXMC_OPENFLOW_BASIC, OpenFlow 1.3.5 §7.2.3.7 and 1.5.1 §7.2.3.8, with their NXM equivalents. */
import type { Field, OfpVersion, Prerequisite } from '../types/field.js';
import { OFP13, OFP14, OFP15 } from '../types/field.js';
import { defineField, type FieldSpec, ONFOXM_ET, type OxmIdSpec } from './registry.js';

const BASIC = 0x8000;
const EXPERIMENTER = 0xffff;
const NXM_OF = 0x0000;
const NXM_NX = 0x0001;

const of = (number: number, name: string, since: OfpVersion = OFP13): OxmIdSpec => ({
  class: BASIC,
  number,
  name: `OXM_OF_${name}`,
  since,
});
const nxm = (number: number, name: string): OxmIdSpec => ({ class: NXM_OF, number, name: `NXM_OF_${name}` });
const nx = (number: number, name: string): OxmIdSpec => ({ class: NXM_NX, number, name: `NXM_NX_${name}` });
const onf = (number: number, name: string): OxmIdSpec => ({
  class: EXPERIMENTER,
  experimenter: ONFOXM_ET,
  number,
  name: `ONFOXM_ET_${name}`,
});

type Rest = Omit<FieldSpec, 'name' | 'nBits' | 'ids'>;
const field = (name: string, nBits: number, ids: readonly OxmIdSpec[], rest: Rest = {}): Field =>
  defineField({ name, nBits, ids, ...rest });

const mw = { maskable: true, writable: true } as const;
const w = { writable: true } as const;
const hex = { format: 'hexadecimal' } as const;

const in_port = field('in_port', 32, [of(0, 'IN_PORT')], { ...w, format: 'ofp-port' });
const in_phy_port = field('in_phy_port', 32, [of(1, 'IN_PHY_PORT')], { format: 'ofp-port' });
const metadata = field('metadata', 64, [of(2, 'METADATA')], { ...mw, ...hex });
const dl_dst = field('dl_dst', 48, [of(3, 'ETH_DST'), nxm(1, 'ETH_DST')], {
  ...mw,
  format: 'ethernet',
  aliases: ['eth_dst'],
});
const dl_src = field('dl_src', 48, [of(4, 'ETH_SRC'), nxm(2, 'ETH_SRC')], {
  ...mw,
  format: 'ethernet',
  aliases: ['eth_src'],
});
const dl_type = field('dl_type', 16, [of(5, 'ETH_TYPE'), nxm(3, 'ETH_TYPE')], {
  ...hex,
  aliases: ['eth_type'],
});

const ethType = (...values: readonly number[]): Prerequisite[] =>
  values.map((value) => ({ field: dl_type, value }));
const ip = ethType(0x0800, 0x86dd);
const ipv4 = ethType(0x0800);
const ipv6 = ethType(0x86dd);
const arp = ethType(0x0806, 0x8035);
const mpls = ethType(0x8847, 0x8848);

/** 13 bits: OFPVID_PRESENT 0x1000 and the VLAN id. */
const vlan_vid = field('vlan_vid', 13, [of(6, 'VLAN_VID')], { ...mw, ...hex });
const vlan_pcp = field('vlan_pcp', 3, [of(7, 'VLAN_PCP')], {
  ...w,
  prerequisites: [{ field: vlan_vid, value: 0x1000, mask: 0x1000 }],
});
const ip_dscp = field('ip_dscp', 6, [of(8, 'IP_DSCP')], { ...w, prerequisites: ip });
const nw_ecn = field('nw_ecn', 2, [of(9, 'IP_ECN'), nx(28, 'IP_ECN')], {
  ...w,
  prerequisites: ip,
  aliases: ['ip_ecn'],
});
const nw_proto = field('nw_proto', 8, [of(10, 'IP_PROTO'), nxm(6, 'IP_PROTO')], {
  prerequisites: ip,
  aliases: ['ip_proto'],
});
const nw_src = field('nw_src', 32, [of(11, 'IPV4_SRC'), nxm(7, 'IP_SRC')], {
  ...mw,
  format: 'ipv4',
  prerequisites: ipv4,
  aliases: ['ip_src', 'ipv4_src'],
});
const nw_dst = field('nw_dst', 32, [of(12, 'IPV4_DST'), nxm(8, 'IP_DST')], {
  ...mw,
  format: 'ipv4',
  prerequisites: ipv4,
  aliases: ['ip_dst', 'ipv4_dst'],
});

const proto = (value: number): Prerequisite[] => [...ip, { field: nw_proto, value }];
const l4 = (name: string, id: number, oxmName: string, protocol: number, extra: readonly OxmIdSpec[] = []) =>
  field(name, 16, [of(id, oxmName), ...extra], { ...mw, prerequisites: proto(protocol) });
const tcp_src = l4('tcp_src', 13, 'TCP_SRC', 6, [nxm(9, 'TCP_SRC')]);
const tcp_dst = l4('tcp_dst', 14, 'TCP_DST', 6, [nxm(10, 'TCP_DST')]);
const udp_src = l4('udp_src', 15, 'UDP_SRC', 17, [nxm(11, 'UDP_SRC')]);
const udp_dst = l4('udp_dst', 16, 'UDP_DST', 17, [nxm(12, 'UDP_DST')]);
const sctp_src = l4('sctp_src', 17, 'SCTP_SRC', 132);
const sctp_dst = l4('sctp_dst', 18, 'SCTP_DST', 132);

const icmp4: Prerequisite[] = [...ipv4, { field: nw_proto, value: 1 }];
const icmp6: Prerequisite[] = [...ipv6, { field: nw_proto, value: 58 }];
const icmp_type = field('icmp_type', 8, [of(19, 'ICMPV4_TYPE'), nxm(13, 'ICMP_TYPE')], {
  ...w,
  prerequisites: icmp4,
});
const icmp_code = field('icmp_code', 8, [of(20, 'ICMPV4_CODE'), nxm(14, 'ICMP_CODE')], {
  ...w,
  prerequisites: icmp4,
});

const arp_op = field('arp_op', 16, [of(21, 'ARP_OP'), nxm(15, 'ARP_OP')], { ...w, prerequisites: arp });
const arp_spa = field('arp_spa', 32, [of(22, 'ARP_SPA'), nxm(16, 'ARP_SPA')], {
  ...mw,
  format: 'ipv4',
  prerequisites: arp,
});
const arp_tpa = field('arp_tpa', 32, [of(23, 'ARP_TPA'), nxm(17, 'ARP_TPA')], {
  ...mw,
  format: 'ipv4',
  prerequisites: arp,
});
const arp_sha = field('arp_sha', 48, [of(24, 'ARP_SHA'), nx(17, 'ARP_SHA')], {
  ...mw,
  format: 'ethernet',
  prerequisites: arp,
});
const arp_tha = field('arp_tha', 48, [of(25, 'ARP_THA'), nx(18, 'ARP_THA')], {
  ...mw,
  format: 'ethernet',
  prerequisites: arp,
});

const ipv6_src = field('ipv6_src', 128, [of(26, 'IPV6_SRC'), nx(19, 'IPV6_SRC')], {
  ...mw,
  format: 'ipv6',
  prerequisites: ipv6,
});
const ipv6_dst = field('ipv6_dst', 128, [of(27, 'IPV6_DST'), nx(20, 'IPV6_DST')], {
  ...mw,
  format: 'ipv6',
  prerequisites: ipv6,
});
const ipv6_label = field('ipv6_label', 20, [of(28, 'IPV6_FLABEL'), nx(27, 'IPV6_LABEL')], {
  ...mw,
  ...hex,
  nBytes: 4,
  prerequisites: ipv6,
  aliases: ['ipv6_flabel'],
});
const icmpv6_type = field('icmpv6_type', 8, [of(29, 'ICMPV6_TYPE'), nx(21, 'ICMPV6_TYPE')], {
  ...w,
  prerequisites: icmp6,
});
const icmpv6_code = field('icmpv6_code', 8, [of(30, 'ICMPV6_CODE'), nx(22, 'ICMPV6_CODE')], {
  ...w,
  prerequisites: icmp6,
});
const icmpType = (value: number): Prerequisite => ({ field: icmpv6_type, value });
const nd = [...icmp6, icmpType(135), icmpType(136)];
const nd_target = field('nd_target', 128, [of(31, 'IPV6_ND_TARGET'), nx(23, 'ND_TARGET')], {
  ...mw,
  format: 'ipv6',
  prerequisites: nd,
  aliases: ['ipv6_nd_target'],
});
const nd_sll = field('nd_sll', 48, [of(32, 'IPV6_ND_SLL'), nx(24, 'ND_SLL')], {
  ...mw,
  format: 'ethernet',
  prerequisites: [...icmp6, icmpType(135)],
});
const nd_tll = field('nd_tll', 48, [of(33, 'IPV6_ND_TLL'), nx(25, 'ND_TLL')], {
  ...mw,
  format: 'ethernet',
  prerequisites: [...icmp6, icmpType(136)],
});

const mpls_label = field('mpls_label', 20, [of(34, 'MPLS_LABEL')], { ...w, nBytes: 4, prerequisites: mpls });
const mpls_tc = field('mpls_tc', 3, [of(35, 'MPLS_TC')], { ...w, prerequisites: mpls });
const mpls_bos = field('mpls_bos', 1, [of(36, 'MPLS_BOS')], { prerequisites: mpls });
const pbb_isid = field('pbb_isid', 24, [of(37, 'PBB_ISID')], {
  ...mw,
  nBytes: 3,
  ...hex,
  prerequisites: ethType(0x88e7),
});
const tun_id = field('tun_id', 64, [of(38, 'TUNNEL_ID'), nx(16, 'TUN_ID')], {
  ...mw,
  ...hex,
  aliases: ['tunnel_id'],
});
const ipv6_exthdr = field('ipv6_exthdr', 9, [of(39, 'IPV6_EXTHDR')], {
  maskable: true,
  ...hex,
  prerequisites: ipv6,
});
const pbb_uca = field('pbb_uca', 1, [of(41, 'PBB_UCA', OFP14)], {
  ...w,
  prerequisites: ethType(0x88e7),
});
const tcp_flags = field(
  'tcp_flags',
  12,
  [of(42, 'TCP_FLAGS', OFP15), onf(42, 'TCP_FLAGS'), nx(34, 'TCP_FLAGS')],
  {
    maskable: true,
    format: 'tcp-flags',
    nBytes: 2,
    prerequisites: proto(6),
  },
);
const actset_output = field('actset_output', 32, [of(43, 'ACTSET_OUTPUT', OFP15), onf(43, 'ACTSET_OUTPUT')], {
  format: 'ofp-port',
});
/** namespace(16) | namespace type(16). Of OpenFlow 1.5; Open vSwitch takes and writes it in every version. */
const packet_type = field('packet_type', 32, [of(44, 'PACKET_TYPE')], { format: 'packet-type' });

/** The standard fields by ovs-ofctl name. `nx-extensions` adds Nicira's. */
export const oxm = {
  in_port,
  in_phy_port,
  metadata,
  dl_dst,
  dl_src,
  dl_type,
  vlan_vid,
  vlan_pcp,
  ip_dscp,
  nw_ecn,
  nw_proto,
  nw_src,
  nw_dst,
  tcp_src,
  tcp_dst,
  udp_src,
  udp_dst,
  sctp_src,
  sctp_dst,
  icmp_type,
  icmp_code,
  arp_op,
  arp_spa,
  arp_tpa,
  arp_sha,
  arp_tha,
  ipv6_src,
  ipv6_dst,
  ipv6_label,
  icmpv6_type,
  icmpv6_code,
  nd_target,
  nd_sll,
  nd_tll,
  mpls_label,
  mpls_tc,
  mpls_bos,
  pbb_isid,
  tun_id,
  ipv6_exthdr,
  pbb_uca,
  tcp_flags,
  actset_output,
  packet_type,
} as const satisfies Record<string, Field>;
