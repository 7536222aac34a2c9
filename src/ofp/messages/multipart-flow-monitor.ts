/** OFPMP_FLOW_MONITOR, OpenFlow 1.4.1 §7.3.5.17; on 1.3, ONF extension 187 as OVS writes it. */
import { OfpEncodeError } from '../bytes/errors.js';
import type { Reader } from '../bytes/reader.js';
import type { Writer } from '../bytes/writer.js';
import { decodeInstructions, encodeInstructions } from '../instructions.js';
import { decodeMatch, encodeMatch } from '../match.js';
import { names } from '../names.js';
import { registerMessage } from '../registry.js';
import { type Match, OFP13, OFP14, type OfpVersion } from '../types/field.js';
import { type MessageOf, OFPG_ANY, OFPP } from '../types/message.js';
import type { FlowMonitor, FlowUpdate } from '../types/multipart.js';

const ONF_EXPERIMENTER = 0x4f4e4600;
const ONFST_FLOW_MONITOR = 1870;
const COMMANDS = names({ add: 0, modify: 1, delete: 2 });
const EVENTS = names({ initial: 0, added: 1, removed: 2, modified: 3, abbrev: 4, paused: 5, resumed: 6 });

// monitor_id(4) out_port(4) out_group(4) flags(2) table_id(1) command(1) match
function encodeMonitor(w: Writer, m: FlowMonitor, version: OfpVersion): void {
  w.u32(m.monitorId);
  w.u32(m.outPort ?? OFPP.ANY);
  w.u32(m.outGroup ?? OFPG_ANY);
  w.u16(m.flags);
  w.u8(m.table);
  w.u8(COMMANDS.number(m.command));
  encodeMatch(w, m.match, version);
}
function decodeMonitor(r: Reader): FlowMonitor {
  const monitorId = r.u32('monitor_id');
  const outPort = r.u32('out_port');
  const outGroup = r.u32('out_group');
  const flags = r.u16('flags');
  const table = r.u8('table_id');
  const command = COMMANDS.name(r.u8('command'), r, 'command');
  return {
    monitorId,
    ...(outPort !== OFPP.ANY && { outPort }),
    ...(outGroup !== OFPG_ANY && { outGroup }),
    flags,
    table,
    command,
    match: decodeMatch(r),
  };
}

// length(2) event(2), then table_id(1) reason(1) idle(2) hard(2) priority(2) zeros(4) cookie(8) match instructions
// | xid(4) | zeros(4)
function encodeUpdate(w: Writer, u: FlowUpdate, version: OfpVersion): void {
  if (u.event === 'raw') {
    w.bytes(u.bytes);
    return;
  }
  const start = w.pos;
  w.u16(0);
  w.u16(EVENTS.number(u.event));
  switch (u.event) {
    case 'abbrev':
      w.u32(u.xid);
      break;
    case 'paused':
    case 'resumed':
      w.u32(0);
      break;
    default:
      w.u8(u.table);
      w.u8(u.reason);
      w.u16(u.idleTimeout);
      w.u16(u.hardTimeout);
      w.u16(u.priority);
      w.zero(4);
      w.u64(u.cookie);
      encodeMatch(w, u.match, version);
      encodeInstructions(w, u.instructions, version);
  }
  w.patchLength16(start, start, 'flow_update');
}

function decodeUpdate(r: Reader, start: number, version: OfpVersion): FlowUpdate {
  const event = EVENTS.find(r.u16('event'));
  switch (event) {
    case undefined: {
      r.pos = start;
      return { event: 'raw', bytes: r.rest() };
    }
    case 'abbrev':
      return { event, xid: r.u32('xid') };
    case 'paused':
    case 'resumed':
      r.zero(4);
      return { event };
    default: {
      const table = r.u8('table_id');
      const reason = r.u8('reason');
      const idleTimeout = r.u16('idle_timeout');
      const hardTimeout = r.u16('hard_timeout');
      const priority = r.u16('priority');
      r.zero(4);
      const cookie = r.u64('cookie');
      const match = decodeMatch(r);
      const instructions = decodeInstructions(r, version);
      return { event, table, reason, idleTimeout, hardTimeout, priority, cookie, match, instructions };
    }
  }
}

// ONF: id(4) flags(2) match_len(2, without padding) out_port(4) table_id(1) zeros(3) match
function encodeMonitor13(w: Writer, m: FlowMonitor, version: OfpVersion): void {
  w.u32(m.monitorId);
  w.u16(m.flags);
  const at = w.pos;
  w.u16(0);
  w.u32(m.outPort ?? OFPP.ANY);
  w.u8(m.table);
  w.zero(3);
  patchMatchLength(w, at, m.match, version);
}
function patchMatchLength(w: Writer, at: number, match: Match, version: OfpVersion): void {
  const start = w.pos;
  encodeMatch(w, match, version);
  w.patchU16(at, w.peekU16(start + 2));
}
function decodeMonitor13(r: Reader): FlowMonitor {
  const monitorId = r.u32('id');
  const flags = r.u16('flags');
  const length = r.u16('match_len');
  const outPort = r.u32('out_port');
  const table = r.u8('table_id');
  r.zero(3);
  const match = decodeMatchOf(r, length);
  return { monitorId, ...(outPort !== OFPP.ANY && { outPort }), flags, table, command: 'add', match };
}
function decodeMatchOf(r: Reader, length: number): Match {
  r.need(4, 'match');
  if (r.view.getUint16(r.pos + 2) !== length)
    throw r.fail('bad-length', `match_len ${length}`, r.pos, 'match_len');
  return decodeMatch(r);
}

