/** Buckets and group properties, OpenFlow 1.3.5 §7.3.4.2, 1.5.1 §7.3.4.3. */
import { decodeActions, encodeActions } from './actions.js';
import { OfpEncodeError } from './bytes/errors.js';
import type { Reader } from './bytes/reader.js';
import type { Writer } from './bytes/writer.js';
import { decodeOxm, encodeOxm } from './match.js';
import { names } from './names.js';
import { decodeProperties, encodeProperty, encodeRaw, rawProperties } from './properties.js';
import type { MatchField, OfpVersion, RawOxm } from './types/field.js';
import { OFP15 } from './types/field.js';
import { type Bucket, type GroupType, OFPG_ANY, OFPP, type SelectionMethod } from './types/message.js';

export const GROUP_TYPES = names<GroupType>({ all: 0, select: 1, indirect: 2, ff: 3 });

/** Netronome's experimenter id: OVS's group selection method property. */
const NTR_EXPERIMENTER = 0x154d;
const NTR_SELECTION_METHOD = 1;
const METHOD_SIZE = 16;
const EXPERIMENTER_PROPERTY = 0xffff;
const WEIGHT = 0;
const WATCH_PORT = 1;
const WATCH_GROUP = 2;

type Mutable<T> = { -readonly [K in keyof T]: T[K] };

/** Writes a list of buckets. A select group's bucket without a weight has weight 1. */
export function encodeBuckets(
  w: Writer,
  buckets: readonly Bucket[],
  type: GroupType,
  version: OfpVersion,
): void {
  const encode = version >= OFP15 ? encodeBucket15 : encodeBucket13;
  for (let i = 0; i < buckets.length; i++) {
    const b = buckets[i]!;
    encode(w, b, b.weight ?? (type === 'select' ? 1 : 0), version, i);
  }
}

// len(2) weight(2) watch_port(4) watch_group(4) pad(4) actions
function encodeBucket13(w: Writer, b: Bucket, weight: number, version: OfpVersion): void {
  const start = w.pos;
  w.u16(0);
  w.u16(weight);
  w.u32(b.watchPort ?? OFPP.ANY);
  w.u32(b.watchGroup ?? OFPG_ANY);
  w.zero(4);
  encodeActions(w, b.actions, version);
  w.patchLength16(start, start, 'bucket');
}

// len(2) action_array_len(2) bucket_id(4) actions properties
function encodeBucket15(w: Writer, b: Bucket, weight: number, version: OfpVersion, index: number): void {
  const start = w.pos;
  w.u32(0);
  w.u32(b.bucketId ?? index);
  encodeActions(w, b.actions, version);
  w.patchLength16(start + 2, start + 8, 'bucket');
  if (weight !== 0 || b.weight !== undefined)
    encodeProperty(w, WEIGHT, () => {
      w.u16(weight);
      w.zero(2);
    });
  if (b.watchPort !== undefined) encodeProperty(w, WATCH_PORT, () => w.u32(b.watchPort!));
  if (b.watchGroup !== undefined) encodeProperty(w, WATCH_GROUP, () => w.u32(b.watchGroup!));
  encodeRaw(w, b.rawProperties);
  w.patchLength16(start, start, 'bucket');
}

/** Buckets up to the end of `r`. */
export function decodeBuckets(r: Reader, type: GroupType, version: OfpVersion): Bucket[] {
  const buckets: Bucket[] = [];
  while (r.pos < r.end) {
    const start = r.pos;
    const length = r.u16('buckets');
    if (length < (version >= OFP15 ? 8 : 16) || length % 8 !== 0)
      throw r.fail('bad-length', `bucket length ${length}`, start, `buckets[${buckets.length}].len`);
    const outer = r.enter(length - 2, 'buckets', buckets.length);
    buckets.push(version >= OFP15 ? decodeBucket15(r, version) : decodeBucket13(r, type, version));
    r.leave(outer);
  }
  return buckets;
}

function decodeBucket13(r: Reader, type: GroupType, version: OfpVersion): Bucket {
  const weight = r.u16('weight');
  const watchPort = r.u32('watch_port');
  const watchGroup = r.u32('watch_group');
  r.zero(4);
  const b: Mutable<Bucket> = { actions: decodeActions(r, version) };
  if (weight !== 0 || type === 'select') b.weight = weight;
  if (watchPort !== OFPP.ANY) b.watchPort = watchPort;
  if (watchGroup !== OFPG_ANY) b.watchGroup = watchGroup;
  return b;
}

function decodeBucket15(r: Reader, version: OfpVersion): Bucket {
  const actionsLength = r.u16('action_array_len');
  const bucketId = r.u32('bucket_id');
  const outer = r.enter(actionsLength, 'actions');
  const b: Mutable<Bucket> = { bucketId, actions: decodeActions(r, version) };
  r.leave(outer);
  const raw = decodeProperties(r, (type) => {
    switch (type) {
      case WEIGHT:
        b.weight = r.u16('weight');
        r.zero(2);
        return true;
      case WATCH_PORT:
        b.watchPort = r.u32('watch_port');
        return true;
      case WATCH_GROUP:
        b.watchGroup = r.u32('watch_group');
        return true;
      default:
        return false;
    }
  });
  return { ...b, ...rawProperties(raw) };
}

/** Group properties of 1.5. `experimenter`, type, pad(4), method(16), param(8), then OXM TLVs with masks as values. */
export function encodeGroupProperties(
  w: Writer,
  g: { readonly selection?: SelectionMethod; readonly rawProperties?: readonly Uint8Array[] },
  version: OfpVersion,
): void {
  const s = g.selection;
  if (s !== undefined)
    encodeProperty(w, EXPERIMENTER_PROPERTY, () => {
      w.u32(NTR_EXPERIMENTER);
      w.u32(NTR_SELECTION_METHOD);
      w.zero(4);
      w.fixedString(s.method, METHOD_SIZE, 'selection.method');
      w.u64(s.param);
      for (const f of s.fields) encodeOxm(w, f, version);
    });
  encodeRaw(w, g.rawProperties);
}

/** Before 1.5 there is nowhere to write a selection method. */
export function refuseGroupProperties(g: { readonly selection?: SelectionMethod }): void {
  if (g.selection !== undefined)
    throw new OfpEncodeError('unsupported', 'group.selection', 'a selection method needs OpenFlow 1.5');
}

export function decodeGroupProperties(r: Reader): {
  selection?: SelectionMethod;
  rawProperties?: readonly Uint8Array[];
} {
  let selection: SelectionMethod | undefined;
  const raw = decodeProperties(r, (type) => {
    if (type !== EXPERIMENTER_PROPERTY || r.left < 8 || selection !== undefined) return false;
    if (r.u32('experimenter') !== NTR_EXPERIMENTER || r.u32('exp_type') !== NTR_SELECTION_METHOD)
      return false;
    r.zero(4);
    const method = r.fixedString(METHOD_SIZE, 'selection_method');
    const param = r.u64('selection_method_param');
    const fields: (MatchField | RawOxm)[] = [];
    while (r.pos < r.end) fields.push(decodeOxm(r));
    selection = { method, param, fields };
    return true;
  });
  return { ...(selection && { selection }), ...rawProperties(raw) };
}
