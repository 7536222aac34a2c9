import { chmodSync, mkdirSync, renameSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { loadConfig } from '../../../src/model/index.js';
import { ACME, NODE } from '../../golden/model/wrong-configs.js';
import { configDir, messages } from './config-dir.js';

const names = (config: { tenants: readonly { name: string }[] }): string[] =>
  config.tenants.map((t) => t.name);
const other = (name: string, port: string): string =>
  `tenant: ${name}\nsegments:\n  - name: s\n    subnets: [10.20.0.0/24]\n    ports: [{ name: ${port} }]\n`;
const GOOD = { 'node.yaml': NODE, 'tenants.d/acme.yaml': ACME, 'tenants.d/b.yaml': other('b', 'v-b') };

afterEach(() => {
  vi.useRealTimers();
});

describe('loading', () => {
  it('applies the others where one file is wrong', async () => {
    using made = configDir({
      ...GOOD,
      'tenants.d/a.yaml': 'tenant: [',
      'tenants.d/c.yaml': 'tenant: c\nsegmets: []\n',
    });
    const config = await loadConfig(made.dir);
    expect(names(config)).toEqual(['acme', 'b']);
    expect(config.refused.map((f) => f.slice(-6))).toEqual(['a.yaml', 'c.yaml']);
    expect(messages(config).filter((m) => m.includes('c.yaml'))).toEqual([
      'tenants.d/c.yaml:2:1 segmets: unknown key; did you mean "segments"?',
    ]);
  });

  it('keeps a running tenant as it was while its file is wrong', async () => {
    using made = configDir(GOOD);
    const first = await loadConfig(made.dir);
    made.write('tenants.d/acme.yaml', ACME.replace('slots: 251', 'slots: 0'));
    const second = await loadConfig(made.dir, { previous: first });
    expect(names(second)).toEqual(['acme', 'b']);
    expect(second.kept).toEqual(['acme']);
    expect(second.tenants[0]!.value.pools[0]!.slots).toBe(251);
    made.write('tenants.d/acme.yaml', ACME.replace('slots: 251', 'slots: 509'));
    const third = await loadConfig(made.dir, { previous: second });
    expect(third.kept).toEqual([]);
    expect(third.tenants[0]!.value.pools[0]!.slots).toBe(509);
  });

  it('removes a tenant with its file, but none while the directory cannot be seen', async () => {
    using made = configDir(GOOD);
    const first = await loadConfig(made.dir);
    renameSync(join(made.dir, 'tenants.d'), join(made.dir, 'away'));
    const blind = await loadConfig(made.dir, { previous: first });
    expect(names(blind)).toEqual(['acme', 'b']);
    expect(messages(blind)[0]).toContain("tenants.d:1:1: can't be listed");
    renameSync(join(made.dir, 'away'), join(made.dir, 'tenants.d'));
    made.remove('tenants.d/b.yaml');
    expect(names(await loadConfig(made.dir, { previous: blind }))).toEqual(['acme']);
  });

  it('keeps node.yaml as it was while it is wrong', async () => {
    using made = configDir(GOOD);
    const first = await loadConfig(made.dir);
    made.write('node.yaml', 'node: [');
    const second = await loadConfig(made.dir, { previous: first });
    expect(second.node?.bridge).toBe('br-lb');
    expect(second.problems.length).toBeGreaterThan(0);
  });

  it('says which file is missing', async () => {
    using made = configDir({});
    const config = await loadConfig(made.dir);
    expect(config.node).toBeUndefined();
    expect(messages(config)).toEqual(["node.yaml:1:1: can't be read: there is no such file or directory"]);
  });

  it('does not parse an unchanged file again', async () => {
    using made = configDir(GOOD);
    const first = await loadConfig(made.dir);
    made.write('tenants.d/b.yaml', other('b', 'v-b2'));
    const second = await loadConfig(made.dir, { previous: first });
    expect(second.tenants[0]).toBe(first.tenants[0]);
    expect(second.tenants[1]).not.toBe(first.tenants[1]);
  });

  it('sees a change that leaves size and time as they were', async () => {
    using made = configDir(GOOD);
    // As if the files had been there for long: then they aren't opened again.
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 60_000 });
    const first = await loadConfig(made.dir);
    expect((await loadConfig(made.dir, { previous: first })).tenants[1]).toBe(first.tenants[1]);
    const file = join(made.dir, 'tenants.d/b.yaml');
    const { atime, mtime } = statSync(file);
    made.write('tenants.d/b.yaml', other('b', 'v-c'));
    utimesSync(file, atime, mtime);
    const second = await loadConfig(made.dir, { previous: first });
    expect(second.tenants[1]!.value.segments[0]!.ports[0]!.name).toBe('v-c');
  });

  it('warns of files it ignores, and passes over hidden ones', async () => {
    using made = configDir({
      ...GOOD,
      'tenants.d/x.yml': 'tenant: x',
      'tenants.d/.y.yaml': '[',
      'tenants.d/z.yaml~': '[',
    });
    expect(messages(await loadConfig(made.dir))).toEqual([
      'tenants.d/x.yml:1:1: warning: is ignored; the name of a tenant file ends in .yaml',
    ]);
  });

  it('reads no directory for a file', async () => {
    using made = configDir(GOOD);
    mkdirSync(join(made.dir, 'tenants.d/dir.yaml'));
    const config = await loadConfig(made.dir);
    expect(messages(config)).toEqual(["tenants.d/dir.yaml:1:1: can't be read: it is a directory"]);
    rmSync(join(made.dir, 'tenants.d/dir.yaml'), { recursive: true });
    chmodSync(made.dir, 0o755);
    writeFileSync(join(made.dir, 'README'), 'is not configuration');
    expect(messages(await loadConfig(made.dir))).toEqual([]);
  });
});

