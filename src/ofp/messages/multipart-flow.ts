/** Flow and aggregate statistics: OpenFlow 1.3.5 §7.3.5.2–3, 1.5.1 §7.3.5.2–4. */
import type { Reader } from '../bytes/reader.js';
import type { Writer } from '../bytes/writer.js';
import { decodeInstructions, encodeInstructions } from '../instructions.js';
import { decodeMatch, encodeMatch } from '../match.js';
import { registerMessage } from '../registry.js';
import { decodeStats, encodeStats, USUAL, usualStats } from '../stats.js';
import { OFP13, OFP14, OFP15, type OfpVersion } from '../types/field.js';
import { type MessageOf, OFPG_ANY, OFPP, OFPTT_ALL } from '../types/message.js';
import type { FlowSelector, FlowStats } from '../types/multipart.js';

const NO_COUNT = 0xffff_ffff_ffff_ffffn;
type Mutable<T> = { -readonly [K in keyof T]: T[K] };

// table_id(1) pad(3) out_port(4) out_group(4) pad(4) cookie(8) cookie_mask(8) match
function encodeSelector(w: Writer, s: FlowSelector, version: OfpVersion): void {
  w.u8(s.table ?? OFPTT_ALL);
  w.zero(3);
  w.u32(s.outPort ?? OFPP.ANY);
  w.u32(s.outGroup ?? OFPG_ANY);
  w.zero(4);
  w.u64(s.cookie ?? 0n);
  w.u64(s.cookieMask ?? 0n);
  encodeMatch(w, s.match ?? [], version);
}
function decodeSelector(r: Reader): FlowSelector {
  const s: Mutable<FlowSelector> = {};
  const table = r.u8('table_id');
  r.zero(3);
  const outPort = r.u32('out_port');
  const outGroup = r.u32('out_group');
  r.zero(4);
  const cookie = r.u64('cookie');
  const cookieMask = r.u64('cookie_mask');
  const match = decodeMatch(r);
  if (table !== OFPTT_ALL) s.table = table;
  if (outPort !== OFPP.ANY) s.outPort = outPort;
  if (outGroup !== OFPG_ANY) s.outGroup = outGroup;
  if (cookie !== 0n) s.cookie = cookie;
  if (cookieMask !== 0n) s.cookieMask = cookieMask;
  if (match.length > 0) s.match = match;
  return s;
}

type SelectorRequest = 'flow_stats_request' | 'aggregate_request';
function selectorRequest(type: SelectorRequest, multipart: number, name: string): void {
  registerMessage(type, {
    id: { multipart, direction: 'request' },
    name,
    encode: encodeSelector,
    decode: (r) => ({ type, ...decodeSelector(r) }) as MessageOf<SelectorRequest>,
  });
}
selectorRequest('flow_stats_request', 1, 'OFPMP_FLOW request');
selectorRequest('aggregate_request', 2, 'OFPMP_AGGREGATE request');

// length(2) table(1) pad(1) duration(4+4) priority(2) idle(2) hard(2) flags(2) importance(2, 1.4+) pad(2)
// cookie(8) packets(8) bytes(8) match instructions
function encodeEntry13(w: Writer, f: FlowStats, version: OfpVersion): void {
  const start = w.pos;
  w.u16(0);
  w.u8(f.table);
  w.u8(0);
  w.u32(f.durationSec);
  w.u32(f.durationNsec);
  w.u16(f.priority);
  w.u16(f.idleTimeout);
  w.u16(f.hardTimeout);
  w.u16(f.flags);
  w.u16(version >= OFP14 ? (f.importance ?? 0) : 0);
  w.zero(2);
  w.u64(f.cookie);
  w.u64(f.packetCount ?? NO_COUNT);
  w.u64(f.byteCount ?? NO_COUNT);
  encodeMatch(w, f.match, version);
  encodeInstructions(w, f.instructions, version);
  w.patchLength16(start, start, 'flow_stats');
}
function decodeEntry13(r: Reader, version: OfpVersion): FlowStats {
  const at = r.block(46, 'entry');
  const { view } = r;
  const tablePad = view.getUint16(at);
  if ((tablePad & 0xff) !== 0) r.zeroAt(at + 1, 1);
  const importancePad = view.getInt32(at + 18);
  if (importancePad !== 0) checkImportance(r, at + 18, version);
  const f: Mutable<FlowStats> = {
    table: tablePad >>> 8,
    priority: view.getUint16(at + 10),
    cookie: cookieAt(view, at + 22),
    idleTimeout: view.getUint16(at + 12),
    hardTimeout: view.getUint16(at + 14),
    flags: view.getUint16(at + 16),
    durationSec: view.getUint32(at + 2),
    durationNsec: view.getUint32(at + 6),
    packetCount: view.getBigUint64(at + 30),
    byteCount: view.getBigUint64(at + 38),
    match: decodeMatch(r),
    instructions: decodeInstructions(r, version),
  };
  if (importancePad !== 0) f.importance = importancePad >>> 16;
  return isNoCount(view, at + 30) || isNoCount(view, at + 38) ? onlyCounted(f) : f;
}

/** Two bytes that are padding before OpenFlow 1.4, then two that are always. */
function checkImportance(r: Reader, at: number, version: OfpVersion): void {
  if (version < OFP14) r.zeroAt(at, 2);
  r.zeroAt(at + 2, 2);
}

/** Flows may ask not to be counted; they say so by all ones. */
function onlyCounted({ packetCount, byteCount, ...rest }: FlowStats): FlowStats {
  return {
    ...rest,
    ...(packetCount !== NO_COUNT && { packetCount }),
    ...(byteCount !== NO_COUNT && { byteCount }),
  } as FlowStats;
}

