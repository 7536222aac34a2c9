/** Texts of encap, decap and dec_nsh_ttl. */
import { registerActionText } from '../../ofp/text/action-registry.js';
import { required, small, TextError, type Word, words } from '../../ofp/text/scanner.js';
import { hex, toHex } from '../../ofp/text/values.js';
import type { Action } from '../../ofp/types/action.js';
import type { EncapProperty } from '../action-types.js';

const HEADERS: Readonly<Record<string, number>> = {
  ethernet: 0,
  nsh: 0x1894f,
  mpls: 0x18847,
  mpls_mc: 0x18848,
};
const USE_NEXT_PROTO = 0xfffe;

registerActionText('encap', {
  print: (a) => {
    const name = Object.keys(HEADERS).find((h) => HEADERS[h] === a.packetType) ?? hex(a.packetType);
    const properties = (a.properties ?? []).map(formatProperty);
    return `encap(${name}${properties.length === 0 ? '' : `(${properties.join(',')})`})`;
  },
  words: { encap: (w) => [parseEncap(w)] },
});
registerActionText('decap', {
  print: ({ packetType = USE_NEXT_PROTO }) =>
    packetType === USE_NEXT_PROTO
      ? 'decap()'
      : `decap(packet_type(ns=${packetType >>> 16},type=${hex(packetType & 0xffff)}))`,
  words: { decap: (w) => [parseDecap(w)] },
});
registerActionText('dec_nsh_ttl', {
  print: () => 'dec_nsh_ttl',
  words: { dec_nsh_ttl: () => [{ type: 'dec_nsh_ttl' }] },
});

function formatProperty(p: EncapProperty): string {
  switch (p.type) {
    case 'nsh_md_type':
      return `md_type=${p.mdType}`;
    case 'nsh_tlv':
      return `tlv(0x${p.tlvClass.toString(16).padStart(4, '0')},${p.tlvType},0x${toHex(p.data)})`;
    case 'raw':
      return `raw(0x${toHex(p.bytes)})`;
  }
}

function parseEncap(word: Word): Action {
  const [header] = words(required(word), word.valueAt);
  const packetType = HEADERS[header?.key ?? ''];
  if (header === undefined || packetType === undefined)
    throw new TextError(word.valueAt + 1, `one of ${Object.keys(HEADERS).join(' ')} expected`);
  const properties = words(header.value ?? '', header.valueAt).map(parseProperty);
  return { type: 'encap', packetType, ...(properties.length === 0 ? {} : { properties }) };
}

function parseProperty(w: Word): EncapProperty {
  if (w.key === 'md_type') return { type: 'nsh_md_type', mdType: small(required(w), w.valueAt, 255) };
  const m = /^\s*(\w+)\s*,\s*(\w+)\s*,\s*0x([0-9a-f]+)\s*$/i.exec(w.value ?? '');
  if (w.key !== 'tlv' || !m) throw new TextError(w.at + 1, 'md_type=… or tlv(class,type,0x…) expected');
  const digits = m[3]!.length % 2 === 0 ? m[3]! : `0${m[3]}`;
  return {
    type: 'nsh_tlv',
    tlvClass: small(m[1]!, w.valueAt, 0xffff),
    tlvType: small(m[2]!, w.valueAt, 255),
    data: Uint8Array.from(digits.match(/../g)!, (b) => Number.parseInt(b, 16)),
  };
}

function parseDecap(word: Word): Action {
  if (!word.value) return { type: 'decap' };
  const m = /^packet_type\(ns=(\d+),type=(0x[0-9a-f]+|\d+)\)$/i.exec(word.value);
  if (!m) throw new TextError(word.valueAt + 1, 'packet_type(ns=…,type=…) expected');
  return { type: 'decap', packetType: ((Number(m[1]) << 16) | Number(m[2])) >>> 0 };
}
