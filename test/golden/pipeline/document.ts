import '../../../src/nx-extensions/text/index.js';
import type { Action } from '../../../src/ofp/types/action.js';
import type { Field, MatchField } from '../../../src/ofp/types/field.js';
import {
  DROPS,
  type Flow,
  KIND,
  REG,
  type RegisterField,
  TABLE_LIST,
  tableByNumber,
} from '../../../src/pipeline/index.js';
import { bitsOf } from '../../../src/pipeline/registers.js';
import { FEATURES, renderFeature } from './features.js';
import { NOTES } from './notes.js';

const kindNames = new Map<number, string>(Object.entries(KIND).map(([name, kind]) => [kind, name]));
const flows: readonly Flow[] = Object.values(FEATURES).flatMap((f) => renderFeature(f).flatMap((s) => s.flows));

/** docs/PIPELINE.md: what the rendered rules of all features do, and the notes that no rule can say. */
export function pipelineDocument(): string {
  return [
    '# The pipeline',
    '',
    'Generated from the rules that `src/pipeline` renders (`UPDATE_GOLDEN=1 npx vitest run test/golden/pipeline`);',
    'the notes at the end are written by hand in `test/golden/pipeline/notes.ts`. Flows of each feature in the words',
    'of ovs-ofctl are in `test/golden/pipeline/*.txt`.',
    '',
    '## Registers',
    '',
    ...rows(['name', 'bits', 'holds', 'written in tables', 'matched in tables'], Object.values(REG).map(register)),
    '',
    '## Tables',
    '',
    ...rows(
      ['table', 'name', 'does', 'matches', 'miss', 'goes on to', 'owners'],
      TABLE_LIST.map((t) => [
        String(t.number),
        t.name,
        t.about,
        matched(t.number).join(', '),
        t.miss === 'drop' ? 'drop' : 'goto' in t.miss ? `→ ${t.miss.goto}` : 'output to in_port',
        ways(t.number).join(', '),
        owners(t.number).join(', '),
      ]),
    ),
    '',
    '## Graph',
    '',
    'Full lines: `goto_table`; dashed: `ct`, which recirculates; dotted with a circle: `resubmit`, which returns.',
    '',
    '```mermaid',
    'flowchart TD',
    ...TABLE_LIST.map((t) => `  t${t.number}["${t.number} ${t.name}"]`),
    ...TABLE_LIST.flatMap((t) => edges(t.number)),
    '```',
    '',
    '## Drops',
    '',
    'Each has a rule, and so a counter, of its own.',
    '',
    ...rows(
      ['reason', 'table', 'priority', 'owner', 'when'],
      DROPS.map((d) => [d.reason, String(d.table), String(d.priority), kindNames.get(d.kind)!, d.about]),
    ),
    '',
    '## Cookies',
    '',
    '`tenant(16) | kind(8) | object(24) | 0x4c42`. All flows of an owner share one.',
    '',
    ...rows(
      ['kind', 'name'],
      Object.entries(KIND).map(([name, kind]) => [String(kind), name]),
    ),
    '',
    NOTES.trim(),
    '',
  ].join('\n');
}

function rows(head: readonly string[], body: readonly (readonly string[])[]): string[] {
  const line = (cells: readonly string[]) => `| ${cells.map((c) => c.replaceAll('|', '\\|')).join(' | ')} |`;
  return [line(head), line(head.map(() => '---')), ...body.map(line)];
}

function register(r: RegisterField): string[] {
  const where = (test: (f: Flow) => boolean) =>
    [...new Set(flows.filter(test).map((f) => f.table))].sort((a, b) => a - b).join(', ');
  const bits = r.nBits === r.field.nBits ? r.field.name : `${r.field.name}[${r.ofs}..${r.ofs + r.nBits - 1}]`;
  return [r.name, bits, r.about, where((f) => writes(f, r)), where((f) => matches(f, r))];
}

function matches(flow: Flow, r: RegisterField): boolean {
  return (flow.match as readonly MatchField[]).some((m) => m.field === r.field && touches(m.mask, r));
}

function writes(flow: Flow, r: RegisterField): boolean {
  return actionsOf(flow).some((a) => {
    if (a.type === 'set_field') return a.field === r.field && touches(a.mask, r);
    if (a.type === 'multipath' || a.type === 'reg_move') return a.dst.field === r.field;
    if (a.type === 'learn2') return a.resultDst?.field === r.field && a.resultDst.ofs === r.ofs;
    return false;
  });
}

function touches(mask: number | bigint | undefined, r: RegisterField): boolean {
  return mask === undefined || (BigInt(mask) & bitsOf(r)) !== 0n;
}

function actionsOf(flow: Flow): readonly Action[] {
  return flow.instructions.flatMap((i) => (i.type === 'apply_actions' ? i.actions : []));
}

function matched(table: number): string[] {
  const fields = new Set<Field>();
  for (const f of flows) if (f.table === table) for (const m of f.match as MatchField[]) fields.add(m.field);
  for (const a of flows.flatMap(actionsOf))
    if (a.type === 'learn2' && a.table === table)
      for (const spec of a.specs) if (spec.type === 'match') fields.add(spec.dst.field);
  return [...fields].map((f) => f.name).sort();
}

function owners(table: number): string[] {
  const kinds = flows.filter((f) => f.table === table).map((f) => Number((f.cookie >> 40n) & 0xffn));
  const learned = flows
    .flatMap(actionsOf)
    .flatMap((a) => (a.type === 'learn2' && a.table === table ? [Number((a.cookie! >> 40n) & 0xffn)] : []));
  return [...new Set([...kinds, ...learned])].sort((a, b) => a - b).map((k) => kindNames.get(k)!);
}

interface Way {
  readonly to: number;
  readonly by: 'goto' | 'ct' | 'resubmit';
}

function waysOf(table: number): Way[] {
  const all = flows
    .filter((f) => f.table === table)
    .flatMap((f): Way[] => [
      ...f.instructions.flatMap((i): Way[] => (i.type === 'goto_table' ? [{ to: i.table, by: 'goto' }] : [])),
      ...actionsOf(f).flatMap((a): Way[] => {
        if (a.type === 'ct' && a.table !== undefined) return [{ to: a.table, by: 'ct' }];
        if (a.type === 'resubmit_table' && a.table !== undefined) return [{ to: a.table, by: 'resubmit' }];
        return [];
      }),
    ]);
  const unique = new Map(all.map((w) => [`${w.to} ${w.by}`, w]));
  return [...unique.values()].sort((a, b) => a.to - b.to || a.by.localeCompare(b.by));
}

function ways(table: number): string[] {
  const ends = new Set<string>();
  for (const f of flows)
    if (f.table === table)
      for (const a of actionsOf(f)) {
        if (a.type === 'output' || a.type === 'group') ends.add('output');
        if (a.type === 'controller2') ends.add('agent');
      }
  return [...waysOf(table).map((w) => (w.by === 'goto' ? `${w.to}` : `${w.to} (${w.by})`)), ...[...ends].sort()];
}

function edges(table: number): string[] {
  const arrow = { goto: '-->', ct: '-. ct .->', resubmit: '-. call .-o' };
  return waysOf(table).map((w) => {
    if (!tableByNumber(w.to)) throw new Error(`table ${table} leads to ${w.to}, which isn't declared`);
    return `  t${table} ${arrow[w.by]} t${w.to}`;
  });
}
