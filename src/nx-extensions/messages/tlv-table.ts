/** Which tunnel options the tun_metadata fields hold: NXT_TLV_TABLE_MOD, _REQUEST, _REPLY (24–26). */
import { OfpEncodeError } from '../../ofp/bytes/errors.js';
import type { Reader } from '../../ofp/bytes/reader.js';
import type { Writer } from '../../ofp/bytes/writer.js';
import { names } from '../../ofp/names.js';
import { tunMetadata } from '../fields.js';
import type { TlvMap, TlvTableMod } from '../message-types.js';
import { niciraMessage } from './register.js';

const COMMANDS = names<TlvTableMod['command']>({ add: 0, delete: 1, clear: 2 });
const MAX_OPTION = 124;

// option_class(2) option_type(1) option_len(1) index(2) pad(2)
function encodeMaps(w: Writer, maps: readonly TlvMap[]): void {
  for (const { optClass, optType, optLen, index } of maps) {
    if (optLen > MAX_OPTION || optLen % 4 !== 0)
      throw new OfpEncodeError('out-of-range', 'tlv_map.optLen', `${optLen} bytes`);
    if (!(index >= 0 && index < tunMetadata.length))
      throw new OfpEncodeError('out-of-range', 'tlv_map.index', `tun_metadata${index}`);
    w.u16(optClass);
    w.u8(optType);
    w.u8(optLen);
    w.u16(index);
    w.zero(2);
  }
}
function decodeMaps(r: Reader): TlvMap[] {
  const maps: TlvMap[] = [];
  while (r.left > 0) {
    const optClass = r.u16('option_class');
    const optType = r.u8('option_type');
    const optLen = r.u8('option_len');
    const index = r.u16('index');
    r.zero(2);
    maps.push({ optClass, optType, optLen, index });
  }
  return maps;
}

// command(2) pad(6) maps
niciraMessage('nx_tlv_table_mod', 24, 'TLV_TABLE_MOD', {
  encode(w, m) {
    w.u16(COMMANDS.number(m.command));
    w.zero(6);
    encodeMaps(w, m.maps);
  },
  decode(r) {
    const command = COMMANDS.name(r.u16('command'), r, 'command');
    r.zero(6);
    return { type: 'nx_tlv_table_mod', command, maps: decodeMaps(r) };
  },
});

niciraMessage('nx_tlv_table_request', 25, 'TLV_TABLE_REQUEST', {
  encode() {},
  decode: () => ({ type: 'nx_tlv_table_request' }),
});

// max_option_space(4) max_fields(2) reserved(10) maps
niciraMessage('nx_tlv_table_reply', 26, 'TLV_TABLE_REPLY', {
  encode(w, m) {
    w.u32(m.maxOptionSpace);
    w.u16(m.maxFields);
    w.zero(10);
    encodeMaps(w, m.maps);
  },
  decode(r) {
    const maxOptionSpace = r.u32('max_option_space');
    const maxFields = r.u16('max_fields');
    r.zero(10);
    return { type: 'nx_tlv_table_reply', maxOptionSpace, maxFields, maps: decodeMaps(r) };
  },
});
