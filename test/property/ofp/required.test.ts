/** What the codec promises to cover, row by row: types and versions, both directions. */
import { describe, expect, test } from 'vitest';
import '../../../src/nx-extensions/index.js';
import {
  allActionForms,
  allMessageForms,
  fieldByName,
  OFP13,
  OFP14,
  OFP15,
  type OfpVersion,
} from '../../../src/ofp/index.js';

type Versions = readonly OfpVersion[];
const ALL: Versions = [OFP13, OFP14, OFP15];
const SINCE_14: Versions = [OFP14, OFP15];
const ONLY_13: Versions = [OFP13];

const MESSAGES: readonly (readonly [Versions, string])[] = [
  [ALL, 'OFPT_HELLO OFPT_ERROR OFPT_ECHO_REQUEST OFPT_ECHO_REPLY'],
  [
    ALL,
    'OFPT_FEATURES_REQUEST OFPT_FEATURES_REPLY OFPT_GET_CONFIG_REQUEST OFPT_GET_CONFIG_REPLY OFPT_SET_CONFIG',
  ],
  [ALL, 'OFPT_FLOW_MOD OFPT_GROUP_MOD OFPT_METER_MOD OFPT_PORT_MOD OFPT_TABLE_MOD'],
  [ALL, 'OFPT_PACKET_IN OFPT_PACKET_OUT OFPT_FLOW_REMOVED OFPT_PORT_STATUS'],
  [ALL, 'OFPT_ROLE_REQUEST OFPT_ROLE_REPLY OFPT_GET_ASYNC_REQUEST OFPT_GET_ASYNC_REPLY OFPT_SET_ASYNC'],
  [ALL, 'OFPT_BARRIER_REQUEST OFPT_BARRIER_REPLY'],
  [
    SINCE_14,
    'OFPT_BUNDLE_CONTROL OFPT_BUNDLE_ADD_MESSAGE OFPT_REQUESTFORWARD OFPT_ROLE_STATUS OFPT_TABLE_STATUS',
  ],
  [ONLY_13, 'ONFT_BUNDLE_CONTROL ONFT_BUNDLE_ADD_MESSAGE'],
  [[OFP15], 'OFPT_CONTROLLER_STATUS'],
  ...['DESC', 'TABLE', 'PORT_STATS', 'QUEUE_STATS', 'GROUP_STATS', 'GROUP_DESC', 'GROUP_FEATURES'].map(both),
  ...['METER_STATS', 'METER_DESC', 'METER_FEATURES', 'TABLE_FEATURES', 'PORT_DESC'].map(both),
  [ALL, 'OFPMP_FLOW_request OFPMP_AGGREGATE_request'],
  [[OFP13, OFP14], 'OFPMP_FLOW_reply OFPMP_AGGREGATE_reply'],
  [[OFP15], 'OFPMP_FLOW_DESC_reply OFPMP_AGGREGATE_STATS_reply'],
  [
    SINCE_14,
    'OFPMP_TABLE_DESC_request OFPMP_TABLE_DESC_reply OFPMP_QUEUE_DESC_request OFPMP_QUEUE_DESC_reply',
  ],
  [ONLY_13, 'OFPT_QUEUE_GET_CONFIG_REQUEST OFPT_QUEUE_GET_CONFIG_REPLY'],
  [SINCE_14, 'OFPMP_FLOW_MONITOR_request OFPMP_FLOW_MONITOR_reply'],
  [ONLY_13, 'ONFST_FLOW_MONITOR_request ONFST_FLOW_MONITOR_reply'],
  [ONLY_13, 'ONFT_FLOW_MONITOR_CANCEL ONFT_FLOW_MONITOR_PAUSED ONFT_FLOW_MONITOR_RESUMED'],
  [ALL, 'NXT_PACKET_IN2 NXT_RESUME NXT_SET_CONTROLLER_ID NXT_SET_PACKET_IN_FORMAT NXT_FLOW_MOD_TABLE_ID'],
  [ONLY_13, 'NXT_SET_ASYNC_CONFIG2'],
  [ALL, 'NXT_CT_FLUSH_ZONE NXT_CT_FLUSH'],
  [ALL, 'NXT_TLV_TABLE_MOD NXT_TLV_TABLE_REQUEST NXT_TLV_TABLE_REPLY'],
];
function both(name: string): readonly [Versions, string] {
  return [ALL, `OFPMP_${name}_request OFPMP_${name}_reply`];
}

