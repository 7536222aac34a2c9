/** OFPT_GROUP_MOD, OpenFlow 1.3.5 §7.3.4.2, 1.5.1 §7.3.4.3. */
import {
  decodeBuckets,
  decodeGroupProperties,
  encodeBuckets,
  encodeGroupProperties,
  GROUP_TYPES,
  refuseGroupProperties,
} from '../buckets.js';
import { names } from '../names.js';
import { registerMessage } from '../registry.js';
import { OFP14, OFP15 } from '../types/field.js';
import type { GroupCommand } from '../types/message.js';

/** No bucket in particular: OFPG_BUCKET_ALL. */
const OFPG_BUCKET_ALL = 0xffffffff;
const COMMANDS = names<GroupCommand>({ add: 0, modify: 1, delete: 2, insert_bucket: 3, remove_bucket: 5 });

registerMessage(
  'group_mod',
  {
    // command(2) type(1) pad(1) group_id(4) buckets
    id: { standard: 15 },
    to: OFP14,
    name: 'OFPT_GROUP_MOD',
    accepts: (g) => g.command !== 'insert_bucket' && g.command !== 'remove_bucket',
    encode(w, g, version) {
      refuseGroupProperties(g);
      w.u16(COMMANDS.number(g.command));
      w.u8(GROUP_TYPES.number(g.groupType));
      w.u8(0);
      w.u32(g.groupId);
      encodeBuckets(w, g.buckets, g.groupType, version);
    },
    decode(r, version) {
      const command = COMMANDS.name(r.u16('command'), r, 'command');
      const groupType = GROUP_TYPES.name(r.u8('type'), r, 'type');
      r.zero(1);
      const groupId = r.u32('group_id');
      return {
        type: 'group_mod',
        command,
        groupType,
        groupId,
        buckets: decodeBuckets(r, groupType, version),
      };
    },
  },
  {
    // command(2) type(1) pad(1) group_id(4) bucket_array_len(2) pad(2) command_bucket_id(4) buckets properties
    id: { standard: 15 },
    from: OFP15,
    name: 'OFPT_GROUP_MOD',
    encode(w, g, version) {
      w.u16(COMMANDS.number(g.command));
      w.u8(GROUP_TYPES.number(g.groupType));
      w.u8(0);
      w.u32(g.groupId);
      const at = w.pos;
      w.u32(0);
      w.u32(g.commandBucketId ?? OFPG_BUCKET_ALL);
      encodeBuckets(w, g.buckets, g.groupType, version);
      w.patchLength16(at, at + 8, 'group_mod.buckets');
      encodeGroupProperties(w, g, version);
    },
    decode(r, version) {
      const command = COMMANDS.name(r.u16('command'), r, 'command');
      const groupType = GROUP_TYPES.name(r.u8('type'), r, 'type');
      r.zero(1);
      const groupId = r.u32('group_id');
      const length = r.u16('bucket_array_len');
      r.zero(2);
      const commandBucketId = r.u32('command_bucket_id');
      const outer = r.enter(length, 'buckets');
      const buckets = decodeBuckets(r, groupType, version);
      r.leave(outer);
      return {
        type: 'group_mod',
        command,
        groupType,
        groupId,
        buckets,
        ...(commandBucketId !== OFPG_BUCKET_ALL && { commandBucketId }),
        ...decodeGroupProperties(r),
      };
    },
  },
);
