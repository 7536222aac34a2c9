import { isBuiltin } from 'node:module';
import { beforeAll, describe, expect, it } from 'vitest';
import { bundle, type CommandName, packagesIn } from '../../../scripts/bundle.js';

type Outputs = Awaited<ReturnType<typeof bundle>>['metafile']['outputs'];

/** The files that are read when the command starts: the entry, and what it imports without `await import()`. */
function atStart(outputs: Outputs, name: CommandName): Outputs[string][] {
  const found = new Map<string, Outputs[string]>();
  const visit = (path: string): void => {
    if (found.has(path)) return;
    const output = outputs[path]!;
    found.set(path, output);
    for (const { kind, path: other, external } of output.imports)
      if (kind === 'import-statement' && !external) visit(other);
  };
  visit(`dist/bundle/${name}${name === 'lbctl' ? '.js' : '.cjs'}`);
  return [...found.values()];
}

const names = (outputs: readonly Outputs[string][]): string[] =>
  packagesIn(outputs).map((path) => path.replace('node_modules/', ''));

let agent: Outputs;
let lbctl: Outputs;
beforeAll(async () => {
  [agent, lbctl] = (await Promise.all(
    (['hpnn-agent', 'lbctl'] as const).map(async (name) => (await bundle(name, false)).metafile.outputs),
  )) as [Outputs, Outputs];
});

describe('what a command loads when it starts', () => {
  it('is for the agent these packages: each costs every start', () => {
    expect(names(atStart(agent, 'hpnn-agent'))).toEqual([
      '@fastify/error',
      '@fastify/forwarded',
      '@fastify/proxy-addr',
      '@pinojs/redact',
      'abstract-logging',
      'atomic-sleep',
      'avvio',
      'fast-decode-uri-component',
      'fast-deep-equal',
      'fast-json-stringify',
      'fast-querystring',
      'fastify',
      'fastify-type-provider-zod',
      'fastq',
      'find-my-way',
      'ipaddr.js',
      'on-exit-leak-free',
      'pino',
      'pino-std-serializers',
      'pino/node_modules/sonic-boom',
      'process-warning',
      'prom-client',
      'quick-format-unescaped',
      'ret',
      'reusify',
      'rfdc',
      'safe-regex2',
      'safe-stable-stringify',
      'secure-json-parse',
      'semver',
      'thread-stream',
      'toad-cache',
      'yaml',
      'zod',
    ]);
  });

  it('is for lbctl its parser of arguments alone', () => {
    expect(names(atStart(lbctl, 'lbctl'))).toEqual(['commander']);
  });

  it('is of prom-client the writer alone', () => {
    const files = atStart(agent, 'hpnn-agent').flatMap(({ inputs }) => Object.keys(inputs));
    expect(files.filter((path) => path.includes('/prom-client/'))).toEqual([
      'node_modules/prom-client/lib/util.js',
      'node_modules/prom-client/lib/registry.js',
    ]);
  });

  it('is for lbctl neither the codec of ofp-print nor the model', () => {
    const first = atStart(lbctl, 'lbctl');
    const later = Object.values(lbctl).filter((output) => !first.includes(output));
    expect(later.flatMap(({ inputs }) => Object.keys(inputs))).toEqual(
      expect.arrayContaining(['src/cli/ofp-print.ts', 'src/ofp/index.ts', 'src/model/load.ts']),
    );
  });
});

describe('the bundles', () => {
  it('run without node_modules', () => {
    const outside = [...Object.values(agent), ...Object.values(lbctl)].flatMap(({ imports }) =>
      imports.filter(({ external }) => external).map(({ path }) => path),
    );
    expect(outside).toContain('node:net');
    expect(outside.filter((path) => !isBuiltin(path))).toEqual([]);
  });

  it('have nothing that makes or compiles JSON schemas for Fastify', () => {
    expect(
      names(Object.values(agent)).filter((name) => /ajv|fast-json-stringify-compiler|swagger/.test(name)),
    ).toEqual([]);
  });
});
