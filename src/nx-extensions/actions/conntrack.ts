/** Connection tracking: ct with its nested actions, nat, ct_clear; and clone, which nests too. */
import { decodeActions, encodeActions } from '../../ofp/actions.js';
import { OfpEncodeError } from '../../ofp/bytes/errors.js';
import type { Subfield } from '../../ofp/types/field.js';
import type { Nat } from '../action-types.js';
import { decodeShortHeader, encodeOfsNBits, encodeShortHeader, subfieldOf } from '../subfield.js';
import { nicira, niciraEmpty } from './register.js';

const CT_FLAG = { COMMIT: 1, FORCE: 2 } as const;
/** NX_CT_RECIRC_NONE */
const NO_RECIRC = 0xff;

// flags(2) zone_src(4) zone(2): a constant, or ofs_nbits of zone_src; recirc_table(1) pad(3) alg(2) actions
nicira('ct', 35, 'CT', {
  encode(w, a, version) {
    if (a.force && !a.commit) throw new OfpEncodeError('out-of-range', 'ct.force', 'only with commit');
    if (a.table === NO_RECIRC) throw new OfpEncodeError('out-of-range', 'ct.table', 'table 255');
    w.u16((a.commit ? CT_FLAG.COMMIT : 0) | (a.force ? CT_FLAG.FORCE : 0));
    if (typeof a.zone === 'object') {
      if (a.zone.nBits !== 16)
        throw new OfpEncodeError('out-of-range', 'ct.zone', `${a.zone.nBits} bits, not 16`);
      encodeShortHeader(w, a.zone.field, version, 'ct.zone');
      encodeOfsNBits(w, a.zone, 'ct.zone');
    } else {
      w.u32(0);
      w.u16(a.zone ?? 0);
    }
    w.u8(a.table ?? NO_RECIRC);
    w.zero(3);
    w.u16(a.alg ?? 0);
    if (a.actions !== undefined) encodeActions(w, a.actions, version);
  },
  decode(r, version) {
    const flags = r.u16('flags');
    const hasZoneField = r.left >= 4 && r.view.getUint32(r.pos) !== 0;
    const zoneField = hasZoneField ? decodeShortHeader(r) : undefined;
    if (!hasZoneField) r.skip(4, 'zone_src');
    const zoneWord = r.u16('zone');
    const table = r.u8('recirc_table');
    r.zero(3);
    const alg = r.u16('alg');
    if ((flags & ~(CT_FLAG.COMMIT | CT_FLAG.FORCE)) !== 0) return undefined;
    if (flags === CT_FLAG.FORCE) throw r.fail('bad-value', 'force without commit', r.pos, 'flags');
    let zone: number | Subfield = zoneWord;
    if (hasZoneField) {
      const s = subfieldOf(r, zoneField, zoneWord >> 6, (zoneWord & 0x3f) + 1, 'zone');
      if (s === undefined) return undefined;
      if (s.nBits !== 16) throw r.fail('bad-value', `a zone of ${s.nBits} bits`, r.pos, 'zone');
      zone = s;
    }
    const actions = decodeActions(r, version);
    return {
      type: 'ct',
      ...(flags & CT_FLAG.COMMIT && { commit: true }),
      ...(flags & CT_FLAG.FORCE && { force: true }),
      zone,
      ...(table !== NO_RECIRC && { table }),
      ...(alg !== 0 && { alg }),
      ...(actions.length > 0 && { actions }),
    };
  },
});

const NAT_FLAG = { SRC: 1, DST: 2, PERSISTENT: 4, PROTO_HASH: 8, PROTO_RANDOM: 16 } as const;
const NAT_FLAGS = 0x1f;
const RANGE = { IPV4_MIN: 1, IPV4_MAX: 2, IPV6_MIN: 4, IPV6_MAX: 8, PORT_MIN: 16, PORT_MAX: 32 } as const;
const RANGES = 0x3f;

// pad(2) flags(2) range_present(2), then what is present in the order of its bits
nicira('nat', 36, 'NAT', {
  encode(w, a) {
    w.zero(2);
    w.u16(
      (a.kind === 'src' ? NAT_FLAG.SRC : a.kind === 'dst' ? NAT_FLAG.DST : 0) |
        (a.persistent ? NAT_FLAG.PERSISTENT : 0) |
        (a.hash ? NAT_FLAG.PROTO_HASH : 0) |
        (a.random ? NAT_FLAG.PROTO_RANDOM : 0),
    );
    w.u16(natRanges(a));
    if (a.ipv4Min !== undefined) w.u32(a.ipv4Min);
    if (a.ipv4Max !== undefined) w.u32(a.ipv4Max);
    if (a.ipv6Min !== undefined) w.uint(a.ipv6Min, 16);
    if (a.ipv6Max !== undefined) w.uint(a.ipv6Max, 16);
    if (a.portMin !== undefined) w.u16(a.portMin);
    if (a.portMax !== undefined) w.u16(a.portMax);
  },
  decode(r) {
    r.zero(2);
    const flags = r.u16('flags');
    const ranges = r.u16('range_present');
    if ((flags & ~NAT_FLAGS) !== 0 || (ranges & ~RANGES) !== 0) return undefined;
    const both = NAT_FLAG.SRC | NAT_FLAG.DST;
    if ((flags & both) === both) throw r.fail('bad-value', 'both src and dst', r.pos - 4, 'flags');
    return {
      type: 'nat',
      ...(flags & both && { kind: flags & NAT_FLAG.SRC ? ('src' as const) : ('dst' as const) }),
      ...(flags & NAT_FLAG.PERSISTENT && { persistent: true }),
      ...(flags & NAT_FLAG.PROTO_HASH && { hash: true }),
      ...(flags & NAT_FLAG.PROTO_RANDOM && { random: true }),
      ...(ranges & RANGE.IPV4_MIN && { ipv4Min: r.u32('ipv4_min') }),
      ...(ranges & RANGE.IPV4_MAX && { ipv4Max: r.u32('ipv4_max') }),
      ...(ranges & RANGE.IPV6_MIN && { ipv6Min: r.uint(16, 'ipv6_min') as bigint }),
      ...(ranges & RANGE.IPV6_MAX && { ipv6Max: r.uint(16, 'ipv6_max') as bigint }),
      ...(ranges & RANGE.PORT_MIN && { portMin: r.u16('port_min') }),
      ...(ranges & RANGE.PORT_MAX && { portMax: r.u16('port_max') }),
    };
  },
});

function natRanges(a: Nat): number {
  let present = 0;
  if (a.ipv4Min !== undefined) present |= RANGE.IPV4_MIN;
  if (a.ipv4Max !== undefined) present |= RANGE.IPV4_MAX;
  if (a.ipv6Min !== undefined) present |= RANGE.IPV6_MIN;
  if (a.ipv6Max !== undefined) present |= RANGE.IPV6_MAX;
  if (a.portMin !== undefined) present |= RANGE.PORT_MIN;
  if (a.portMax !== undefined) present |= RANGE.PORT_MAX;
  return present;
}

niciraEmpty('ct_clear', 43, 'CT_CLEAR');

// pad(6) actions
nicira('clone', 42, 'CLONE', {
  encode(w, a, version) {
    w.zero(6);
    encodeActions(w, a.actions, version);
  },
  decode(r, version) {
    r.zero(6);
    return { type: 'clone', actions: decodeActions(r, version) };
  },
});
