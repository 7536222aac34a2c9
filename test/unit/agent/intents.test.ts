import { describe, expect, it } from 'vitest';
import { Intents } from '../../../src/agent/intents.js';
import { Loggers } from '../../../src/agent/logging.js';
import { IdAllocator } from '../../../src/model/index.js';
import { ACME, NODE } from '../../golden/model/wrong-configs.js';
import { configDir } from '../model/config-dir.js';

const log = new Loggers('silent').get('config');
const PUBLIC = ACME.replace(
  'vip_address: 10.20.0.100\n    segment: p2',
  'vip_address: 192.168.5.100\n    external_network: public',
);

async function intents(files: Record<string, string>) {
  const made = configDir({ 'node.yaml': NODE, ...files });
  const ids = IdAllocator.inMemory();
  const all = new Intents(made.dir, ids, log);
  return { made, ids, all, first: await all.reload(), [Symbol.dispose]: () => made[Symbol.dispose]() };
}

describe('a reload', () => {
  it('tells what changed, came and went, and nothing the second time', async () => {
    using w = await intents({ 'tenants.d/acme.yaml': ACME, 'tenants.d/b.yaml': 'tenant: b\n' });
    expect(w.first.tenants.map((t) => t.name).sort()).toEqual(['acme', 'b']);
    expect(await w.all.reload()).toMatchObject({ tenants: [], removed: [], provider: false });
    w.made.write('tenants.d/b.yaml', 'tenant: b\npools: [{ name: p }]\n');
    w.made.remove('tenants.d/acme.yaml');
    const change = await w.all.reload();
    expect(change.tenants.map((t) => t.name)).toEqual(['b']);
    expect(change.removed.map((t) => t.name)).toEqual(['acme']);
  });

  it('counts for each tenant the reload that changed it', async () => {
    using w = await intents({ 'tenants.d/acme.yaml': ACME, 'tenants.d/b.yaml': 'tenant: b\n' });
    w.made.write('tenants.d/b.yaml', 'tenant: b\npools: [{ name: p }]\n');
    await w.all.reload();
    await w.all.reload();
    expect([w.all.generation, w.all.generationOf('acme'), w.all.generationOf('b')]).toEqual([3, 1, 2]);
    w.made.remove('tenants.d/b.yaml');
    await w.all.reload();
    expect(w.all.generationOf('b')).toBe(0);
  });

  it('leaves a tenant as it was whose new id is not free yet', async () => {
    using w = await intents({
      'tenants.d/acme.yaml': ACME,
      'tenants.d/b.yaml': 'tenant: b\nid: 9\n',
    });
    const running = w.all.tenants.get('acme');
    w.made.remove('tenants.d/b.yaml');
    w.made.write('tenants.d/acme.yaml', ACME.replace('id: 7', 'id: 9'));
    const change = await w.all.reload();
    expect(change.tenants).toEqual([]);
    expect(change.removed.map((t) => t.name)).toEqual(['b']);
    expect(w.all.tenants.get('acme')).toBe(running);
    expect(w.all.kept).toEqual(['acme']);
    expect(w.all.waiting).toEqual([{ tenant: 'acme', id: 9 }]);
    expect(w.all.problems.map((p) => p.message).join()).toContain('id 9 was that of tenant "b"');
    w.ids.confirmFree('tenant', 9);
    const later = await w.all.reload();
    expect(later.tenants.map((t) => t.id)).toEqual([9]);
    expect(later.removed.map((t) => t.id)).toEqual([7]);
    expect(w.all.kept).toEqual([]);
  });

  it('leaves a tenant as it was whose external network has gone', async () => {
    using w = await intents({ 'tenants.d/acme.yaml': PUBLIC });
    const running = w.all.tenants.get('acme');
    w.made.write('node.yaml', 'node: lb-1\n');
    const change = await w.all.reload();
    expect(change).toMatchObject({ tenants: [], removed: [], provider: true });
    expect(w.all.tenants.get('acme')).toBe(running);
    expect(w.all.kept).toContain('acme');
  });

  it('leaves a tenant as it was whose file is wrong, and keeps its ids', async () => {
    using w = await intents({ 'tenants.d/acme.yaml': ACME });
    w.made.write('tenants.d/acme.yaml', ACME.replace('slots: 251', 'slots: no'));
    expect(await w.all.reload()).toMatchObject({ tenants: [], removed: [] });
    expect(w.all.kept).toEqual(['acme']);
    expect(w.ids.quarantined()).toEqual([]);
  });
});

describe('a preview', () => {
  it('changes neither intents nor ids', async () => {
    using w = await intents({ 'tenants.d/acme.yaml': ACME });
    w.made.write('tenants.d/b.yaml', 'tenant: b\n');
    const { compiled } = await w.all.preview();
    expect([...compiled.tenants.keys()].sort()).toEqual(['acme', 'b']);
    expect([...w.all.tenants.keys()]).toEqual(['acme']);
    expect(w.ids.find('tenant', 'b')).toBeUndefined();
  });
});
