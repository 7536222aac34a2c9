import type { FieldValue } from '../ofp/types/field.js';
import type { PacketIn } from '../ofp/types/message.js';
import type { AsyncConfig, Role } from '../ofp/types/session.js';

/*
 * Nicira's messages. NXT_PACKET_IN2 is a `packet_in` like the standard's. Messages of OpenFlow 1.0 that Open vSwitch
 * refuses in later versions (NXT_FLOW_MOD, NXST_FLOW, NXST_FLOW_MONITOR …) have the standard's in their place; flow
 * monitors of 1.3 are ONF's extension 187, whose control messages are here because they are none of the standard.
 */

/** NXT_RESUME (28): goes on with a packet that `controller2` paused, as the packet-in said or changed. */
export interface Resume {
  readonly type: 'nx_resume';
  readonly packet: PacketIn;
}

/** NXT_SET_CONTROLLER_ID (20): which `controller(id=…)` actions send to this connection; 0 at first. */
export interface SetControllerId {
  readonly type: 'nx_set_controller_id';
  readonly controllerId: number;
}

export type PacketInFormat = 'standard' | 'nxt_packet_in' | 'nxt_packet_in2';
/** NXT_SET_PACKET_IN_FORMAT (16). */
export interface SetPacketInFormat {
  readonly type: 'nx_set_packet_in_format';
  readonly format: PacketInFormat;
}

/** NXT_FLOW_MOD_TABLE_ID (15): of use in OpenFlow 1.0. */
export interface FlowModTableId {
  readonly type: 'nx_flow_mod_table_id';
  readonly set: boolean;
}

/** NXT_SET_ASYNC_CONFIG2 (27): OpenFlow 1.4's masks in 1.3. */
export interface SetAsyncConfig2 extends AsyncConfig {
  readonly type: 'nx_set_async_config2';
}

/** NXT_ROLE_REQUEST (10), NXT_ROLE_REPLY (11). */
export interface NxRole<T extends 'nx_role_request' | 'nx_role_reply'> {
  readonly type: T;
  readonly role: Exclude<Role, 'nochange'>;
}

/** NXT_CT_FLUSH_ZONE (29). On 500,000 entries it blocks the switch for tens of seconds. */
export interface CtFlushZone {
  readonly type: 'nx_ct_flush_zone';
  readonly zone: number;
}

/** Parts of a connection's 5-tuple; what is absent matches anything. */
export interface CtTuple {
  /** A number is IPv4, a bigint IPv6. */
  readonly src?: FieldValue;
  readonly dst?: FieldValue;
  readonly srcPort?: number;
  readonly dstPort?: number;
  readonly icmpId?: number;
  readonly icmpType?: number;
  readonly icmpCode?: number;
}

/**
 * NXT_CT_FLUSH (32), OVS 3.1 and later. Without a zone, and without a whole 5-tuple, it walks all entries of all
 * zones. The userspace datapath flushes by `original`, before NAT.
 */
export interface CtFlush {
  readonly type: 'nx_ct_flush';
  /** IP protocol; default 0, any. */
  readonly protocol?: number;
  readonly zone?: number;
  readonly original?: CtTuple;
  readonly reply?: CtTuple;
  /** Properties that no descriptor knows, each with its header and padding. */
  readonly rawProperties?: readonly Uint8Array[];
}

/** A tunnel option that a tun_metadata field holds. */
export interface TlvMap {
  readonly optClass: number;
  readonly optType: number;
  /** Bytes: a multiple of 4 up to 124. */
  readonly optLen: number;
  /** Number of the tun_metadata field. */
  readonly index: number;
}

/** NXT_TLV_TABLE_MOD (24). */
export interface TlvTableMod {
  readonly type: 'nx_tlv_table_mod';
  readonly command: 'add' | 'delete' | 'clear';
  readonly maps: readonly TlvMap[];
}
/** NXT_TLV_TABLE_REQUEST (25). */
export interface TlvTableRequest {
  readonly type: 'nx_tlv_table_request';
}
/** NXT_TLV_TABLE_REPLY (26). */
export interface TlvTableReply {
  readonly type: 'nx_tlv_table_reply';
  /** Bytes of options that the switch can hold. */
  readonly maxOptionSpace: number;
  readonly maxFields: number;
  readonly maps: readonly TlvMap[];
}

/** ONFT_FLOW_MONITOR_CANCEL (1870) of OpenFlow 1.3; a command of the request since 1.4. */
export interface FlowMonitorCancel {
  readonly type: 'flow_monitor_cancel';
  readonly monitorId: number;
}
/** ONFT_FLOW_MONITOR_PAUSED (1871) of OpenFlow 1.3; an event of the reply since 1.4. */
export interface FlowMonitorPaused {
  readonly type: 'flow_monitor_paused';
}
/** ONFT_FLOW_MONITOR_RESUMED (1872). */
export interface FlowMonitorResumed {
  readonly type: 'flow_monitor_resumed';
}

declare module '../ofp/types/message.js' {
  interface MessageTypes {
    nx_resume: Resume;
    nx_set_controller_id: SetControllerId;
    nx_set_packet_in_format: SetPacketInFormat;
    nx_flow_mod_table_id: FlowModTableId;
    nx_set_async_config2: SetAsyncConfig2;
    nx_role_request: NxRole<'nx_role_request'>;
    nx_role_reply: NxRole<'nx_role_reply'>;
    nx_ct_flush_zone: CtFlushZone;
    nx_ct_flush: CtFlush;
    nx_tlv_table_mod: TlvTableMod;
    nx_tlv_table_request: TlvTableRequest;
    nx_tlv_table_reply: TlvTableReply;
    flow_monitor_cancel: FlowMonitorCancel;
    flow_monitor_paused: FlowMonitorPaused;
    flow_monitor_resumed: FlowMonitorResumed;
  }
}
