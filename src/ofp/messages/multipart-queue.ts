/** Queues: OpenFlow 1.3.5 §7.3.6, §7.3.5.8; 1.5.1 §7.3.5. */
import type { Reader } from '../bytes/reader.js';
import type { Writer } from '../bytes/writer.js';
import { list } from '../entries.js';
import { decodeProperties, encodeProperty, encodeRaw, rawProperties } from '../properties.js';
import { registerMessage } from '../registry.js';
import { OFP13, OFP14, type OfpVersion } from '../types/field.js';
import { type MessageOf, OFPP } from '../types/message.js';
import type { QueueStats } from '../types/multipart.js';
import type { QueueDesc } from '../types/switch.js';

const QUEUE_ALL = 0xffffffff;

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
