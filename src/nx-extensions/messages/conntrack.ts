/** Forgetting connections: NXT_CT_FLUSH_ZONE (29), NXT_CT_FLUSH (32). */
import { OfpEncodeError } from '../../ofp/bytes/errors.js';
import type { Reader } from '../../ofp/bytes/reader.js';
import type { Writer } from '../../ofp/bytes/writer.js';
import { decodeProperties, encodeProperty, encodeRaw, rawProperties } from '../../ofp/properties.js';
import type { FieldValue } from '../../ofp/types/field.js';
import type { CtTuple } from '../message-types.js';
import { decodeNumberProperty, encodeNumberProperty } from '../properties.js';
import { niciraMessage } from './register.js';

// zero(6) zone_id(2)
niciraMessage('nx_ct_flush_zone', 29, 'CT_FLUSH_ZONE', {
  encode(w, m) {
    w.zero(6);
    w.u16(m.zone);
  },
  decode(r) {
    r.zero(6);
    return { type: 'nx_ct_flush_zone', zone: r.u16('zone_id') };
  },
});

const PROPERTY = { ORIG_TUPLE: 0, REPLY_TUPLE: 1, ZONE_ID: 2 } as const;
const TUPLE = { SRC: 0, DST: 1, SRC_PORT: 2, DST_PORT: 3, ICMP_ID: 4, ICMP_TYPE: 5, ICMP_CODE: 6 } as const;
const IPPROTO_ICMP = 1;
const IPPROTO_ICMPV6 = 58;

/** ::ffff:0:0/96 */
const V4_MAPPED = 0xffffn;

// ip_proto(1) pad(7) properties
niciraMessage('nx_ct_flush', 32, 'CT_FLUSH', {
  encode(w, m) {
    const protocol = m.protocol ?? 0;
    w.u8(protocol);
    w.zero(7);
    encodeTuple(w, PROPERTY.ORIG_TUPLE, m.original, protocol);
    encodeTuple(w, PROPERTY.REPLY_TUPLE, m.reply, protocol);
    if (m.zone !== undefined) encodeNumberProperty(w, PROPERTY.ZONE_ID, m.zone, 2);
    encodeRaw(w, m.rawProperties);
  },
  decode(r) {
    const protocol = r.u8('ip_proto');
    r.zero(7);
    let original: CtTuple | undefined;
    let reply: CtTuple | undefined;
    let zone: number | undefined;
    let understood = true;
    const unknown = decodeProperties(r, (type) => {
      switch (type) {
        case PROPERTY.ORIG_TUPLE:
          original = decodeTuple(r);
          understood &&= original !== undefined;
          return true;
        case PROPERTY.REPLY_TUPLE:
          reply = decodeTuple(r);
          understood &&= reply !== undefined;
          return true;
        case PROPERTY.ZONE_ID:
          zone = decodeNumberProperty(r, 2, 'zone_id');
          return true;
        default:
          return false;
      }
    });
    if (!understood) return undefined;
    return {
      type: 'nx_ct_flush',
      ...(protocol !== 0 && { protocol }),
      ...(zone !== undefined && { zone }),
      ...(original && { original }),
      ...(reply && { reply }),
      ...rawProperties(unknown),
    };
  },
});

// pad(4) nested properties; nothing at all for an empty tuple
function encodeTuple(w: Writer, type: number, tuple: CtTuple | undefined, protocol: number): void {
  if (tuple === undefined) return;
  const isIcmp = protocol === IPPROTO_ICMP || protocol === IPPROTO_ICMPV6;
  const { src, dst, srcPort, dstPort, icmpId, icmpType, icmpCode } = tuple;
  if (isIcmp ? (srcPort ?? dstPort) !== undefined : (icmpId ?? icmpType ?? icmpCode) !== undefined)
    throw new OfpEncodeError('out-of-range', 'nx_ct_flush', `ports or ICMP fields of protocol ${protocol}`);
  encodeProperty(w, type, () => {
    w.zero(4);
    if (src !== undefined) encodeAddress(w, TUPLE.SRC, src);
    if (dst !== undefined) encodeAddress(w, TUPLE.DST, dst);
    if (srcPort !== undefined) encodeNumberProperty(w, TUPLE.SRC_PORT, srcPort, 2);
    if (dstPort !== undefined) encodeNumberProperty(w, TUPLE.DST_PORT, dstPort, 2);
    if (icmpId !== undefined) encodeNumberProperty(w, TUPLE.ICMP_ID, icmpId, 2);
    if (icmpType !== undefined) encodeNumberProperty(w, TUPLE.ICMP_TYPE, icmpType, 1);
    if (icmpCode !== undefined) encodeNumberProperty(w, TUPLE.ICMP_CODE, icmpCode, 1);
  });
}

function encodeAddress(w: Writer, type: number, address: FieldValue): void {
  encodeProperty(w, type, () => {
    w.uint(typeof address === 'number' ? (V4_MAPPED << 32n) | BigInt(address) : address, 16);
  });
}

function decodeAddress(r: Reader): FieldValue {
  const address = r.uint(16, 'address') as bigint;
  return address >> 32n === V4_MAPPED ? Number(address & 0xffffffffn) : address;
}

type Mutable<T> = { -readonly [K in keyof T]: T[K] };

/** `undefined` where it has properties that are unknown. */
function decodeTuple(r: Reader): CtTuple | undefined {
  r.zero(4);
  const t: Mutable<CtTuple> = {};
  const unknown = decodeProperties(r, (type) => {
    switch (type) {
      case TUPLE.SRC:
        t.src = decodeAddress(r);
        return true;
      case TUPLE.DST:
        t.dst = decodeAddress(r);
        return true;
      case TUPLE.SRC_PORT:
        t.srcPort = decodeNumberProperty(r, 2, 'src_port');
        return true;
      case TUPLE.DST_PORT:
        t.dstPort = decodeNumberProperty(r, 2, 'dst_port');
        return true;
      case TUPLE.ICMP_ID:
        t.icmpId = decodeNumberProperty(r, 2, 'icmp_id');
        return true;
      case TUPLE.ICMP_TYPE:
        t.icmpType = decodeNumberProperty(r, 1, 'icmp_type');
        return true;
      case TUPLE.ICMP_CODE:
        t.icmpCode = decodeNumberProperty(r, 1, 'icmp_code');
        return true;
      default:
        return false;
    }
  });
  return unknown.length > 0 ? undefined : t;
}
