/** Description, tables, ports, queues: OpenFlow 1.3.5 §7.3.5.1, .4, .7–9; 1.5.1 §7.3.5. */
import type { Reader } from '../bytes/reader.js';
import type { Writer } from '../bytes/writer.js';
import { decodePort, encodePort } from '../ports.js';
import { decodeProperties, encodeProperty, encodeRaw, rawProperties } from '../properties.js';
import { registerMessage } from '../registry.js';
import { decodeTableDesc, encodeTableDesc } from '../tables.js';
import { OFP13, OFP14, OFP15, type OfpVersion } from '../types/field.js';
import { type MessageOf, OFPP } from '../types/message.js';
import type { PortStats, QueueStats } from '../types/multipart.js';
import type { QueueDesc } from '../types/switch.js';

const QUEUE_ALL = 0xffffffff;

type Bare =
  | 'desc_request'
  | 'table_stats_request'
  | 'group_features_request'
  | 'meter_features_request'
  | 'table_desc_request';
function bare(type: Bare, multipart: number, name: string, from: OfpVersion = OFP13): void {
  registerMessage(type, {
    id: { multipart, direction: 'request' },
    from,
    name,
    encode() {},
    decode: () => ({ type }) as MessageOf<Bare>,
  });
}
bare('desc_request', 0, 'OFPMP_DESC request');
bare('table_stats_request', 3, 'OFPMP_TABLE request');
bare('group_features_request', 8, 'OFPMP_GROUP_FEATURES request');
bare('meter_features_request', 11, 'OFPMP_METER_FEATURES request');
bare('table_desc_request', 14, 'OFPMP_TABLE_DESC request', OFP14);

/** Entries of a fixed or self-described size, up to the end. */
function list<E>(r: Reader, decode: () => E): E[] {
  const entries: E[] = [];
  while (r.pos < r.end) entries.push(decode());
  return entries;
}

const DESC_SIZE = 256;
const SERIAL_SIZE = 32;
registerMessage('desc_reply', {
  id: { multipart: 0, direction: 'reply' },
  name: 'OFPMP_DESC reply',
  encode(w, d) {
    w.fixedString(d.manufacturer, DESC_SIZE, 'mfr_desc');
    w.fixedString(d.hardware, DESC_SIZE, 'hw_desc');
    w.fixedString(d.software, DESC_SIZE, 'sw_desc');
    w.fixedString(d.serialNumber, SERIAL_SIZE, 'serial_num');
    w.fixedString(d.datapath, DESC_SIZE, 'dp_desc');
  },
  decode: (r) => ({
    type: 'desc_reply',
    manufacturer: r.fixedString(DESC_SIZE, 'mfr_desc'),
    hardware: r.fixedString(DESC_SIZE, 'hw_desc'),
    software: r.fixedString(DESC_SIZE, 'sw_desc'),
    serialNumber: r.fixedString(SERIAL_SIZE, 'serial_num'),
    datapath: r.fixedString(DESC_SIZE, 'dp_desc'),
  }),
});

// table_id(1) pad(3) active_count(4) lookup_count(8) matched_count(8)
registerMessage('table_stats_reply', {
  id: { multipart: 3, direction: 'reply' },
  name: 'OFPMP_TABLE reply',
  encode(w, m) {
    for (const t of m.entries) {
      w.u8(t.table);
      w.zero(3);
      w.u32(t.activeCount);
      w.u64(t.lookupCount);
      w.u64(t.matchedCount);
    }
  },
  decode: (r) => ({
    type: 'table_stats_reply',
    entries: list(r, () => {
      const table = r.u8('table_id');
      r.zero(3);
      return {
        table,
        activeCount: r.u32('active_count'),
        lookupCount: r.u64('lookup_count'),
        matchedCount: r.u64('matched_count'),
      };
    }),
  }),
});

// port_no(4) pad(4)
registerMessage('port_stats_request', {
  id: { multipart: 4, direction: 'request' },
  name: 'OFPMP_PORT_STATS request',
  encode(w, m) {
    w.u32(m.port ?? OFPP.ANY);
    w.zero(4);
  },
  decode(r) {
    const port = r.u32('port_no');
    r.zero(4);
    return { type: 'port_stats_request', ...(port !== OFPP.ANY && { port }) };
  },
});

