/** Choice of a link by a hash of the packet: multipath and bundle. */
import { OfpEncodeError } from '../../ofp/bytes/errors.js';
import type { Reader } from '../../ofp/bytes/reader.js';
import type { Writer } from '../../ofp/bytes/writer.js';
import { names } from '../../ofp/names.js';
import type { ActionOf } from '../../ofp/types/action.js';
import type { OfpVersion, Subfield } from '../../ofp/types/field.js';
import type { BundleAlgorithm, HashFields, MultipathAlgorithm } from '../action-types.js';
import { nxm } from '../fields.js';
import { decodePort16, encodePort16 } from '../ports.js';
import { decodeShortHeader, decodeSubfield, encodeShortHeader, encodeSubfield } from '../subfield.js';
import { nicira } from './register.js';

const hashFields = names<HashFields>({
  eth_src: 0,
  symmetric_l4: 1,
  symmetric_l3l4: 2,
  'symmetric_l3l4+udp': 3,
  nw_src: 4,
  nw_dst: 5,
  symmetric_l3: 6,
});
const multipathAlgorithms = names<MultipathAlgorithm>({
  modulo_n: 0,
  hash_threshold: 1,
  hrw: 2,
  iter_hash: 3,
});
const bundleAlgorithms = names<BundleAlgorithm>({ active_backup: 0, hrw: 1 });

const MAX_LINKS = 65536;

// fields(2) basis(2) pad(2) algorithm(2) max_link(2), one less than links; arg(4) pad(2) ofs_nbits(2) dst(4)
nicira('multipath', 10, 'MULTIPATH', {
  encode(w, a, version) {
    if (!(a.nLinks >= 1 && a.nLinks <= MAX_LINKS))
      throw new OfpEncodeError('out-of-range', 'multipath.nLinks', `${a.nLinks} links`);
    if (a.nLinks > 2 ** a.dst.nBits)
      throw new OfpEncodeError('out-of-range', 'multipath.dst', `${a.nLinks} links in ${a.dst.nBits} bits`);
    w.u16(hashFields.number(a.fields));
    w.u16(a.basis);
    w.zero(2);
    w.u16(multipathAlgorithms.number(a.algorithm));
    w.u16(a.nLinks - 1);
    w.u32(a.arg ?? 0);
    w.zero(2);
    encodeSubfield(w, a.dst, version, 'multipath.dst');
  },
  decode(r) {
    const fields = hashFields.find(r.u16('fields'));
    const basis = r.u16('basis');
    r.zero(2);
    const algorithm = multipathAlgorithms.find(r.u16('algorithm'));
    const nLinks = r.u16('max_link') + 1;
    const arg = r.u32('arg');
    r.zero(2);
    const dst = decodeSubfield(r, 'dst');
    if (fields === undefined || algorithm === undefined || dst === undefined) return undefined;
    if (nLinks > 2 ** dst.nBits) throw r.fail('bad-value', `${nLinks} links in ${dst.nBits} bits`);
    return { type: 'multipath', fields, basis, algorithm, nLinks, arg, dst };
  },
});

// algorithm(2) fields(2) basis(2) slave_type(4), NXM_OF_IN_PORT; n_slaves(2) ofs_nbits(2) dst(4) zero(4) slaves(2 each)
type AnyBundle = ActionOf<'bundle' | 'bundle_load'>;
const slaveType = nxm.in_port_nxm;

function encodeBundle(w: Writer, a: AnyBundle, version: OfpVersion, dst: Subfield | undefined): void {
  w.u16(bundleAlgorithms.number(a.algorithm));
  w.u16(hashFields.number(a.fields));
  w.u16(a.basis);
  encodeShortHeader(w, slaveType, version, 'bundle.slave_type');
  w.u16(a.members.length);
  if (dst === undefined) w.zero(6);
  else {
    encodeSubfield(w, dst, version, 'bundle_load.dst');
  }
  w.zero(4);
  for (const port of a.members) encodePort16(w, port, 'bundle.members');
}

interface BundleHead {
  readonly fields: HashFields;
  readonly basis: number;
  readonly algorithm: BundleAlgorithm;
  readonly members: readonly number[];
}

/** `readDst` reads ofs_nbits(2) dst(4). */
function decodeBundle(r: Reader, readDst: () => void): BundleHead | undefined {
  const algorithm = bundleAlgorithms.find(r.u16('algorithm'));
  const fields = hashFields.find(r.u16('fields'));
  const basis = r.u16('basis');
  const isPort = decodeShortHeader(r) === slaveType;
  const n = r.u16('n_slaves');
  readDst();
  r.zero(4);
  if (2 * n > r.left) throw r.fail('bad-length', `${n} members in ${r.left} bytes`);
  if (algorithm === undefined || fields === undefined || !isPort) return undefined;
  return { fields, basis, algorithm, members: Array.from({ length: n }, () => decodePort16(r, 'members')) };
}

nicira('bundle', 12, 'BUNDLE', {
  encode: (w, a, version) => encodeBundle(w, a, version, undefined),
  decode(r) {
    const head = decodeBundle(r, () => r.zero(6));
    return head && { type: 'bundle', ...head };
  },
});
nicira('bundle_load', 13, 'BUNDLE_LOAD', {
  encode: (w, a, version) => encodeBundle(w, a, version, a.dst),
  decode(r) {
    let dst: Subfield | undefined;
    const head = decodeBundle(r, () => {
      dst = decodeSubfield(r, 'dst');
    });
    return head && dst && { type: 'bundle_load', ...head, dst };
  },
});
