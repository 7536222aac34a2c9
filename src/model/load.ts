/** Reads a configuration directory: node.yaml and tenants.d/*.yaml, each on its own. */
import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { setImmediate as breathe } from 'node:timers/promises';
import { Admission, checkNode, type RawNode, type RawTenant } from './check-across.js';
import { checkTenant } from './check-tenant.js';
import { compileNode } from './compile-node.js';
import { checkForm } from './issues.js';
import { nodeSchema } from './node-schema.js';
import { inOrder, type Problem } from './problems.js';
import { MAX_FILE_BYTES, parseSource } from './source.js';
import { tenantSchema } from './tenant-schema.js';
import type { NodeConfig } from './types.js';

/** One file as it was read; kept so that an unchanged file isn't parsed again. */
export interface FileResult {
  /** Absent where it can't be read. */
  readonly text?: string;
  /** Of the file on the disk; absent where it was so young that it could change again and look the same. */
  readonly stamp?: string;
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
  readonly files: ReadonlyMap<string, FileResult>;
}

/**
 * Never rejects: whatever is wrong is a problem with its place. With `previous`, tenants that run already are
 * admitted first, so that no new file takes an id, a port or a public address away from them.
 */
export async function loadConfig(dir: string, previous?: LoadedConfig): Promise<LoadedConfig> {
  const problems: Problem[] = [];
  const files = new Map<string, FileResult>();

  const nodeFile = join(dir, 'node.yaml');
  const nodeBefore = previous?.files.get(nodeFile);
  const nodeResult = parseOnce(nodeFile, await readText(nodeFile, nodeBefore), nodeBefore, parseNode);
  files.set(nodeFile, nodeResult);
  problems.push(...nodeResult.problems);
  const rawNode = nodeResult.node ?? previous?.rawNode;

  const listed = await listTenantFiles(join(dir, 'tenants.d'));
  problems.push(...listed.problems);
  for (let i = 0; i < listed.files.length; i += READ_AT_ONCE) {
    const names = listed.files.slice(i, i + READ_AT_ONCE);
    const texts = await Promise.all(names.map((file) => readText(file, previous?.files.get(file))));
    for (const [n, file] of names.entries()) {
      const before = previous?.files.get(file);
      const result = parseOnce(file, texts[n]!, before, parseTenant);
      files.set(file, result);
      if (result.text !== before?.text) await breathe();
    }
  }
  const running = previous?.tenants ?? [];
  const outcome = admitAll(rawNode, files, listed.complete, running);
  problems.push(...outcome.problems);
  for (const [file, result] of files) if (file !== nodeFile) problems.push(...result.problems);

  return {
    dir,
    ...(rawNode === undefined ? {} : { node: compileNode(rawNode.value), rawNode }),
    tenants: outcome.tenants,
    kept: outcome.kept,
    refused: outcome.refused,
    problems: inOrder(problems),
    files,
  };
}

interface Outcome {
  readonly tenants: RawTenant[];
  readonly kept: string[];
  readonly refused: string[];
  readonly problems: Problem[];
}

/**
 * Tenants that run come first. One whose new form is refused stays as it was, and what it holds then may refuse
 * others: so start again with it, until nothing changes.
 */