const COUNTERS = [
  'rxPackets',
  'txPackets',
  'rxBytes',
  'txBytes',
  'rxDropped',
  'txDropped',
  'rxErrors',
  'txErrors',
] as const;
type Counters = Pick<PortStats, (typeof COUNTERS)[number]>;
const UNKNOWN = 0xffff_ffff_ffff_ffffn;

function encodeCounters(w: Writer, p: Counters): void {
  for (const key of COUNTERS) w.u64(p[key]);
}
function decodeCounters(r: Reader): Counters {
  return {
    rxPackets: r.u64('rx_packets'),
    txPackets: r.u64('tx_packets'),
    rxBytes: r.u64('rx_bytes'),
    txBytes: r.u64('tx_bytes'),
    rxDropped: r.u64('rx_dropped'),
    txDropped: r.u64('tx_dropped'),
    rxErrors: r.u64('rx_errors'),
    txErrors: r.u64('tx_errors'),
  };
}
type EthernetCounters = NonNullable<PortStats['ethernet']>;
function encodeEthernetCounters(w: Writer, e: EthernetCounters | undefined): void {
  w.u64(e?.rxFrameErr ?? UNKNOWN);
  w.u64(e?.rxOverErr ?? UNKNOWN);
  w.u64(e?.rxCrcErr ?? UNKNOWN);
  w.u64(e?.collisions ?? UNKNOWN);
}
function decodeEthernetCounters(r: Reader): EthernetCounters {
  return {
    rxFrameErr: r.u64('rx_frame_err'),
    rxOverErr: r.u64('rx_over_err'),
    rxCrcErr: r.u64('rx_crc_err'),
    collisions: r.u64('collisions'),
  };
}

registerMessage(
  'port_stats_reply',
  {
    // port_no(4) pad(4) counters(8 × 8) ethernet(4 × 8) duration(4+4)
    id: { multipart: 4, direction: 'reply' },
    to: OFP13,
    name: 'OFPMP_PORT_STATS reply',
    encode(w, m) {
      for (const p of m.entries) {
        w.u32(p.portNo);
        w.zero(4);
        encodeCounters(w, p);
        encodeEthernetCounters(w, p.ethernet);
        w.u32(p.durationSec);
        w.u32(p.durationNsec);
      }
    },
    decode: (r) => ({
      type: 'port_stats_reply',
      entries: list(r, () => {
        const portNo = r.u32('port_no');
        r.zero(4);
        return {
          portNo,
          ...decodeCounters(r),
          ethernet: decodeEthernetCounters(r),
          durationSec: r.u32('duration_sec'),
          durationNsec: r.u32('duration_nsec'),
        };
      }),
    }),
  },
  {
    // length(2) pad(2) port_no(4) duration(4+4) counters(8 × 8) properties
    id: { multipart: 4, direction: 'reply' },
    from: OFP14,
    name: 'OFPMP_PORT_STATS reply',
    encode(w, m) {
      for (const p of m.entries) {
        const start = w.pos;
        w.u32(0);
        w.u32(p.portNo);
        w.u32(p.durationSec);
        w.u32(p.durationNsec);
        encodeCounters(w, p);
        if (p.ethernet !== undefined)
          encodeProperty(w, 0, () => {
            w.zero(4);
            encodeEthernetCounters(w, p.ethernet);
          });
        encodeRaw(w, p.rawProperties);
        w.patchLength16(start, start, 'port_stats');
      }
    },
    decode: (r) => ({ type: 'port_stats_reply', entries: list(r, () => decodePortStats14(r)) }),
  },
);
function decodePortStats14(r: Reader): PortStats {
  const length = r.u16('length');
  const outer = r.enter(length - 2, 'port');
  r.zero(2);
  const portNo = r.u32('port_no');
  const durationSec = r.u32('duration_sec');
  const durationNsec = r.u32('duration_nsec');
  const counters = decodeCounters(r);
  let ethernet: EthernetCounters | undefined;
  const raw = decodeProperties(r, (type) => {
    if (type !== 0 || ethernet !== undefined) return false;
    r.zero(4);
    ethernet = decodeEthernetCounters(r);
    return true;
  });
  r.leave(outer);
  return {
    portNo,
    ...counters,
    ...(ethernet && { ethernet }),
    durationSec,
    durationNsec,
    ...rawProperties(raw),
  };
}

