/**
 * What each text that was last in force says as plain data, beside the text: a start with the same files doesn't
 * parse them as YAML. A record is a note, never the truth: one that is missing, damaged, of another version or of
 * another text counts for nothing, and what it says is checked like what was parsed.
 */
import { createHash } from 'node:crypto';
import { readFile, rename, unlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { inBatches } from './batches.js';

const FORMAT = 'hpnn-parsed-1';

export interface ParsedRecord {
  /** Undefined where the record is of another text, or damaged. */
  dataOf(text: string): unknown;
}

/** By name of the tenant's file. */
export type Records = Map<string, ParsedRecord>;

/** Records of these files, as far as there are any. Never rejects. */
export async function readRecords(dir: string, names: readonly string[], version: string): Promise<Records> {
  const records: Records = new Map();
  const read = (name: string) => readFile(fileOf(dir, name), 'utf8').catch(() => undefined);
  for await (const [name, json] of inBatches(names, read))
    if (json !== undefined) records.set(name, recordOf(json, version));
  return records;
}

export interface Noted {
  readonly version: string;
  readonly text: string;
  readonly data: unknown;
}

/**
 * Not forced to the disk: what a crash leaves of it is recognised as damaged. That it can't be written is no harm,
 * and data that JSON can't say exactly is not noted.
 */
export async function writeRecord(dir: string, name: string, { version, text, data }: Noted): Promise<void> {
  const json = JSON.stringify(data);
  if (json === undefined || !isDeepStrictEqual(JSON.parse(json), data)) return forgetRecord(dir, name);
  const file = fileOf(dir, name);
  const head = headOf(version, text, json);
  try {
    await writeFile(`${file}.new`, `${head}\n${json}\n`, { mode: 0o640 });
    await rename(`${file}.new`, file);
  } catch {
    await unlink(`${file}.new`).catch(() => undefined);
  }
}

export async function forgetRecord(dir: string, name: string): Promise<void> {
  await unlink(fileOf(dir, name)).catch(() => undefined);
}

/** Of the file NAME.yaml: NAME.parsed. */
const fileOf = (dir: string, name: string): string => join(dir, `${name.replace(/\.yaml$/, '')}.parsed`);

function recordOf(content: string, version: string): ParsedRecord {
  let last: { readonly text: string; readonly data: unknown } | undefined;
  return {
    dataOf: (text) => {
      if (last?.text !== text) last = { text, data: dataIn(content, text, version) };
      return last.data;
    },
  };
}

function dataIn(content: string, text: string, version: string): unknown {
  const end = content.indexOf('\n');
  const json = content.slice(end + 1, -1);
  if (content.slice(0, Math.max(0, end)) !== headOf(version, text, json)) return undefined;
  return JSON.parse(json);
}

/** Names the form, the version, and with one digest both the text and the data: so each vouches for the other. */
function headOf(version: string, text: string, json: string): string {
  const digest = createHash('sha256')
    .update(`${Buffer.byteLength(text)}\n`)
    .update(text)
    .update(json);
  return `${FORMAT} ${version} ${digest.digest('hex')}`;
}
