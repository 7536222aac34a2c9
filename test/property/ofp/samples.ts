/** A random value of every message, action and instruction that a version can say. */
import {
  type Action,
  type ActionType,
  type AsyncConfig,
  type Bucket,
  type Field,
  type FieldValue,
  type GroupType,
  type Instruction,
  type Match,
  type Message,
  type MessageType,
  type MeterBand,
  OFP13,
  OFP14,
  OFP15,
  type OfpVersion,
  oxm,
  type PortDesc,
  type TableDesc,
  type TableFeatureProperties,
} from '../../../src/ofp/index.js';
import type { Random } from './random.js';

const fields = Object.values(oxm) as readonly Field[];

function fieldValue(r: Random, f: Field): FieldValue {
  return f.nBytes <= 4 ? r.bits(f.nBits) : r.wide(f.nBits);
}

export function sampleMatch(r: Random, version: OfpVersion): Match {
  const usable = fields.filter((f) => f.wire[version]);
  const chosen = new Set(r.list(6, () => r.pick(usable)));
  const match: Match = [...chosen].map((field) => ({
    field,
    value: fieldValue(r, field),
    ...(field.maskable && r.maybe(() => ({ mask: fieldValue(r, field) }))),
  }));
  return r.below(4) === 0 ? [...match, unknownOxm(r)] : match;
}

function unknownOxm(r: Random): { field: null; raw: Uint8Array } {
  const size = r.below(20);
  return { field: null, raw: Uint8Array.from([0x12, 0x34, r.u8(), size, ...r.bytes(size)]) };
}

type Samplers<T extends string, V> = { readonly [K in T]?: (r: Random, version: OfpVersion) => V };

/** Standard actions; undefined where the version has none. */
export const actionSamples: Samplers<ActionType, Action | undefined> = {
  output: (r) => ({ type: 'output', port: r.u32(), maxLen: 1 + r.below(0xfffe) }),
  group: (r) => ({ type: 'group', groupId: r.u32() }),
  set_queue: (r) => ({ type: 'set_queue', queueId: r.u32() }),
  set_nw_ttl: (r) => ({ type: 'set_nw_ttl', ttl: r.u8() }),
  dec_nw_ttl: () => ({ type: 'dec_nw_ttl' }),
  set_mpls_ttl: (r) => ({ type: 'set_mpls_ttl', ttl: r.u8() }),
  dec_mpls_ttl: () => ({ type: 'dec_mpls_ttl' }),
  copy_ttl_out: () => ({ type: 'copy_ttl_out' }),
  copy_ttl_in: () => ({ type: 'copy_ttl_in' }),
  push_vlan: (r) => ({ type: 'push_vlan', ethertype: r.u16() }),
  pop_vlan: () => ({ type: 'pop_vlan' }),
  push_mpls: (r) => ({ type: 'push_mpls', ethertype: r.u16() }),
  pop_mpls: (r) => ({ type: 'pop_mpls', ethertype: r.u16() }),
  push_pbb: (r) => ({ type: 'push_pbb', ethertype: r.u16() }),
  pop_pbb: () => ({ type: 'pop_pbb' }),
  set_field(r, version) {
    const field = r.pick(fields.filter((f) => f.wire[version]));
    const mask = version >= OFP15 && field.maskable ? r.maybe(() => ({ mask: fieldValue(r, field) })) : {};
    return { type: 'set_field', field, value: fieldValue(r, field), ...mask };
  },
  copy_field(r, version) {
    const usable = fields.filter((f) => f.wire[version]);
    const nBits = r.u16();
    return {
      type: 'copy_field',
      src: { field: r.pick(usable), ofs: r.u16(), nBits },
      dst: { field: r.pick(usable), ofs: r.u16(), nBits },
    };
  },
  meter: (r, version) => (version >= OFP15 ? { type: 'meter', meterId: r.u32() } : undefined),
  raw: (r) => ({ type: 'raw', bytes: Uint8Array.from([0x7f, 0xee, 0, 16, ...r.bytes(12)]) }),
};

