import { describe, expect, it } from 'vitest';
import {
  canonicalInstructions,
  canonicalMatch,
  decodeMessage,
  encodeMessage,
  errorName,
  type GroupMod,
  instructionsKey,
  m,
  matchKey,
  OFP13,
  OFP15,
  OfpEncodeError,
  oxm,
  splitGroup,
  Writer,
} from '../../../src/ofp/index.js';

describe('canonicalMatch', () => {
  it('orders fields, drops full and empty masks, clears bits outside a mask', () => {
    const match = canonicalMatch([
      m(oxm.nw_dst, 0x0a0000ff, 0xffffff00),
      m(oxm.dl_type, 0x800),
      m(oxm.metadata, 5n, 0n),
      m(oxm.nw_src, 7, 0xffffffff),
      m(oxm.vlan_vid, 0x1005, 0x1fff),
    ]);
    expect(match).toEqual([
      m(oxm.dl_type, 0x800),
      m(oxm.vlan_vid, 0x1005),
      m(oxm.nw_src, 7),
      m(oxm.nw_dst, 0x0a000000, 0xffffff00),
    ]);
  });

  it('joins two masked halves of one field', () => {
    const halves = [m(oxm.nw_dst, 0x0a000000, 0xffff0000), m(oxm.nw_dst, 0x0102, 0xffff)];
    expect(canonicalMatch(halves)).toEqual([m(oxm.nw_dst, 0x0a000102)]);
  });

  it('gives one key to equal matches and different keys to different ones', () => {
    const a = matchKey(1, 2, [m(oxm.dl_type, 0x800), m(oxm.nw_dst, 9)]);
    expect(matchKey(1, 2, [m(oxm.nw_dst, 9, 0xffffffff), m(oxm.dl_type, 0x800)])).toBe(a);
    expect(matchKey(1, 3, [m(oxm.dl_type, 0x800), m(oxm.nw_dst, 9)])).not.toBe(a);
    expect(matchKey(1, 2, [m(oxm.dl_type, 0x800), m(oxm.nw_src, 9)])).not.toBe(a);
    expect(matchKey(1, 2, [m(oxm.dl_type, 0x800), m(oxm.nw_dst, 9, 0xff)])).not.toBe(a);
  });
});

describe('canonicalInstructions', () => {
  it('does not tell a meter instruction from a meter action', () => {
    const output = { type: 'output', port: 1 } as const;
    const old = [
      { type: 'meter', meterId: 5 },
      { type: 'apply_actions', actions: [output] },
    ] as const;
    const now = [{ type: 'apply_actions', actions: [{ type: 'meter', meterId: 5 }, output] }] as const;
    expect(canonicalInstructions(now)).toEqual(old);
    expect(instructionsKey(now)).toBe(instructionsKey(old));
    expect(instructionsKey([{ type: 'apply_actions', actions: [] }])).toBe(instructionsKey([]));
  });
});

describe('splitGroup', () => {
  const group = (n: number): GroupMod => ({
    type: 'group_mod',
    command: 'add',
    groupType: 'select',
    groupId: 1,
    buckets: Array.from({ length: n }, (_, port) => ({ weight: 1, actions: [{ type: 'output', port }] })),
    selection: { method: 'hash', param: 0n, fields: [] },
  });

  it('says 5,000 buckets in messages that fit, none lost, none twice', () => {
    const parts = splitGroup(group(5000), OFP15);
    expect(parts.map((p) => p.command)).toEqual(['add', ...parts.slice(1).map(() => 'insert_bucket')]);
    const ids = parts.flatMap((part) => {
      const w = new Writer();
      encodeMessage(w, OFP15, 1, part);
      const { message } = decodeMessage(w.take());
      return message.type === 'group_mod' ? message.buckets.map((b) => b.bucketId) : [];
    });
    expect(ids).toEqual(Array.from({ length: 5000 }, (_, i) => i));
  });

  it('leaves a group that fits alone, and refuses what 1.3 cannot say', () => {
    const small = group(3);
    expect(splitGroup(small, OFP15)).toEqual([small]);
    const { selection: _, ...plain } = group(5000);
    expect(() => splitGroup(plain, OFP13)).toThrow(OfpEncodeError);
  });
});

describe('encodeMessage', () => {
  it('refuses a message above 65,535 bytes and leaves nothing of it behind', () => {
    const w = new Writer();
    encodeMessage(w, OFP13, 1, { type: 'barrier_request' });
    const data = new Uint8Array(70_000);
    expect(() => encodeMessage(w, OFP13, 2, { type: 'echo_request', data })).toThrow(/too-long/);
    expect(w.pos).toBe(8);
  });

  it('refuses values that do not fit their field instead of truncating them', () => {
    const flow = (value: number) =>
      ({
        type: 'flow_mod',
        command: 'add',
        table: 0,
        priority: 0,
        cookie: 0n,
        match: [m(oxm.tcp_dst, value)],
        instructions: [],
      }) as const;
    const w = new Writer();
    expect(() => encodeMessage(w, OFP13, 1, flow(65536))).toThrow(/out-of-range/);
    expect(() => encodeMessage(w, OFP13, 1, flow(-1))).toThrow(/out-of-range/);
  });

  it('refuses a selection method before 1.5', () => {
    const selection = { method: 'hash', param: 0n, fields: [] };
    const g: GroupMod = {
      type: 'group_mod',
      command: 'add',
      groupType: 'select',
      groupId: 1,
      buckets: [],
      selection,
    };
    expect(() => encodeMessage(new Writer(), OFP13, 1, g)).toThrow(/unsupported/);
  });
});

it('names errors as ovs-ofctl does, per version and vendor', () => {
  expect(errorName({ errorType: 4, code: 6 }, OFP13)).toBe('OFPBMC_BAD_FIELD');
  expect(errorName({ errorType: 17, code: 13 }, OFP15)).toBe('OFPBFC_MSG_FAILED');
  expect(errorName({ errorType: 0xffff, code: 2313, experimenter: 0x4f4e4600 }, OFP13)).toBe(
    'OFPBFC_MSG_FAILED',
  );
  expect(errorName({ errorType: 99, code: 6 }, OFP15)).toBe('type 99 code 6');
});