function admitAll(
  node: RawNode | undefined,
  files: ReadonlyMap<string, FileResult>,
  complete: boolean,
  running: readonly RawTenant[],
): Outcome {
  const candidates = [...files.values()].flatMap((result) =>
    result.tenant === undefined ? [] : [result.tenant],
  );
  const successors = new Map<RawTenant, RawTenant>();
  const kept = new Set<RawTenant>();
  for (const old of running) {
    const sameName = candidates.filter((candidate) => candidate.name === old.name);
    const next = sameName.find((candidate) => candidate.file === old.file) ?? sameName[0];
    if (next !== undefined) successors.set(old, next);
    // A file that is wrong or can't be seen gives nothing up.
    else if (isBroken(files, old) || !complete) kept.add(old);
  }
  const problems: Problem[] = [];
  for (;;) {
    const admission = new Admission(node?.value);
    const tenants: RawTenant[] = [...kept];
    for (const old of kept) admission.claim(old);
    const admitted = (candidate: RawTenant): boolean => {
      const found = admission.admit(candidate).map((problem) => ({ ...problem, tenant: candidate.name }));
      problems.push(...found);
      if (found.some((problem) => problem.severity === 'error')) return false;
      tenants.push(candidate);
      return true;
    };
    const loser = [...successors].find(([, next]) => !admitted(next));
    if (loser !== undefined) {
      kept.add(loser[0]);
      successors.delete(loser[0]);
      continue;
    }
    const tried = new Set(successors.values());
    const refused = candidates
      .filter((candidate) => !tried.has(candidate) && !keptFor(kept, candidate) && !admitted(candidate))
      .map((candidate) => candidate.file);
    for (const [file, result] of files) {
      const wrong = result.tenant === undefined && result.node === undefined && !file.endsWith('/node.yaml');
      if (wrong && !tenants.some((tenant) => tenant.file === file)) refused.push(file);
    }
    tenants.sort((a, b) => (a.name < b.name ? -1 : 1));
    return { tenants, kept: [...kept].map((tenant) => tenant.name).sort(), refused, problems };
  }
}

/** Whether the candidate is the new form of a tenant that stays as it was: already reported. */
const keptFor = (kept: ReadonlySet<RawTenant>, candidate: RawTenant): boolean =>
  [...kept].some((old) => old.name === candidate.name);

/** Whether the tenant's file is still there but says nothing valid. */
function isBroken(files: ReadonlyMap<string, FileResult>, tenant: RawTenant): boolean {
  const result = files.get(tenant.file);
  return result !== undefined && result.tenant === undefined;
}

/** Files read together: enough to keep the disk busy, few enough to hold. */
const READ_AT_ONCE = 64;

type Parse = (file: string, text: string) => Omit<FileResult, 'text' | 'stamp'>;

type ReadResult = { readonly text: string; readonly stamp?: string } | { readonly why: string };

/** Coarser than the clock of any file system: a file that changed longer ago can't change again unseen. */
const SETTLED_MS = 3000;

/** The text, or in words why it can't be had. A file that looks as it did `before` isn't opened. */
async function readText(file: string, before: FileResult | undefined): Promise<ReadResult> {
  try {
    const { dev, ino, size, mtimeNs, ctimeNs, ctimeMs } = await stat(file, { bigint: true });
    if (size > MAX_FILE_BYTES) {
      return { why: `the file has more than ${MAX_FILE_BYTES} bytes; split it into several tenants` };
    }
    const stamp = `${dev} ${ino} ${size} ${mtimeNs} ${ctimeNs}`;
    if (before?.text !== undefined && before.stamp === stamp) return { text: before.text, stamp };
    const settled = Date.now() - Number(ctimeMs) > SETTLED_MS;
    return { text: await readFile(file, 'utf8'), ...(settled ? { stamp } : {}) };
  } catch (error) {
    return { why: `can't be read: ${describeIo(error)}` };
  }
}

function parseOnce(file: string, read: ReadResult, before: FileResult | undefined, parse: Parse): FileResult {
  if ('why' in read) {
    return { problems: [{ severity: 'error', file, line: 1, column: 1, path: '', message: read.why }] };
  }
  if (before?.text !== read.text) return { ...read, ...parse(file, read.text) };
  return before.stamp === read.stamp ? before : { ...before, ...read };
}

/** What a tenant file says, checked by itself. */
export function parseTenant(file: string, text: string): ReturnType<Parse> {
  const { source, problems } = parseSource(file, text);
  if (source === undefined) return { problems };
  const form = checkForm(tenantSchema, source);
  if (form.value === undefined) return { problems: form.problems };
  const name = form.value.tenant;
  const found = checkTenant(form.value, source).map((problem) => ({ ...problem, tenant: name }));
  return found.some((problem) => problem.severity === 'error')
    ? { problems: found }
    : { problems: found, tenant: { name, file, value: form.value, source } };
}

function parseNode(file: string, text: string): ReturnType<Parse> {
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
