import { describe, expect, it } from 'vitest';
import { SlotCounts } from '../../../src/agent/view/slot-counts.js';
import type { PoolIntent } from '../../../src/model/index.js';

const member = (endpointId: number) => ({
  name: `m${endpointId}`,
  endpointId,
  address: endpointId,
  port: 80,
  weight: 1,
  adminStateUp: true,
  backup: false,
});
const pool: PoolIntent = {
  id: 1,
  name: 'web',
  sessionPersistence: 'NONE',
  slots: 251,
  onAllDown: 'closed',
  drainTimeoutMs: 0,
  flushTcpOnDown: false,
  members: [member(1), member(2)],
};

describe('slots held', () => {
  it('are computed once for what serves, not once per scrape', () => {
    const counts = new SlotCounts();
    const both = new Set([1, 2]);
    const held = counts.of(pool, both);
    expect((held.get(1) ?? 0) + (held.get(2) ?? 0)).toBe(251);
    expect(counts.of(pool, both)).toBe(held);
    expect(counts.of(pool, new Set([2]))).toEqual(new Map([[2, 251]]));
    expect(counts.of({ ...pool, slots: 11 }, both)).not.toBe(held);
    expect(counts.computed).toBe(3);
  });

  it('are none where nobody serves', () => {
    expect(new SlotCounts().of(pool, new Set())).toEqual(new Map());
  });
});
