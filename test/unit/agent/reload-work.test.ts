import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, vi } from 'vitest';
import { Intents } from '../../../src/agent/intents.js';
import { Loggers } from '../../../src/agent/logging.js';
import { IdAllocator, LastGood } from '../../../src/model/index.js';
import { NODE } from '../../golden/model/wrong-configs.js';
import { configDir } from '../model/config-dir.js';

/** Calls by name, of the real functions. */
const { counts, counting } = vi.hoisted(() => {
  const counts = new Map<string, number>();
  const counting = <F extends (...args: never[]) => unknown>(name: string, fn: F): F =>
    function (this: unknown, ...args: Parameters<F>) {
      counts.set(name, (counts.get(name) ?? 0) + 1);
      return fn.apply(this, args);
    } as F;
  return { counts, counting };
});

vi.mock('node:fs/promises', async (original) => {
  const real = await original<typeof import('node:fs/promises')>();
  return { ...real, readFile: counting('read', real.readFile), open: counting('open', real.open) };
});
vi.mock('../../../src/model/source.js', async (original) => {
  const real = await original<typeof import('../../../src/model/source.js')>();
  return { ...real, parseSource: counting('parse', real.parseSource) };
});
vi.mock('node:util', async (original) => {
  const real = await original<typeof import('node:util')>();
  return { ...real, isDeepStrictEqual: counting('compare', real.isDeepStrictEqual) };
});
vi.mock('../../../src/model/check-across.js', async (original) => {
  const real = await original<typeof import('../../../src/model/check-across.js')>();
  real.Admission.prototype.admit = counting('admit', real.Admission.prototype.admit);
  return real;
});

const TENANTS = 40;
const text = (i: number, vlan: number): string =>
  `tenant: t${i}\nsegments: [{ name: s, subnets: [10.20.0.0/24], ports: [{ name: trunk, vlan: ${vlan} }] }]\n`;

it('a reload does the work of the one file that changed, also beside one that is wrong', async () => {
  const files = Array.from({ length: TENANTS }, (_, i) => [`tenants.d/t${i}.yaml`, text(i, 1 + i)] as const);
  using made = configDir({ 'node.yaml': NODE, ...Object.fromEntries(files), 'tenants.d/wrong.yaml': ': [' });
  const state = mkdtempSync(join(tmpdir(), 'hpnn-reload-work-'));
  // As if the files had been there for long: then they aren't opened again.
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 60_000 });
  try {
    const lastGood = await LastGood.open(join(state, 'tenants'), '1.0.0');
    const intents = new Intents(made.dir, IdAllocator.inMemory(), new Loggers('silent').get('config'));
    await intents.reload();
    await intents.writeDown(lastGood);
    const work = async (change: () => void) => {
      change();
      counts.clear();
      const { tenants, removed } = await intents.reload();
      const seen = Object.fromEntries(counts);
      counts.clear();
      await intents.writeDown(lastGood);
      return {
        ...seen,
        changed: tenants.map((t) => t.name),
        removed: removed.length,
        written: counts.get('open'),
      };
    };

    const changed = work(() => made.write('tenants.d/t7.yaml', text(7, 1000)));
    // Compared: the tenant and the external networks. Opened to write: the file and its directory.
    expect(await changed).toEqual({
      read: 1,
      parse: 1,
      admit: 1,
      compare: 2,
      changed: ['t7'],
      removed: 0,
      written: 2,
    });
    const added = work(() => made.write('tenants.d/new.yaml', 'tenant: new\n'));
    expect(await added).toMatchObject({
      read: 1,
      parse: 1,
      admit: 1,
      compare: 2,
      changed: ['new'],
      written: 2,
    });
    const gone = work(() => made.remove('tenants.d/t9.yaml'));
    expect(await gone).toEqual({ compare: 1, changed: [], removed: 1, written: undefined });
    const nothing = work(() => undefined);
    expect(await nothing).toEqual({ compare: 1, changed: [], removed: 0, written: undefined });
  } finally {
    vi.useRealTimers();
    rmSync(state, { recursive: true, force: true });
  }
});
