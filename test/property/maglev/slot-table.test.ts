import fc from 'fast-check';
import { describe, it } from 'vitest';
import { NOBODY, type SlotMember, slotTable } from '../../../src/maglev/slot-table.js';

const members = fc.uniqueArray(
  fc.record({
    key: fc.tuple(fc.ipV4(), fc.integer({ min: 1, max: 65535 })).map(([a, p]) => `${a}:${p}`),
    weight: fc.integer({ min: 0, max: 20 }),
    serves: fc.boolean(),
  }),
  { minLength: 1, maxLength: 16, selector: (m) => m.key },
);
const slots = fc.oneof(fc.constantFrom(251, 509, 256, 1021), fc.integer({ min: 16, max: 2000 }));

const byKey = (m: readonly SlotMember[], count: number) =>
  Array.from(slotTable({ members: m, slots: count }), (i) => (i === NOBODY ? null : m[i]!.key));
const equal = (a: readonly unknown[], b: readonly unknown[]) => a.every((v, i) => v === b[i]);

describe('slotTable', () => {
  it('ignores the order of members', () => {
    fc.assert(
      fc.property(
        members.chain((m) =>
          fc.tuple(fc.constant(m), fc.shuffledSubarray(m, { minLength: m.length, maxLength: m.length })),
        ),
        slots,
        ([m, shuffled], count) => equal(byKey(m, count), byKey(shuffled, count)),
      ),
    );
  });

  it('ignores a common factor of the weights', () => {
    fc.assert(
      fc.property(members, slots, fc.integer({ min: 2, max: 100 }), (m, count, factor) =>
        equal(
          byKey(m, count),
          byKey(
            m.map((x) => ({ ...x, weight: x.weight * factor })),
            count,
          ),
        ),
      ),
    );
  });

  it('gives slots to all members that serve and have a weight, and to no others', () => {
    fc.assert(
      fc.property(members, slots, (m, count) => {
        const used = new Set(byKey(m, count));
        const eligible = m.filter((x) => x.serves && x.weight > 0).map((x) => x.key);
        return eligible.length === 0
          ? equal([...used], [null])
          : used.size === eligible.length && eligible.every((k) => used.has(k));
      }),
    );
  });

  it('moves only the slots of a member that stops, whoever else is down, and takes them back', () => {
    fc.assert(
      fc.property(members, slots, fc.nat(), (m, count, pick) => {
        const leaving = m[pick % m.length]!.key;
        const up = m.map((x) => (x.key === leaving ? { ...x, serves: true } : x));
        const down = m.map((x) => (x.key === leaving ? { ...x, serves: false } : x));
        const before = byKey(up, count);
        const after = byKey(down, count);
        return before.every((key, i) => key === leaving || key === after[i]) && !after.includes(leaving);
      }),
    );
  });
});
