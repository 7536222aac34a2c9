import { expect, test } from 'vitest';
import {
  decodeMessage,
  encodeMessage,
  type FlowMod,
  type Message,
  m,
  OFP13,
  OFP15,
  OfpDecodeError,
  OfpEncodeError,
  oxm,
  Writer,
} from '../../../src/ofp/index.js';

const flow: FlowMod = {
  type: 'flow_mod',
  command: 'add',
  table: 1,
  priority: 1,
  cookie: 1n,
  match: [],
  instructions: [],
};

function refusal(message: Message): OfpEncodeError {
  const w = new Writer(8);
  w.u64(0x1122334455667788n);
  try {
    encodeMessage(w, OFP15, 1, message);
  } catch (e) {
    expect(e).toBeInstanceOf(OfpEncodeError);
    expect(w.take()).toEqual(Uint8Array.of(0x11, 0x22, 0x33, 0x44, 0x55, 0x66, 0x77, 0x88));
    return e as OfpEncodeError;
  }
  return expect.unreachable('was encoded');
}

test.each<[string, Partial<FlowMod>, string]>([
  ['one bit too many for 8', { table: 256 }, '256 does not fit 8 bits at byte 24'],
  ['one bit too many for 16', { priority: 65_536 }, '65536 does not fit 16 bits at byte 30'],
  ['one bit too many for 32', { outPort: 2 ** 32 }, '4294967296 does not fit 32 bits at byte 36'],
  ['one bit too many for 64', { cookie: 1n << 64n }, '18446744073709551616 does not fit 64 bits at byte 8'],
  ['negative', { priority: -1 }, '-1 does not fit 16 bits at byte 30'],
  ['negative and 64 bits', { cookie: -1n }, '-1 does not fit 64 bits at byte 8'],
  ['a fraction', { idleTimeout: 1.5 }, '1.5 does not fit 16 bits at byte 26'],
  ['not a number', { hardTimeout: Number.NaN }, 'NaN does not fit 16 bits at byte 28'],
  ['absent', { table: undefined as never }, 'undefined does not fit 8 bits at byte 24'],
])('a value that is %s is refused, never cut', (_, change, detail) => {
  const e = refusal({ ...flow, ...change });
  expect(e.code).toBe('out-of-range');
  expect(e.message).toBe(`flow_mod: ${detail} (out-of-range)`);
});

test('values inside matches and actions are refused as well', () => {
  expect(refusal({ ...flow, match: [m(oxm.vlan_pcp, 256)] }).code).toBe('out-of-range');
  const instructions = [{ type: 'apply_actions', actions: [{ type: 'set_nw_ttl', ttl: 300 }] }] as const;
  expect(refusal({ ...flow, instructions }).message).toMatch(
    /^flow_mod: 300 does not fit 8 bits at byte \d+/,
  );
});

test.each([1, 2, 3, 4, 5, 6, 8, 16])(
  'unsigned integers of %i bytes: the greatest fits, the next one does not',
  (size) => {
    const greatest = (1n << BigInt(8 * size)) - 1n;
    const forms = size <= 4 ? [greatest, Number(greatest)] : [greatest];
    for (const value of forms) {
      const w = new Writer(1);
      w.uint(value, size);
      expect([...w.take()]).toEqual(new Array(size).fill(0xff));
    }
    const next = size <= 4 ? [greatest + 1n, Number(greatest) + 1, -1, -1n] : [greatest + 1n, -1n];
    for (const value of next) {
      const w = new Writer(1);
      expect(() => w.uint(value, size)).toThrow(OfpEncodeError);
      expect(w.pos).toBe(0);
    }
  },
);

test('an error in the depth of a message says where: structure, index and field', () => {
  const w = new Writer();
  encodeMessage(w, OFP13, 7, {
    ...flow,
    match: [m(oxm.in_port, 1)],
    instructions: [
      { type: 'goto_table', table: 2 },
      {
        type: 'apply_actions',
        actions: [{ type: 'dec_nw_ttl' }, { type: 'set_nw_ttl', ttl: 9 }],
      },
    ],
  });
  const bytes = w.take();
  bytes[bytes.length - 1] = 1; // padding of set_nw_ttl
  const error = ((): unknown => {
    try {
      return decodeMessage(bytes);
    } catch (e) {
      return e;
    }
  })();
  expect(error).toBeInstanceOf(OfpDecodeError);
  expect(error).toMatchObject({
    code: 'bad-padding',
    offset: bytes.length - 1,
    path: 'instructions[1].actions[1].pad',
  });
});
