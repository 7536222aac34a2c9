import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, it } from 'vitest';

const path = (file: string): string => fileURLToPath(new URL(`../../../${file}`, import.meta.url));
const dir = mkdtempSync(join(tmpdir(), 'hpnn-cache-'));
afterAll(() => rmSync(dir, { recursive: true }));

const bundle = join(dir, 'bundle.cjs');
const cache = `${bundle}.cache`;
const BUNDLE = `
function answer() { return ${JSON.stringify('x'.repeat(5000))}.length; }
console.log('says', answer(), process.argv.slice(2).join(), require('node:path').basename(__filename));
if (process.argv[2] === 'fail') console.log(new Error('failed').stack.split('\\n')[1]);
`;
/** What the bundle says, and whether it ran from a cache. */
function run(...argv: string[]): string {
  const program = `
    import { run } from ${JSON.stringify(path('bin/run-cached.mjs'))};
    const script = run(${JSON.stringify(bundle)});
    console.log({ true: 'refused', false: 'cached', undefined: 'compiled' }[script.cachedDataRejected]);`;
  writeFileSync(join(dir, 'start.mjs'), program);
  const { stdout, stderr, status } = spawnSync(process.execPath, [join(dir, 'start.mjs'), ...argv], {
    encoding: 'utf8',
    env: {},
  });
  expect([status, stderr]).toEqual([0, '']);
  return stdout;
}

function build(): void {
  writeFileSync(bundle, BUNDLE);
  const { status } = spawnSync(process.execPath, [path('scripts/code-cache.mjs'), bundle], { env: {} });
  expect(status).toBe(0);
}

describe('a bundle', () => {
  it('runs from its code cache, with arguments, require and lines of its own', () => {
    build();
    expect(run('a', 'b')).toBe('says 5000 a,b bundle.cjs\ncached\n');
    expect(run('fail')).toContain(`at ${bundle}:4:`);
  });

  it('runs without a cache', () => {
    build();
    rmSync(cache);
    expect(run()).toBe('says 5000  bundle.cjs\ncompiled\n');
  });

  it('runs with a damaged cache, which would end V8', () => {
    build();
    const content = readFileSync(cache);
    for (let at = 200; at < content.length; at += 97) content[at]! ^= 0x55;
    writeFileSync(cache, content);
    expect(run()).toBe('says 5000  bundle.cjs\ncompiled\n');
    writeFileSync(cache, '');
    expect(run()).toBe('says 5000  bundle.cjs\ncompiled\n');
  });

  it('is not run from the cache of another of the same length', () => {
    build();
    writeFileSync(bundle, BUNDLE.replace('says', 'said'));
    expect(run()).toBe('said 5000  bundle.cjs\ncompiled\n');
  });
});
