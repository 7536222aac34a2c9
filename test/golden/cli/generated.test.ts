import { execFileSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import type { Command } from 'commander';
import { describe, expect, it } from 'vitest';
import { bashCompletion } from '../../../src/cli/completion.js';
import { manPages } from '../../../src/cli/man.js';
import { createProgram } from '../../../src/cli/program.js';

const none = { write: () => true };
const program = createProgram(
  { stdout: none, stderr: none, stdin: (async function* () {})(), env: {}, isTty: false, interrupted: new AbortController().signal },
  '0',
);
const commands = (command: Command): Command[] => [command, ...command.commands.flatMap(commands)];
const all = commands(program.root).slice(1);

describe('generated from the commands', () => {
  it('are the manual pages (`npx vitest run -u` rewrites them)', async () => {
    const pages = manPages(program);
    for (const [file, text] of pages) await expect(text).toMatchFileSnapshot(`../../../docs/man/${file}`);
    const there = readdirSync(new URL('../../../docs/man/', import.meta.url)).filter((file) => file.startsWith('lbctl'));
    expect(there.sort()).toEqual([...pages.keys()].sort());
  });

  it('is the completion script', async () => {
    await expect(bashCompletion(program.root)).toMatchFileSnapshot('../../../docs/completion/lbctl.bash');
  });

  it('every command has a description and an example that begins with its name', () => {
    expect(all.length).toBeGreaterThan(20);
    for (const command of all) {
      expect(command.description()).not.toBe('');
      const path = command.parent === program.root ? command.name() : `${command.parent!.name()} ${command.name()}`;
      const samples = program.examples.get(command) ?? [];
      expect(samples.length).toBeGreaterThan(0);
      for (const sample of samples) expect(sample.startsWith(`lbctl ${path}`)).toBe(true);
    }
  });
});

describe('completion in bash', () => {
  const complete = (...words: string[]): string[] => {
    const script = `source docs/completion/lbctl.bash
lbctl() { case "$1" in
  status) printf 'acme,7\\numbrella,8\\n' ;;
  health) printf 'acme,web,be1\\nacme,web,be2\\numbrella,dns,ns1\\n' ;;
esac; }
COMP_WORDS=("$@"); COMP_CWORD=$(( $# - 1 )); _lbctl; printf '%s\\n' "\${COMPREPLY[@]}"`;
    const cwd = new URL('../../../', import.meta.url).pathname;
    return execFileSync('bash', ['-c', script, 'bash', 'lbctl', ...words], { encoding: 'utf8', cwd }).trim().split('\n');
  };
  it.each<[string[], string[]]>([
    [['sl'], ['slots']],
    [['con'], ['conns', 'config']],
    [['config', 'a'], ['apply']],
    [['-t', 'acme', 'config', 'a'], ['apply']],
    [['health', '-f', ''], ['table', 'json', 'csv']],
    [['health', '-t', 'u'], ['umbrella']],
    [['health', '-p', ''], ['dns', 'web']],
    [['drain', 'acme/web/'], ['acme/web/be1', 'acme/web/be2']],
    [['config', 'schema', 'n'], ['node']],
    [['flows', '--ra'], ['--raw']],
  ])('%j', (words, expected) => expect(complete(...words)).toEqual(expected));
});
