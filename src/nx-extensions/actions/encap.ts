/** Packet type aware pipelines: encap, decap, and the network service header. */
import { OfpEncodeError } from '../../ofp/bytes/errors.js';
import type { Reader } from '../../ofp/bytes/reader.js';
import type { Writer } from '../../ofp/bytes/writer.js';
import type { EncapProperty } from '../action-types.js';
import { nicira, niciraEmpty } from './register.js';

/** PT_USE_NEXT_PROTO */
const USE_NEXT_PROTO = 0xfffe;
const CLASS_NSH = 4;
const NSH_MD_TYPE = 1;
const NSH_TLV = 2;

// hdr_size(2) new_pkt_type(4) properties
nicira('encap', 46, 'ENCAP', {
  encode(w, a) {
    w.u16(a.hdrSize ?? 0);
    w.u32(a.packetType);
    for (const p of a.properties ?? []) encodeEncapProperty(w, p);
  },
  decode(r) {
    const hdrSize = r.u16('hdr_size');
    const packetType = r.u32('new_pkt_type');
    const properties: EncapProperty[] = [];
    for (let i = 0; r.left > 0; i++) properties.push(decodeEncapProperty(r, i));
    return {
      type: 'encap',
      packetType,
      ...(hdrSize !== 0 && { hdrSize }),
      ...(properties.length > 0 && { properties }),
    };
  },
});

// prop_class(2) type(1) len(1), without padding; body; padding to 8
function encodeEncapProperty(w: Writer, p: EncapProperty): void {
  const start = w.pos;
  if (p.type === 'raw') {
    if (p.bytes.length % 8 !== 0)
      throw new OfpEncodeError('out-of-range', 'encap.properties', 'a property is a multiple of 8 bytes');
    w.bytes(p.bytes);
    return;
  }
  w.u16(CLASS_NSH);
  if (p.type === 'nsh_md_type') {
    w.u8(NSH_MD_TYPE);
    w.u8(5);
    w.u8(p.mdType);
  } else {
    // class(2) type(1) len(1), of the data; data. Here the property's len includes its padding.
    w.u8(NSH_TLV);
    const length = (8 + p.data.length + 7) & ~7;
    if (length > 0xff)
      throw new OfpEncodeError('too-long', 'encap.properties', `${p.data.length} bytes of data`);
    w.u8(length);
    w.u16(p.tlvClass);
    w.u8(p.tlvType);
    w.u8(p.data.length);
    w.bytes(p.data);
  }
  w.align8(start);
}

function decodeEncapProperty(r: Reader, index: number): EncapProperty {
  const start = r.pos;
  const propertyClass = r.u16('prop_class');
  const type = r.u8('type');
  const length = r.u8('len');
  const padded = (length + 7) & ~7;
  if (length < 4 || padded > r.end - start)
    throw r.fail('bad-length', `property of ${length} bytes`, start + 3, `properties[${index}]`);
  if (propertyClass === CLASS_NSH && type === NSH_MD_TYPE && length === 5) {
    const mdType = r.u8('md_type');
    r.zero(padded - length);
    return { type: 'nsh_md_type', mdType };
  }
  if (propertyClass === CLASS_NSH && type === NSH_TLV && length >= 8) {
    const tlvClass = r.u16('tlv_class');
    const tlvType = r.u8('tlv_type');
    const size = r.u8('tlv_len');
    if (length === ((8 + size + 7) & ~7)) {
      const data = r.bytes(size);
      r.zero(length - 8 - size);
      return { type: 'nsh_tlv', tlvClass, tlvType, data };
    }
  }
  r.pos = start;
  return { type: 'raw', bytes: r.bytes(padded) };
}

// pad(2) new_pkt_type(4)
nicira('decap', 47, 'DECAP', {
  encode(w, a) {
    w.zero(2);
    w.u32(a.packetType ?? USE_NEXT_PROTO);
  },
  decode(r) {
    r.zero(2);
    const packetType = r.u32('new_pkt_type');
    return packetType === USE_NEXT_PROTO ? { type: 'decap' } : { type: 'decap', packetType };
  },
});

niciraEmpty('dec_nsh_ttl', 48, 'DEC_NSH_TTL');
