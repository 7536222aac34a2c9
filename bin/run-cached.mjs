/**
 * Runs a CommonJS bundle with the code that V8 made of it when it was built (scripts/code-cache.mjs), so that a start
 * compiles nothing. V8 itself refuses the code of another version or other flags, but trusts what it takes: hence the
 * digest, over bundle and code. Whatever doesn't fit, the bundle runs without.
 */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname } from 'node:path';
import { Script } from 'node:vm';

const DIGEST_BYTES = 32;

/** @returns the script that ran; `cachedDataRejected` is undefined where there was no cache to be used */
export function run(file) {
  const require = createRequire(file);
  // Node looks for source maps only where it compiles itself.
  if (process.sourceMapsEnabled) return require(file);
  const source = readFileSync(file);
  const cachedData = codeFor(file, source);
  const text = `(function (exports, require, module, __filename, __dirname) {${source}\n})`;
  const script = new Script(text, { filename: file, ...(cachedData ? { cachedData } : {}) });
  const module = { exports: {} };
  script.runInThisContext()(module.exports, require, module, file, dirname(file));
  return script;
}

export function cacheOf(file) {
  return `${file}.cache`;
}

/** What goes before the code in its file. */
export function digest(source, code) {
  return createHash('sha256').update(source).update(code).digest();
}

function codeFor(file, source) {
  try {
    const content = readFileSync(cacheOf(file));
    const code = content.subarray(DIGEST_BYTES);
    return content.subarray(0, DIGEST_BYTES).equals(digest(source, code)) ? code : undefined;
  } catch {
    return undefined;
  }
}
