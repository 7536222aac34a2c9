/** Groups and meters: OpenFlow 1.3.5 §7.3.5.10–15, 1.5.1 §7.3.5. */
import {
  decodeBuckets,
  decodeGroupProperties,
  encodeBuckets,
  encodeGroupProperties,
  GROUP_TYPES,
  refuseGroupProperties,
} from '../buckets.js';
import type { Reader } from '../bytes/reader.js';
import type { Writer } from '../bytes/writer.js';
import { decodeBands, decodeMeterFlags, encodeBands, encodeMeterFlags } from '../meter-bands.js';
import { registerMessage } from '../registry.js';
import { OFP14, OFP15, type OfpVersion } from '../types/field.js';
import { type MessageOf, OFPG_ALL } from '../types/message.js';
import type { GroupDesc } from '../types/multipart.js';

const OFPM_ALL = 0xffffffff;

/** Entries that begin with their length; `min` is the size of the fixed part. */
function entries<E>(r: Reader, min: number, decode: () => E): E[] {
  const list: E[] = [];
  while (r.pos < r.end) {
    const start = r.pos;
    const length = r.u16('entries');
    if (length < min) throw r.fail('bad-length', `entry of ${length} bytes`, start, 'entries');
    const outer = r.enter(length - 2, 'entries', list.length);
    list.push(decode());
    r.leave(outer);
  }
  return list;
}
function pairs(r: Reader): { packetCount: bigint; byteCount: bigint }[] {
  const list: { packetCount: bigint; byteCount: bigint }[] = [];
  while (r.pos < r.end) list.push({ packetCount: r.u64('packet_count'), byteCount: r.u64('byte_count') });
  return list;
}

// group_id(4) pad(4)
registerMessage('group_stats_request', {
  id: { multipart: 6, direction: 'request' },
  name: 'OFPMP_GROUP_STATS request',
  encode: encodeGroupId,
  decode: (r) => ({ type: 'group_stats_request', ...decodeGroupId(r) }),
});
function encodeGroupId(w: Writer, m: { readonly groupId?: number }): void {
  w.u32(m.groupId ?? OFPG_ALL);
  w.zero(4);
}
function decodeGroupId(r: Reader): { groupId?: number } {
  const groupId = r.u32('group_id');
  r.zero(4);
  return groupId === OFPG_ALL ? {} : { groupId };
}

// length(2) pad(2) group_id(4) ref_count(4) pad(4) packets(8) bytes(8) duration(4+4) buckets: packets(8) bytes(8)
registerMessage('group_stats_reply', {
  id: { multipart: 6, direction: 'reply' },
  name: 'OFPMP_GROUP_STATS reply',
  encode(w, m) {
    for (const g of m.entries) {
      const start = w.pos;
      w.u32(0);
      w.u32(g.groupId);
      w.u32(g.refCount);
      w.u32(0);
      w.u64(g.packetCount);
      w.u64(g.byteCount);
      w.u32(g.durationSec);
      w.u32(g.durationNsec);
      for (const b of g.buckets) {
        w.u64(b.packetCount);
        w.u64(b.byteCount);
      }
      w.patchLength16(start, start, 'group_stats');
    }
  },
  decode: (r) => ({
    type: 'group_stats_reply',
    entries: entries(r, 40, () => {
      r.zero(2);
      const groupId = r.u32('group_id');
      const refCount = r.u32('ref_count');
      r.zero(4);
      return {
        groupId,
        refCount,
        packetCount: r.u64('packet_count'),
        byteCount: r.u64('byte_count'),
        durationSec: r.u32('duration_sec'),
        durationNsec: r.u32('duration_nsec'),
        buckets: pairs(r),
      };
    }),
  }),
});