export function sampleActions(r: Random, version: OfpVersion): Action[] {
  const make = Object.values(actionSamples);
  return r.list(4, () => r.pick(make)(r, version)).filter((a) => a !== undefined);
}

export function sampleInstructions(r: Random, version: OfpVersion): Instruction[] {
  const all: Instruction[] = [
    { type: 'goto_table', table: r.u8() },
    { type: 'write_metadata', metadata: r.u64(), mask: r.u64() },
    { type: 'write_actions', actions: sampleActions(r, version) },
    { type: 'apply_actions', actions: sampleActions(r, version) },
    { type: 'clear_actions' },
    { type: 'raw', bytes: Uint8Array.from([0xff, 0xff, 0, 16, ...r.bytes(12)]) },
    version >= OFP15
      ? { type: 'stat_trigger', flags: r.u32(), stats: Uint8Array.from([0, 0, 0, 9, ...r.bytes(5)]) }
      : { type: 'meter', meterId: r.u32() },
  ];
  return all.filter(() => r.bool());
}

const rawProperty = (r: Random): Uint8Array =>
  Uint8Array.from([0xff, 0xff, 0, 16, 0, 0, 0x12, 0x34, ...r.bytes(8)]);
const raws = (r: Random, version: OfpVersion, since: OfpVersion = OFP14) =>
  version >= since ? r.maybe(() => ({ rawProperties: [rawProperty(r)] })) : {};

function buckets(r: Random, version: OfpVersion): Bucket[] {
  return r.list(3, () => ({
    ...(version >= OFP15 && { bucketId: r.u32() }),
    weight: 1 + r.below(0xffff),
    ...r.maybe(() => ({ watchPort: r.bits(16) })),
    ...r.maybe(() => ({ watchGroup: r.bits(16) })),
    actions: sampleActions(r, version),
    ...raws(r, version, OFP15),
  }));
}
const groupType = (r: Random): GroupType => r.pick(['all', 'select', 'indirect', 'ff']);
const groupRest = (r: Random, version: OfpVersion) =>
  version >= OFP15
    ? r.maybe(() => ({ selection: { method: r.text(15), param: r.u64(), fields: sampleMatch(r, version) } }))
    : {};

const meterFlags = (r: Random) => (['kbps', 'pktps', 'burst', 'stats'] as const).filter(() => r.bool());
function bands(r: Random): MeterBand[] {
  return r.list(3, () =>
    r.pick<MeterBand>([
      { type: 'drop', rate: r.u32(), burst: 1 + r.bits(31) },
      { type: 'dscp_remark', rate: r.u32(), precLevel: r.u8() },
      { type: 'experimenter', rate: r.u32(), experimenter: r.u32(), body: r.bytes(8) },
    ]),
  );
}

function port(r: Random, version: OfpVersion): PortDesc {
  const six = () => ({
    curr: r.u32(),
    advertised: r.u32(),
    supported: r.u32(),
    peer: r.u32(),
    currSpeed: r.u32(),
    maxSpeed: r.u32(),
  });
  return {
    portNo: r.u32(),
    hwAddr: r.wide(48),
    name: r.text(15),
    config: r.u32(),
    state: r.u32(),
    ...(version === OFP13 ? { ethernet: six() } : r.maybe(() => ({ ethernet: six() }))),
    ...(version >= OFP14 &&
      r.maybe(() => ({
        optical: {
          supported: r.u32(),
          txMinFreqLmda: r.u32(),
          txMaxFreqLmda: r.u32(),
          txGridFreqLmda: r.u32(),
          rxMinFreqLmda: r.u32(),
          rxMaxFreqLmda: r.u32(),
          rxGridFreqLmda: r.u32(),
          txPwrMin: r.u16(),
          txPwrMax: r.u16(),
        },
      }))),
    ...raws(r, version),
  };
}

