import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { LastGood, loadConfig } from '../../../src/model/index.js';
import { ACME, NODE } from '../../golden/model/wrong-configs.js';
import { configDir } from './config-dir.js';

let made: ReturnType<typeof configDir>;
let state: string;
beforeEach(() => {
  made = configDir({ 'node.yaml': NODE, 'tenants.d/acme.yaml': ACME, 'tenants.d/b.yaml': 'tenant: b\n' });
  state = join(mkdtempSync(join(tmpdir(), 'hpnn-last-good-')), 'tenants');
});
afterEach(() => {
  made[Symbol.dispose]();
  rmSync(state, { recursive: true, force: true });
});

const names = (loaded: { tenants: readonly { name: string }[] }) => loaded.tenants.map((t) => t.name);
/** What an agent does that starts now. */
const start = async () => {
  const lastGood = await LastGood.open(state, '1.0.0');
  const loaded = await lastGood.fallBack(await loadConfig(made.dir));
  await lastGood.save(loaded, loaded.kept);
  return loaded;
};

it('a start with a wrong file runs its tenant as it was, start after start, until the file is right', async () => {
  await start();
  made.write('tenants.d/acme.yaml', `${ACME}nonsense: 1\n`);
  for (let i = 0; i < 2; i++) {
    const loaded = await start();
    expect([names(loaded), loaded.kept]).toEqual([['acme', 'b'], ['acme']]);
    expect(loaded.problems.map((p) => p.path)).toEqual(['nonsense']);
  }
  made.write('tenants.d/acme.yaml', ACME.replace('id: 7', 'id: 8'));
  const loaded = await start();
  expect([loaded.kept, loaded.tenants[0]!.value.id]).toEqual([[], 8]);
});

it('a directory that cannot be listed removes nobody', async () => {
  await start();
  rmSync(join(made.dir, 'tenants.d'), { recursive: true });
  expect(names(await start())).toEqual(['acme', 'b']);
});

it('who is gone is forgotten, also at a start at which another file is wrong', async () => {
  await start();
  made.remove('tenants.d/b.yaml');
  made.write('tenants.d/acme.yaml', ': [');
  expect(names(await start())).toEqual(['acme']);
  expect(readdirSync(state)).toEqual(['acme.parsed', 'acme.yaml']);
});

it('what was written down and is damaged counts for nothing', async () => {
  await start();
  writeFileSync(join(state, 'acme.yaml'), 'tenant: [');
  made.write('tenants.d/acme.yaml', ': [');
  expect(names(await start())).toEqual(['b']);
});