const isNoCount = (view: DataView, at: number): boolean =>
  view.getInt32(at) === -1 && view.getInt32(at + 4) === -1;

let cookieHigh = 0;
let cookieLow = 0;
let lastCookie = 0n;
/** Neighbours in a dump mostly share a cookie: the bigint is made once for all of them. */
function cookieAt(view: DataView, at: number): bigint {
  const high = view.getInt32(at);
  const low = view.getInt32(at + 4);
  if (high !== cookieHigh || low !== cookieLow) {
    lastCookie = view.getBigUint64(at);
    cookieHigh = high;
    cookieLow = low;
  }
  return lastCookie;
}

// length(2) pad(2) table(1) pad(1) priority(2) idle(2) hard(2) flags(2) importance(2) cookie(8) match stats instructions
function encodeEntry15(w: Writer, f: FlowStats, version: OfpVersion): void {
  const start = w.pos;
  w.u32(0);
  w.u8(f.table);
  w.u8(0);
  w.u16(f.priority);
  w.u16(f.idleTimeout);
  w.u16(f.hardTimeout);
  w.u16(f.flags);
  w.u16(f.importance ?? 0);
  w.u64(f.cookie);
  encodeMatch(w, f.match, version);
  encodeStats(w, f);
  encodeInstructions(w, f.instructions, version);
  w.patchLength16(start, start, 'flow_stats');
}
function decodeEntry15(r: Reader, version: OfpVersion): FlowStats {
  const at = r.block(22, 'entry');
  const { view } = r;
  const head = view.getInt32(at);
  if ((head & 0xffff00ff) !== 0) {
    r.zeroAt(at, 2);
    r.zeroAt(at + 3, 1);
  }
  const importance = view.getUint16(at + 12);
  const match = decodeMatch(r);
  const c = usualStats(r);
  // Spelled out for the form that OVS sends: spreading the counters costs as much as reading the whole entry.
  const f: Mutable<FlowStats> =
    c >= 0
      ? {
          table: head >>> 8,
          priority: view.getUint16(at + 4),
          cookie: cookieAt(view, at + 14),
          idleTimeout: view.getUint16(at + 6),
          hardTimeout: view.getUint16(at + 8),
          flags: view.getUint16(at + 10),
          durationSec: view.getUint32(c + USUAL.duration),
          durationNsec: view.getUint32(c + USUAL.duration + 4),
          idleSec: view.getUint32(c + USUAL.idle),
          idleNsec: view.getUint32(c + USUAL.idle + 4),
          packetCount: view.getBigUint64(c + USUAL.packets),
          byteCount: view.getBigUint64(c + USUAL.bytes),
          match,
          instructions: decodeInstructions(r, version),
        }
      : {
          table: head >>> 8,
          priority: view.getUint16(at + 4),
          cookie: cookieAt(view, at + 14),
          idleTimeout: view.getUint16(at + 6),
          hardTimeout: view.getUint16(at + 8),
          flags: view.getUint16(at + 10),
          match,
          ...decodeStats(r),
          instructions: decodeInstructions(r, version),
        };
  if (importance !== 0) f.importance = importance;
  return f;
}

function decodeEntries(
  r: Reader,
  version: OfpVersion,
  decode: (r: Reader, version: OfpVersion) => FlowStats,
): FlowStats[] {
  const entries: FlowStats[] = [];
  while (r.pos < r.end) {
    const start = r.pos;
    const length = r.u16('entries');
    if (length < 8) throw r.fail('bad-length', `entry of ${length} bytes`, start, 'entries');
    const outer = r.enter(length - 2, 'entries', entries.length);
    entries.push(decode(r, version));
    r.leave(outer);
  }
  return entries;
}

// OVS sends and takes the 1.5 layout (ofp_flow_desc) under type 1, and refuses 17.
registerMessage(
  'flow_stats_reply',
  {
    id: { multipart: 1, direction: 'reply' },
    to: OFP14,
    name: 'OFPMP_FLOW reply',
    encode(w, m, version) {
      for (const f of m.entries) encodeEntry13(w, f, version);
    },
    decode: (r, version) => ({
      type: 'flow_stats_reply',
      entries: decodeEntries(r, version, decodeEntry13),
    }),
  },
  {
    id: { multipart: 1, direction: 'reply' },
    from: OFP15,
    name: 'OFPMP_FLOW_DESC reply',
    encode(w, m, version) {
      for (const f of m.entries) encodeEntry15(w, f, version);
    },
    decode: (r, version) => ({
      type: 'flow_stats_reply',
      entries: decodeEntries(r, version, decodeEntry15),
    }),
  },
);

// 1.3: packets(8) bytes(8) flows(4) pad(4); 1.5: stats
registerMessage(
  'aggregate_reply',
  {
    id: { multipart: 2, direction: 'reply' },
    from: OFP13,
    to: OFP14,
    name: 'OFPMP_AGGREGATE reply',
    encode(w, a) {
      w.u64(a.packetCount);
      w.u64(a.byteCount);
      w.u32(a.flowCount);
      w.zero(4);
    },
    decode(r) {
      const packetCount = r.u64('packet_count');
      const byteCount = r.u64('byte_count');
      const flowCount = r.u32('flow_count');
      r.zero(4);
      return { type: 'aggregate_reply', packetCount, byteCount, flowCount };
    },
  },
  {
    id: { multipart: 2, direction: 'reply' },
    from: OFP15,
    name: 'OFPMP_AGGREGATE_STATS reply',
    encode: (w, a) => encodeStats(w, a),
    decode(r) {
      const c = decodeStats(r);
      return {
        type: 'aggregate_reply',
        packetCount: c.packetCount ?? 0n,
        byteCount: c.byteCount ?? 0n,
        flowCount: c.flowCount ?? 0,
      };
    },
  },
);
