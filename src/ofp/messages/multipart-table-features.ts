/** OFPMP_TABLE_FEATURES: OpenFlow 1.3.5 §7.3.5.5, 1.5.1 §7.3.5.18. */
import type { Reader } from '../bytes/reader.js';
import type { Writer } from '../bytes/writer.js';
import { fieldByOxm } from '../fields/registry.js';
import { decodeProperties, encodeProperty, encodeRaw } from '../properties.js';
import { registerMessage } from '../registry.js';
import { OFP15, type OfpVersion } from '../types/field.js';
import type {
  ActionFeatureId,
  InstructionId,
  OxmFeature,
  TableFeatureProperties,
  TableFeatures,
} from '../types/multipart.js';

const NAME_SIZE = 32;
const EXPERIMENTER = 0xffff;

/** How the body of a property is written and read. */
interface Kind<T> {
  encode(w: Writer, item: T): void;
  decode(r: Reader): T;
}

const tableId: Kind<number> = { encode: (w, t) => w.u8(t), decode: (r) => r.u8('table_id') };

// type(2) len(2), experimenters' with what follows
const instructionId: Kind<InstructionId> = {
  encode(w, i) {
    w.u16(i.type);
    w.u16(4 + (i.experimenterBytes?.length ?? 0));
    if (i.experimenterBytes) w.bytes(i.experimenterBytes);
  },
  decode(r) {
    const type = r.u16('instruction_id');
    const length = idLength(r, 4);
    return length > 4 ? { type, experimenterBytes: r.bytes(length - 4, 'instruction_id') } : { type };
  },
};
const actionId: Kind<ActionFeatureId> = {
  encode(w, a) {
    if ('type' in a) {
      w.u16(a.type);
      w.u16(4);
      return;
    }
    w.u16(EXPERIMENTER);
    w.u16(8 + a.bytes.length);
    w.u32(a.experimenter);
    w.bytes(a.bytes);
  },
  decode(r) {
    const type = r.u16('action_id');
    const length = idLength(r, type === EXPERIMENTER ? 8 : 4);
    if (type === EXPERIMENTER) return { experimenter: r.u32('action_id'), bytes: r.bytes(length - 8) };
    if (length !== 4) throw r.fail('bad-length', `action id of ${length} bytes`);
    return { type };
  },
};
function idLength(r: Reader, min: number): number {
  const length = r.u16('id');
  if (length < min) throw r.fail('bad-length', `id of ${length} bytes`, r.pos - 2);
  return length;
}

// An OXM header, 8 bytes for experimenters'
const oxmId: Kind<OxmFeature> = {
  encode(w, o) {
    w.u32(o.header);
    if (o.experimenter !== undefined) w.u32(o.experimenter);
  },
  decode(r) {
    const header = r.u32('oxm_id');
    const oxmClass = header >>> 16;
    const number = (header >>> 9) & 0x7f;
    const hasMask = (header & 0x100) !== 0;
    if (oxmClass !== EXPERIMENTER) return { field: fieldByOxm(oxmClass, number) ?? null, hasMask, header };
    const experimenter = r.u32('oxm_id');
    return { field: fieldByOxm(oxmClass, number, experimenter) ?? null, hasMask, header, experimenter };
  },
};
// OXM TLVs of packet_type, 8 bytes each
const packetType: Kind<Uint8Array> = {
  encode: (w, p) => w.bytes(p),
  decode: (r) => r.bytes(8, 'packet_types'),
};

type Key = Exclude<keyof TableFeatureProperties, 'rawProperties'>;
/** OFPTFPT_* */
const PROPERTIES: readonly (readonly [number, Key, Kind<never>])[] = [
  [0, 'instructions', instructionId],
  [1, 'instructionsMiss', instructionId],
  [2, 'nextTables', tableId],
  [3, 'nextTablesMiss', tableId],
  [4, 'writeActions', actionId],
  [5, 'writeActionsMiss', actionId],
  [6, 'applyActions', actionId],
  [7, 'applyActionsMiss', actionId],
  [8, 'match', oxmId],
  [10, 'wildcards', oxmId],
  [12, 'writeSetField', oxmId],
  [13, 'writeSetFieldMiss', oxmId],
  [14, 'applySetField', oxmId],
  [15, 'applySetFieldMiss', oxmId],
  [16, 'tableSyncFrom', tableId],
  [18, 'writeCopyField', oxmId],
  [19, 'writeCopyFieldMiss', oxmId],
  [20, 'applyCopyField', oxmId],
  [21, 'applyCopyFieldMiss', oxmId],
  [22, 'packetTypes', packetType],
] as unknown as readonly (readonly [number, Key, Kind<never>])[];
const byType = new Map(PROPERTIES.map((p) => [p[0], p]));
const byKey = new Map(PROPERTIES.map((p) => [p[1], p]));

