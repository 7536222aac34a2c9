/** Standard actions, OpenFlow 1.3.5 §7.2.5, 1.5.1 §7.2.6. Layouts are those after type and len. */
import type { Reader } from '../bytes/reader.js';
import type { Writer } from '../bytes/writer.js';
import { decodeOxm, encodeOxm } from '../match.js';
import { registerAction } from '../registry.js';
import type { ActionOf } from '../types/action.js';
import type { OfpVersion } from '../types/field.js';
import { OFP14, OFP15 } from '../types/field.js';
import { OFPP } from '../types/message.js';
import { decodeOxmHeader, encodeOxmHeader } from './oxm-header.js';

const OFPCML_NO_BUFFER = 0xffff;
const ONF_EXPERIMENTER = 0x4f4e4600;

/** max_len means something only towards the controller; elsewhere OVS writes and expects 0. */
function defaultMaxLen(port: number): number {
  return port === OFPP.CONTROLLER ? OFPCML_NO_BUFFER : 0;
}

// port(4) max_len(2) pad(6)
registerAction('output', {
  id: { standard: 0 },
  name: 'OFPAT_OUTPUT',
  encode(w, a) {
    w.u32(a.port);
    w.u16(a.maxLen ?? defaultMaxLen(a.port));
    w.zero(6);
  },
  decode(r) {
    const port = r.u32('port');
    const maxLen = r.u16('max_len');
    r.zero(6);
    return maxLen === defaultMaxLen(port) ? { type: 'output', port } : { type: 'output', port, maxLen };
  },
});

type EmptyAction = 'copy_ttl_out' | 'copy_ttl_in' | 'dec_mpls_ttl' | 'dec_nw_ttl' | 'pop_vlan' | 'pop_pbb';
function empty(type: EmptyAction, standard: number, name: string): void {
  registerAction(type, {
    id: { standard },
    name,
    encode(w) {
      w.zero(4);
    },
    decode(r) {
      r.zero(4);
      return { type } as ActionOf<EmptyAction>;
    },
  });
}

// ethertype(2) pad(2)
type PushAction = 'push_vlan' | 'push_mpls' | 'pop_mpls' | 'push_pbb';
function ethertype(type: PushAction, standard: number, name: string): void {
  registerAction(type, {
    id: { standard },
    name,
    encode(w, a) {
      w.u16(a.ethertype);
      w.u16(0);
    },
    decode(r) {
      const value = r.u16('ethertype');
      r.zero(2);
      return { type, ethertype: value } as ActionOf<PushAction>;
    },
  });
}

// ttl(1) pad(3)
function ttl(type: 'set_mpls_ttl' | 'set_nw_ttl', standard: number, name: string): void {
  registerAction(type, {
    id: { standard },
    name,
    encode(w, a) {
      w.u8(a.ttl);
      w.zero(3);
    },
    decode(r) {
      const value = r.u8('ttl');
      r.zero(3);
      return { type, ttl: value } as ActionOf<'set_mpls_ttl' | 'set_nw_ttl'>;
    },
  });
}

empty('copy_ttl_out', 11, 'OFPAT_COPY_TTL_OUT');
empty('copy_ttl_in', 12, 'OFPAT_COPY_TTL_IN');
ttl('set_mpls_ttl', 15, 'OFPAT_SET_MPLS_TTL');
empty('dec_mpls_ttl', 16, 'OFPAT_DEC_MPLS_TTL');
ethertype('push_vlan', 17, 'OFPAT_PUSH_VLAN');
empty('pop_vlan', 18, 'OFPAT_POP_VLAN');
ethertype('push_mpls', 19, 'OFPAT_PUSH_MPLS');
ethertype('pop_mpls', 20, 'OFPAT_POP_MPLS');
registerAction('set_queue', {
  id: { standard: 21 },
  name: 'OFPAT_SET_QUEUE',
  encode: (w, a) => w.u32(a.queueId),
  decode: (r) => ({ type: 'set_queue', queueId: r.u32('queue_id') }),
});
registerAction('group', {
  id: { standard: 22 },
  name: 'OFPAT_GROUP',
  encode: (w, a) => w.u32(a.groupId),
  decode: (r) => ({ type: 'group', groupId: r.u32('group_id') }),
});
ttl('set_nw_ttl', 23, 'OFPAT_SET_NW_TTL');
empty('dec_nw_ttl', 24, 'OFPAT_DEC_NW_TTL');

// One OXM TLV, padded to 8 inside len. Masks since 1.5.
registerAction('set_field', {
  id: { standard: 25 },
  name: 'OFPAT_SET_FIELD',
  accepts: (a, version) => a.mask === undefined || version >= OFP15,
  encode: (w, a, version) => encodeOxm(w, a, version),
  decode(r, version) {
    const oxm = decodeOxm(r);
    if (oxm.field === null) return undefined;
    // Spelled out where nothing else is there: spreading costs as much as all the rest.
    if (oxm.mask === undefined && oxm.size === undefined)
      return { type: 'set_field', field: oxm.field, value: oxm.value };
    if (oxm.mask !== undefined && version < OFP15) return undefined;
    return { type: 'set_field', ...oxm };
  },
});

ethertype('push_pbb', 26, 'OFPAT_PUSH_PBB');
empty('pop_pbb', 27, 'OFPAT_POP_PBB');

// n_bits(2) src_offset(2) dst_offset(2) pad(2), OXM ids of source and destination
function encodeCopyField(w: Writer, a: ActionOf<'copy_field'>, version: OfpVersion): void {
  w.u16(a.src.nBits);
  w.u16(a.src.ofs);
  w.u16(a.dst.ofs);
  w.zero(2);
  encodeOxmHeader(w, a.src.field, version);
  encodeOxmHeader(w, a.dst.field, version);
}
function decodeCopyField(r: Reader): ActionOf<'copy_field'> | undefined {
  const nBits = r.u16('n_bits');
  const srcOfs = r.u16('src_offset');
  const dstOfs = r.u16('dst_offset');
  r.zero(2);
  const src = decodeOxmHeader(r);
  const dst = src && decodeOxmHeader(r);
  if (src === undefined || dst === undefined) return undefined;
  return {
    type: 'copy_field',
    src: { field: src, ofs: srcOfs, nBits },
    dst: { field: dst, ofs: dstOfs, nBits },
  };
}
registerAction(
  'copy_field',
  {
    id: { standard: 28 },
    from: OFP15,
    name: 'OFPAT_COPY_FIELD',
    encode: encodeCopyField,
    decode: decodeCopyField,
  },
  {
    // ONF EXT-320: subtype 3200, pad(2) before the body.
    id: { experimenter: ONF_EXPERIMENTER, subtype: 3200 },
    to: OFP14,
    name: 'ONFACT_ET_COPY_FIELD',
    encode(w, a, version) {
      w.zero(2);
      encodeCopyField(w, a, version);
    },
    decode(r) {
      r.zero(2);
      return decodeCopyField(r);
    },
  },
);

registerAction('meter', {
  id: { standard: 29 },
  from: OFP15,
  name: 'OFPAT_METER',
  encode: (w, a) => w.u32(a.meterId),
  decode: (r) => ({ type: 'meter', meterId: r.u32('meter_id') }),
});
