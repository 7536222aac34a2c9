import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { formatProblem, type LoadedConfig } from '../../../src/model/index.js';

/** A configuration directory that is removed at the end of its test. */
export function configDir(files: Readonly<Record<string, string>>): {
  dir: string;
  write(file: string, text: string): void;
  remove(file: string): void;
  [Symbol.dispose](): void;
} {
  const dir = mkdtempSync(join(tmpdir(), 'hpnn-config-'));
  const write = (file: string, text: string): void => {
    mkdirSync(dirname(join(dir, file)), { recursive: true });
    writeFileSync(join(dir, file), text);
  };
  mkdirSync(join(dir, 'tenants.d'));
  for (const [file, text] of Object.entries(files)) write(file, text);
  return {
    dir,
    write,
    remove: (file) => rmSync(join(dir, file)),
    [Symbol.dispose]: () => rmSync(dir, { recursive: true, force: true }),
  };
}

/** Messages with file names relative to the directory. */
export function messages(config: Pick<LoadedConfig, 'dir' | 'problems'>): string[] {
  return config.problems.map((problem) => formatProblem(problem).replaceAll(`${config.dir}/`, ''));
}
