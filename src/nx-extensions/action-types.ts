import type { Action } from '../ofp/types/action.js';
import type { Field, FieldValue, Subfield } from '../ofp/types/field.js';
import type { PacketInReason } from '../ofp/types/message.js';

/*
 * Parameters of Nicira's actions, named after ovs-actions(7).
 *
 * Ports are OFPP_* numbers of 32 bits everywhere in the model. Nicira's actions carry 16 on the wire: the codec
 * translates the reserved ones (OFPP.IN_PORT ↔ 0xfff8) and refuses 0xff00–0xfffffeff.
 *
 * Several ways to write one effect, and what to use where a flow must work in every version:
 *
 *   effect                       use         OpenFlow 1.3, 1.4        1.5
 *   field := constant            set_field   OFPAT_SET_FIELD          OFPAT_SET_FIELD
 *   bits of a field := constant  reg_load    NXAST_REG_LOAD           OFPAT_SET_FIELD, masked
 *                                set_field   NXAST_REG_LOAD2          OFPAT_SET_FIELD, masked
 *   bits := bits                 reg_move    NXAST_REG_MOVE           OFPAT_COPY_FIELD
 *                                copy_field  ONF extension 320        OFPAT_COPY_FIELD
 *
 * A decoder gives what was on the wire: reg_load and reg_move come from switches that speak 1.3 or 1.4 only, and are
 * set_field and copy_field on 1.5. `nx-extensions/canonical.ts` maps all of them to one form for comparisons.
 */

/** Fields of a flow that multipath and bundle hash; ovs-actions(7), "Hash Fields". */
export type HashFields =
  | 'eth_src'
  | 'symmetric_l4'
  | 'symmetric_l3l4'
  | 'symmetric_l3l4+udp'
  | 'nw_src'
  | 'nw_dst'
  | 'symmetric_l3';

export type MultipathAlgorithm = 'modulo_n' | 'hash_threshold' | 'hrw' | 'iter_hash';
export type BundleAlgorithm = 'active_backup' | 'hrw';

/** What a learned flow matches or does. `value` has the width of `dst`, and is taken as it is. */
export type LearnSpec =
  | { readonly type: 'match' | 'load'; readonly dst: Subfield; readonly src: Subfield }
  | { readonly type: 'match' | 'load'; readonly dst: Subfield; readonly value: FieldValue }
  | { readonly type: 'output'; readonly src: Subfield };

export interface Learn {
  /** Seconds; default 0, never. */
  readonly idleTimeout?: number;
  readonly hardTimeout?: number;
  /** Time-outs after a FIN or RST of TCP; default 0, unchanged. */
  readonly finIdleTimeout?: number;
  readonly finHardTimeout?: number;
  /** Of the learned flow; default 32768. */
  readonly priority?: number;
  /** Of the learned flow; default 0. */
  readonly cookie?: bigint;
  readonly table: number;
  /** A flow_removed message when the learned flow ends. */
  readonly sendFlowRem?: boolean;
  /** Learned flows die with the flow that holds this action. */
  readonly deleteLearned?: boolean;
  readonly specs: readonly LearnSpec[];
}

/** NSH properties of encap; others survive raw. */
export type EncapProperty =
  | { readonly type: 'nsh_md_type'; readonly mdType: number }
  | {
      readonly type: 'nsh_tlv';
      readonly tlvClass: number;
      readonly tlvType: number;
      readonly data: Uint8Array;
    }
  /** The whole property, header and padding included. */
  | { readonly type: 'raw'; readonly bytes: Uint8Array };

interface Sample {
  /** Of 65535. */
  readonly probability: number;
  readonly collectorSetId: number;
  readonly obsDomainId: number;
  readonly obsPointId: number;
}

interface Multipath {
  readonly fields: HashFields;
  readonly basis: number;
  readonly algorithm: MultipathAlgorithm;
  /** 1–65536. The result is 0 … nLinks − 1. */
  readonly nLinks: number;
  /** For iter_hash; default 0. */
  readonly arg?: number;
  readonly dst: Subfield;
}

interface Bundle {
  readonly fields: HashFields;
  readonly basis: number;
  readonly algorithm: BundleAlgorithm;
  /** Ports to choose from. */
  readonly members: readonly number[];
}

interface Controller {
  /** Bytes of the packet; default 65535, all. */
  readonly maxLen?: number;
  /** Connections that have this id (NXT_SET_CONTROLLER_ID) get the packet; default 0. */
  readonly controllerId?: number;
  /** Default apply_action. */
  readonly reason?: PacketInReason;
}

interface ResubmitTable {
  /** in_port of the lookup; default OFPP.IN_PORT, unchanged. */
  readonly port?: number;
  /** Default 255, the current one. */
  readonly table?: number;
}

/** Parameters of NXAST_NAT. Without `kind`: translate as an entry of conntrack says. */
export interface Nat {
  /** Which address is translated: `nat(src=…)`, `nat(dst=…)`. */
  readonly kind?: 'src' | 'dst';
  readonly persistent?: boolean;
  readonly hash?: boolean;
  readonly random?: boolean;
  readonly ipv4Min?: number;
  readonly ipv4Max?: number;
  readonly ipv6Min?: bigint;
  readonly ipv6Max?: bigint;
  readonly portMin?: number;
  readonly portMax?: number;
}

export interface Ct {
  readonly commit?: boolean;
  /** Only with commit: an entry of the other direction is replaced. */
  readonly force?: boolean;
  /** A constant, or 16 bits of a field. Default zone 0. */
  readonly zone?: number | Subfield;
  /** Recirculate into this table; absent: tracking happens beside the packet. */
  readonly table?: number;
  /** 21 (ftp) or 69 (tftp). */
  readonly alg?: number;
  /** `nat`, and writes to ct_mark and ct_label (exec), in the order of the wire. */
  readonly actions?: readonly Action[];
}

