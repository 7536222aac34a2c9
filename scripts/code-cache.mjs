/**
 * code-cache.mjs BUNDLE [ARGUMENT]...: runs the bundle, and when that ends writes down beside it what V8 had compiled by
 * then: the functions that a start needs.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { cacheOf, digest, run } from '../bin/run-cached.mjs';

const [node, , bundle, ...argv] = process.argv;
const file = resolve(bundle);
process.argv = [node, file, ...argv];
const script = run(file);
process.once('exit', () => {
  const code = script.createCachedData();
  writeFileSync(cacheOf(file), Buffer.concat([digest(readFileSync(file), code), code]));
});
