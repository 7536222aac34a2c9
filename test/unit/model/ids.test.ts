import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { AdminState, IdAllocator, StateFileError } from '../../../src/model/index.js';

let dir: string;
let file: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'hpnn-ids-'));
  file = join(dir, 'ids.json');
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

describe('ids', () => {
  it('are the same after a restart and in another order', async () => {
    const ids = await IdAllocator.open(file);
    const before = [ids.tenant('a'), ids.tenant('b'), ids.pool('a', 'p'), ids.listener('b', 'l', 'http')];
    await ids.save();
    const again = await IdAllocator.open(file);
    expect(
      [
        again.listener('b', 'l', 'http'),
        again.pool('a', 'p'),
        again.tenant('b'),
        again.tenant('a'),
      ].reverse(),
    ).toEqual(before);
  });

  it('count segments in their tenant, the others on the node', () => {
    const ids = IdAllocator.inMemory();
    expect([ids.segment('a', 's'), ids.segment('b', 's'), ids.segment('b', 't')]).toEqual([1, 1, 2]);
    expect([ids.pool('a', 'p'), ids.pool('b', 'p')]).toEqual([1, 2]);
    expect(ids.endpoint('a', 0x0a140002, 80)).not.toBe(ids.endpoint('b', 0x0a140002, 80));
    expect(ids.endpoint('a', 0x0a140002, 80)).toBe(ids.endpoint('a', 0x0a140002, 80));
  });

  it('rest until nothing of the old owner remains', () => {
    const ids = IdAllocator.inMemory();
    ids.beginRound();
    const old = ids.tenant('old', 9);
    ids.tenant('stays');
    ids.beginRound();
    ids.tenant('stays');
    expect(ids.sweep()).toEqual([{ space: 'tenant', id: old, key: 'old' }]);
    expect(() => ids.tenant('new', 9)).toThrow(/was that of tenant "old"/);
    expect(ids.nameOf('tenant', 9)).toBe('old');
    ids.confirmFree('tenant', 9);
    expect(ids.tenant('new', 9)).toBe(9);
    expect(ids.quarantined()).toEqual([]);
  });

  it('come back to a name that comes back', () => {
    const ids = IdAllocator.inMemory();
    const pool = ids.pool('a', 'p');
    ids.beginRound();
    ids.sweep();
    expect(ids.pool('a', 'other')).not.toBe(pool);
    expect(ids.pool('a', 'p')).toBe(pool);
    expect(ids.quarantined()).toEqual([]);
  });

  it('are not given to another while they rest, even when the numbers go round', () => {
    const ids = IdAllocator.inMemory();
    const resting = ids.listener('a', 'l', 'gone');
    ids.beginRound();
    ids.sweep();
    const given = new Set<number>();
    for (let i = 0; i < 65534; i++) given.add(ids.listener('b', 'l', `n${i}`));
    expect(given.size).toBe(65534);
    expect(given.has(resting)).toBe(false);
    expect(() => ids.listener('b', 'l', 'one more')).toThrow(/all 65535 numbers/);
  });

  it('a number that is written down takes precedence over nothing, never over an owner', () => {
    const ids = IdAllocator.inMemory();
    expect(ids.tenant('a')).toBe(1);
    expect(() => ids.tenant('b', 1)).toThrow(/belongs to tenant "a"/);
    expect(ids.tenant('a', 5)).toBe(5);
    expect(ids.quarantined()).toEqual([{ space: 'tenant', id: 1, key: 'a' }]);
  });

  it('of a fork leave the original alone', async () => {
    const ids = await IdAllocator.open(file);
    ids.tenant('a');
    await ids.save();
    const before = readFileSync(file, 'utf8');
    const fork = ids.fork();
    expect(fork.tenant('a')).toBe(1);
    fork.tenant('b');
    fork.beginRound();
    fork.sweep();
    await fork.save();
    await ids.save();
    expect(readFileSync(file, 'utf8')).toBe(before);
    expect(ids.find('tenant', 'b')).toBeUndefined();
  });

  it('are kept for a tenant that cannot be compiled now', () => {
    const ids = IdAllocator.inMemory();
    ids.tenant('a');
    ids.segment('a', 's');
    ids.pool('a', 'p');
    ids.pool('ab', 'p');
    ids.beginRound();
    ids.retainTenant('a');
    expect(ids.sweep().map((r) => r.key)).toEqual(['ab/p']);
  });

  it.each([
    ['', 'not valid JSON'],
    ['{"format":"hpnn-ids-1","spaces":{"tenant":{"next":1,"ids":{"a":', 'not valid JSON'],
    ['{}', 'format hpnn-ids-1'],
    [
      '{"format":"hpnn-ids-1","spaces":{"tenant":{"next":1,"ids":{"a":1,"b":1},"quarantine":[]}}}',
      'tenant "b"',
    ],
    [
      '{"format":"hpnn-ids-1","spaces":{"tenant":{"next":1,"ids":{"a":70000},"quarantine":[]}}}',
      'tenant "a"',
    ],
    ['{"format":"hpnn-ids-1","spaces":{"planet":{"next":1,"ids":{},"quarantine":[]}}}', '"planet"'],
    [
      '{"format":"hpnn-ids-1","spaces":{"pool":{"next":1,"ids":{},"quarantine":[[1]]}}}',
      'quarantine of "pool"',
    ],
  ])('refuse the damaged file %j', async (content, part) => {
    writeFileSync(file, content);
    const error = await IdAllocator.open(file).catch((e: unknown) => e);
    expect(error).toBeInstanceOf(StateFileError);
    expect((error as Error).message).toContain(part);
    expect((error as Error).message).toContain(file);
  });

  it('say why they cannot be kept', async () => {
    writeFileSync(join(dir, 'a-file'), '');
    const ids = await IdAllocator.open(join(dir, 'none.json'));
    ids.tenant('a');
    await ids.save();
    const blocked = await IdAllocator.open(join(dir, 'a-file', 'ids.json')).catch((e: unknown) => e);
    expect(blocked).toBeInstanceOf(StateFileError);
  });
});

describe('administrative state', () => {
  const be1 = { tenant: 'a', pool: 'p', member: 'be1' };
  it('survives a restart with the time it began', async () => {
    const state = await AdminState.open(file);
    expect(state.drain(be1, 1000)).toBe(true);
    expect(state.drain(be1, 2000)).toBe(false);
    await state.save();
    const again = await AdminState.open(file);
    expect(again.drainedSince(be1)).toBe(1000);
    expect(again.enable(be1)).toBe(true);
    expect(again.enable(be1)).toBe(false);
    await again.save();
    expect((await AdminState.open(file)).entries()).toEqual([]);
  });

  it('forgets members that are gone', async () => {
    const state = AdminState.inMemory();
    state.drain(be1, 1);
    state.drain({ ...be1, member: 'be2' }, 1);
    expect(state.retain((key) => key.member === 'be2').map((d) => d.member)).toEqual(['be1']);
    expect(state.drainedSince(be1)).toBeUndefined();
  });

  it('refuses a damaged file', async () => {
    writeFileSync(file, '{"format":"hpnn-admin-1","drained":[{"tenant":"a"}]}');
    await expect(AdminState.open(file)).rejects.toThrow(/an entry is incomplete/);
  });
});
