import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { Marks, sweep } from '../../../src/model/sweep.js';

const dir = mkdtempSync(join(tmpdir(), 'hpnn-sweep-'));
afterAll(() => rmSync(dir, { recursive: true, force: true }));
writeFileSync(join(dir, 'here'), '12345');
symlinkSync('here', join(dir, 'link'));
symlinkSync('circle', join(dir, 'circle'));

/** Sizes by name, in the order of the looks. */
async function sizes(where: string, names: readonly string[]): Promise<[string, number | undefined][]> {
  const seen: [string, number | undefined][] = [];
  await sweep(
    names.map((name) => join(where, name)),
    (file, info) => seen.push([file.slice(where.length + 1), info && Number(info.size)]),
  );
  return seen;
}

it('looks at every file in turn, through links, whatever can be seen there', async () => {
  expect(await sizes(dir, ['here', 'link', 'gone', 'circle', 'here/below', 'here'])).toEqual([
    ['here', 5],
    ['link', 5],
    ['gone', undefined],
    ['circle', undefined],
    ['here/below', undefined],
    ['here', 5],
  ]);
});

it('does the same on a file system that may be far away', async () => {
  const names = Array.from({ length: 150 }, (_, i) => (i % 3 === 0 ? `none${i}` : 'version'));
  const seen = await sizes('/proc', names);
  expect(seen).toEqual(names.map((name) => [name, name === 'version' ? 0 : undefined]));
});

it('remembers how files looked: changed, gone and new ones count once, a first look for nothing', async () => {
  const marks = new Marks();
  const [a, b] = [join(dir, 'a'), join(dir, 'b')];
  writeFileSync(a, 'a');
  expect(await marks.changed([a, b])).toBe(false);
  expect(await marks.changed([a, b])).toBe(false);
  writeFileSync(b, 'b');
  expect([await marks.changed([a, b]), await marks.changed([a, b])]).toEqual([true, false]);
  rmSync(a);
  expect([await marks.changed([a, b]), await marks.changed([a, b])]).toEqual([true, false]);
  expect([await marks.changed([b]), await marks.changed([b])]).toEqual([true, false]);
  writeFileSync(b, 'bb');
  expect([await marks.changed([b]), await marks.changed([b])]).toEqual([true, false]);
  expect([await marks.changed([b, dir]), await marks.changed([b, dir])]).toEqual([true, false]);
  // As an editor's swap file: the directory itself is still the same.
  writeFileSync(join(dir, '.b.swp'), '');
  expect(await marks.changed([b, dir])).toBe(false);
});