const ACTIONS: readonly (readonly [Versions, string])[] = [
  [ALL, 'OFPAT_OUTPUT OFPAT_GROUP OFPAT_SET_QUEUE OFPAT_SET_NW_TTL OFPAT_DEC_NW_TTL OFPAT_SET_MPLS_TTL'],
  [ALL, 'OFPAT_DEC_MPLS_TTL OFPAT_COPY_TTL_OUT OFPAT_COPY_TTL_IN OFPAT_PUSH_VLAN OFPAT_POP_VLAN'],
  [ALL, 'OFPAT_PUSH_MPLS OFPAT_POP_MPLS OFPAT_PUSH_PBB OFPAT_POP_PBB OFPAT_SET_FIELD'],
  [[OFP13, OFP14], 'ONFACT_ET_COPY_FIELD'],
  [[OFP15], 'OFPAT_COPY_FIELD OFPAT_METER'],
  [ALL, 'NXAST_RESUBMIT NXAST_RESUBMIT_TABLE NXAST_RESUBMIT_TABLE_CT'],
  // Open vSwitch refuses the old load in 1.5; set_field says it there.
  [[OFP13, OFP14], 'NXAST_REG_LOAD NXAST_REG_LOAD2 NXAST_REG_MOVE'],
  [ALL, 'NXAST_OUTPUT_REG2 NXAST_OUTPUT_TRUNC NXAST_NOTE NXAST_MULTIPATH NXAST_BUNDLE NXAST_BUNDLE_LOAD'],
  [ALL, 'NXAST_LEARN NXAST_LEARN2 NXAST_CONJUNCTION NXAST_EXIT NXAST_DEC_TTL_CNT_IDS NXAST_CONTROLLER'],
  [ALL, 'NXAST_CONTROLLER2 NXAST_STACK_PUSH NXAST_STACK_POP NXAST_SAMPLE NXAST_SAMPLE2 NXAST_SAMPLE3'],
  [ALL, 'NXAST_FIN_TIMEOUT NXAST_SET_TUNNEL NXAST_SET_TUNNEL64 NXAST_POP_QUEUE NXAST_CT NXAST_NAT'],
  [ALL, 'NXAST_CT_CLEAR NXAST_CLONE NXAST_WRITE_METADATA NXAST_CHECK_PKT_LARGER NXAST_DELETE_FIELD'],
  [ALL, 'NXAST_ENCAP NXAST_DECAP NXAST_DEC_NSH_TTL'],
];
const EITHER_ACTION = ['NXAST_OUTPUT_REG'];

const numbered = (name: string, n: number): string[] => Array.from({ length: n }, (_, i) => `${name}${i}`);
/** By the names of the specification and of Open vSwitch. */
const OXMS =
  'IN_PORT IN_PHY_PORT METADATA ETH_DST ETH_SRC ETH_TYPE VLAN_VID VLAN_PCP IP_DSCP IP_ECN IP_PROTO IPV4_SRC IPV4_DST ' +
  'TCP_SRC TCP_DST UDP_SRC UDP_DST SCTP_SRC SCTP_DST ICMPV4_TYPE ICMPV4_CODE ARP_OP ARP_SPA ARP_TPA ARP_SHA ARP_THA ' +
  'IPV6_SRC IPV6_DST IPV6_FLABEL ICMPV6_TYPE ICMPV6_CODE IPV6_ND_TARGET IPV6_ND_SLL IPV6_ND_TLL MPLS_LABEL MPLS_TC ' +
  'MPLS_BOS PBB_ISID TUNNEL_ID IPV6_EXTHDR PBB_UCA TCP_FLAGS ACTSET_OUTPUT PACKET_TYPE';