const tableRest = (r: Random, version: OfpVersion) =>
  version >= OFP14
    ? {
        ...r.maybe(() => ({ eviction: r.u32() })),
        ...r.maybe(() => ({ vacancy: { down: r.u8(), up: r.u8(), vacancy: r.u8() } })),
        ...raws(r, version),
      }
    : {};
const tableDesc = (r: Random, version: OfpVersion): TableDesc => ({
  table: r.u8(),
  config: r.u32(),
  ...tableRest(r, version),
});

const counters = (r: Random, version: OfpVersion) => ({
  durationSec: r.u32(),
  durationNsec: r.u32(),
  ...r.maybe(() => ({ packetCount: BigInt(r.u32()) })),
  ...r.maybe(() => ({ byteCount: BigInt(r.u32()) })),
  ...(version >= OFP15 && r.maybe(() => ({ idleSec: r.u32(), idleNsec: r.u32() }))),
  ...(version >= OFP15 && r.maybe(() => ({ rawStats: [Uint8Array.from([0x80, 2, 0x40, 2, 1, 2])] }))),
});
const duration = (r: Random) => ({ durationSec: r.u32(), durationNsec: r.u32() });

function asyncConfig(r: Random, version: OfpVersion): AsyncConfig {
  const mask = () => ({ master: r.u32(), slave: r.u32() });
  if (version === OFP13) return { packetIn: mask(), portStatus: mask(), flowRemoved: mask() };
  return {
    packetIn: mask(),
    ...r.maybe(() => ({ portStatus: { master: r.u32() } })),
    ...r.maybe(() => ({ flowRemoved: { slave: r.u32() } })),
    ...r.maybe(() => ({ roleStatus: mask(), tableStatus: mask(), requestForward: mask() })),
    ...r.maybe(() => ({ flowStats: mask(), controllerStatus: mask() })),
    ...raws(r, version),
  };
}

const selector = (r: Random, version: OfpVersion) => ({
  ...r.maybe(() => ({ table: r.below(255) })),
  ...r.maybe(() => ({ outPort: r.bits(16) })),
  ...r.maybe(() => ({ outGroup: r.bits(16) })),
  ...r.maybe(() => ({ cookie: 1n + BigInt(r.u32()), cookieMask: 1n + BigInt(r.u32()) })),
  match: [
    { field: oxm.in_port, value: r.u32() },
    ...sampleMatch(r, version).filter((f) => f.field !== oxm.in_port),
  ],
});
const more = (r: Random) => r.maybe(() => ({ more: true }));
const pairs = (r: Random) => r.list(3, () => ({ packetCount: r.u64(), byteCount: r.u64() }));

function tableFeatureProperties(r: Random, version: OfpVersion): TableFeatureProperties {
  const oxmIds = () => r.list(4, () => ({ field: oxm.nw_dst, hasMask: true, header: 0x80001908 }));
  return {
    instructions: [{ type: 1 }, { type: 0xffff, experimenterBytes: r.bytes(4) }],
    nextTables: r.list(9, r.u8),
    writeActions: [{ type: 0 }, { experimenter: r.u32(), bytes: r.bytes(4) }],
    match: oxmIds(),
    wildcards: [{ field: null, hasMask: false, header: 0xffff0004, experimenter: r.u32() }],
    applySetField: oxmIds(),
    ...(version >= OFP14 && { tableSyncFrom: r.list(3, r.u8) }),
    ...(version >= OFP15 && { writeCopyField: oxmIds(), packetTypes: [r.bytes(8)] }),
    ...r.maybe(() => ({ rawProperties: [rawProperty(r)] })),
  };
}
const tableFeatures = (r: Random, version: OfpVersion) => ({
  table: r.u8(),
  ...(version >= OFP15 && { command: r.u8(), features: r.u32() }),
  name: r.text(31),
  metadataMatch: r.u64(),
  metadataWrite: r.u64(),
  capabilities: r.u32(),
  maxEntries: r.u32(),
  properties: tableFeatureProperties(r, version),
});
const queueDesc = (r: Random) => ({
  port: r.u32(),
  queueId: r.u32(),
  ...r.maybe(() => ({ minRate: r.u16() })),
  ...r.maybe(() => ({ maxRate: r.u16() })),
  ...r.maybe(() => ({ rawProperties: [rawProperty(r)] })),
});

