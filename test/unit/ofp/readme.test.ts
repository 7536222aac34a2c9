/** The example in the codec's README runs, and prints what is said there. */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));
const { exports } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
  exports: Record<string, { types: string; default: string }>;
};
/** Where what the build makes of a package export comes from. */
const sourceOf = (path: string): string =>
  join(ROOT, path.replace('./dist/', 'src/').replace(/(\.d\.ts|\.js)$/, '.ts'));

test.each(Object.entries(exports))('the package export %s has a source', (_, { types, default: code }) => {
  expect(existsSync(sourceOf(code))).toBe(true);
  expect(sourceOf(types)).toBe(sourceOf(code));
});

test('the example prints what the README says', () => {
  const readme = readFileSync(join(ROOT, 'src/ofp/README.md'), 'utf8');
  const [, example, printed] = /```ts\n([\s\S]*?)```\n\nprints\n\n```\n([\s\S]*?)```/.exec(readme)!;
  const runnable = example!.replace(/'hpnn(\/[^']+)'/g, (_, name: string) => {
    const path = exports[`.${name}`]?.default;
    if (path === undefined) throw new Error(`hpnn${name} is not exported`);
    return JSON.stringify(sourceOf(path));
  });
  const directory = mkdtempSync(join(tmpdir(), 'readme-'));
  try {
    const file = join(directory, 'example.mts');
    writeFileSync(file, runnable);
    const tsx = fileURLToPath(import.meta.resolve('tsx'));
    expect(execFileSync(process.execPath, ['--import', tsx, file], { cwd: ROOT, encoding: 'utf8' })).toBe(
      printed,
    );
  } finally {
    rmSync(directory, { recursive: true });
  }
}, 60_000);
