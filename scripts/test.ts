import { existsSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { collect } from '../lab/owner.js';
import { type Count, check, tapFiles, vitestFiles } from './test-runners.js';

/**
 * Runs every kind of test and ends with one line, `N passed, N failed`, over all of them. Lint, types, layers and
 * build count as one each, and so does a runner that crashes. Exit status 0 only when something ran and nothing failed.
 *
 *   node --import tsx scripts/test.ts [--fast] [--only PATH]
 */
const RUN = `${process.pid}`;
process.env.HPNN_LAB_RUN = RUN;

async function main(): Promise<void> {
  const { fast, only } = options(process.argv.slice(2));
  const total: Count = { passed: 0, failed: 0 };
  const scratch = mkdtempSync(join(tmpdir(), 'hpnn-test-'));
  try {
    for await (const count of steps(fast, only, scratch)) {
      total.passed += count.passed;
      total.failed += count.failed;
    }
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
  console.log(`\n${total.passed} passed, ${total.failed} failed`);
  process.exitCode = total.failed > 0 || total.passed === 0 ? 1 : 0;
}

async function* steps(fast: boolean, only: string | undefined, scratch: string): AsyncGenerator<Count> {
  const endToEnd = only?.startsWith('test/e2e');
  if (only === undefined) {
    yield check('format and lint (biome)', ['npx', 'biome', 'check', '.']);
    yield check('lint with types (eslint)', ['npx', 'eslint', '.']);
    yield check('types (tsc)', ['npm', 'run', '--silent', 'typecheck']);
    yield check('layers (dependency-cruiser)', ['npm', 'run', '--silent', 'layers']);
  }
  if (!endToEnd) {
    const paths = only === undefined ? [] : [only];
    yield vitestFiles(paths, fast ? ['test/differential/**'] : [], scratch);
  }
  if (fast) return;
  if (only === undefined || endToEnd) {
    yield check('build', ['npm', 'run', '--silent', 'build']);
    yield tapFiles(only === undefined || statSync(only).isDirectory() ? [] : [only]);
    yield leftovers();
  }
}

/** Labs of this run that outlived the test that made them. */
function leftovers(): Count {
  const left = collect(RUN);
  for (const { lab, dir } of left) console.log(`not ok: lab ${lab} (${dir}) was left behind`);
  if (left.length === 0) console.log('ok: no lab was left behind');
  return left.length === 0 ? { passed: 1, failed: 0 } : { passed: 0, failed: 1 };
}

function options(argv: readonly string[]): { fast: boolean; only: string | undefined } {
  const at = argv.indexOf('--only');
  const only = at < 0 ? undefined : argv[at + 1]?.replace(/^\.\//, '');
  if (only !== undefined && !existsSync(only)) {
    console.error(`ONLY=${only}: there is no such file or directory`);
    console.log('0 passed, 0 failed');
    process.exit(1);
  }
  return { fast: argv.includes('--fast'), only };
}

await main();