// port_no(4) queue_id(4)
type QueueRequest = 'queue_stats_request' | 'queue_desc_request';
function queueRequest(type: QueueRequest, multipart: number, name: string, from: OfpVersion): void {
  registerMessage(type, {
    id: { multipart, direction: 'request' },
    from,
    name,
    encode(w, m) {
      w.u32(m.port ?? OFPP.ANY);
      w.u32(m.queueId ?? QUEUE_ALL);
    },
    decode(r) {
      const port = r.u32('port_no');
      const queueId = r.u32('queue_id');
      return {
        type,
        ...(port !== OFPP.ANY && { port }),
        ...(queueId !== QUEUE_ALL && { queueId }),
      } as MessageOf<QueueRequest>;
    },
  });
}
queueRequest('queue_stats_request', 5, 'OFPMP_QUEUE_STATS request', OFP13);
queueRequest('queue_desc_request', 15, 'OFPMP_QUEUE_DESC request', OFP14);

function encodeQueueCounters(w: Writer, q: QueueStats): void {
  w.u32(q.port);
  w.u32(q.queueId);
  w.u64(q.txBytes);
  w.u64(q.txPackets);
  w.u64(q.txErrors);
  w.u32(q.durationSec);
  w.u32(q.durationNsec);
}
function decodeQueueCounters(r: Reader): QueueStats {
  return {
    port: r.u32('port_no'),
    queueId: r.u32('queue_id'),
    txBytes: r.u64('tx_bytes'),
    txPackets: r.u64('tx_packets'),
    txErrors: r.u64('tx_errors'),
    durationSec: r.u32('duration_sec'),
    durationNsec: r.u32('duration_nsec'),
  };
}
registerMessage(
  'queue_stats_reply',
  {
    // port_no(4) queue_id(4) bytes(8) packets(8) errors(8) duration(4+4)
    id: { multipart: 5, direction: 'reply' },
    to: OFP13,
    name: 'OFPMP_QUEUE_STATS reply',
    encode(w, m) {
      for (const q of m.entries) encodeQueueCounters(w, q);
    },
    decode: (r) => ({ type: 'queue_stats_reply', entries: list(r, () => decodeQueueCounters(r)) }),
  },
  {
    // length(2) pad(6), as before, properties
    id: { multipart: 5, direction: 'reply' },
    from: OFP14,
    name: 'OFPMP_QUEUE_STATS reply',
    encode(w, m) {
      for (const q of m.entries) {
        const start = w.pos;
        w.zero(8);
        encodeQueueCounters(w, q);
        encodeRaw(w, q.rawProperties);
        w.patchLength16(start, start, 'queue_stats');
      }
    },
    decode: (r) => ({
      type: 'queue_stats_reply',
      entries: list(r, () => {
        const outer = r.enter(r.u16('length') - 2, 'queue');
        r.zero(6);
        const q = decodeQueueCounters(r);
        const raw = decodeProperties(r, () => false);
        r.leave(outer);
        return { ...q, ...rawProperties(raw) };
      }),
    }),
  },
);

const MIN_RATE = 1;
const MAX_RATE = 2;
function rate(w: Writer, type: number, value: number | undefined, pad: number): void {
  if (value !== undefined)
    encodeProperty(w, type, () => {
      w.zero(pad);
      w.u16(value);
      w.zero(pad === 0 ? 2 : 6);
    });
}
/** Rates: 1.3 pads them to 16 bytes, 1.4+ to 8. `head`: bytes between the header and the rate. */
function decodeQueueProperties(
  r: Reader,
  head: number,
): Pick<QueueDesc, 'minRate' | 'maxRate' | 'rawProperties'> {
  let minRate: number | undefined;
  let maxRate: number | undefined;
  const raw = decodeProperties(r, (type) => {
    if (type !== MIN_RATE && type !== MAX_RATE) return false;
    if ((type === MIN_RATE ? minRate : maxRate) !== undefined) return false;
    r.zero(head);
    const value = r.u16('rate');
    r.zero(head === 0 ? 2 : 6);
    if (type === MIN_RATE) minRate = value;
    else maxRate = value;
    return true;
  });
  return {
    ...(minRate !== undefined && { minRate }),
    ...(maxRate !== undefined && { maxRate }),
    ...rawProperties(raw),
  };
}

