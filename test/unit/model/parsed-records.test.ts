import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { LastGood, loadConfig } from '../../../src/model/index.js';
import { readRecords, writeRecord } from '../../../src/model/parsed-records.js';
import { ACME, NODE } from '../../golden/model/wrong-configs.js';
import { configDir, messages } from './config-dir.js';

/** Names of the files that were parsed as YAML since the last start. */
const { parsed } = vi.hoisted(() => ({ parsed: [] as string[] }));
vi.mock('../../../src/model/source.js', async (original) => {
  const real = await original<typeof import('../../../src/model/source.js')>();
  const parseSource: typeof real.parseSource = (file, text) => {
    parsed.push(file.slice(file.lastIndexOf('/') + 1));
    return real.parseSource(file, text);
  };
  return { ...real, parseSource };
});

const B = 'tenant: b\nsegments: [{ name: s, subnets: [10.20.0.0/24], ports: [{ name: v-b }] }]\n';
let made: ReturnType<typeof configDir>;
let state: string;
beforeEach(async () => {
  made = configDir({ 'node.yaml': NODE, 'tenants.d/acme.yaml': ACME, 'tenants.d/b.yaml': B });
  state = mkdtempSync(join(tmpdir(), 'hpnn-parsed-'));
  await start();
});
afterEach(() => {
  made[Symbol.dispose]();
  rmSync(state, { recursive: true, force: true });
});

/** What an agent does that starts now; which tenants' files it parsed. */
async function start(version = '1.0.0') {
  parsed.length = 0;
  let lastGood: LastGood | undefined;
  const known = async () => {
    lastGood = await LastGood.open(state, version);
    return lastGood;
  };
  const read = await loadConfig(made.dir, { known });
  const loaded = await lastGood!.fallBack(read);
  await lastGood!.save(loaded, loaded.kept);
  return { loaded, parsed: parsed.filter((name) => name !== 'node.yaml') };
}
const record = (name: string) => join(state, `${name}.parsed`);

it('a start with the same files parses none of them, and has the same tenants', async () => {
  const again = await start();
  expect(again.parsed).toEqual([]);
  const afresh = await loadConfig(made.dir);
  expect(again.loaded.tenants.map((t) => t.value)).toEqual(afresh.tenants.map((t) => t.value));
  expect(again.loaded.problems).toEqual(afresh.problems);
});

it('a text that changed meanwhile is parsed, and noted again', async () => {
  made.write('tenants.d/acme.yaml', ACME.replace('slots: 251', 'slots: 509'));
  const { loaded, parsed } = await start();
  expect(parsed).toEqual(['acme.yaml']);
  expect(loaded.tenants[0]!.value.pools[0]!.slots).toBe(509);
  expect((await start()).parsed).toEqual([]);
});

it('what another version noted is not used, but replaced', async () => {
  expect((await start('1.0.1')).parsed).toEqual(['acme.yaml', 'b.yaml']);
  expect((await start('1.0.1')).parsed).toEqual([]);
  expect((await start('1.0.0')).parsed).toEqual(['acme.yaml', 'b.yaml']);
});

it.each<[string, (content: string) => string]>([
  ['is empty', () => ''],
  ['is cut off', (content) => content.slice(0, -20)],
  ['has a changed value', (content) => content.replace('"slots":251', '"slots":252')],
  ['is of another form', (content) => content.replace('hpnn-parsed-1', 'hpnn-parsed-0')],
  ['is that of another tenant', () => readFileSync(record('b'), 'utf8')],
  ['is rubbish', () => '\n\n{}'],
])('a record that %s counts for nothing', async (_, damage) => {
  writeFileSync(record('acme'), damage(readFileSync(record('acme'), 'utf8')));
  const { loaded, parsed } = await start();
  expect(parsed).toEqual(['acme.yaml']);
  expect(loaded.tenants[0]!.value.pools[0]!.slots).toBe(251);
  expect((await start()).parsed).toEqual([]);
});

it('places are found where a problem needs them', async () => {
  made.write('tenants.d/a.yaml', B.replace('tenant: b', 'tenant: a'));
  made.write('tenants.d/b.yaml', B);
  const { loaded, parsed } = await start();
  expect(messages(loaded)).toEqual([
    expect.stringContaining(
      'tenants.d/a.yaml:2:56 segments[0].ports[0]: v-b is already a port of tenant "b"',
    ),
  ]);
  expect(parsed).not.toContain('acme.yaml');
});

it('a tenant that is gone takes its record with it', async () => {
  made.remove('tenants.d/b.yaml');
  await start();
  expect(readdirSync(state).sort()).toEqual(['acme.parsed', 'acme.yaml']);
});

it('what JSON cannot say exactly is not noted', async () => {
  const note = (data: unknown) => writeRecord(state, 'x.yaml', { version: '1', text: 'x', data });
  const noted = async () => (await readRecords(state, ['x.yaml'], '1')).get('x.yaml')?.dataOf('x');
  await note({ a: [1, 'two', null] });
  expect(await noted()).toEqual({ a: [1, 'two', null] });
  for (const data of [{ a: -0 }, { a: Number.NaN }, { a: undefined }, undefined]) {
    await note(data);
    expect(await noted()).toBeUndefined();
  }
});