describe('conflicts between tenants', () => {
  it('are decided for the one that runs, even against a file that sorts first', async () => {
    using made = configDir(GOOD);
    const first = await loadConfig(made.dir);
    made.write('tenants.d/aaa.yaml', other('aaa', 'v-b'));
    const second = await loadConfig(made.dir, { previous: first });
    expect(names(second)).toEqual(['acme', 'b']);
    expect(messages(second)).toEqual([
      'tenants.d/aaa.yaml:5:13 segments[0].ports[0]: v-b is already a port of tenant "b", segment "s"; a port belongs to one segment only',
    ]);
  });

  it('see what a kept tenant still holds', async () => {
    using made = configDir(GOOD);
    const first = await loadConfig(made.dir);
    made.write('tenants.d/b.yaml', 'tenant: [');
    made.write('tenants.d/c.yaml', other('c', 'v-b'));
    const second = await loadConfig(made.dir, { previous: first });
    expect(names(second)).toEqual(['acme', 'b']);
    expect(second.kept).toEqual(['b']);
    expect(second.refused).toEqual([join(made.dir, 'tenants.d/c.yaml')]);
  });

  it('let a port move from one running tenant to another in one step', async () => {
    using made = configDir({ ...GOOD, 'tenants.d/c.yaml': other('c', 'v-c') });
    const first = await loadConfig(made.dir);
    made.write('tenants.d/b.yaml', other('b', 'v-c'));
    made.write('tenants.d/c.yaml', other('c', 'v-b'));
    const second = await loadConfig(made.dir, { previous: first });
    expect(messages(second)).toEqual([]);
    expect(second.tenants[1]!.value.segments[0]!.ports[0]!.name).toBe('v-c');
  });

  it('refuse a move from a tenant that has to stay as it was', async () => {
    using made = configDir({ ...GOOD, 'tenants.d/c.yaml': other('c', 'v-c') });
    const first = await loadConfig(made.dir);
    made.write('tenants.d/b.yaml', other('b', 'v-c'));
    made.write('tenants.d/c.yaml', `${other('c', 'v-b')}id: 7\n`);
    const second = await loadConfig(made.dir, { previous: first });
    expect(second.kept).toEqual(['b', 'c']);
    expect(messages(second)).toHaveLength(2);
  });

  it('find the same name in two files, and the same public VIP', async () => {
    const lb = (vip: string): string =>
      `load_balancers:\n  - { name: l, vip_address: ${vip}, external_network: public }\n`;
    using made = configDir({
      'node.yaml': NODE,
      'tenants.d/a.yaml': `tenant: a\n${lb('192.168.5.9')}`,
      'tenants.d/b.yaml': `tenant: b\n${lb('192.168.5.9')}`,
      'tenants.d/c.yaml': 'tenant: a\n',
      'tenants.d/d.yaml': `tenant: d\n${lb('192.168.5.1')}`,
      'tenants.d/e.yaml': `tenant: e\n${lb('192.168.6.1')}`,
    });
    const found = messages(await loadConfig(made.dir));
    expect(found).toEqual([
      'tenants.d/b.yaml:3:29 load_balancers[0].vip_address: 192.168.5.9 in external network "public" belongs to tenant "a", load balancer "l"; public VIPs are unique',
      expect.stringContaining('tenants.d/c.yaml:1:9 tenant: tenant "a" is already described in'),
      `tenants.d/d.yaml:3:29 load_balancers[0].vip_address: 192.168.5.1 is the node's own address in external network "public"; a VIP needs an address of its own`,
      'tenants.d/e.yaml:3:29 load_balancers[0].vip_address: 192.168.6.1 is no host address of 192.168.5.0/24, the subnets of external network "public"',
    ]);
  });
});
