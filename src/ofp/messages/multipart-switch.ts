/** Description, tables, ports: OpenFlow 1.3.5 §7.3.5.1, .4, .7–9; 1.5.1 §7.3.5. */
import type { Reader } from '../bytes/reader.js';
import type { Writer } from '../bytes/writer.js';
import { list } from '../entries.js';
import { decodePort, encodePort } from '../ports.js';
import { decodeProperties, encodeProperty, encodeRaw, rawProperties } from '../properties.js';
import { registerMessage } from '../registry.js';
import { decodeTableDesc, encodeTableDesc } from '../tables.js';
import { OFP13, OFP14, OFP15, type OfpVersion } from '../types/field.js';
import { type MessageOf, OFPP } from '../types/message.js';
import type { PortStats } from '../types/multipart.js';

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
