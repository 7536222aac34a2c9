/** Multipart requests and replies. `more`: OFPMPF_REQ_MORE or OFPMPF_REPLY_MORE, other parts with this xid follow. */
import type { Instruction } from './action.js';
import type { Field, Match } from './field.js';
import type { Bucket, GroupType, MeterBand, SelectionMethod } from './message.js';
import type { FlowCounters, PortDesc, QueueDesc, TableDesc } from './switch.js';

export interface Part {
  readonly more?: boolean;
}

/** A request without a body. */
interface BareRequest<T extends string> extends Part {
  readonly type: T;
}
interface ListReply<T extends string, E> extends Part {
  readonly type: T;
  readonly entries: readonly E[];
}

export interface DescReply extends Part {
  readonly type: 'desc_reply';
  readonly manufacturer: string;
  readonly hardware: string;
  readonly software: string;
  readonly serialNumber: string;
  readonly datapath: string;
}

/** Which flows: defaults are every table, port, group and cookie. */
export interface FlowSelector {
  readonly table?: number;
  readonly outPort?: number;
  readonly outGroup?: number;
  readonly cookie?: bigint;
  readonly cookieMask?: bigint;
  readonly match?: Match;
}
export interface FlowStatsRequest extends Part, FlowSelector {
  readonly type: 'flow_stats_request';
}
export interface FlowStats extends FlowCounters {
  readonly table: number;
  readonly priority: number;
  readonly cookie: bigint;
  readonly idleTimeout: number;
  readonly hardTimeout: number;
  readonly flags: number;
  /** 1.4+. */
  readonly importance?: number;
  readonly match: Match;
  readonly instructions: readonly Instruction[];
}

export interface AggregateRequest extends Part, FlowSelector {
  readonly type: 'aggregate_request';
}
export interface AggregateReply extends Part {
  readonly type: 'aggregate_reply';
  readonly packetCount: bigint;
  readonly byteCount: bigint;
  readonly flowCount: number;
}

export interface TableStats {
  readonly table: number;
  readonly activeCount: number;
  readonly lookupCount: bigint;
  readonly matchedCount: bigint;
}

export interface PortStatsRequest extends Part {
  readonly type: 'port_stats_request';
  /** Default: OFPP.ANY. */
  readonly port?: number;
}
export interface PortStats {
  readonly portNo: number;
  readonly rxPackets: bigint;
  readonly txPackets: bigint;
  readonly rxBytes: bigint;
  readonly txBytes: bigint;
  readonly rxDropped: bigint;
  readonly txDropped: bigint;
  readonly rxErrors: bigint;
  readonly txErrors: bigint;
  /** Ethernet; a property since 1.4. */
  readonly ethernet?: {
    readonly rxFrameErr: bigint;
    readonly rxOverErr: bigint;
    readonly rxCrcErr: bigint;
    readonly collisions: bigint;
  };
  readonly durationSec: number;
  readonly durationNsec: number;
  readonly rawProperties?: readonly Uint8Array[];
}

export interface QueueStatsRequest extends Part {
  readonly type: 'queue_stats_request';
  /** Default: OFPP.ANY. */
  readonly port?: number;
  /** Default: all, 0xffffffff. */
  readonly queueId?: number;
}
export interface QueueStats {
  readonly port: number;
  readonly queueId: number;
  readonly txBytes: bigint;
  readonly txPackets: bigint;
  readonly txErrors: bigint;
  readonly durationSec: number;
  readonly durationNsec: number;
  readonly rawProperties?: readonly Uint8Array[];
}
/** 1.4+. */
export interface QueueDescRequest extends Part {
  readonly type: 'queue_desc_request';
  readonly port?: number;
  readonly queueId?: number;
}