// port_no(4) queue_id(4) len(2) pad(6) properties
registerMessage('queue_desc_reply', {
  id: { multipart: 15, direction: 'reply' },
  from: OFP14,
  name: 'OFPMP_QUEUE_DESC reply',
  encode(w, m) {
    for (const q of m.entries) {
      const start = w.pos;
      w.u32(q.port);
      w.u32(q.queueId);
      w.zero(8);
      rate(w, MIN_RATE, q.minRate, 0);
      rate(w, MAX_RATE, q.maxRate, 0);
      encodeRaw(w, q.rawProperties);
      w.patchLength16(start + 8, start, 'queue_desc');
    }
  },
  decode: (r) => ({ type: 'queue_desc_reply', entries: list(r, () => decodeQueue(r, false)) }),
});
function decodeQueue(r: Reader, old: boolean): QueueDesc {
  const start = r.pos;
  const first = r.u32('queue');
  const second = r.u32('queue');
  const length = r.u16('len');
  r.zero(6);
  const outer = r.enter(length - (r.pos - start), 'queue');
  const properties = decodeQueueProperties(r, old ? 4 : 0);
  r.leave(outer);
  return { port: old ? second : first, queueId: old ? first : second, ...properties };
}

// OpenFlow 1.3.5 §7.3.6. port(4) pad(4)
registerMessage('queue_get_config_request', {
  id: { standard: 22 },
  to: OFP13,
  name: 'OFPT_QUEUE_GET_CONFIG_REQUEST',
  encode(w, m) {
    w.u32(m.port);
    w.zero(4);
  },
  decode(r) {
    const port = r.u32('port');
    r.zero(4);
    return { type: 'queue_get_config_request', port };
  },
});
// port(4) pad(4), queues: queue_id(4) port(4) len(2) pad(6) properties with 4 bytes of padding each
registerMessage('queue_get_config_reply', {
  id: { standard: 23 },
  to: OFP13,
  name: 'OFPT_QUEUE_GET_CONFIG_REPLY',
  encode(w, m) {
    w.u32(m.port);
    w.zero(4);
    for (const q of m.queues) {
      const start = w.pos;
      w.u32(q.queueId);
      w.u32(q.port);
      w.zero(8);
      rate(w, MIN_RATE, q.minRate, 4);
      rate(w, MAX_RATE, q.maxRate, 4);
      encodeRaw(w, q.rawProperties);
      w.patchLength16(start + 8, start, 'queue');
    }
  },
  decode(r) {
    const port = r.u32('port');
    r.zero(4);
    return { type: 'queue_get_config_reply', port, queues: list(r, () => decodeQueue(r, true)) };
  },
});

registerMessage('table_desc_reply', {
  id: { multipart: 14, direction: 'reply' },
  from: OFP14,
  name: 'OFPMP_TABLE_DESC reply',
  encode(w, m) {
    for (const t of m.entries) encodeTableDesc(w, t);
  },
  decode: (r) => ({ type: 'table_desc_reply', entries: list(r, () => decodeTableDesc(r)) }),
});

registerMessage(
  'port_desc_request',
  {
    id: { multipart: 13, direction: 'request' },
    to: OFP14,
    name: 'OFPMP_PORT_DESC request',
    accepts: (m) => m.port === undefined,
    encode() {},
    decode: () => ({ type: 'port_desc_request' }),
  },
  {
    // port_no(4) pad(4)
    id: { multipart: 13, direction: 'request' },
    from: OFP15,
    name: 'OFPMP_PORT_DESC request',
    encode(w, m) {
      w.u32(m.port ?? OFPP.ANY);
      w.zero(4);
    },
    decode(r) {
      const port = r.u32('port_no');
      r.zero(4);
      return { type: 'port_desc_request', ...(port !== OFPP.ANY && { port }) };
    },
  },
);
registerMessage('port_desc_reply', {
  id: { multipart: 13, direction: 'reply' },
  name: 'OFPMP_PORT_DESC reply',
  encode(w, m, version) {
    for (const p of m.entries) encodePort(w, p, version);
  },
  decode: (r, version) => ({ type: 'port_desc_reply', entries: list(r, () => decodePort(r, version)) }),
});
