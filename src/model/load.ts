/** Reads a configuration directory: node.yaml and tenants.d/*.yaml, each on its own. */
import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { nextTurn, turnIsUsed } from '../loop/turns.js';
import { admitAll, type Settled } from './admit-all.js';
import { inBatches } from './batches.js';
import { checkNode, type RawNode, type RawTenant } from './check-across.js';
import { checkTenant } from './check-tenant.js';
import { compileNode } from './compile-node.js';
import { checkForm } from './issues.js';
import { nodeSchema } from './node-schema.js';
import { inOrder, type Problem } from './problems.js';
import { MAX_FILE_BYTES, parseSource, sourceOf } from './source.js';
import { type Mark, markOf, sameMark, sweep } from './sweep.js';
import { tenantSchema } from './tenant-schema.js';
import type { NodeConfig } from './types.js';

/** One file as it was read; kept so that an unchanged file isn't parsed again. */
export interface FileResult {
  /** Absent where it can't be read. */
  readonly text?: string;
  /** Of the file on the disk; absent where it was so young that it could change again and look the same. */
  readonly mark?: Mark;
  readonly tenant?: RawTenant;
  readonly node?: RawNode;
  readonly problems: readonly Problem[];
}

export interface LoadedConfig {
  readonly dir: string;
  /** Of node.yaml; the previous one where node.yaml is wrong now; absent where there is none. */
  readonly node?: NodeConfig;
  readonly rawNode?: RawNode;
  /** To be applied: tenants whose file is right, and earlier forms of running ones whose file is wrong now. */
  readonly tenants: readonly RawTenant[];
  /** Names of those of `tenants` that stay as they were because their file is wrong. */
  readonly kept: readonly string[];
  /** Files that give no tenant at all. */
  readonly refused: readonly string[];
  /** In the order of files and places. */
  readonly problems: readonly Problem[];
  /** Of tenants, in the order of names. */
  readonly files: ReadonlyMap<string, FileResult>;
  readonly nodeFile: FileResult;
  /** For the next time. */
  readonly settled?: Settled;
}

export interface LoadOptions {
  /** Tenants that run already are admitted first, so that no new file takes an id, a port or an address from them. */
  readonly previous?: LoadedConfig | undefined;
  /** Called once when node.yaml is known, for what is known of the tenants' files without parsing them. */
  readonly known?: (node: NodeConfig) => Promise<KnownTexts>;
}

export interface KnownTexts {
  /** What a file with this text says as plain data, where that is known. */
  dataOf(file: string, text: string): unknown;
}

/** Whatever is wrong is a problem with its place: rejects only as `known` does. */
export async function loadConfig(dir: string, { previous, known }: LoadOptions = {}): Promise<LoadedConfig> {
  const nodePath = join(dir, 'node.yaml');
  const nodeBefore = previous?.nodeFile;
  const nodeFile = parseOnce(nodePath, await readText(nodePath, nodeBefore), nodeBefore, parseNode);
  const rawNode = nodeFile.node ?? previous?.rawNode;
  const node =
    rawNode === undefined || rawNode === previous?.rawNode ? previous?.node : compileNode(rawNode.value);
  const texts = node === undefined ? undefined : await known?.(node);

  const listed = await listTenantFiles(join(dir, 'tenants.d'));
  const files = await readTenants(listed.files, previous?.files ?? new Map(), texts);
  const { settled, ...outcome } = await admitAll(
    { node: rawNode, files, complete: listed.complete },
    previous?.tenants ?? [],
    previous?.settled,
  );
  const problems = [...nodeFile.problems, ...listed.problems, ...outcome.problems];
  for (const result of files.values()) problems.push(...result.problems);

  return {
    dir,
    ...(node === undefined || rawNode === undefined ? {} : { node, rawNode }),
    ...outcome,
    problems: inOrder(problems),
    files,
    nodeFile,
    ...(settled === undefined ? {} : { settled }),
  };
}

/** Looks at every file, and opens those that don't look as they did before. */
async function readTenants(
  names: readonly string[],
  before: ReadonlyMap<string, FileResult>,
  known: KnownTexts | undefined,
): Promise<Map<string, FileResult>> {
  const same = new Map<string, FileResult>();
  await sweep(before.size === 0 ? [] : names, (file, info) => {
    const result = before.get(file);
    if (info !== undefined && result?.mark !== undefined && sameMark(result.mark, info))
      same.set(file, result);
  });
  if (same.size === names.length) return same;
  const parse: Parse = (file, text) => parseTenant(file, text, known?.dataOf(file, text));
  const read = new Map<string, FileResult>();
  const changed = names.filter((file) => !same.has(file));
  for await (const [file, text] of inBatches(changed, (name) => readText(name, before.get(name)))) {
    read.set(file, parseOnce(file, text, before.get(file), parse));
    if (turnIsUsed()) await nextTurn();
  }
  return new Map(names.map((file) => [file, same.get(file) ?? read.get(file)!]));
}

