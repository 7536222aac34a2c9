/** What is too long for one message (65,535 bytes), where the protocol has a way to say it in several. */
import { OfpEncodeError } from './bytes/errors.js';
import { Writer } from './bytes/writer.js';
import { encodeMessage } from './codec.js';
import { OFP15, type OfpVersion } from './types/field.js';
import type { Bucket, GroupMod, Message } from './types/message.js';

const MAX_LENGTH = 0xffff;
/** What a bundle add message puts before the message that it carries, ONF's being the longest. */
const BUNDLE_ADD = 24;
/** insert_bucket behind those that are there. */
const OFPG_BUCKET_LAST = 0xfffffffe;

/**
 * A group as few messages as needed: itself, or on OpenFlow 1.5 a group with the first buckets and insert_bucket
 * for the rest, to be sent in order (in a bundle, so that no packet sees half a group). Bucket ids are given by
 * position where absent, and each part fits a bundle add message. Throws `too-long` before 1.5, and where one bucket alone doesn't fit.
 */
export function splitGroup(group: GroupMod, version: OfpVersion): readonly GroupMod[] {
  const w = new Writer();
  const lengthOf = (g: GroupMod): number => {
    w.reset();
    encodeMessage(w, version, 0, g);
    return w.pos;
  };
  const empty = lengthOf({ ...group, buckets: [] });
  const sizes = group.buckets.map((b) => lengthOf({ ...group, buckets: [b] }) - empty);
  const total = sizes.reduce((sum, n) => sum + n, empty);
  const limit = MAX_LENGTH - BUNDLE_ADD;
  if (total <= (version < OFP15 ? MAX_LENGTH : limit)) return [group];
  if (version < OFP15)
    throw new OfpEncodeError('too-long', 'group_mod', `${total} bytes; OpenFlow 1.5 could split it`);
  if (group.command === 'remove_bucket' || group.command === 'delete')
    throw new OfpEncodeError('too-long', 'group_mod', `${total} bytes of a ${group.command}`);
  const parts: GroupMod[] = [];
  let buckets: Bucket[] = [];
  let length = empty;
  const flush = (): void => {
    const { selection: _, ...rest } = group;
    parts.push(
      parts.length === 0
        ? { ...group, buckets }
        : { ...rest, command: 'insert_bucket', commandBucketId: OFPG_BUCKET_LAST, buckets },
    );
    buckets = [];
    length = empty;
  };
  group.buckets.forEach((b, i) => {
    if (length + sizes[i]! > limit && buckets.length > 0) flush();
    buckets.push(b.bucketId === undefined ? { ...b, bucketId: i } : b);
    length += sizes[i]!;
  });
  flush();
  return parts;
}

/**
 * A multipart request as few messages as needed, to be sent in order **with one xid**: all but the last say that
 * more follow (OFPMPF_REQ_MORE, OpenFlow 1.3.5 §7.3.5). Those whose body is a list can be split: table features
 * and flow monitors. Throws `too-long` for other messages that don't fit, and where one entry alone doesn't.
 */
export function splitRequest(request: Message, version: OfpVersion): readonly Message[] {
  const w = new Writer();
  const lengthOf = (message: Message): number => {
    w.reset();
    encodeMessage(w, version, 0, message);
    return w.pos;
  };
  switch (request.type) {
    case 'flow_monitor_request':
      return parts(request.monitors, (monitors) => ({ ...request, monitors }), lengthOf);
    case 'table_features_request':
      if (request.entries === undefined) break;
      return parts(request.entries, (entries) => ({ ...request, entries }), lengthOf);
  }
  lengthOf(request);
  return [request];
}

/** As many of `entries` in each as fit. */
function parts<T, M extends Message & { readonly more?: boolean }>(
  entries: readonly T[],
  having: (entries: readonly T[]) => M,
  lengthOf: (message: Message) => number,
): readonly M[] {
  const empty = lengthOf(having([]));
  const all: M[] = [];
  let some: T[] = [];
  let length = empty;
  for (const entry of entries) {
    const size = lengthOf(having([entry])) - empty;
    if (length + size > MAX_LENGTH) {
      all.push({ ...having(some), more: true });
      some = [];
      length = empty;
    }
    some.push(entry);
    length += size;
  }
  all.push(having(some));
  return all;
}
