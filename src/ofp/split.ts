/** What is too long for one message (65,535 bytes), where the protocol has a way to say it in several. */
import { OfpEncodeError } from './bytes/errors.js';
import { Writer } from './bytes/writer.js';
import { encodeMessage } from './codec.js';
import { OFP15, type OfpVersion } from './types/field.js';
import type { Bucket, GroupMod } from './types/message.js';

const MAX_LENGTH = 0xffff;
/** insert_bucket behind those that are there. */
const OFPG_BUCKET_LAST = 0xfffffffe;

/**
 * A group as few messages as needed: itself, or on OpenFlow 1.5 a group with the first buckets and insert_bucket
 * for the rest, to be sent in order (in a bundle, so that no packet sees half a group). Bucket ids are given by
 * position where absent. Throws `too-long` before 1.5, and where one bucket alone doesn't fit.
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
  if (total <= MAX_LENGTH) return [group];
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
    if (length + sizes[i]! > MAX_LENGTH && buckets.length > 0) flush();
    buckets.push(b.bucketId === undefined ? { ...b, bucketId: i } : b);
    length += sizes[i]!;
  });
  flush();
  return parts;
}
