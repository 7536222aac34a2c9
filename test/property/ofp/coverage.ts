/** docs/openflow-coverage.md from the registered descriptors. Written by `npx tsx test/property/ofp/coverage.ts`. */
import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import '../../../src/nx-extensions/index.js';
import {
  allActionForms,
  allFields,
  allMessageForms,
  type MessageId,
  OFP13,
  OFP15,
  type OfpVersion,
  VERSIONS,
} from '../../../src/ofp/index.js';

export const COVERAGE_FILE = fileURLToPath(new URL('../../../docs/openflow-coverage.md', import.meta.url));

const hex = (n: number): string => `0x${n.toString(16)}`;
function identity(id: MessageId | { standard: number } | { experimenter: number; subtype: number }): string {
  const vendor = 'experimenter' in id ? `${hex(id.experimenter)} / ${id.subtype}` : '';
  if ('multipart' in id) return vendor ? `multipart ${vendor}` : `multipart ${id.multipart}`;
  return vendor || `${(id as { standard: number }).standard}`;
}
const cells = (usable: (v: OfpVersion) => boolean): string =>
  VERSIONS.map((v) => (usable(v) ? 'encode, decode' : '–')).join(' | ');
const between = (f: { from?: OfpVersion; to?: OfpVersion }) => (v: OfpVersion) =>
  v >= (f.from ?? OFP13) && v <= (f.to ?? OFP15);
const table = (head: string, rows: readonly string[]): string =>
  [`| ${head} | 1.3 | 1.4 | 1.5 |`, '|---|---|---|---|---|---|', ...rows].join('\n');

export function coverage(): string {
  const messages = allMessageForms().map(
    (f) => `| ${f.name} | \`${f.type}\` | ${identity(f.id)} | ${cells(between(f))} |`,
  );
  const actions = allActionForms().map(
    (f) => `| ${f.name} | \`${f.type}\` | ${identity(f.id)} | ${cells(between(f))} |`,
  );
  const fields = allFields().map(
    (f) =>
      `| ${f.ids.map((i) => i.name).join(', ')} | \`${f.name}\` | ${f.nBits} bits${f.maskable ? ', maskable' : ''}${f.writable ? ', writable' : ''} | ${cells((v) => f.wire[v] !== undefined)} |`,
  );
  return `# OpenFlow coverage

Generated from the descriptors in \`src/ofp\` and \`src/nx-extensions\` by \`npx tsx test/property/ofp/coverage.ts\`;
a test fails when it is out of date. Whatever isn't listed (types, actions, properties, fields, experimenters) is
kept as raw bytes and written again unchanged.

## Messages (${messages.length})

${table('Specification | Type | Number', messages)}

## Actions (${actions.length})

${table('Specification | Type | Number', actions)}

## Instructions

goto_table, write_metadata, write_actions, apply_actions, clear_actions, meter (1.3, 1.4; an action on 1.5),
stat_trigger (1.5); others raw.

## Match fields (${fields.length})

Decoding takes every listed id in every version; encoding writes the first that the version allows.

${table('Ids | Field | Width', fields)}
`;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) writeFileSync(COVERAGE_FILE, coverage());
