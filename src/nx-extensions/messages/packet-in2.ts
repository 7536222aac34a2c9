/** NXT_PACKET_IN2 (30) and NXT_RESUME (28): a packet with its pipeline metadata, as properties. */
import type { Reader } from '../../ofp/bytes/reader.js';
import type { Writer } from '../../ofp/bytes/writer.js';
import { decodeOxms, encodeOxms } from '../../ofp/match.js';
import { packetInReason, packetInReasonNumber } from '../../ofp/messages/packet.js';
import { decodeProperties, encodeProperty, encodeRaw, rawProperties } from '../../ofp/properties.js';
import type { Match, OfpVersion } from '../../ofp/types/field.js';
import type { PacketIn } from '../../ofp/types/message.js';
import { decodeNumberProperty, encodeNumberProperty } from '../properties.js';
import { niciraMessage } from './register.js';

/** NXPINT_* */
const PROPERTY = {
  PACKET: 0,
  FULL_LEN: 1,
  BUFFER_ID: 2,
  TABLE_ID: 3,
  COOKIE: 4,
  REASON: 5,
  METADATA: 6,
  USERDATA: 7,
  CONTINUATION: 8,
} as const;

/** Of packets that no flow sent; left out on the wire. */
const NO_COOKIE = 0xffff_ffff_ffff_ffffn;
const NOTHING = new Uint8Array(0);

// Properties in the order of Open vSwitch. Reasons have the numbers of OpenFlow 1.5 in every version.
function encodePacket(w: Writer, p: PacketIn, version: OfpVersion): void {
  encodeProperty(w, PROPERTY.PACKET, () => w.bytes(p.data));
  if (p.totalLen !== p.data.length) encodeNumberProperty(w, PROPERTY.FULL_LEN, p.totalLen, 4);
  if (p.bufferId !== undefined) encodeNumberProperty(w, PROPERTY.BUFFER_ID, p.bufferId, 4);
  encodeNumberProperty(w, PROPERTY.TABLE_ID, p.table, 1);
  if (p.cookie !== NO_COOKIE) {
    w.word((PROPERTY.COOKIE << 16) | 16);
    w.zero(4);
    w.u64(p.cookie);
  }
  encodeNumberProperty(w, PROPERTY.REASON, packetInReasonNumber(p.reason), 1);
  encodeProperty(w, PROPERTY.METADATA, () => encodeOxms(w, p.match, version));
  const { continuation } = p;
  if (continuation !== undefined) encodeProperty(w, PROPERTY.CONTINUATION, () => w.bytes(continuation));
  if (p.userdata.length > 0) encodeProperty(w, PROPERTY.USERDATA, () => w.bytes(p.userdata));
  encodeRaw(w, p.rawProperties);
}

/** Properties up to the end of `r`; throws `bad-value` where there is no packet among them. */
function decodePacket(r: Reader): PacketIn {
  const start = r.pos;
  let data: Uint8Array | undefined;
  let totalLen: number | undefined;
  let bufferId: number | undefined;
  let table = 0;
  let cookie = NO_COOKIE;
  let reason = 0;
  let match: Match = [];
  let userdata: Uint8Array = NOTHING;
  let continuation: Uint8Array | undefined;
  const unknown = decodeProperties(r, (type) => {
    switch (type) {
      case PROPERTY.PACKET:
        data = r.rest();
        return true;
      case PROPERTY.FULL_LEN:
        totalLen = decodeNumberProperty(r, 4, 'full_len');
        return true;
      case PROPERTY.BUFFER_ID:
        bufferId = decodeNumberProperty(r, 4, 'buffer_id');
        return true;
      case PROPERTY.TABLE_ID:
        table = decodeNumberProperty(r, 1, 'table_id');
        return true;
      case PROPERTY.COOKIE:
        r.zero(4);
        cookie = r.u64('cookie');
        return true;
      case PROPERTY.REASON:
        reason = decodeNumberProperty(r, 1, 'reason');
        return true;
      case PROPERTY.METADATA:
        match = decodeOxms(r);
        return true;
      case PROPERTY.USERDATA:
        userdata = r.rest();
        return true;
      case PROPERTY.CONTINUATION:
        continuation = r.rest();
        return true;
      default:
        return false;
    }
  });
  if (data === undefined) throw r.fail('bad-value', 'no packet', start, 'packet');
  if (totalLen !== undefined && totalLen < data.length)
    throw r.fail('bad-value', `full_len ${totalLen} of ${data.length} bytes`, start, 'full_len');
  return {
    type: 'packet_in',
    form: 'nxt_packet_in2',
    totalLen: totalLen ?? data.length,
    reason: packetInReason(reason),
    table,
    cookie,
    ...(bufferId !== undefined && { bufferId }),
    match,
    userdata,
    ...(continuation !== undefined && { continuation }),
    ...rawProperties(unknown),
    data,
  };
}

niciraMessage('packet_in', 30, 'PACKET_IN2', { encode: encodePacket, decode: decodePacket });

niciraMessage('nx_resume', 28, 'RESUME', {
  encode: (w, m, version) => encodePacket(w, m.packet, version),
  decode: (r) => ({ type: 'nx_resume', packet: decodePacket(r) }),
});
