/** NXAST_LEARN and NXAST_LEARN2: a flow that makes flows. */
import { decodeOxmHeader } from '../../ofp/actions/oxm-header.js';
import type { Reader } from '../../ofp/bytes/reader.js';
import type { Writer } from '../../ofp/bytes/writer.js';
import type { OfpVersion, Subfield } from '../../ofp/types/field.js';
import type { Learn, LearnSpec } from '../action-types.js';
import { checkSubfield, encodeNxmHeader, fieldValue, placeValue, subfieldOf } from '../subfield.js';
import { nicira } from './register.js';

const FLAG = { SEND_FLOW_REM: 1, DELETE_LEARNED: 2, WRITE_RESULT: 4 } as const;
const DEFAULT_PRIORITY = 0x8000;

/** Header of a spec: n_bits in bits 0–9, destination in 11–12, source in 13. Zero ends the list. */
const N_BITS = 0x3ff;
const SRC_IMMEDIATE = 1 << 13;
const DST_LOAD = 1 << 11;
const DST_OUTPUT = 2 << 11;
const DST = 3 << 11;

/** Of NXAST_LEARN: what follows are specs. */
function encodeHead(w: Writer, a: Learn, writeResult: boolean): void {
  w.u16(a.idleTimeout ?? 0);
  w.u16(a.hardTimeout ?? 0);
  w.u16(a.priority ?? DEFAULT_PRIORITY);
  w.u64(a.cookie ?? 0n);
  w.u16(
    (a.sendFlowRem ? FLAG.SEND_FLOW_REM : 0) |
      (a.deleteLearned ? FLAG.DELETE_LEARNED : 0) |
      (writeResult ? FLAG.WRITE_RESULT : 0),
  );
  w.u8(a.table);
  w.u8(0);
  w.u16(a.finIdleTimeout ?? 0);
  w.u16(a.finHardTimeout ?? 0);
}

type Head = Omit<Required<Learn>, 'specs'> & { readonly flags: number };

function decodeHead(r: Reader): Head {
  const idleTimeout = r.u16('idle_timeout');
  const hardTimeout = r.u16('hard_timeout');
  const priority = r.u16('priority');
  const cookie = r.u64('cookie');
  const flags = r.u16('flags');
  const table = r.u8('table_id');
  r.zero(1);
  return {
    idleTimeout,
    hardTimeout,
    priority,
    cookie,
    flags,
    sendFlowRem: (flags & FLAG.SEND_FLOW_REM) !== 0,
    deleteLearned: (flags & FLAG.DELETE_LEARNED) !== 0,
    table,
    finIdleTimeout: r.u16('fin_idle_timeout'),
    finHardTimeout: r.u16('fin_hard_timeout'),
  };
}

// idle(2) hard(2) priority(2) cookie(8) flags(2) table(1) pad(1) fin_idle(2) fin_hard(2) specs
nicira('learn', 16, 'LEARN', {
  encode(w, a, version) {
    encodeHead(w, a, false);
    encodeSpecs(w, a.specs, version);
  },
  decode(r) {
    const { flags, ...head } = decodeHead(r);
    if ((flags & ~(FLAG.SEND_FLOW_REM | FLAG.DELETE_LEARNED)) !== 0) return undefined;
    const specs = decodeSpecs(r);
    return specs && { type: 'learn', ...head, specs };
  },
});

// As NXAST_LEARN, then limit(4) result_dst_ofs(2) pad(2) [result_dst(4 or 8)] specs
nicira('learn2', 45, 'LEARN2', {
  encode(w, a, version) {
    encodeHead(w, a, a.resultDst !== undefined);
    w.u32(a.limit ?? 0);
    w.u16(a.resultDst?.ofs ?? 0);
    w.zero(2);
    if (a.resultDst) {
      checkSubfield(a.resultDst, 'learn2.resultDst', 1);
      encodeNxmHeader(w, a.resultDst.field, version);
    }
    encodeSpecs(w, a.specs, version);
  },
  decode(r) {
    const { flags, ...head } = decodeHead(r);
    if ((flags & ~(FLAG.SEND_FLOW_REM | FLAG.DELETE_LEARNED | FLAG.WRITE_RESULT)) !== 0) return undefined;
    const limit = r.u32('limit');
    const ofs = r.u16('result_dst_ofs');
    r.zero(2);
    let resultDst: Subfield | undefined;
    if (flags & FLAG.WRITE_RESULT) {
      resultDst = subfieldOf(r, decodeOxmHeader(r), ofs, 1, 'result_dst');
      if (resultDst === undefined) return undefined;
    } else if (ofs !== 0)
      throw r.fail('bad-value', 'an offset without a result', r.pos - 4, 'result_dst_ofs');
    const specs = decodeSpecs(r);
    return specs && { type: 'learn2', ...head, limit, ...(resultDst && { resultDst }), specs };
  },
});

