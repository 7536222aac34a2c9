import { describe, expect, it } from 'vitest';
import { gcd, permutation, ranks } from '../../../src/maglev/permutation.js';
import { baseTable, NOBODY, slotDigest, slotTable } from '../../../src/maglev/slot-table.js';

const member = (key: string, weight = 1, serves = true) => ({ key, weight, serves });
const pool = (n: number, weight = (_: number) => 1) =>
  Array.from({ length: n }, (_, i) => member(`10.0.0.${i + 1}:8080`, weight(i)));
const shares = (table: Int32Array, n: number) => {
  const count = new Array<number>(n).fill(0);
  for (const m of table) if (m !== NOBODY) count[m]!++;
  return count;
};

describe('permutation', () => {
  it('is the one of Envoy for a prime size', () => {
    const members = ['90', '91', '92', '93', '94', '95'].map((port) => member(`127.0.0.1:${port}`));
    expect([...baseTable({ members, slots: 7 })]).toEqual([2, 4, 0, 1, 5, 0, 3]);
  });

  it('visits every slot once for any size', () => {
    for (let slots = 1; slots <= 300; slots++) {
      const { offset, step } = permutation('10.0.0.1:80', slots);
      expect(gcd(step, slots)).toBe(1);
      expect(offset).toBeLessThan(slots);
      expect(new Set(ranks({ offset, step }, slots)).size).toBe(slots);
    }
  });

  it('has a step coprime to the size up to 65536', () => {
    for (const slots of [1024, 4093, 4096, 30030, 60060, 65520, 65521, 65535, 65536])
      for (let i = 0; i < 20; i++) expect(gcd(permutation(`10.0.0.${i}:80`, slots).step, slots)).toBe(1);
  });
});

describe('slotTable', () => {
  it('gives equal weights equal shares, within one slot', () => {
    const count = shares(slotTable({ members: pool(10), slots: 251 }), 10);
    expect(Math.max(...count) - Math.min(...count)).toBeLessThanOrEqual(1);
  });

  it('gives shares in proportion to weights', () => {
    const weights = [1, 2, 3, 10];
    const count = shares(slotTable({ members: pool(4, (i) => weights[i]!), slots: 1021 }), 4);
    count.forEach((n, i) => {
      expect(Math.abs(n - (1021 * weights[i]!) / 16)).toBeLessThan(2);
    });
  });

  it('gives the lightest member a slot beside a very heavy one', () => {
    const count = shares(slotTable({ members: [member('a', 65535), member('b', 1)], slots: 251 }), 2);
    expect(count).toEqual([250, 1]);
  });

  it('spreads the slots of one failed member evenly', () => {
    const members = pool(10).map((m, i) => (i === 3 ? { ...m, serves: false } : m));
    const count = shares(slotTable({ members, slots: 251 }), 10).filter((_, i) => i !== 3);
    expect(Math.max(...count) - Math.min(...count)).toBeLessThanOrEqual(2);
  });

  it('spreads by weight when half of the pool is down', () => {
    const members = pool(8, (i) => (i < 2 ? 4 : 1)).map((m, i) => ({ ...m, serves: i % 2 === 0 }));
    const count = shares(slotTable({ members, slots: 4093 }), 8);
    expect(count[1]).toBe(0);
    expect(count[0]! / 4093).toBeGreaterThan(0.5);
    expect(count[0]! / 4093).toBeLessThan(0.64);
    for (const i of [2, 4, 6]) expect(count[i]! / 4093).toBeGreaterThan(0.12);
  });

  it('leaves every slot to nobody when none serves', () => {
    expect([...slotTable({ members: [member('a', 1, false)], slots: 3 })]).toEqual([NOBODY, NOBODY, NOBODY]);
    expect([...slotTable({ members: [], slots: 2 })]).toEqual([NOBODY, NOBODY]);
    expect([...slotTable({ members: [member('a', 0)], slots: 2 })]).toEqual([NOBODY, NOBODY]);
  });

  it('refuses what has no table', () => {
    expect(() => slotTable({ members: [], slots: 0 })).toThrow(/1\.\.65536/);
    expect(() => slotTable({ members: [], slots: 65537 })).toThrow(/1\.\.65536/);
    expect(() => slotTable({ members: pool(3), slots: 2 })).toThrow(/too few/);
    expect(() => slotTable({ members: [member('a', 1.5)], slots: 7 })).toThrow(/whole number/);
    expect(() => slotTable({ members: [member('a'), member('a')], slots: 7 })).toThrow(/twice/);
  });

  it('names equal tables by equal digests and others by others', () => {
    const members = pool(3);
    const table = slotTable({ members, slots: 251 });
    const reversed = [...members].reverse();
    expect(slotDigest(reversed, slotTable({ members: reversed, slots: 251 }))).toBe(
      slotDigest(members, table),
    );
    const changed = table.slice();
    changed[17] = (changed[17]! + 1) % 3;
    expect(slotDigest(members, changed)).not.toBe(slotDigest(members, table));
  });
});
