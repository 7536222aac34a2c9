import type { Action, Instruction } from './action.js';
import type { BundleMessages } from './bundle.js';
import type { Match } from './field.js';
import type { MultipartMessages } from './multipart.js';
import type { SessionMessages } from './session.js';
import type { SwitchMessages } from './switch.js';

/** Reserved port numbers, OpenFlow 1.3 §7.2.1 (32 bits). */
export const OFPP = {
  UNSET: 0xfffffff7,
  IN_PORT: 0xfffffff8,
  TABLE: 0xfffffff9,
  NORMAL: 0xfffffffa,
  FLOOD: 0xfffffffb,
  ALL: 0xfffffffc,
  CONTROLLER: 0xfffffffd,
  LOCAL: 0xfffffffe,
  ANY: 0xffffffff,
} as const;
export const OFPG_ALL = 0xfffffffc;
export const OFPG_ANY = 0xffffffff;
export const OFPTT_ALL = 0xff;
export const OFP_NO_BUFFER = 0xffffffff;

export type FlowModCommand = 'add' | 'modify' | 'modify_strict' | 'delete' | 'delete_strict';

export interface FlowMod {
  readonly type: 'flow_mod';
  readonly command: FlowModCommand;
  readonly table: number;
  readonly priority: number;
  readonly cookie: bigint;
  /** For modify and delete: bits of the cookie that must match. Default 0. */
  readonly cookieMask?: bigint;
  /** Seconds; 0 or absent: never. */
  readonly idleTimeout?: number;
  readonly hardTimeout?: number;
  readonly bufferId?: number;
  readonly outPort?: number;
  readonly outGroup?: number;
  /** OFPFF_*; default 0. */
  readonly flags?: number;
  /** 1.4+; default 0. */
  readonly importance?: number;
  readonly match: Match;
  readonly instructions: readonly Instruction[];
}

/** OFPFF_*, OpenFlow 1.3 §A.3.4.1. */
export const OFPFF = {
  SEND_FLOW_REM: 1,
  CHECK_OVERLAP: 2,
  RESET_COUNTS: 4,
  NO_PKT_COUNTS: 8,
  NO_BYT_COUNTS: 16,
} as const;

export interface Bucket {
  /** 1.5; given by position where absent. */
  readonly bucketId?: number;
  readonly weight?: number;
  readonly watchPort?: number;
  readonly watchGroup?: number;
  readonly actions: readonly Action[];
  /** 1.5: properties that no descriptor knows, each with its header and padding. */
  readonly rawProperties?: readonly Uint8Array[];
}

export type GroupType = 'all' | 'select' | 'indirect' | 'ff';
export type GroupCommand = 'add' | 'modify' | 'delete' | 'insert_bucket' | 'remove_bucket';

export interface SelectionMethod {
  /** 'hash' or 'dp_hash' (NTR group selection method property; an experimenter property on 1.5). */
  readonly method: string;
  readonly param: bigint;
  /** Fields to hash; a value is a mask, all ones for a whole field. */
  readonly fields: Match;
}

export interface GroupMod {
  readonly type: 'group_mod';
  readonly command: GroupCommand;
  readonly groupType: GroupType;
  readonly groupId: number;
  readonly buckets: readonly Bucket[];
  /** 1.5; OFPG_BUCKET_* or a bucket id. */
  readonly commandBucketId?: number;
  readonly selection?: SelectionMethod;
  /** 1.5: properties that no descriptor knows, each with its header and padding. */
  readonly rawProperties?: readonly Uint8Array[];
}

export type MeterBand =
  | { readonly type: 'drop'; readonly rate: number; readonly burst?: number }
  | {
      readonly type: 'dscp_remark';
      readonly rate: number;
      readonly burst?: number;
      readonly precLevel: number;
    }
  | {
      readonly type: 'experimenter';
      readonly rate: number;
      readonly burst?: number;
      readonly experimenter: number;
      readonly body: Uint8Array;
    };

export interface MeterMod {
  readonly type: 'meter_mod';
  readonly command: 'add' | 'modify' | 'delete';
  readonly meterId: number;
  readonly flags: readonly ('kbps' | 'pktps' | 'burst' | 'stats')[];
  readonly bands: readonly MeterBand[];
}

export interface PacketOut {
  readonly type: 'packet_out';
  readonly bufferId?: number;
  /** OFPP_* or a port; OFPP.CONTROLLER where the packet comes from us. */
  readonly inPort: number;
  /** Metadata of the packet. 1.5 carries any; before, only `inPort` exists: set registers by actions. */
  readonly match?: Match;
  readonly actions: readonly Action[];
  readonly data: Uint8Array;
}

export type PacketInReason =
  | 'table_miss'
  | 'apply_action'
  | 'invalid_ttl'
  | 'action_set'
  | 'group'
  | 'packet_out'
  | 'no_match' // 1.0–1.3 name of table_miss for explicit entries
  | { readonly unknown: number };

/** OFPT_PACKET_IN or NXT_PACKET_IN2, whichever the switch sent. */
export interface PacketIn {
  readonly type: 'packet_in';
  /** How it came. To be sent: the standard's is chosen where nothing is said and it can say all. */
  readonly form?: 'nxt_packet_in2';
  /** Bytes of the packet as received by the switch; `data` may be shorter. */
  readonly totalLen: number;
  readonly reason: PacketInReason;
  readonly table: number;
  readonly cookie: bigint;
  readonly bufferId?: number;
  /** Pipeline metadata: in_port, reg*, tun_*, ct_* … */
  readonly match: Match;
  /** Of the controller2 action that punted it; empty where there was none. */
  readonly userdata: Uint8Array;
  /** NXPINT_CONTINUATION, opaque. */
  readonly continuation?: Uint8Array;
  /** NXT_PACKET_IN2: properties that no descriptor knows, each with its header and padding. */
  readonly rawProperties?: readonly Uint8Array[];
  readonly data: Uint8Array;
}

/**
 * Messages by their type. `nx-extensions` adds Nicira's by declaration merging
 * (`declare module '../ofp/types/message.js' { interface MessageTypes { … } }`) and registers their codecs.
 */
export interface MessageTypes extends SessionMessages, SwitchMessages, BundleMessages, MultipartMessages {
  flow_mod: FlowMod;
  group_mod: GroupMod;
  meter_mod: MeterMod;
  packet_out: PacketOut;
  packet_in: PacketIn;
}
export type MessageType = keyof MessageTypes;
export type Message = MessageTypes[MessageType];
export type MessageOf<K extends MessageType> = MessageTypes[K];
