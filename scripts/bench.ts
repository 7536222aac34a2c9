import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';

/** What is in bench/ beside the benchmarks. */
const OTHERS = ['harness.ts'];

/** Runs bench/NAME.ts one after the other: two at once would measure each other. */
const only = process.argv[2];
const names = readdirSync('bench')
  .filter((name) => name.endsWith('.ts') && !name.endsWith('.d.ts') && !OTHERS.includes(name))
  .map((name) => name.slice(0, -'.ts'.length))
  .filter((name) => only === undefined || name === only);
if (names.length === 0) {
  console.error(
    only === undefined ? 'there is no benchmark in bench/' : `there is no benchmark ${only} in bench/`,
  );
  process.exit(1);
}
const failed = names.filter((name) => {
  console.log(`== ${name}`);
  return (
    spawnSync(process.execPath, ['--import', 'tsx', `bench/${name}.ts`], { stdio: 'inherit' }).status !== 0
  );
});
if (failed.length > 0) {
  console.error(`failed: ${failed.join(', ')}`);
  process.exit(1);
}
