/** OFPT_PACKET_IN and OFPT_PACKET_OUT, OpenFlow 1.3.5 §7.4.1, §7.3.7; 1.5.1 §7.3.6. */
import { decodeActions, encodeActions } from '../actions.js';
import { OfpEncodeError } from '../bytes/errors.js';
import { oxm } from '../fields/basic.js';
import { decodeMatch, encodeMatch, m } from '../match.js';
import { type Names, names } from '../names.js';
import { registerMessage } from '../registry.js';
import type { Match } from '../types/field.js';
import { OFP14, OFP15 } from '../types/field.js';
import { OFP_NO_BUFFER, type PacketInReason } from '../types/message.js';

type ReasonName = Exclude<PacketInReason, object>;
/** `no_match` names table misses for versions that count explicit entries in; both are written as 0. */
const REASONS: Names<ReasonName> = names({
  no_match: 0,
  table_miss: 0,
  apply_action: 1,
  invalid_ttl: 2,
  action_set: 3,
  group: 4,
  packet_out: 5,
});

/** OFPR_* */
export function packetInReasonNumber(reason: PacketInReason): number {
  return typeof reason === 'object' ? reason.unknown : REASONS.number(reason);
}

export function packetInReason(n: number): PacketInReason {
  return REASONS.find(n) ?? { unknown: n };
}

const NOTHING = new Uint8Array(0);

// buffer_id(4) total_len(2) reason(1) table_id(1) cookie(8) match pad(2) data
registerMessage('packet_in', {
  id: { standard: 10 },
  name: 'OFPT_PACKET_IN',
  accepts: (p) => p.form === undefined && p.userdata.length === 0 && p.continuation === undefined,
  encode(w, p, version) {
    w.u32(p.bufferId ?? OFP_NO_BUFFER);
    w.u16(p.totalLen);
    w.u8(packetInReasonNumber(p.reason));
    w.u8(p.table);
    w.u64(p.cookie);
    encodeMatch(w, p.match, version);
    w.zero(2);
    w.bytes(p.data);
  },
  decode(r) {
    const bufferId = r.u32('buffer_id');
    const totalLen = r.u16('total_len');
    const reason = packetInReason(r.u8('reason'));
    const table = r.u8('table_id');
    const cookie = r.u64('cookie');
    const match = decodeMatch(r);
    r.zero(2);
    return {
      type: 'packet_in',
      totalLen,
      reason,
      table,
      cookie,
      ...(bufferId !== OFP_NO_BUFFER && { bufferId }),
      match,
      userdata: NOTHING,
      data: r.rest(),
    };
  },
});

registerMessage(
  'packet_out',
  {
    // buffer_id(4) in_port(4) actions_len(2) pad(6) actions data
    id: { standard: 13 },
    to: OFP14,
    name: 'OFPT_PACKET_OUT',
    encode(w, p, version) {
      if (p.match?.some((f) => f.field !== oxm.in_port))
        throw new OfpEncodeError('unsupported', 'packet_out.match', 'packet metadata needs OpenFlow 1.5');
      w.u32(p.bufferId ?? OFP_NO_BUFFER);
      w.u32(p.inPort);
      const at = w.pos;
      w.zero(8);
      encodeActions(w, p.actions, version);
      w.patchLength16(at, at + 8, 'packet_out.actions');
      w.bytes(p.data);
    },
    decode(r, version) {
      const bufferId = r.u32('buffer_id');
      const inPort = r.u32('in_port');
      const length = r.u16('actions_len');
      r.zero(6);
      const outer = r.enter(length, 'actions');
      const actions = decodeActions(r, version);
      r.leave(outer);
      return {
        type: 'packet_out',
        ...(bufferId !== OFP_NO_BUFFER && { bufferId }),
        inPort,
        actions,
        data: r.rest(),
      };
    },
  },
  {
    // buffer_id(4) actions_len(2) pad(2) match actions data; the match starts with in_port
    id: { standard: 13 },
    from: OFP15,
    name: 'OFPT_PACKET_OUT',
    encode(w, p, version) {
      w.u32(p.bufferId ?? OFP_NO_BUFFER);
      const at = w.pos;
      w.u32(0);
      const rest = p.match?.filter((f) => f.field !== oxm.in_port) ?? [];
      encodeMatch(w, [m(oxm.in_port, p.inPort), ...rest], version);
      const actions = w.pos;
      encodeActions(w, p.actions, version);
      w.patchLength16(at, actions, 'packet_out.actions');
      w.bytes(p.data);
    },
    decode(r, version) {
      const bufferId = r.u32('buffer_id');
      const length = r.u16('actions_len');
      r.zero(2);
      const at = r.pos;
      const match = decodeMatch(r);
      const port = match.find((f) => f.field === oxm.in_port);
      if (port === undefined || port.field === null)
        throw r.fail('bad-value', 'no in_port in the match', at, 'match');
      const rest: Match = match.filter((f) => f !== port);
      const outer = r.enter(length, 'actions');
      const actions = decodeActions(r, version);
      r.leave(outer);
      return {
        type: 'packet_out',
        ...(bufferId !== OFP_NO_BUFFER && { bufferId }),
        inPort: Number(port.value),
        ...(rest.length > 0 && { match: rest }),
        actions,
        data: r.rest(),
      };
    },
  },
);