export interface GroupStatsRequest extends Part {
  readonly type: 'group_stats_request';
  /** Default: OFPG_ALL. */
  readonly groupId?: number;
}
export interface GroupStats {
  readonly groupId: number;
  readonly refCount: number;
  readonly packetCount: bigint;
  readonly byteCount: bigint;
  readonly durationSec: number;
  readonly durationNsec: number;
  readonly buckets: readonly { readonly packetCount: bigint; readonly byteCount: bigint }[];
}
export interface GroupDescRequest extends Part {
  readonly type: 'group_desc_request';
  /** 1.5; earlier versions always describe all. Default: OFPG_ALL. */
  readonly groupId?: number;
}
export interface GroupDesc {
  readonly groupId: number;
  readonly groupType: GroupType;
  readonly buckets: readonly Bucket[];
  readonly selection?: SelectionMethod;
  readonly rawProperties?: readonly Uint8Array[];
}
/** Arrays by group type: all, select, indirect, ff. */
export interface GroupFeaturesReply extends Part {
  readonly type: 'group_features_reply';
  readonly types: number;
  readonly capabilities: number;
  readonly maxGroups: readonly number[];
  /** Bits by OFPAT number. */
  readonly actions: readonly number[];
}

export interface MeterRequest<T extends string> extends Part {
  readonly type: T;
  /** Default: OFPM_ALL, 0xffffffff. */
  readonly meterId?: number;
}
export interface MeterStats {
  readonly meterId: number;
  /** 1.3, 1.4: flows; 1.5: references. */
  readonly flowCount: number;
  readonly packetInCount: bigint;
  readonly byteInCount: bigint;
  readonly durationSec: number;
  readonly durationNsec: number;
  readonly bands: readonly { readonly packetCount: bigint; readonly byteCount: bigint }[];
}
export interface MeterConfig {
  readonly meterId: number;
  readonly flags: readonly ('kbps' | 'pktps' | 'burst' | 'stats')[];
  readonly bands: readonly MeterBand[];
}
export interface MeterFeaturesReply extends Part {
  readonly type: 'meter_features_reply';
  readonly maxMeter: number;
  readonly bandTypes: number;
  readonly capabilities: number;
  readonly maxBands: number;
  readonly maxColor: number;
  /** 1.5: OFPMFF_*. */
  readonly features?: number;
}

/** An id in table features: a type known, or an experimenter's. */
export type InstructionId = { readonly type: number; readonly experimenterBytes?: Uint8Array };
export type ActionFeatureId =
  | { readonly type: number }
  | { readonly experimenter: number; readonly bytes: Uint8Array };
/** A field in table features: no value, 4 or 8 bytes. */
export interface OxmFeature {
  readonly field: Field | null;
  readonly hasMask: boolean;
  readonly header: number;
  readonly experimenter?: number;
}
export interface TableFeatureProperties {
  readonly instructions?: readonly InstructionId[];
  readonly instructionsMiss?: readonly InstructionId[];
  readonly nextTables?: readonly number[];
  readonly nextTablesMiss?: readonly number[];
  readonly writeActions?: readonly ActionFeatureId[];
  readonly writeActionsMiss?: readonly ActionFeatureId[];
  readonly applyActions?: readonly ActionFeatureId[];
  readonly applyActionsMiss?: readonly ActionFeatureId[];
  readonly match?: readonly OxmFeature[];
  readonly wildcards?: readonly OxmFeature[];
  readonly writeSetField?: readonly OxmFeature[];
  readonly writeSetFieldMiss?: readonly OxmFeature[];
  readonly applySetField?: readonly OxmFeature[];
  readonly applySetFieldMiss?: readonly OxmFeature[];
  /** 1.4+: table synchronisation. */
  readonly tableSyncFrom?: readonly number[];
  /** 1.5. */
  readonly writeCopyField?: readonly OxmFeature[];
  readonly writeCopyFieldMiss?: readonly OxmFeature[];
  readonly applyCopyField?: readonly OxmFeature[];
  readonly applyCopyFieldMiss?: readonly OxmFeature[];
  readonly packetTypes?: readonly Uint8Array[];
  readonly rawProperties?: readonly Uint8Array[];
}
export interface TableFeatures {
  readonly table: number;
  /** 1.5: OFPTFC_*. */
  readonly command?: number;
  /** 1.5: OFPTFF_*. */
  readonly features?: number;
  readonly name: string;
  readonly metadataMatch: bigint;
  readonly metadataWrite: bigint;
  /** 1.5: capabilities; 1.3: config. */
  readonly capabilities: number;
  readonly maxEntries: number;
  readonly properties: TableFeatureProperties;
}
export interface TableFeaturesRequest extends Part {
  readonly type: 'table_features_request';
  /** Absent: only asks; else replaces the pipeline. */
  readonly entries?: readonly TableFeatures[];
}