/** Standard messages; undefined where the version has none. */
export const messageSamples: Samplers<MessageType, Message | undefined> = {
  hello: (r) => ({
    type: 'hello',
    ...r.maybe(() => ({ versions: [1, 4, 6, ...r.list(1, () => 40)] })),
    ...r.maybe(() => ({ rawElements: [Uint8Array.from([0, 9, 0, 7, 1, 2, 3, 0])] })),
  }),
  error: (r) =>
    r.pick<Message>([
      { type: 'error', errorType: r.below(20), code: r.u16(), data: r.bytes(r.below(64)) },
      { type: 'error', errorType: 0xffff, code: r.u16(), experimenter: r.u32(), data: r.bytes(9) },
    ]),
  echo_request: (r) => ({ type: 'echo_request', data: r.bytes(r.below(20)) }),
  echo_reply: (r) => ({ type: 'echo_reply', data: r.bytes(r.below(20)) }),
  experimenter: (r) => ({
    type: 'experimenter',
    experimenter: 0xabcdef,
    expType: r.u32(),
    data: r.bytes(11),
  }),
  raw: (r) => ({ type: 'raw', messageType: 99, data: r.bytes(11) }),
  raw_multipart: (r) => ({
    type: 'raw_multipart',
    direction: r.pick(['request', 'reply']),
    multipartType: 999,
    data: r.bytes(13),
    ...more(r),
  }),
  features_request: () => ({ type: 'features_request' }),
  features_reply: (r) => ({
    type: 'features_reply',
    datapathId: r.u64(),
    nBuffers: r.u32(),
    nTables: r.u8(),
    auxiliaryId: r.u8(),
    capabilities: r.u32(),
  }),
  get_config_request: () => ({ type: 'get_config_request' }),
  get_config_reply: (r) => ({ type: 'get_config_reply', flags: r.u16(), missSendLen: r.u16() }),
  set_config: (r) => ({ type: 'set_config', flags: r.u16(), missSendLen: r.u16() }),
  barrier_request: () => ({ type: 'barrier_request' }),
  barrier_reply: () => ({ type: 'barrier_reply' }),
  flow_mod: (r, v) => ({
    type: 'flow_mod',
    command: r.pick(['add', 'modify', 'modify_strict', 'delete', 'delete_strict']),
    table: r.u8(),
    priority: r.u16(),
    cookie: r.u64(),
    ...r.maybe(() => ({
      cookieMask: r.u64(),
      idleTimeout: 1 + r.bits(15),
      hardTimeout: 1 + r.bits(15),
      flags: 1 + r.bits(4),
    })),
    ...r.maybe(() => ({ bufferId: r.bits(16), outPort: r.bits(16), outGroup: r.bits(16) })),
    ...(v >= OFP14 && r.maybe(() => ({ importance: 1 + r.bits(15) }))),
    match: sampleMatch(r, v),
    instructions: sampleInstructions(r, v),
  }),
  group_mod: (r, v) => ({
    type: 'group_mod',
    command: r.pick(
      v >= OFP15
        ? ['add', 'modify', 'delete', 'insert_bucket', 'remove_bucket']
        : ['add', 'modify', 'delete'],
    ),
    groupType: groupType(r),
    groupId: r.u32(),
    buckets: buckets(r, v),
    ...(v >= OFP15 && r.maybe(() => ({ commandBucketId: r.bits(31) }))),
    ...groupRest(r, v),
  }),
  meter_mod: (r) => ({
    type: 'meter_mod',
    command: r.pick(['add', 'modify', 'delete']),
    meterId: r.u32(),
    flags: meterFlags(r),
    bands: bands(r),
  }),
  packet_out: (r, v) => ({
    type: 'packet_out',
    inPort: r.u32(),
    ...r.maybe(() => ({ bufferId: r.bits(31) })),
    ...(v >= OFP15 && { match: [{ field: oxm.metadata, value: r.u64() }] }),
    actions: sampleActions(r, v),
    data: r.bytes(r.below(64)),
  }),
  packet_in: (r, v) => ({
    type: 'packet_in',
    totalLen: r.u16(),
    reason: r.pick(['table_miss', 'apply_action', 'invalid_ttl', 'group', { unknown: 77 }]),
    table: r.u8(),
    cookie: r.u64(),
    match: sampleMatch(r, v),
    userdata: new Uint8Array(0),
    data: r.bytes(r.below(64)),
  }),
  port_status: (r, v) => ({
    type: 'port_status',
    reason: r.pick(['add', 'delete', 'modify']),
    port: port(r, v),
  }),
  port_mod: (r, v) => ({
    type: 'port_mod',
    portNo: r.u32(),
    hwAddr: r.wide(48),
    config: r.u32(),
    mask: r.u32(),
    ...r.maybe(() => ({ advertise: 1 + r.bits(8) })),
    ...raws(r, v),
  }),
  table_mod: (r, v) => ({ type: 'table_mod', table: r.u8(), config: r.u32(), ...tableRest(r, v) }),
  table_status: (r, v) =>
    v >= OFP14 ? { type: 'table_status', reason: r.u8(), table: tableDesc(r, v) } : undefined,
  flow_removed: (r, v) => ({
    type: 'flow_removed',
    table: r.u8(),
    priority: r.u16(),
    cookie: r.u64(),
    reason: r.pick(['idle_timeout', 'delete', 'eviction', { unknown: 9 }]),
    idleTimeout: r.u16(),
    hardTimeout: r.u16(),
    match: sampleMatch(r, v),
    ...counters(r, v),
  }),
  controller_status: (r, v) =>
    v >= OFP15
      ? {
          type: 'controller_status',
          shortId: r.u16(),
          role: r.u32(),
          reason: r.u8(),
          channelStatus: r.u8(),
          rawProperties: [rawProperty(r)],
        }
      : undefined,
  queue_get_config_request: (r, v) =>
    v === OFP13 ? { type: 'queue_get_config_request', port: r.u32() } : undefined,
  queue_get_config_reply: (r, v) =>
    v === OFP13
      ? { type: 'queue_get_config_reply', port: r.u32(), queues: r.list(3, () => queueDesc(r)) }
      : undefined,
  role_request: (r, v) => ({
    type: 'role_request',
    role: r.pick(['nochange', 'equal', 'master', 'slave']),
    generationId: r.u64(),
    ...(v >= OFP15 && { shortId: r.bits(15) }),
  }),
  role_reply: (r, v) => ({
    type: 'role_reply',
    role: r.pick(['equal', 'master', 'slave']),
    generationId: r.u64(),
    ...(v >= OFP15 && { shortId: r.bits(15) }),
  }),
  role_status: (r, v) =>
    v >= OFP14
      ? {
          type: 'role_status',
          role: r.pick(['equal', 'slave']),
          reason: r.u8(),
          generationId: r.u64(),
          ...raws(r, v),
        }
      : undefined,
  get_async_request: () => ({ type: 'get_async_request' }),
  get_async_reply: (r, v) => ({ type: 'get_async_reply', ...asyncConfig(r, v) }),
  set_async: (r, v) => ({ type: 'set_async', ...asyncConfig(r, v) }),
  bundle_control: (r) => ({
    type: 'bundle_control',
    bundleId: r.u32(),
    control: r.pick(['open_request', 'open_reply', 'commit_request', 'discard_reply']),
    flags: r.bits(2),
    ...r.maybe(() => ({ rawProperties: [rawProperty(r)] })),
  }),
  bundle_add: (r, v) => ({
    type: 'bundle_add',
    bundleId: r.u32(),
    flags: r.bits(2),
    message: messageSamples.flow_mod!(r, v)!,
    ...r.maybe(() => ({ rawProperties: [rawProperty(r)] })),
  }),
  requestforward: (r, v) =>
    v >= OFP14
      ? { type: 'requestforward', innerXid: r.u32(), message: messageSamples.group_mod!(r, v)! }
      : undefined,
  desc_request: (r) => ({ type: 'desc_request', ...more(r) }),
  desc_reply: (r) => ({
    type: 'desc_reply',
    manufacturer: r.text(255),
    hardware: r.text(40),
    software: r.text(40),
    serialNumber: r.text(31),
    datapath: r.text(40),
  }),
  flow_stats_request: (r, v) => ({ type: 'flow_stats_request', ...selector(r, v) }),
  flow_stats_reply: (r, v) => ({
    type: 'flow_stats_reply',
    ...more(r),
    entries: r.list(3, () => ({
      table: r.u8(),
      priority: r.u16(),
      cookie: r.u64(),
      idleTimeout: r.u16(),
      hardTimeout: r.u16(),
      flags: r.u16(),
      ...(v >= OFP14 && r.maybe(() => ({ importance: 1 + r.bits(15) }))),
      match: sampleMatch(r, v),
      instructions: sampleInstructions(r, v),
      ...counters(r, v),
    })),
  }),
  aggregate_request: (r, v) => ({ type: 'aggregate_request', ...selector(r, v) }),
  aggregate_reply: (r) => ({
    type: 'aggregate_reply',
    packetCount: r.u64(),
    byteCount: r.u64(),
    flowCount: r.u32(),
  }),
  table_stats_request: () => ({ type: 'table_stats_request' }),
  table_stats_reply: (r) => ({
    type: 'table_stats_reply',
    entries: r.list(3, () => ({
      table: r.u8(),
      activeCount: r.u32(),
      lookupCount: r.u64(),
      matchedCount: r.u64(),
    })),
  }),
  port_stats_request: (r) => ({ type: 'port_stats_request', ...r.maybe(() => ({ port: r.bits(16) })) }),
  port_stats_reply: (r, v) => ({
    type: 'port_stats_reply',
    entries: r.list(3, () => ({
      portNo: r.u32(),
      rxPackets: r.u64(),
      txPackets: r.u64(),
      rxBytes: r.u64(),
      txBytes: r.u64(),
      rxDropped: r.u64(),
      txDropped: r.u64(),
      rxErrors: r.u64(),
      txErrors: r.u64(),
      ethernet: { rxFrameErr: r.u64(), rxOverErr: r.u64(), rxCrcErr: r.u64(), collisions: r.u64() },
      ...duration(r),
      ...raws(r, v),
    })),
  }),
  queue_stats_request: (r) => ({
    type: 'queue_stats_request',
    ...r.maybe(() => ({ port: r.bits(16), queueId: r.bits(16) })),
  }),
  queue_stats_reply: (r, v) => ({
    type: 'queue_stats_reply',
    entries: r.list(3, () => ({
      port: r.u32(),
      queueId: r.u32(),
      txBytes: r.u64(),
      txPackets: r.u64(),
      txErrors: r.u64(),
      ...duration(r),
      ...raws(r, v),
    })),
  }),
  queue_desc_request: (r, v) =>
    v >= OFP14 ? { type: 'queue_desc_request', port: r.bits(16), queueId: r.bits(16) } : undefined,
  queue_desc_reply: (r, v) =>
    v >= OFP14 ? { type: 'queue_desc_reply', entries: r.list(3, () => queueDesc(r)) } : undefined,
  group_stats_request: (r) => ({ type: 'group_stats_request', ...r.maybe(() => ({ groupId: r.bits(16) })) }),
  group_stats_reply: (r) => ({
    type: 'group_stats_reply',
    entries: r.list(3, () => ({
      groupId: r.u32(),
      refCount: r.u32(),
      packetCount: r.u64(),
      byteCount: r.u64(),
      ...duration(r),
      buckets: pairs(r),
    })),
  }),
  group_desc_request: (r, v) => ({ type: 'group_desc_request', ...(v >= OFP15 && { groupId: r.bits(16) }) }),
  group_desc_reply: (r, v) => ({
    type: 'group_desc_reply',
    entries: r.list(3, () => ({
      groupId: r.u32(),
      groupType: groupType(r),
      buckets: buckets(r, v),
      ...groupRest(r, v),
    })),
  }),
  group_features_request: () => ({ type: 'group_features_request' }),
  group_features_reply: (r) => ({
    type: 'group_features_reply',
    types: r.u32(),
    capabilities: r.u32(),
    maxGroups: [1, 2, 3, r.u32()],
    actions: [4, 5, 6, r.u32()],
  }),
  meter_stats_request: (r) => ({ type: 'meter_stats_request', meterId: r.bits(16) }),
  meter_stats_reply: (r) => ({
    type: 'meter_stats_reply',
    entries: r.list(3, () => ({
      meterId: r.u32(),
      flowCount: r.u32(),
      packetInCount: r.u64(),
      byteInCount: r.u64(),
      ...duration(r),
      bands: pairs(r),
    })),
  }),
  meter_config_request: (r) => ({ type: 'meter_config_request', meterId: r.bits(16) }),
  meter_config_reply: (r) => ({
    type: 'meter_config_reply',
    entries: r.list(3, () => ({ meterId: r.u32(), flags: meterFlags(r), bands: bands(r) })),
  }),
  meter_features_request: () => ({ type: 'meter_features_request' }),
  meter_features_reply: (r, v) => ({
    type: 'meter_features_reply',
    maxMeter: r.u32(),
    bandTypes: r.u32(),
    capabilities: r.u32(),
    maxBands: r.u8(),
    maxColor: r.u8(),
    ...(v >= OFP15 && r.maybe(() => ({ features: r.u32() }))),
  }),
  table_features_request: (r, v) => ({
    type: 'table_features_request',
    ...r.maybe(() => ({ entries: [tableFeatures(r, v)] })),
  }),
  table_features_reply: (r, v) => ({
    type: 'table_features_reply',
    entries: r.list(3, () => tableFeatures(r, v)),
  }),
  table_desc_request: (_, v) => (v >= OFP14 ? { type: 'table_desc_request' } : undefined),
  table_desc_reply: (r, v) =>
    v >= OFP14 ? { type: 'table_desc_reply', entries: r.list(3, () => tableDesc(r, v)) } : undefined,
  port_desc_request: (r, v) => ({ type: 'port_desc_request', ...(v >= OFP15 && { port: r.bits(16) }) }),
  port_desc_reply: (r, v) => ({ type: 'port_desc_reply', entries: r.list(3, () => port(r, v)) }),
  flow_monitor_request: (r, v) => ({
    type: 'flow_monitor_request',
    monitors: r.list(3, () => ({
      monitorId: r.u32(),
      outPort: r.bits(16),
      flags: r.u16(),
      table: r.u8(),
      command: v >= OFP14 ? r.pick(['add', 'modify', 'delete']) : 'add',
      match: sampleMatch(r, v),
    })),
  }),
  flow_monitor_reply: (r, v) => ({
    type: 'flow_monitor_reply',
    entries: [
      { event: 'abbrev', xid: r.u32() },
      ...(v >= OFP14 ? ([{ event: 'paused' }, { event: 'resumed' }] as const) : []),
      {
        event: r.pick(['added', 'removed', 'modified']),
        table: r.u8(),
        reason: r.u8(),
        idleTimeout: r.u16(),
        hardTimeout: r.u16(),
        priority: r.u16(),
        cookie: r.u64(),
        match: sampleMatch(r, v),
        instructions: sampleInstructions(r, v),
      },
      { event: 'raw', bytes: Uint8Array.from([0, 8, 0, 99, 1, 2, 3, 4]) },
    ],
  }),
};