const NXM0 =
  'IN_PORT ETH_DST ETH_SRC ETH_TYPE VLAN_TCI IP_TOS IP_PROTO IP_SRC IP_DST TCP_SRC TCP_DST UDP_SRC UDP_DST ICMP_TYPE ' +
  'ICMP_CODE ARP_OP ARP_SPA ARP_TPA';
const NXM1 = [
  ...numbered('REG', 16),
  ...numbered('XXREG', 4),
  ...numbered('TUN_METADATA', 64),
  ...'TUN_ID ARP_SHA ARP_THA IPV6_SRC IPV6_DST ICMPV6_TYPE ICMPV6_CODE ND_TARGET ND_SLL ND_TLL IP_FRAG'.split(
    ' ',
  ),
  ...'IPV6_LABEL IP_ECN IP_TTL MPLS_TTL TUN_IPV4_SRC TUN_IPV4_DST PKT_MARK TCP_FLAGS DP_HASH RECIRC_ID'.split(
    ' ',
  ),
  ...'CONJ_ID TUN_GBP_ID TUN_GBP_FLAGS TUN_FLAGS CT_STATE CT_ZONE CT_MARK CT_LABEL TUN_IPV6_SRC'.split(' '),
  ...'TUN_IPV6_DST CT_NW_PROTO CT_NW_SRC CT_NW_DST CT_IPV6_SRC CT_IPV6_DST CT_TP_SRC CT_TP_DST'.split(' '),
];
const OTHERS = [
  ...numbered('OXM_OF_PKT_REG', 8),
  ...'FLAGS MDTYPE NP SPI SI C1 C2 C3 C4 TTL'.split(' ').map((n) => `NXOXM_NSH_${n}`),
  ...'ERSPAN_IDX ERSPAN_VER ERSPAN_DIR ERSPAN_HWID GTPU_FLAGS GTPU_MSGTYPE'
    .split(' ')
    .map((n) => `NXOXM_ET_${n}`),
];

interface Form {
  readonly name: string;
  readonly from?: OfpVersion;
  readonly to?: OfpVersion;
}
function missing(rows: readonly (readonly [Versions, string])[], forms: readonly Form[]): string[] {
  return rows.flatMap(([versions, names]) =>
    names.split(' ').flatMap((written) => {
      const name = written.replace(/_(request|reply)$/, ' $1');
      return versions
        .filter((v) => !forms.some((f) => f.name === name && v >= (f.from ?? OFP13) && v <= (f.to ?? OFP15)))
        .map((v) => `${name} in version ${v}`);
    }),
  );
}

describe('no row is missing', () => {
  test('messages', () => expect(missing(MESSAGES, allMessageForms())).toEqual([]));

  test('actions', () => {
    expect(missing(ACTIONS, allActionForms())).toEqual([]);
    const names = allActionForms().map((f) => f.name);
    expect(EITHER_ACTION.filter((name) => !names.includes(name))).toEqual([]);
  });

  test('fields', () => {
    const names = [
      ...OXMS.split(' ').map((n) => `OXM_OF_${n}`),
      ...NXM0.split(' ').map((n) => `NXM_OF_${n}`),
      ...NXM1.map((n) => `NXM_NX_${n}`),
      ...OTHERS,
    ];
    expect(names.filter((name) => fieldByName(name) === undefined)).toEqual([]);
  });

  test('a row that is not there is seen', () => {
    expect(missing([[ALL, 'OFPT_TABLE_STATUS']], allMessageForms())).toEqual([
      'OFPT_TABLE_STATUS in version 4',
    ]);
  });
});