const EVENTS13 = names({ added: 0, removed: 1, modified: 2, abbrev: 3 });

// length(2) event(2), then reason(2) priority(2) idle(2) hard(2) match_len(2) table_id(1) pad(1) cookie(8) match
// instructions | xid(4)
function encodeUpdate13(w: Writer, u: FlowUpdate, version: OfpVersion): void {
  if (u.event === 'raw') {
    w.bytes(u.bytes);
    return;
  }
  if (u.event === 'initial' || u.event === 'paused' || u.event === 'resumed')
    throw new OfpEncodeError('unsupported', u.event, 'OpenFlow 1.4 is needed');
  const start = w.pos;
  w.u16(0);
  w.u16(EVENTS13.number(u.event));
  if (u.event === 'abbrev') w.u32(u.xid);
  else {
    w.u16(u.reason);
    w.u16(u.priority);
    w.u16(u.idleTimeout);
    w.u16(u.hardTimeout);
    const at = w.pos;
    w.u16(0);
    w.u8(u.table);
    w.u8(0);
    w.u64(u.cookie);
    patchMatchLength(w, at, u.match, version);
    encodeInstructions(w, u.instructions, version);
  }
  w.patchLength16(start, start, 'flow_update');
}
function decodeUpdate13(r: Reader, start: number, version: OfpVersion): FlowUpdate {
  const event = EVENTS13.find(r.u16('event'));
  if (event === undefined) {
    r.pos = start;
    return { event: 'raw', bytes: r.rest() };
  }
  if (event === 'abbrev') return { event, xid: r.u32('xid') };
  const reason = r.u16('reason');
  const priority = r.u16('priority');
  const idleTimeout = r.u16('idle_timeout');
  const hardTimeout = r.u16('hard_timeout');
  const length = r.u16('match_len');
  const table = r.u8('table_id');
  r.zero(1);
  const cookie = r.u64('cookie');
  const match = decodeMatchOf(r, length);
  const instructions = decodeInstructions(r, version);
  return { event, table, reason, idleTimeout, hardTimeout, priority, cookie, match, instructions };
}

function decodeMonitors(r: Reader, decode: (r: Reader) => FlowMonitor): MessageOf<'flow_monitor_request'> {
  const monitors: FlowMonitor[] = [];
  while (r.pos < r.end) monitors.push(decode(r));
  return { type: 'flow_monitor_request', monitors };
}
function decodeUpdates(
  r: Reader,
  version: OfpVersion,
  decode: (r: Reader, start: number, version: OfpVersion) => FlowUpdate,
): MessageOf<'flow_monitor_reply'> {
  const entries: FlowUpdate[] = [];
  while (r.pos < r.end) {
    const start = r.pos;
    const length = r.u16('length');
    if (length < 8) throw r.fail('bad-length', `update of ${length} bytes`, start, 'length');
    const outer = r.enter(length - 2, 'entries', entries.length);
    entries.push(decode(r, start, version));
    if (r.pos !== r.end) throw r.fail('bad-length', `${r.left} bytes too many`);
    r.leave(outer);
  }
  return { type: 'flow_monitor_reply', entries };
}

registerMessage(
  'flow_monitor_request',
  {
    id: { multipart: 16, direction: 'request' },
    from: OFP14,
    name: 'OFPMP_FLOW_MONITOR request',
    encode(w, m, version) {
      for (const monitor of m.monitors) encodeMonitor(w, monitor, version);
    },
    decode: (r) => decodeMonitors(r, decodeMonitor),
  },
  {
    id: {
      multipart: 0xffff,
      direction: 'request',
      experimenter: ONF_EXPERIMENTER,
      subtype: ONFST_FLOW_MONITOR,
    },
    to: OFP13,
    name: 'ONFST_FLOW_MONITOR request',
    accepts: (m) => m.monitors.every((x) => x.command === 'add' && x.outGroup === undefined),
    encode(w, m, version) {
      for (const monitor of m.monitors) encodeMonitor13(w, monitor, version);
    },
    decode: (r) => decodeMonitors(r, decodeMonitor13),
  },
);
registerMessage(
  'flow_monitor_reply',
  {
    id: { multipart: 16, direction: 'reply' },
    from: OFP14,
    name: 'OFPMP_FLOW_MONITOR reply',
    encode(w, m, version) {
      for (const u of m.entries) encodeUpdate(w, u, version);
    },
    decode: (r, version) => decodeUpdates(r, version, decodeUpdate),
  },
  {
    id: {
      multipart: 0xffff,
      direction: 'reply',
      experimenter: ONF_EXPERIMENTER,
      subtype: ONFST_FLOW_MONITOR,
    },
    to: OFP13,
    name: 'ONFST_FLOW_MONITOR reply',
    encode(w, m, version) {
      for (const u of m.entries) encodeUpdate13(w, u, version);
    },
    decode: (r, version) => decodeUpdates(r, version, decodeUpdate13),
  },
);
