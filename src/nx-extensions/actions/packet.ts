/** Actions on a packet's headers, tunnel key, queue, metadata and presence of options. */
import { decodeOxmHeader } from '../../ofp/actions/oxm-header.js';
import { OfpEncodeError } from '../../ofp/bytes/errors.js';
import { registerAction } from '../../ofp/registry.js';
import { decodePort16, encodePort16 } from '../ports.js';
import { checkSubfield, encodeNxmHeader, subfieldOf } from '../subfield.js';
import { nicira, niciraEmpty } from './register.js';

/** Where NXAST_CHECK_PKT_LARGER and NXAST_DELETE_FIELD end: 24 bytes, 14 of them after the header. */
const BODY_OF_24 = 14;

// NXAST_DEC_TTL (18) and NXAST_SET_QUEUE (4) are OpenFlow 1.0's; switches refuse them in later versions.
registerAction('dec_ttl', {
  id: { standard: 24 },
  name: 'OFPAT_DEC_NW_TTL',
  writeOnly: true,
  encode: (w) => w.zero(4),
  decode: () => undefined,
});

// n(2) zeros(4) ids(2 each)
nicira('dec_ttl_cnt_ids', 21, 'DEC_TTL_CNT_IDS', {
  encode(w, a) {
    if (a.ids.length === 0) throw new OfpEncodeError('out-of-range', 'dec_ttl_cnt_ids', 'at least one id');
    w.u16(a.ids.length);
    w.zero(4);
    for (const id of a.ids) w.u16(id);
  },
  decode(r) {
    const n = r.u16('n_controllers');
    r.zero(4);
    if (n === 0 || 2 * n > r.left) throw r.fail('bad-length', `${n} controller ids in ${r.left} bytes`);
    return { type: 'dec_ttl_cnt_ids', ids: Array.from({ length: n }, () => r.u16('cnt_ids')) };
  },
});

// pad(2) tun_id(4)
nicira('set_tunnel', 2, 'SET_TUNNEL', {
  encode(w, a) {
    w.zero(2);
    w.u32(a.tunId);
  },
  decode(r) {
    r.zero(2);
    return { type: 'set_tunnel', tunId: r.u32('tun_id') };
  },
});

// pad(6) tun_id(8)
nicira('set_tunnel64', 9, 'SET_TUNNEL64', {
  encode(w, a) {
    w.zero(6);
    w.u64(a.tunId);
  },
  decode(r) {
    r.zero(6);
    return { type: 'set_tunnel64', tunId: r.u64('tun_id') };
  },
});

niciraEmpty('pop_queue', 5, 'POP_QUEUE');

// note(6 + 8n)
nicira('note', 8, 'NOTE', {
  encode: (w, a) => w.bytes(a.data),
  decode: (r) => ({ type: 'note', data: r.rest() }),
});

// idle_timeout(2) hard_timeout(2) pad(2)
nicira('fin_timeout', 19, 'FIN_TIMEOUT', {
  encode(w, a) {
    w.u16(a.idleTimeout ?? 0);
    w.u16(a.hardTimeout ?? 0);
    w.zero(2);
  },
  decode(r) {
    const idleTimeout = r.u16('fin_idle_timeout');
    const hardTimeout = r.u16('fin_hard_timeout');
    r.zero(2);
    return { type: 'fin_timeout', idleTimeout, hardTimeout };
  },
});

// pad(6) metadata(8) mask(8)
nicira('write_metadata', 22, 'WRITE_METADATA', {
  encode(w, a) {
    w.zero(6);
    w.u64(a.metadata);
    w.u64(a.mask);
  },
  decode(r) {
    r.zero(6);
    return { type: 'write_metadata', metadata: r.u64('metadata'), mask: r.u64('mask') };
  },
});

// port(2) max_len(4)
nicira('output_trunc', 39, 'OUTPUT_TRUNC', {
  encode(w, a) {
    encodePort16(w, a.port, 'output_trunc.port');
    w.u32(a.maxLen);
  },
  decode(r) {
    const port = decodePort16(r, 'port');
    return { type: 'output_trunc', port, maxLen: r.u32('max_len') };
  },
});

// pkt_len(2) offset(2) header(4 or 8) pad(6 or 2)
nicira('check_pkt_larger', 49, 'CHECK_PKT_LARGER', {
  encode(w, a, version) {
    const start = w.pos;
    checkSubfield(a.dst, 'check_pkt_larger.dst', 1);
    w.u16(a.pktLen);
    w.u16(a.dst.ofs);
    encodeNxmHeader(w, a.dst.field, version);
    w.zero(start + BODY_OF_24 - w.pos);
  },
  decode(r) {
    const pktLen = r.u16('pkt_len');
    const ofs = r.u16('offset');
    const dst = subfieldOf(r, decodeOxmHeader(r), ofs, 1, 'dst');
    if (dst === undefined) return undefined;
    r.zero(r.left);
    return { type: 'check_pkt_larger', pktLen, dst };
  },
});

// header(4 or 8) pad(10 or 6)
nicira('delete_field', 50, 'DELETE_FIELD', {
  encode(w, a, version) {
    const start = w.pos;
    encodeNxmHeader(w, a.field, version);
    w.zero(start + BODY_OF_24 - w.pos);
  },
  decode(r) {
    const field = decodeOxmHeader(r);
    if (field === undefined) return undefined;
    r.zero(r.left);
    return { type: 'delete_field', field };
  },
});