export interface PortDescRequest extends Part {
  readonly type: 'port_desc_request';
  /** 1.5; earlier versions always describe all. Default: OFPP.ANY. */
  readonly port?: number;
}

/** 1.4+, ONF extension 187 on 1.3. */
export interface FlowMonitorRequest extends Part {
  readonly type: 'flow_monitor_request';
  readonly monitors: readonly FlowMonitor[];
}
export interface FlowMonitor {
  readonly monitorId: number;
  readonly outPort?: number;
  readonly outGroup?: number;
  /** OFPFMF_* */
  readonly flags: number;
  readonly table: number;
  readonly command: 'add' | 'modify' | 'delete';
  readonly match: Match;
}
export type FlowUpdate =
  | {
      readonly event: 'initial' | 'added' | 'removed' | 'modified';
      readonly table: number;
      readonly reason: number;
      readonly idleTimeout: number;
      readonly hardTimeout: number;
      readonly priority: number;
      readonly cookie: bigint;
      readonly match: Match;
      readonly instructions: readonly Instruction[];
    }
  | { readonly event: 'abbrev'; readonly xid: number }
  | { readonly event: 'paused' }
  | { readonly event: 'resumed' }
  | { readonly event: 'raw'; readonly bytes: Uint8Array };

/** A multipart that no descriptor knows: body after the multipart header. */
export interface RawMultipart extends Part {
  readonly type: 'raw_multipart';
  readonly direction: 'request' | 'reply';
  readonly multipartType: number;
  readonly data: Uint8Array;
}

export interface MultipartMessages {
  desc_request: BareRequest<'desc_request'>;
  desc_reply: DescReply;
  flow_stats_request: FlowStatsRequest;
  flow_stats_reply: ListReply<'flow_stats_reply', FlowStats>;
  aggregate_request: AggregateRequest;
  aggregate_reply: AggregateReply;
  table_stats_request: BareRequest<'table_stats_request'>;
  table_stats_reply: ListReply<'table_stats_reply', TableStats>;
  port_stats_request: PortStatsRequest;
  port_stats_reply: ListReply<'port_stats_reply', PortStats>;
  queue_stats_request: QueueStatsRequest;
  queue_stats_reply: ListReply<'queue_stats_reply', QueueStats>;
  queue_desc_request: QueueDescRequest;
  queue_desc_reply: ListReply<'queue_desc_reply', QueueDesc>;
  group_stats_request: GroupStatsRequest;
  group_stats_reply: ListReply<'group_stats_reply', GroupStats>;
  group_desc_request: GroupDescRequest;
  group_desc_reply: ListReply<'group_desc_reply', GroupDesc>;
  group_features_request: BareRequest<'group_features_request'>;
  group_features_reply: GroupFeaturesReply;
  meter_stats_request: MeterRequest<'meter_stats_request'>;
  meter_stats_reply: ListReply<'meter_stats_reply', MeterStats>;
  meter_config_request: MeterRequest<'meter_config_request'>;
  meter_config_reply: ListReply<'meter_config_reply', MeterConfig>;
  meter_features_request: BareRequest<'meter_features_request'>;
  meter_features_reply: MeterFeaturesReply;
  table_features_request: TableFeaturesRequest;
  table_features_reply: ListReply<'table_features_reply', TableFeatures>;
  table_desc_request: BareRequest<'table_desc_request'>;
  table_desc_reply: ListReply<'table_desc_reply', TableDesc>;
  port_desc_request: PortDescRequest;
  port_desc_reply: ListReply<'port_desc_reply', PortDesc>;
  flow_monitor_request: FlowMonitorRequest;
  flow_monitor_reply: ListReply<'flow_monitor_reply', FlowUpdate>;
  raw_multipart: RawMultipart;
}