registerMessage(
  'group_desc_request',
  {
    id: { multipart: 7, direction: 'request' },
    to: OFP14,
    name: 'OFPMP_GROUP_DESC request',
    accepts: (m) => m.groupId === undefined,
    encode() {},
    decode: () => ({ type: 'group_desc_request' }),
  },
  {
    id: { multipart: 7, direction: 'request' },
    from: OFP15,
    name: 'OFPMP_GROUP_DESC request',
    encode: encodeGroupId,
    decode: (r) => ({ type: 'group_desc_request', ...decodeGroupId(r) }),
  },
);

registerMessage(
  'group_desc_reply',
  {
    // length(2) type(1) pad(1) group_id(4) buckets
    id: { multipart: 7, direction: 'reply' },
    to: OFP14,
    name: 'OFPMP_GROUP_DESC reply',
    encode(w, m, version) {
      for (const g of m.entries) {
        refuseGroupProperties(g);
        const start = w.pos;
        encodeGroupHead(w, g);
        encodeBuckets(w, g.buckets, g.groupType, version);
        w.patchLength16(start, start, 'group_desc');
      }
    },
    decode: (r, version) => ({
      type: 'group_desc_reply',
      entries: entries(r, 8, () => {
        const head = decodeGroupHead(r);
        return { ...head, buckets: decodeBuckets(r, head.groupType, version) };
      }),
    }),
  },
  {
    // length(2) type(1) pad(1) group_id(4) bucket_array_len(2) pad(6) buckets properties
    id: { multipart: 7, direction: 'reply' },
    from: OFP15,
    name: 'OFPMP_GROUP_DESC reply',
    encode(w, m, version) {
      for (const g of m.entries) {
        const start = w.pos;
        encodeGroupHead(w, g);
        w.zero(8);
        encodeBuckets(w, g.buckets, g.groupType, version);
        w.patchLength16(start + 8, start + 16, 'group_desc');
        encodeGroupProperties(w, g, version);
        w.patchLength16(start, start, 'group_desc');
      }
    },
    decode: (r, version) => ({
      type: 'group_desc_reply',
      entries: entries(r, 16, () => decodeGroupDesc15(r, version)),
    }),
  },
);
function encodeGroupHead(w: Writer, g: GroupDesc): void {
  w.u16(0);
  w.u8(GROUP_TYPES.number(g.groupType));
  w.u8(0);
  w.u32(g.groupId);
}
function decodeGroupHead(r: Reader) {
  const groupType = GROUP_TYPES.name(r.u8('type'), r, 'type');
  r.zero(1);
  return { groupId: r.u32('group_id'), groupType };
}
function decodeGroupDesc15(r: Reader, version: OfpVersion): GroupDesc {
  const head = decodeGroupHead(r);
  const length = r.u16('bucket_array_len');
  r.zero(6);
  const outer = r.enter(length, 'buckets');
  const buckets = decodeBuckets(r, head.groupType, version);
  r.leave(outer);
  return { ...head, buckets, ...decodeGroupProperties(r) };
}

// types(4) capabilities(4) max_groups(4 × 4) actions(4 × 4)
registerMessage('group_features_reply', {
  id: { multipart: 8, direction: 'reply' },
  name: 'OFPMP_GROUP_FEATURES reply',
  encode(w, m) {
    w.u32(m.types);
    w.u32(m.capabilities);
    for (let i = 0; i < 4; i++) w.u32(m.maxGroups[i] ?? 0);
    for (let i = 0; i < 4; i++) w.u32(m.actions[i] ?? 0);
  },
  decode(r) {
    const four = (name: string) => [r.u32(name), r.u32(name), r.u32(name), r.u32(name)];
    return {
      type: 'group_features_reply',
      types: r.u32('types'),
      capabilities: r.u32('capabilities'),
      maxGroups: four('max_groups'),
      actions: four('actions'),
    };
  },
});

