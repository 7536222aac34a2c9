/**
 * The choices of the codec's hot paths, each measured against the alternative that was not taken: ns of CPU time per
 * entry, the winner first. What stands in `src/ofp` is the winner; the loser is kept here only.
 */

import '../src/nx-extensions/index.js';
import { decodeInstructions, OFP13, Reader, Writer } from '../src/ofp/index.js';
import { decodeOwnInstructions } from '../src/ofp/instructions.js';
import { cpuRates, median, type Result, result, writeResult } from './harness.js';

const N = 500;
/** Keeps results alive, so that no work is left out. */
const sink: unknown[] = new Array(N);

const SIZE = 48;
const bytes = new Uint8Array(N * SIZE);
const view = new DataView(bytes.buffer);
for (let i = 0; i < N; i++) {
  view.setUint32(i * SIZE, 0x00010204);
  view.setUint32(i * SIZE + 4, i);
  view.setBigUint64(i * SIZE + 8, 0x0007_0500_0001_4c42n);
  view.setBigUint64(i * SIZE + 16, BigInt(6789 + i));
}

const each = (work: (at: number) => unknown) => (): void => {
  for (let i = 0; i < N; i++) sink[i] = work(i * SIZE);
};

/** Reads two to four entries of `n` into a list. */
const pushed = (n: number) => (at: number) => {
  const list: number[] = [];
  for (let i = 0; i < n; i++) list.push(view.getUint32(at + 4 * i));
  return list;
};
const literal = (at: number) => [view.getUint32(at), view.getUint32(at + 4)];

const fieldMap = new Map<number, object>();
const fieldTable: (object | undefined)[] = new Array<object | undefined>(128).fill(undefined);
for (let i = 0; i < 128; i++) {
  fieldTable[i] = { i };
  fieldMap.set((1 << 7) | i, fieldTable[i]!);
}

const counters = (at: number) => ({
  durationSec: view.getUint32(at),
  durationNsec: view.getUint32(at + 4),
  packetCount: view.getBigUint64(at + 16),
});

let high = 0;
let low = 0;
let last = 0n;
function remembered(at: number): bigint {
  const h = view.getInt32(at);
  const l = view.getInt32(at + 4);
  if (h !== high || l !== low) {
    last = view.getBigUint64(at);
    high = h;
    low = l;
  }
  return last;
}

const reader = (traced: boolean) => new Reader(bytes, 0, bytes.length, 0, '', 0, undefined, traced);
const entering = (r: Reader) => (at: number) => {
  r.pos = at;
  const outer = r.enter(SIZE, 'entries', at);
  const inner = r.enter(16, 'match');
  const v = r.u32();
  r.leave(inner);
  r.leave(outer);
  return v;
};
const r = reader(false);

const w = new Writer(N * SIZE);
const writing = (work: (i: number) => void) => (): void => {
  w.reset();
  for (let i = 0; i < N; i++) work(i);
};
const unchecked = new DataView(new ArrayBuffer(N * SIZE));

/** apply_actions(set_field:0..9->reg2), goto_table:12: the instructions of slots of ten members. */
const lists = new DataView(new ArrayBuffer(N * 32));
for (let i = 0; i < N; i++) {
  const words = [0x00040018, 0, 0x00190010, 0x00010404, i % 10, 0, 0x00010008, 0x0c000000];
  for (const [k, word] of words.entries()) lists.setUint32(i * 32 + k * 4, word);
}
const listReader = new Reader(new Uint8Array(lists.buffer), 0, N * 32, 0, '', 0, undefined, false);
const decoding = (decode: typeof decodeInstructions) => (): void => {
  for (let i = 0; i < N; i++) {
    listReader.pos = i * 32;
    listReader.end = i * 32 + 32;
    sink[i] = decode(listReader, OFP13);
  }
};

interface Choice {
  readonly name: string;
  readonly taken: () => void;
  readonly losing: Readonly<Record<string, () => void>>;
}
const CHOICES: readonly Choice[] = [
  { name: 'short_list', taken: each(literal), losing: { push: each(pushed(2)) } },
  {
    name: 'field_by_id',
    taken: each((at) => fieldTable[(view.getUint32(at) >>> 9) & 0x7f]),
    losing: { map: each((at) => fieldMap.get(view.getUint32(at) >>> 9)) },
  },
  {
    name: 'counters_into_entry',
    taken: each((at) => ({
      table: view.getUint8(at),
      priority: view.getUint16(at + 6),
      durationSec: view.getUint32(at),
      durationNsec: view.getUint32(at + 4),
      packetCount: view.getBigUint64(at + 16),
    })),
    losing: {
      spread: each((at) => ({ table: view.getUint8(at), priority: view.getUint16(at + 6), ...counters(at) })),
    },
  },
  {
    name: 'cookie_of_a_dump',
    taken: each((at) => remembered(at + 8)),
    losing: { 'bigint each': each((at) => view.getBigUint64(at + 8)) },
  },
  {
    name: 'instructions_of_slots',
    taken: decoding(decodeInstructions),
    losing: { 'decoded each': decoding(decodeOwnInstructions) },
  },
  {
    name: 'nested_structure',
    taken: each(entering(reader(false))),
    losing: { 'path noted': each(entering(reader(true))) },
  },
  {
    name: 'fixed_part',
    taken: each((at) => {
      r.pos = at;
      const b = r.block(16, 'entry');
      return (
        r.view.getUint16(b) + r.view.getUint16(b + 2) + r.view.getUint32(b + 4) + r.view.getUint32(b + 12)
      );
    }),
    losing: {
      'field by field': each((at) => {
        r.pos = at;
        const sum = r.u16() + r.u16() + r.u32();
        r.skip(4);
        return sum + r.u32();
      }),
    },
  },
  {
    name: 'write_checked',
    taken: writing((i) => {
      const at = w.block(16);
      w.patchU16(at, i);
      w.patchU16(at + 2, i);
      w.patchU32(at + 4, i);
      w.patchU64(at + 8, 0x0007_0500_0001_4c42n);
    }),
    losing: {
      'field by field': writing((i) => {
        w.u16(i);
        w.u16(i);
        w.u32(i);
        w.u64(0x0007_0500_0001_4c42n);
      }),
      // Faster, but it cuts what doesn't fit: what the checks cost.
      'without checks': writing((i) => {
        const at = i * 16;
        unchecked.setUint16(at, i);
        unchecked.setUint16(at + 2, i);
        unchecked.setUint32(at + 4, i);
        unchecked.setBigUint64(at + 8, 0x0007_0500_0001_4c42n);
      }),
    },
  },
  {
    name: 'zero_padding',
    taken: writing(() => w.zero(4)),
    losing: {
      fill: writing(() => {
        const at = w.block(4);
        bytes.fill(0, at, at + 4);
      }),
    },
  },
];

const nanoseconds = (work: () => void): number[] => cpuRates(work, N, 5, 100).map((rate) => 1e9 / rate);

const results: Result[] = CHOICES.map(({ name, taken, losing }) => {
  const ours = nanoseconds(taken);
  const others = Object.entries(losing).map(
    ([k, work]) => [k, median(ours) / median(nanoseconds(work))] as const,
  );
  return result(name, 'ns', ours, Object.fromEntries(others));
});
writeResult('codec-choices', results);