declare module '../ofp/types/action.js' {
  interface ActionTypes {
    /** NXAST_RESUBMIT (1): current table, other in_port. */
    resubmit: { readonly port: number };
    /** NXAST_RESUBMIT_TABLE (14). */
    resubmit_table: ResubmitTable;
    /** NXAST_RESUBMIT_TABLE_CT (44): with addresses and ports of conntrack's original direction. */
    resubmit_table_ct: ResubmitTable;
    /** NXAST_REG_LOAD (7), at most 64 bits; a masked OFPAT_SET_FIELD on 1.5. */
    reg_load: { readonly dst: Subfield; readonly value: FieldValue };
    /** NXAST_REG_LOAD2 (33) without a mask; with one it is a set_field. An OFPAT_SET_FIELD on 1.5. */
    reg_load2: { readonly field: Field; readonly value: FieldValue };
    /** NXAST_REG_MOVE (6); OFPAT_COPY_FIELD on 1.5. */
    reg_move: { readonly src: Subfield; readonly dst: Subfield };
    /** NXAST_OUTPUT_REG (15). */
    output_reg: { readonly src: Subfield; readonly maxLen?: number };
    /** NXAST_OUTPUT_REG2 (32): the form for fields with an experimenter's OXM. */
    output_reg2: { readonly src: Subfield; readonly maxLen?: number };
    /** NXAST_OUTPUT_TRUNC (39). */
    output_trunc: { readonly port: number; readonly maxLen: number };
    /** NXAST_NOTE (8). What doesn't fill the action (6 + 8·n bytes) is padded, and the padding becomes data. */
    note: { readonly data: Uint8Array };
    /** NXAST_MULTIPATH (10). */
    multipath: Multipath;
    /** NXAST_BUNDLE (12). */
    bundle: Bundle;
    /** NXAST_BUNDLE_LOAD (13). */
    bundle_load: Bundle & { readonly dst: Subfield };
    /** NXAST_LEARN (16). */
    learn: Learn;
    /** NXAST_LEARN2 (45). `resultDst`: one bit that is set where the limit allowed to learn. */
    learn2: Learn & { readonly limit?: number; readonly resultDst?: Subfield };
    /** NXAST_CONJUNCTION (34). `clause` counts from 1, as in `conjunction(id, 1/2)`. */
    conjunction: { readonly id: number; readonly clause: number; readonly nClauses: number };
    /** NXAST_EXIT (17). */
    exit: object;
    /** OFPAT_DEC_NW_TTL by ovs-actions' name; decoded as dec_nw_ttl. */
    dec_ttl: object;
    /** NXAST_DEC_TTL_CNT_IDS (21). */
    dec_ttl_cnt_ids: { readonly ids: readonly number[] };
    /** NXAST_CONTROLLER (20). */
    controller: Controller;
    /** NXAST_CONTROLLER2 (37). */
    controller2: Controller & {
      /** Comes back in the packet-in. */
      readonly userdata?: Uint8Array;
      /** The pipeline waits for NXT_RESUME. */
      readonly pause?: boolean;
      readonly meterId?: number;
    };
    /** NXAST_STACK_PUSH (27). */
    stack_push: { readonly src: Subfield };
    /** NXAST_STACK_POP (28). */
    stack_pop: { readonly dst: Subfield };
    /** NXAST_SAMPLE (29). */
    sample: Sample;
    /** NXAST_SAMPLE2 (38). */
    sample2: Sample & { readonly samplingPort?: number };
    /** NXAST_SAMPLE3 (41). */
    sample3: Sample & { readonly samplingPort?: number; readonly direction?: 'ingress' | 'egress' };
    /** NXAST_FIN_TIMEOUT (19); seconds, 0 or absent: unchanged. */
    fin_timeout: { readonly idleTimeout?: number; readonly hardTimeout?: number };
    /** NXAST_SET_TUNNEL (2), 32 bits. */
    set_tunnel: { readonly tunId: number };
    /** NXAST_SET_TUNNEL64 (9). */
    set_tunnel64: { readonly tunId: bigint };
    /** NXAST_POP_QUEUE (5). */
    pop_queue: object;
    /** NXAST_CT (35). */
    ct: Ct;
    /** NXAST_NAT (36), inside ct. */
    nat: Nat;
    /** NXAST_CT_CLEAR (43). */
    ct_clear: object;
    /** NXAST_CLONE (42). */
    clone: { readonly actions: readonly Action[] };
    /** NXAST_WRITE_METADATA (22); an instruction in OpenFlow 1.1 and later. */
    write_metadata: { readonly metadata: bigint; readonly mask: bigint };
    /** NXAST_CHECK_PKT_LARGER (49): dst, one bit, := the packet is larger than pktLen bytes. */
    check_pkt_larger: { readonly pktLen: number; readonly dst: Subfield };
    /** NXAST_DELETE_FIELD (50): clears the presence of a tun_metadata option. */
    delete_field: { readonly field: Field };
    /** NXAST_ENCAP (46). packetType: namespace << 16 | type. */
    encap: {
      readonly packetType: number;
      readonly hdrSize?: number;
      readonly properties?: readonly EncapProperty[];
    };
    /** NXAST_DECAP (47). Default 0xfffe: what the header says comes next. */
    decap: { readonly packetType?: number };
    /** NXAST_DEC_NSH_TTL (48). */
    dec_nsh_ttl: object;
  }
}
