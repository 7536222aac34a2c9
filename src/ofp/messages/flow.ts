/** OFPT_FLOW_MOD (OpenFlow 1.3.5 §7.3.4.1) and OFPT_FLOW_REMOVED (§7.4.2; 1.5.1 §7.4.2). */
import { decodeInstructions, encodeInstructions } from '../instructions.js';
import { decodeMatch, encodeMatch } from '../match.js';
import { names } from '../names.js';
import { registerMessage } from '../registry.js';
import { decodeStats, encodeStats } from '../stats.js';
import { OFP13, OFP14, OFP15 } from '../types/field.js';
import { type FlowMod, OFP_NO_BUFFER, OFPG_ANY, OFPP } from '../types/message.js';
import type { FlowRemovedReason } from '../types/switch.js';

const COMMANDS = names({ add: 0, modify: 1, modify_strict: 2, delete: 3, delete_strict: 4 });

// cookie(8) cookie_mask(8) table(1) command(1) idle(2) hard(2) priority(2) buffer(4) out_port(4) out_group(4)
// flags(2) importance(2, 1.4+) match instructions
registerMessage('flow_mod', {
  id: { standard: 14 },
  name: 'OFPT_FLOW_MOD',
  encode(w, f, version) {
    const at = w.block(40);
    w.patchU64(at, f.cookie);
    w.patchU64(at + 8, f.cookieMask ?? 0n);
    w.patchU8(at + 16, f.table);
    w.patchU8(at + 17, COMMANDS.number(f.command));
    w.patchU16(at + 18, f.idleTimeout ?? 0);
    w.patchU16(at + 20, f.hardTimeout ?? 0);
    w.patchU16(at + 22, f.priority);
    w.patchU32(at + 24, f.bufferId ?? OFP_NO_BUFFER);
    w.patchU32(at + 28, f.outPort ?? OFPP.ANY);
    w.patchU32(at + 32, f.outGroup ?? OFPG_ANY);
    w.patchU16(at + 36, f.flags ?? 0);
    w.patchU16(at + 38, version >= OFP14 ? (f.importance ?? 0) : 0);
    encodeMatch(w, f.match, version);
    encodeInstructions(w, f.instructions, version);
  },
  decode(r, version) {
    const cookie = r.u64('cookie');
    const cookieMask = r.u64('cookie_mask');
    const table = r.u8('table_id');
    const command = COMMANDS.name(r.u8('command'), r, 'command');
    const idleTimeout = r.u16('idle_timeout');
    const hardTimeout = r.u16('hard_timeout');
    const priority = r.u16('priority');
    const bufferId = r.u32('buffer_id');
    const outPort = r.u32('out_port');
    const outGroup = r.u32('out_group');
    const flags = r.u16('flags');
    let importance = 0;
    if (version >= OFP14) importance = r.u16('importance');
    else r.zero(2);
    const match = decodeMatch(r);
    const f: { -readonly [K in keyof FlowMod]: FlowMod[K] } = {
      type: 'flow_mod',
      command,
      table,
      priority,
      cookie,
      match,
      instructions: decodeInstructions(r, version),
    };
    if (cookieMask !== 0n) f.cookieMask = cookieMask;
    if (idleTimeout !== 0) f.idleTimeout = idleTimeout;
    if (hardTimeout !== 0) f.hardTimeout = hardTimeout;
    if (bufferId !== OFP_NO_BUFFER) f.bufferId = bufferId;
    if (outPort !== OFPP.ANY) f.outPort = outPort;
    if (outGroup !== OFPG_ANY) f.outGroup = outGroup;
    if (flags !== 0) f.flags = flags;
    if (importance !== 0) f.importance = importance;
    return f;
  },
});

const REASONS = names({
  idle_timeout: 0,
  hard_timeout: 1,
  delete: 2,
  group_delete: 3,
  meter_delete: 4,
  eviction: 5,
});
const reasonNumber = (reason: FlowRemovedReason) =>
  typeof reason === 'object' ? reason.unknown : REASONS.number(reason);
const reasonName = (n: number): FlowRemovedReason => REASONS.find(n) ?? { unknown: n };
const NO_COUNT = 0xffff_ffff_ffff_ffffn;

registerMessage(
  'flow_removed',
  {
    // cookie(8) priority(2) reason(1) table(1) duration(4+4) idle(2) hard(2) packets(8) bytes(8) match
    id: { standard: 11 },
    from: OFP13,
    to: OFP14,
    name: 'OFPT_FLOW_REMOVED',
    encode(w, f, version) {
      w.u64(f.cookie);
      w.u16(f.priority);
      w.u8(reasonNumber(f.reason));
      w.u8(f.table);
      w.u32(f.durationSec);
      w.u32(f.durationNsec);
      w.u16(f.idleTimeout);
      w.u16(f.hardTimeout);
      w.u64(f.packetCount ?? NO_COUNT);
      w.u64(f.byteCount ?? NO_COUNT);
      encodeMatch(w, f.match, version);
    },
    decode(r) {
      const cookie = r.u64('cookie');
      const priority = r.u16('priority');
      const reason = reasonName(r.u8('reason'));
      const table = r.u8('table_id');
      const durationSec = r.u32('duration_sec');
      const durationNsec = r.u32('duration_nsec');
      const idleTimeout = r.u16('idle_timeout');
      const hardTimeout = r.u16('hard_timeout');
      const packetCount = r.u64('packet_count');
      const byteCount = r.u64('byte_count');
      return {
        type: 'flow_removed',
        table,
        priority,
        cookie,
        reason,
        idleTimeout,
        hardTimeout,
        durationSec,
        durationNsec,
        ...(packetCount !== NO_COUNT && { packetCount }),
        ...(byteCount !== NO_COUNT && { byteCount }),
        match: decodeMatch(r),
      };
    },
  },
  {
    // table(1) reason(1) priority(2) idle(2) hard(2) cookie(8) match stats
    id: { standard: 11 },
    from: OFP15,
    name: 'OFPT_FLOW_REMOVED',
    encode(w, f, version) {
      w.u8(f.table);
      w.u8(reasonNumber(f.reason));
      w.u16(f.priority);
      w.u16(f.idleTimeout);
      w.u16(f.hardTimeout);
      w.u64(f.cookie);
      encodeMatch(w, f.match, version);
      encodeStats(w, f);
    },
    decode(r) {
      const table = r.u8('table_id');
      const reason = reasonName(r.u8('reason'));
      const priority = r.u16('priority');
      const idleTimeout = r.u16('idle_timeout');
      const hardTimeout = r.u16('hard_timeout');
      const cookie = r.u64('cookie');
      const match = decodeMatch(r);
      return {
        type: 'flow_removed',
        table,
        priority,
        cookie,
        reason,
        idleTimeout,
        hardTimeout,
        match,
        ...decodeStats(r),
      };
    },
  },
);
