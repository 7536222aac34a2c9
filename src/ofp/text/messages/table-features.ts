/** Texts of table features, and lists of tables that repeat themselves. */

import type { TableFeatureProperties, TableFeatures } from '../../types/multipart.js';
import { formatActionFeature, formatFieldList } from '../feature-lists.js';
import { registerMessageText } from '../message-registry.js';

const OFP14 = 5;

registerMessageText('table_features_request', 'OFPST_TABLE_FEATURES request', (m, { version }) =>
  m.entries === undefined || m.entries.length === 0 ? '' : formatTables(m.entries, version),
);
registerMessageText('table_features_reply', 'OFPST_TABLE_FEATURES reply', (m, { version }) =>
  formatTables(m.entries, version),
);

function formatTables(entries: readonly TableFeatures[], version: number): string {
  return `\n${ditto(
    entries,
    (t) => t.table,
    (t, previous) => formatFeatures(t, version, previous),
    (t) => `  table ${t.table}${t.name === '' || t.name === `table${t.table}` ? '' : ` ("${t.name}")`}:\n`,
    // The tables that may come next count from the table itself.
    (t) =>
      formatFeatures(t, version).replace(/next tables: .*/, (s) =>
        String(new RegExp(`^next tables: ${t.table + 1}(-|$)`).test(s)),
      ),
  )}`;
}

/** `  tables 1...11: ditto` for a run of tables that are all like the one before them. */
export function ditto<T>(
  entries: readonly T[],
  table: (entry: T) => number,
  body: (entry: T, previous?: T) => string,
  head: (entry: T) => string,
  same: (entry: T) => string = (entry) => body(entry),
): string {
  const parts: string[] = [];
  for (let i = 0; i < entries.length; ) {
    const first = entries[i]!;
    let n = 1;
    while (i > 0 && i + n < entries.length && same(entries[i + n]!) === same(first)) n++;
    if (i === 0 || same(first) !== same(entries[i - 1]!)) {
      parts.push(`${head(first)}${body(first, entries[i - 1])}`);
      i++;
      continue;
    }
    const last = table(entries[i + n - 1]!);
    parts.push(n === 1 ? `  table ${last}: ditto\n` : `  tables ${table(first)}...${last}: ditto\n`);
    i += n;
  }
  return parts.join('\n');
}

function formatFeatures(t: TableFeatures, version: number, previous?: TableFeatures): string {
  let s = `    metadata: match=${hex(t.metadataMatch)} write=${hex(t.metadataWrite)}\n`;
  if (version >= OFP14) {
    s += `    eviction: ${t.capabilities & 4 ? 'supported' : 'not supported'}\n`;
    s += `    vacancy events: ${t.capabilities & 8 ? 'supported' : 'not supported'}\n`;
  }
  s += `    max_entries=${t.maxEntries}\n`;
  s += formatInstructionFeatures(t.properties);
  const actions = formatActionFeatures(t.properties);
  const matching = formatMatching(t.properties);
  const sameActions = previous !== undefined && actions === formatActionFeatures(previous.properties);
  const sameMatching = previous !== undefined && matching === formatMatching(previous.properties);
  return `${s}${sameActions ? '      (same actions)\n' : actions}${sameMatching ? '    (same matching)\n' : matching}`;
}

function hex(v: bigint): string {
  return v === 0n ? '0' : `0x${v.toString(16)}`;
}

const INSTRUCTIONS: readonly (readonly [number, string])[] = [
  [6, 'meter'],
  [4, 'apply_actions'],
  [5, 'clear_actions'],
  [3, 'write_actions'],
  [2, 'write_metadata'],
  [1, 'goto_table'],
];

/** Open vSwitch tells the same of misses and of others; that case is all that is distinguished. */
function formatInstructionFeatures(p: TableFeatureProperties): string {
  const has = (type: number) => p.instructions?.some((i) => i.type === type) ?? false;
  let s = '    instructions (table miss and others):\n';
  if (p.nextTables && p.nextTables.length > 0) s += `      next tables: ${ranges(p.nextTables)}\n`;
  s += `      instructions: ${INSTRUCTIONS.filter(([type]) => has(type))
    .map(([, name]) => name)
    .join(' ')}\n`;
  return s;
}

function formatActionFeatures(p: TableFeatureProperties): string {
  let s = '      Write-Actions and Apply-Actions features:\n';
  s += `        actions: ${formatActionFeature(p.writeActions ?? [])}\n`;
  return `${s}        supported on Set-Field: ${formatFieldList(p.writeSetField ?? [])}\n`;
}

function formatMatching(p: TableFeatureProperties): string {
  const fields = p.match ?? [];
  const masked = fields.filter((f) => f.hasMask);
  const optional = new Set((p.wildcards ?? []).map((f) => f.header & ~0x1ff));
  const exact = fields.filter((f) => !f.hasMask && optional.has(f.header & ~0x1ff));
  const must = fields.filter((f) => !f.hasMask && !optional.has(f.header & ~0x1ff));
  let s = '    matching:\n';
  if (masked.length > 0) s += `      arbitrary mask: ${formatFieldList(masked)}\n`;
  if (exact.length > 0) s += `      exact match or wildcard: ${formatFieldList(exact)}\n`;
  if (must.length > 0) s += `      must exact match: ${formatFieldList(must)}\n`;
  return s;
}

/** `1-3,7` */
function ranges(tables: readonly number[]): string {
  const out: string[] = [];
  for (let i = 0; i < tables.length; ) {
    let n = 1;
    while (tables[i + n] === tables[i]! + n) n++;
    out.push(n === 1 ? `${tables[i]}` : `${tables[i]}-${tables[i]! + n - 1}`);
    i += n;
  }
  return out.join(',');
}
