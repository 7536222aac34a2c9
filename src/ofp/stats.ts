/** struct ofp_stats with OXS fields, OpenFlow 1.5.1 §7.2.4: reserved(2) length(2, without padding) fields. */
import type { Reader } from './bytes/reader.js';
import type { Writer } from './bytes/writer.js';
import type { FlowCounters } from './types/switch.js';

const oxs = (field: number, length: number): number => ((0x8002 << 16) | (field << 9) | length) >>> 0;
const DURATION = oxs(0, 8);
const IDLE_TIME = oxs(1, 8);
const FLOW_COUNT = oxs(3, 4);
const PACKET_COUNT = oxs(4, 8);
const BYTE_COUNT = oxs(5, 8);

/** Writes those counters that are given; `duration` is left out for aggregates. */
export function encodeStats(w: Writer, c: Partial<FlowCounters>): void {
  const start = w.pos;
  w.u32(0);
  if (c.durationSec !== undefined) {
    w.u32(DURATION);
    w.u32(c.durationSec);
    w.u32(c.durationNsec ?? 0);
  }
  if (c.idleSec !== undefined) {
    w.u32(IDLE_TIME);
    w.u32(c.idleSec);
    w.u32(c.idleNsec ?? 0);
  }
  if (c.packetCount !== undefined) {
    w.u32(PACKET_COUNT);
    w.u64(c.packetCount);
  }
  if (c.byteCount !== undefined) {
    w.u32(BYTE_COUNT);
    w.u64(c.byteCount);
  }
  if (c.flowCount !== undefined) {
    w.u32(FLOW_COUNT);
    w.u32(c.flowCount);
  }
  if (c.rawStats !== undefined) for (const raw of c.rawStats) w.bytes(raw);
  w.patchLength16(start + 2, start, 'stats');
  w.align8(start);
}

/** What OVS sends of a flow: duration, idle time, packets, bytes. Positions of the values from its start. */
export const USUAL = { length: 52, duration: 8, idle: 20, packets: 32, bytes: 44 } as const;

/** Where a struct ofp_stats of exactly the usual fields starts, which is skipped; -1: it is another. */
export function usualStats(r: Reader): number {
  const at = r.pos;
  const { view } = r;
  if (
    r.left < USUAL.length + 4 ||
    view.getUint32(at) !== USUAL.length ||
    view.getUint32(at + USUAL.duration - 4) !== DURATION ||
    view.getUint32(at + USUAL.idle - 4) !== IDLE_TIME ||
    view.getUint32(at + USUAL.packets - 4) !== PACKET_COUNT ||
    view.getUint32(at + USUAL.bytes - 4) !== BYTE_COUNT ||
    view.getUint32(at + USUAL.length) !== 0
  )
    return -1;
  r.pos = at + USUAL.length + 4;
  return at;
}

/** Reads struct ofp_stats with its padding. Absent durations read as 0; `flowCount` only where it was sent. */
export function decodeStats(r: Reader): FlowCounters {
  const c: { -readonly [K in keyof FlowCounters]: FlowCounters[K] } = { durationSec: 0, durationNsec: 0 };
  const start = r.pos;
  r.u16('stats.reserved');
  const length = r.u16('stats.length');
  if (length < 4) throw r.fail('bad-length', `stats length ${length}`, start + 2, 'stats.length');
  const outer = r.enter(length - 4, 'stats');
  while (r.pos < r.end) {
    const at = r.pos;
    const header = r.u32('oxs');
    switch (header) {
      case DURATION:
        c.durationSec = r.u32('duration');
        c.durationNsec = r.u32('duration');
        break;
      case IDLE_TIME:
        c.idleSec = r.u32('idle_time');
        c.idleNsec = r.u32('idle_time');
        break;
      case FLOW_COUNT:
        c.flowCount = r.u32('flow_count');
        break;
      case PACKET_COUNT:
        c.packetCount = r.u64('packet_count');
        break;
      case BYTE_COUNT:
        c.byteCount = r.u64('byte_count');
        break;
      default:
        r.pos = at;
        c.rawStats = [...(c.rawStats ?? []), r.bytes(4 + (header & 0xff), 'oxs')];
    }
  }
  r.leave(outer);
  const over = length & 7;
  if (over !== 0) r.zero(8 - over, 'stats.pad');
  return c;
}