// header(2), then the source: field(4 or 8) ofs(2), or an immediate of 2·⌈n_bits/16⌉ bytes; then dst(4 or 8) ofs(2)
function encodeSpecs(w: Writer, specs: readonly LearnSpec[], version: OfpVersion): void {
  for (let i = 0; i < specs.length; i++) {
    const spec = specs[i]!;
    const dst = spec.type === 'output' ? spec.src : spec.dst;
    const nBits = dst.nBits;
    checkSubfield(dst, `learn.specs[${i}]`, N_BITS);
    const kind = spec.type === 'load' ? DST_LOAD : spec.type === 'output' ? DST_OUTPUT : 0;
    if ('src' in spec) {
      checkSubfield({ ...spec.src, nBits }, `learn.specs[${i}].src`);
      w.u16(kind | nBits);
      encodeFieldAndOfs(w, spec.src, version);
    } else {
      placeValue({ ...dst, ofs: 0 }, spec.value, `learn.specs[${i}].value`);
      w.u16(SRC_IMMEDIATE | kind | nBits);
      w.uint(spec.value, immediateSize(nBits));
    }
    if (spec.type !== 'output') encodeFieldAndOfs(w, spec.dst, version);
  }
}

function encodeFieldAndOfs(w: Writer, s: Subfield, version: OfpVersion): void {
  encodeNxmHeader(w, s.field, version);
  w.u16(s.ofs);
}

function immediateSize(nBits: number): number {
  return 2 * Math.ceil(nBits / 16);
}

/** Specs up to a zero header or the end; `undefined` where a field or kind is unknown. */
function decodeSpecs(r: Reader): LearnSpec[] | undefined {
  const specs: LearnSpec[] = [];
  while (r.left >= 2) {
    const header = r.u16('spec');
    if (header === 0) {
      // The rest is padding, which may be 8 bytes and more in what old switches send.
      r.zero(r.left);
      return specs;
    }
    const spec = decodeSpec(r, header);
    if (spec === undefined) return undefined;
    specs.push(spec);
  }
  return specs;
}

function decodeSpec(r: Reader, header: number): LearnSpec | undefined {
  const nBits = header & N_BITS;
  if (nBits === 0) throw r.fail('bad-value', 'a spec of no bits', r.pos - 2, 'spec');
  if ((header & ~(N_BITS | SRC_IMMEDIATE | DST)) !== 0 || (header & DST) === DST) return undefined;
  const kind = header & DST;
  if (header & SRC_IMMEDIATE) {
    if (kind === DST_OUTPUT) throw r.fail('bad-value', 'output to an immediate', r.pos - 2, 'spec');
    const at = r.pos;
    const bytes = immediateSize(nBits);
    const wide = r.uint(bytes, 'immediate');
    const dst = decodeFieldAndOfs(r, nBits, 'dst');
    if (dst === undefined) return undefined;
    const value = fieldValue(dst.field, wide);
    if (typeof value === 'bigint' ? value >> BigInt(nBits) !== 0n : value >= 2 ** nBits)
      throw r.fail('bad-value', `an immediate of more than ${nBits} bits`, at, 'immediate');
    return { type: kind === DST_LOAD ? 'load' : 'match', dst, value };
  }
  const src = decodeFieldAndOfs(r, nBits, 'src');
  if (src === undefined) return undefined;
  if (kind === DST_OUTPUT) return { type: 'output', src };
  const dst = decodeFieldAndOfs(r, nBits, 'dst');
  return dst && { type: kind === DST_LOAD ? 'load' : 'match', dst, src };
}

function decodeFieldAndOfs(r: Reader, nBits: number, path: string): Subfield | undefined {
  const field = decodeOxmHeader(r);
  if (field === undefined) return undefined;
  return subfieldOf(r, field, r.u16(path), nBits, path);
}