// length(2) table_id(1) pad(5) name(32) metadata_match(8) metadata_write(8) config(4) max_entries(4) properties
// 1.5: length(2) table_id(1) command(1) features(4) name(32) … capabilities(4) max_entries(4) properties
function encodeTable(w: Writer, t: TableFeatures, version: OfpVersion): void {
  const start = w.pos;
  w.u16(0);
  w.u8(t.table);
  w.u8(version >= OFP15 ? (t.command ?? 0) : 0);
  w.u32(version >= OFP15 ? (t.features ?? 0) : 0);
  w.fixedString(t.name, NAME_SIZE, 'table_features.name');
  w.u64(t.metadataMatch);
  w.u64(t.metadataWrite);
  w.u32(t.capabilities);
  w.u32(t.maxEntries);
  // In the order of the object's keys: a decoded table is written as it was.
  for (const key of Object.keys(t.properties) as (keyof TableFeatureProperties)[]) {
    if (key === 'rawProperties') continue;
    const items = t.properties[key] as readonly never[] | undefined;
    const known = byKey.get(key);
    if (items === undefined || known === undefined) continue;
    encodeProperty(w, known[0], () => {
      for (const item of items) known[2].encode(w, item);
    });
  }
  encodeRaw(w, t.properties.rawProperties);
  w.patchLength16(start, start, 'table_features');
}

function decodeTable(r: Reader, version: OfpVersion): TableFeatures {
  const table = r.u8('table_id');
  let command = 0;
  let features = 0;
  if (version >= OFP15) {
    command = r.u8('command');
    features = r.u32('features');
  } else r.zero(5);
  const name = r.fixedString(NAME_SIZE, 'name');
  const metadataMatch = r.u64('metadata_match');
  const metadataWrite = r.u64('metadata_write');
  const capabilities = r.u32('capabilities');
  const maxEntries = r.u32('max_entries');
  return {
    table,
    ...(version >= OFP15 && { command, features }),
    name,
    metadataMatch,
    metadataWrite,
    capabilities,
    maxEntries,
    properties: decodeFeatureProperties(r),
  };
}

function decodeFeatureProperties(r: Reader): TableFeatureProperties {
  const properties: { [K in Key]?: unknown[] } = {};
  const raw = decodeProperties(r, (type) => {
    const known = byType.get(type);
    if (known === undefined || properties[known[1]] !== undefined) return false;
    const items: unknown[] = [];
    while (r.pos < r.end) items.push(known[2].decode(r));
    properties[known[1]] = items;
    return true;
  });
  return {
    ...(properties as TableFeatureProperties),
    ...(raw.length > 0 && { rawProperties: raw }),
  };
}

function decodeTables(r: Reader, version: OfpVersion): TableFeatures[] {
  const tables: TableFeatures[] = [];
  while (r.pos < r.end) {
    const start = r.pos;
    const length = r.u16('length');
    if (length < 64) throw r.fail('bad-length', `table features of ${length} bytes`, start, 'length');
    const outer = r.enter(length - 2, 'entries', tables.length);
    tables.push(decodeTable(r, version));
    r.leave(outer);
  }
  return tables;
}

registerMessage('table_features_request', {
  id: { multipart: 12, direction: 'request' },
  name: 'OFPMP_TABLE_FEATURES request',
  encode(w, m, version) {
    for (const t of m.entries ?? []) encodeTable(w, t, version);
  },
  decode(r, version) {
    const entries = decodeTables(r, version);
    return { type: 'table_features_request', ...(entries.length > 0 && { entries }) };
  },
});
registerMessage('table_features_reply', {
  id: { multipart: 12, direction: 'reply' },
  name: 'OFPMP_TABLE_FEATURES reply',
  encode(w, m, version) {
    for (const t of m.entries) encodeTable(w, t, version);
  },
  decode: (r, version) => ({ type: 'table_features_reply', entries: decodeTables(r, version) }),
});