// meter_id(4) pad(4)
type MeterRequestType = 'meter_stats_request' | 'meter_config_request';
function meterRequest(type: MeterRequestType, multipart: number, name: string): void {
  registerMessage(type, {
    id: { multipart, direction: 'request' },
    name,
    encode(w, m) {
      w.u32(m.meterId ?? OFPM_ALL);
      w.zero(4);
    },
    decode(r) {
      const meterId = r.u32('meter_id');
      r.zero(4);
      return { type, ...(meterId !== OFPM_ALL && { meterId }) } as MessageOf<MeterRequestType>;
    },
  });
}
meterRequest('meter_stats_request', 9, 'OFPMP_METER_STATS request');
meterRequest('meter_config_request', 10, 'OFPMP_METER_DESC request');

// meter_id(4) len(2) pad(6) flow_count(4) packet_in_count(8) byte_in_count(8) duration(4+4) bands: packets(8) bytes(8)
registerMessage('meter_stats_reply', {
  id: { multipart: 9, direction: 'reply' },
  name: 'OFPMP_METER_STATS reply',
  encode(w, m) {
    for (const s of m.entries) {
      const start = w.pos;
      w.u32(s.meterId);
      w.zero(8);
      w.u32(s.flowCount);
      w.u64(s.packetInCount);
      w.u64(s.byteInCount);
      w.u32(s.durationSec);
      w.u32(s.durationNsec);
      for (const b of s.bands) {
        w.u64(b.packetCount);
        w.u64(b.byteCount);
      }
      w.patchLength16(start + 4, start, 'meter_stats');
    }
  },
  decode(r) {
    const list: MessageOf<'meter_stats_reply'>['entries'][number][] = [];
    while (r.pos < r.end) {
      const start = r.pos;
      const meterId = r.u32('meter_id');
      const length = r.u16('len');
      const outer = r.enter(length - (r.pos - start), 'entries', list.length);
      r.zero(6);
      list.push({
        meterId,
        flowCount: r.u32('flow_count'),
        packetInCount: r.u64('packet_in_count'),
        byteInCount: r.u64('byte_in_count'),
        durationSec: r.u32('duration_sec'),
        durationNsec: r.u32('duration_nsec'),
        bands: pairs(r),
      });
      r.leave(outer);
    }
    return { type: 'meter_stats_reply', entries: list };
  },
});

// length(2) flags(2) meter_id(4) bands
registerMessage('meter_config_reply', {
  id: { multipart: 10, direction: 'reply' },
  name: 'OFPMP_METER_DESC reply',
  encode(w, m) {
    for (const c of m.entries) {
      const start = w.pos;
      w.u16(0);
      w.u16(encodeMeterFlags(c.flags));
      w.u32(c.meterId);
      encodeBands(w, c.bands);
      w.patchLength16(start, start, 'meter_config');
    }
  },
  decode: (r) => ({
    type: 'meter_config_reply',
    entries: entries(r, 8, () => {
      const flags = decodeMeterFlags(r);
      return { meterId: r.u32('meter_id'), flags, bands: decodeBands(r) };
    }),
  }),
});

// max_meter(4) band_types(4) capabilities(4) max_bands(1) max_color(1) pad(2), 1.5: features(4) pad(4)
registerMessage('meter_features_reply', {
  id: { multipart: 11, direction: 'reply' },
  name: 'OFPMP_METER_FEATURES reply',
  encode(w, m, version) {
    w.u32(m.maxMeter);
    w.u32(m.bandTypes);
    w.u32(m.capabilities);
    w.u8(m.maxBands);
    w.u8(m.maxColor);
    w.zero(2);
    if (version >= OFP15 && m.features !== undefined) {
      w.u32(m.features);
      w.zero(4);
    }
  },
  decode(r) {
    const maxMeter = r.u32('max_meter');
    const bandTypes = r.u32('band_types');
    const capabilities = r.u32('capabilities');
    const maxBands = r.u8('max_bands');
    const maxColor = r.u8('max_color');
    r.zero(2);
    const fixed = {
      type: 'meter_features_reply',
      maxMeter,
      bandTypes,
      capabilities,
      maxBands,
      maxColor,
    } as const;
    if (r.left === 0) return fixed; // OVS leaves `features` out on 1.5
    const features = r.u32('features');
    r.zero(4);
    return { ...fixed, features };
  },
});
