/** Messages about what a switch has: ports, tables, expired flows. */
import type { Match } from './field.js';

/** OFPPC_* */
export const OFPPC = { PORT_DOWN: 1, NO_RECV: 4, NO_FWD: 32, NO_PACKET_IN: 64 } as const;
/** OFPPS_* */
export const OFPPS = { LINK_DOWN: 1, BLOCKED: 2, LIVE: 4 } as const;

/** OFPPF_* bits of an Ethernet port; speeds in kbit/s. */
export interface EthernetPort {
  readonly curr: number;
  readonly advertised: number;
  readonly supported: number;
  readonly peer: number;
  readonly currSpeed: number;
  readonly maxSpeed: number;
}

/** OpenFlow 1.4+, ofp_port_desc_prop_optical. */
export interface OpticalPort {
  readonly supported: number;
  readonly txMinFreqLmda: number;
  readonly txMaxFreqLmda: number;
  readonly txGridFreqLmda: number;
  readonly rxMinFreqLmda: number;
  readonly rxMaxFreqLmda: number;
  readonly rxGridFreqLmda: number;
  readonly txPwrMin: number;
  readonly txPwrMax: number;
}

export interface PortDesc {
  readonly portNo: number;
  readonly hwAddr: bigint;
  /** At most 15 bytes. */
  readonly name: string;
  /** OFPPC_* */
  readonly config: number;
  /** OFPPS_* */
  readonly state: number;
  /** Always there on 1.3; a property since. */
  readonly ethernet?: EthernetPort;
  readonly optical?: OpticalPort;
  /** Properties that no descriptor knows. */
  readonly rawProperties?: readonly Uint8Array[];
}

export interface PortStatus {
  readonly type: 'port_status';
  readonly reason: 'add' | 'delete' | 'modify';
  readonly port: PortDesc;
}

export interface PortMod {
  readonly type: 'port_mod';
  readonly portNo: number;
  readonly hwAddr: bigint;
  readonly config: number;
  /** Which bits of `config` to change. */
  readonly mask: number;
  /** OFPPF_*; 0 or absent: unchanged. */
  readonly advertise?: number;
  readonly rawProperties?: readonly Uint8Array[];
}

/** 1.4+, ofp_table_mod_prop_vacancy: percent. */
export interface Vacancy {
  readonly down: number;
  readonly up: number;
  /** Current; in descriptions. */
  readonly vacancy?: number;
}

export interface TableMod {
  readonly type: 'table_mod';
  readonly table: number;
  /** OFPTC_* */
  readonly config: number;
  /** 1.4+, OFPTMPEF_* */
  readonly eviction?: number;
  readonly vacancy?: Vacancy;
  readonly rawProperties?: readonly Uint8Array[];
}

/** 1.4+: configuration of a table. */
export interface TableDesc {
  readonly table: number;
  readonly config: number;
  readonly eviction?: number;
  readonly vacancy?: Vacancy;
  readonly rawProperties?: readonly Uint8Array[];
}

/** 1.4+. */
export interface TableStatus {
  readonly type: 'table_status';
  /** OFPTR_*: 3 vacancy down, 4 vacancy up. */
  readonly reason: number;
  readonly table: TableDesc;
}

export type FlowRemovedReason =
  | 'idle_timeout'
  | 'hard_timeout'
  | 'delete'
  | 'group_delete'
  | 'meter_delete'
  | 'eviction'
  | { readonly unknown: number };

/** Counters of a flow. Absent: not told (1.5 sends only those it has; 1.3 writes all ones). */
export interface FlowCounters {
  readonly durationSec: number;
  readonly durationNsec: number;
  readonly packetCount?: bigint;
  readonly byteCount?: bigint;
  /** 1.5: how long it has been idle. */
  readonly idleSec?: number;
  readonly idleNsec?: number;
  /** 1.5, aggregates: number of flows. */
  readonly flowCount?: number;
  /** 1.5: OXS fields that no descriptor knows, each with its header. */
  readonly rawStats?: readonly Uint8Array[];
}

export interface FlowRemoved extends FlowCounters {
  readonly type: 'flow_removed';
  readonly table: number;
  readonly priority: number;
  readonly cookie: bigint;
  readonly reason: FlowRemovedReason;
  readonly idleTimeout: number;
  readonly hardTimeout: number;
  readonly match: Match;
}

/** 1.5. */
export interface ControllerStatus {
  readonly type: 'controller_status';
  readonly shortId: number;
  /** OFPCR_ROLE_* */
  readonly role: number;
  /** OFPCSR_* */
  readonly reason: number;
  /** OFPCT_STATUS_*: 0 up, 1 down. */
  readonly channelStatus: number;
  readonly rawProperties: readonly Uint8Array[];
}

/** Bit masks of the queues asked for; 1.3 only. */
export interface QueueGetConfigRequest {
  readonly type: 'queue_get_config_request';
  readonly port: number;
}
export interface QueueDesc {
  readonly port: number;
  readonly queueId: number;
  /** In 1/10 of a percent; above 1000: not configured. */
  readonly minRate?: number;
  readonly maxRate?: number;
  readonly rawProperties?: readonly Uint8Array[];
}
export interface QueueGetConfigReply {
  readonly type: 'queue_get_config_reply';
  readonly port: number;
  readonly queues: readonly QueueDesc[];
}

export interface SwitchMessages {
  port_status: PortStatus;
  port_mod: PortMod;
  table_mod: TableMod;
  table_status: TableStatus;
  flow_removed: FlowRemoved;
  controller_status: ControllerStatus;
  queue_get_config_request: QueueGetConfigRequest;
  queue_get_config_reply: QueueGetConfigReply;
}