type Parse = (file: string, text: string) => Omit<FileResult, 'text' | 'mark'>;

type ReadResult = { readonly text: string; readonly mark?: Mark } | { readonly why: string };

/** Coarser than the clock of any file system: a file that changed longer ago can't change again unseen. */
const SETTLED_MS = 3000;

/** The text, or in words why it can't be had. A file that looks as it did `before` isn't opened. */
async function readText(file: string, before: FileResult | undefined): Promise<ReadResult> {
  try {
    const info = await stat(file, { bigint: true });
    if (info.size > MAX_FILE_BYTES) {
      return { why: `the file has more than ${MAX_FILE_BYTES} bytes; split it into several tenants` };
    }
    const mark = markOf(info);
    if (before?.text !== undefined && before.mark !== undefined && sameMark(before.mark, info)) {
      return { text: before.text, mark: before.mark };
    }
    const settled = Date.now() - Number(info.ctimeMs) > SETTLED_MS;
    return { text: await readFile(file, 'utf8'), ...(settled ? { mark } : {}) };
  } catch (error) {
    return { why: `can't be read: ${describeIo(error)}` };
  }
}

function parseOnce(file: string, read: ReadResult, before: FileResult | undefined, parse: Parse): FileResult {
  if ('why' in read) {
    return { problems: [{ severity: 'error', file, line: 1, column: 1, path: '', message: read.why }] };
  }
  if (before?.text !== read.text) return { ...read, ...parse(file, read.text) };
  if (before.mark === read.mark) return before;
  const { mark: _, ...said } = before;
  return { ...said, ...read };
}

/**
 * What a tenant file says, checked by itself.
 *
 * @param data what the text says as plain data, where that is known: saves parsing it
 */
export function parseTenant(file: string, text: string, data?: unknown): ReturnType<Parse> {
  const { source, problems } =
    data === undefined ? parseSource(file, text) : { source: sourceOf(file, text, data), problems: [] };
  if (source === undefined) return { problems };
  const form = checkForm(tenantSchema, source);
  if (form.value === undefined) return { problems: form.problems };
  const name = form.value.tenant;
  const found = checkTenant(form.value, source).map((problem) => ({ ...problem, tenant: name }));
  return found.some((problem) => problem.severity === 'error')
    ? { problems: found }
    : {
        problems: found,
        tenant: { name, file, value: form.value, source: sourceOf(file, text, source.data) },
      };
}

/** What node.yaml says, checked by itself. */
export function parseNode(file: string, text: string): ReturnType<Parse> {
  const { source, problems } = parseSource(file, text);
  if (source === undefined) return { problems };
  const form = checkForm(nodeSchema, source);
  if (form.value === undefined) return { problems: form.problems };
  const found = checkNode(form.value, source);
  return found.some((problem) => problem.severity === 'error')
    ? { problems: found }
    : { problems: found, node: { file, value: form.value, source } };
}

/** `complete` is false where the directory couldn't be read: then no tenant counts as removed. */
async function listTenantFiles(
  dir: string,
): Promise<{ files: string[]; complete: boolean; problems: Problem[] }> {
  const note = (severity: Problem['severity'], file: string, message: string): Problem => ({
    severity,
    file,
    line: 1,
    column: 1,
    path: '',
    message,
  });
  let names: string[];
  try {
    names = (await readdir(dir)).sort();
  } catch (error) {
    return {
      files: [],
      complete: false,
      problems: [note('error', dir, `can't be listed: ${describeIo(error)}`)],
    };
  }
  const visible = names.filter((name) => !name.startsWith('.') && !name.endsWith('~'));
  const files = visible.filter((name) => name.endsWith('.yaml')).map((name) => join(dir, name));
  const near = visible.filter((name) => name.endsWith('.yml') || name.endsWith('.json'));
  return {
    files,
    complete: true,
    problems: near.map((name) =>
      note('warning', join(dir, name), 'is ignored; the name of a tenant file ends in .yaml'),
    ),
  };
}

function describeIo(error: unknown): string {
  const code = (error as NodeJS.ErrnoException).code;
  switch (code) {
    case 'ENOENT':
      return 'there is no such file or directory';
    case 'EACCES':
      return 'permission denied';
    case 'EISDIR':
      return 'it is a directory';
    default:
      return code ?? String(error);
  }
}
