import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type BuildOptions, type BuildResult, build, type Metafile, type Plugin } from 'esbuild';
import type { ReadModel } from '../src/agent/read-model.js';
import { VERSION } from '../src/agent/version.js';
import { buildApp } from '../src/api/index.js';

/**
 * Puts each command with all that it needs into few files, so that a start reads those and not 600
 * (docs/adr/0004-commands-are-bundled.md). What is imported with `await import()` stays a file of its own.
 *
 *   node --import tsx scripts/bundle.ts
 */
const ROOT = fileURLToPath(new URL('..', import.meta.url));
/** As deep as the modules of `dist/`: `../../package.json` is the same file from both. */
const OUT = 'dist/bundle';
const COMMANDS = { 'hpnn-agent': 'src/agent/main.ts', lbctl: 'src/cli/lbctl.ts' } as const;
export type CommandName = keyof typeof COMMANDS;

/** As modules, `lbctl` reads what a command needs when it needs it; only CommonJS can be run from a cache of its code. */
const FORMATS: Readonly<Record<CommandName, BuildOptions>> = {
  'hpnn-agent': {
    format: 'cjs',
    outExtension: { '.js': '.cjs' },
    define: { 'import.meta.url': 'import_meta_url' },
    banner: { js: "const import_meta_url = require('node:url').pathToFileURL(__filename).href;" },
  },
  lbctl: {
    format: 'esm',
    splitting: true,
    chunkNames: 'lbctl-[hash]',
    // CommonJS packages ask for modules of Node.
    banner: {
      js: "import { createRequire } from 'node:module';\nconst require = createRequire(import.meta.url);",
    },
  },
};

/** Fastify loads compilers only where nobody gives it others, and src/api/server.ts does; the third is for `inject`. */
const NEVER_LOADED = /^(@fastify\/(ajv-compiler|fast-json-stringify-compiler)|light-my-request)$/;

const refuse: Plugin = {
  name: 'refuse',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: NEVER_LOADED }, ({ path }) => ({ path, namespace: 'never-loaded' }));
    onLoad({ filter: /./, namespace: 'never-loaded' }, ({ path }) => ({
      contents: `throw new Error('${path} is not in the bundle');`,
    }));
  },
};

/** Of zod's 50 languages the one that it sets by itself. */
const english: Plugin = {
  name: 'english',
  setup({ onLoad }) {
    onLoad({ filter: /node_modules\/zod\/v4\/locales\/index\.js$/ }, () => ({
      contents: "export { default as en } from './en.js';",
      resolveDir: join(ROOT, 'node_modules/zod/v4/locales'),
    }));
  },
};

/** What /openapi.json says is known now: making it holds a running agent's event loop for 50 ms. */
const described: Plugin = {
  name: 'described',
  setup({ onLoad }) {
    onLoad({ filter: /src\/api\/openapi\.ts$/ }, async () => {
      const log = { error: console.error, info: () => undefined };
      // Routes ask the model when they are called.
      const app = await buildApp({ model: {} as ReadModel, log, version: VERSION, trustLoopback: false });
      const { body } = await app.inject('/openapi.json');
      return { contents: `export const describeRoutes = async () => (${body});` };
    });
  },
};

export type Bundle = BuildResult<{ metafile: true }>;

/** @param write false: nothing is written, to look at what would be */
export function bundle(name: CommandName, write = true): Promise<Bundle> {
  return build({
    absWorkingDir: ROOT,
    entryPoints: { [name]: COMMANDS[name] },
    outdir: OUT,
    bundle: true,
    ...FORMATS[name],
    platform: 'node',
    target: 'node20',
    // Names and lines stay, and so do stack traces; with `node --enable-source-maps` they name the files of src/.
    minify: false,
    sourcemap: 'linked',
    sourcesContent: false,
    legalComments: 'none',
    plugins: [refuse, english, described],
    metafile: true,
    logLevel: 'warning',
    write,
  });
}

/** Directories of the npm packages of which something is in these files, `node_modules/zod`. */
export function packagesIn(outputs: readonly Metafile['outputs'][string][]): string[] {
  const inputs = outputs.flatMap(({ inputs }) => Object.keys(inputs));
  const found = inputs.map((path) => /^(.*node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(path)?.[1]);
  return [...new Set(found.filter((path) => path !== undefined))].sort();
}

/** Most licences want to go where the code goes. */
function licences(packages: readonly string[]): string {
  return packages
    .map((dir) => {
      const { name, version, license } = JSON.parse(readFileSync(join(ROOT, dir, 'package.json'), 'utf8'));
      const file = readdirSync(join(ROOT, dir)).find((entry) => /^licen[sc]e/i.test(entry));
      const text = file === undefined ? '' : `\n${readFileSync(join(ROOT, dir, file), 'utf8').trim()}\n`;
      return `${name} ${version}: ${license}\n${text}`;
    })
    .join(`\n${'-'.repeat(80)}\n\n`);
}

/** In a process of its own, with the flags that a start has. */
function cacheCode(...argv: readonly string[]): void {
  const { status, stderr } = spawnSync(process.execPath, ['scripts/code-cache.mjs', ...argv], {
    cwd: ROOT,
    encoding: 'utf8',
  });
  if (status !== 0) throw new Error(`no code cache: ${stderr}`);
}

async function main(): Promise<void> {
  const before = existsSync(join(ROOT, OUT)) ? readdirSync(join(ROOT, OUT)) : [];
  const written = new Set<string>(['LICENSES.txt', 'hpnn-agent.cjs.cache']);
  const packages = new Set<string>();
  for (const name of Object.keys(COMMANDS) as CommandName[]) {
    const { outputs } = (await bundle(name)).metafile;
    for (const path of Object.keys(outputs)) written.add(basename(path));
    for (const dir of packagesIn(Object.values(outputs))) packages.add(dir);
  }
  cacheCode(join(OUT, 'hpnn-agent.cjs'), '--check', 'docs/examples');
  writeFileSync(join(ROOT, OUT, 'LICENSES.txt'), licences([...packages].sort()));
  // Their names are made from their contents: those of earlier builds would stay.
  for (const file of before) if (!written.has(file)) rmSync(join(ROOT, OUT, file));
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await main();
