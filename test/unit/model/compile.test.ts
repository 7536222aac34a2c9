import { describe, expect, it } from 'vitest';
import {
  compile,
  formatIpv4,
  formatMac,
  IdAllocator,
  loadConfig,
  PROVIDER_NAME,
} from '../../../src/model/index.js';
import { ACME, NODE } from '../../golden/model/wrong-configs.js';
import { configDir } from './config-dir.js';

async function compiled(files: Record<string, string>, ids = IdAllocator.inMemory()) {
  using made = configDir({ 'node.yaml': NODE, ...files });
  const config = await loadConfig(made.dir);
  expect(config.problems.filter((p) => p.severity === 'error')).toEqual([]);
  return compile(config, ids);
}

describe('compile', () => {
  it('fills in defaults', async () => {
    const acme = (await compiled({ 'tenants.d/acme.yaml': ACME })).tenants.get('acme')!;
    const [segment] = acme.segments;
    expect(formatIpv4(segment!.subnets[0]!.gateway)).toBe('10.20.0.1');
    expect(formatIpv4(segment!.probeAddress)).toBe('10.20.0.1');
    expect(acme.pools[0]!.monitor).toMatchObject({
      delayMs: 2000,
      timeoutMs: 1000,
      httpMethod: 'GET',
      httpVersion: '1.1',
      expectedCodes: [[200, 200]],
      tcpClose: 'rst',
    });
    expect(acme.listeners[0]).toMatchObject({
      id: 1,
      poolId: acme.pools[0]!.id,
      at: { kind: 'segment', segmentId: segment!.id },
      mode: 'stateful',
    });
  });

  it('bounds what a segment may learn', async () => {
    const text = ACME.replace('    ports:', '    limits: { macs: 20 }\n    ports:');
    const { tenants, provider } = await compiled({ 'tenants.d/acme.yaml': text });
    expect(tenants.get('acme')!.segments[0]!.learning).toEqual({ macs: 20, adjacencies: 4096 });
    expect(provider.networks[0]!.learning).toEqual({ macs: 0, adjacencies: 4096 });
  });

  it('derives a MAC that depends on the names alone', async () => {
    const one = (await compiled({ 'tenants.d/acme.yaml': ACME })).tenants.get('acme')!.segments[0]!.mac;
    const two = (await compiled({ 'tenants.d/z.yaml': 'tenant: z\n', 'tenants.d/x.yaml': ACME })).tenants.get(
      'acme',
    )!.segments[0]!.mac;
    expect(two).toBe(one);
    expect(formatMac(one)).toMatch(/^.[26ae]:/);
    const other = (
      await compiled({ 'tenants.d/b.yaml': ACME.replace('tenant: acme', 'tenant: b') })
    ).tenants.get('b')!;
    expect(other.segments[0]!.mac).not.toBe(one);
  });

  it('puts public VIPs into segments of the provider', async () => {
    const text = ACME.replace(
      'vip_address: 10.20.0.100\n    segment: p2',
      'vip_address: 192.168.5.100\n    external_network: public',
    );
    const ids = IdAllocator.inMemory();
    const result = await compiled({ 'tenants.d/acme.yaml': text }, ids);
    const network = result.provider.networks[0]!;
    expect(result.tenants.get('acme')!.listeners[0]!.at).toEqual({ kind: 'external', segmentId: network.id });
    expect(formatIpv4(network.probeAddress)).toBe('192.168.5.1');
    expect(formatIpv4(network.externalGateway!)).toBe('192.168.5.254');
    expect(ids.nameOf(`segment/${PROVIDER_NAME}`, network.id)).toBe('public');
  });

  it('shares endpoints between pools', async () => {
    const text = `${ACME}  - name: second\n    members: [{ name: x, address: 10.20.0.3, protocol_port: 8080 }]\n`;
    const pools = (await compiled({ 'tenants.d/acme.yaml': text })).tenants.get('acme')!.pools;
    expect(pools[1]!.members[0]!.endpointId).toBe(pools[0]!.members[1]!.endpointId);
    expect(pools[1]!.id).not.toBe(pools[0]!.id);
  });

  it('gives written ids first', async () => {
    const result = await compiled({
      'tenants.d/a.yaml': 'tenant: a\n',
      'tenants.d/b.yaml': 'tenant: b\nid: 1\n',
    });
    expect([...result.tenants.values()].map((t) => [t.name, t.id]).sort()).toEqual([
      ['a', 2],
      ['b', 1],
    ]);
  });

  it('lets a renamed tenant wait until nothing of the old one remains', async () => {
    const ids = IdAllocator.inMemory();
    await compiled({ 'tenants.d/acme.yaml': ACME }, ids);
    const renamed = { 'tenants.d/acme.yaml': ACME.replace('tenant: acme', 'tenant: acme2') };
    await compiled({}, ids);
    const early = await compiled(renamed, ids);
    expect(early.waiting).toEqual([{ tenant: 'acme2', id: 7 }]);
    expect(early.problems[0]!.message).toContain('id 7 was that of tenant "acme"');
    ids.confirmFree('tenant', 7);
    expect((await compiled(renamed, ids)).tenants.get('acme2')!.id).toBe(7);
  });

  it('names what is no longer configured', async () => {
    const ids = IdAllocator.inMemory();
    await compiled({ 'tenants.d/acme.yaml': ACME }, ids);
    const smaller = ACME.replace(/ {6}- \{ name: be2.*\n/, '');
    expect((await compiled({ 'tenants.d/acme.yaml': smaller }, ids)).released).toEqual([
      { space: 'endpoint', id: 2, key: 'acme/10.20.0.3:8080' },
    ]);
  });

  it('reports a public VIP whose network has gone', async () => {
    const text = ACME.replace(
      'vip_address: 10.20.0.100\n    segment: p2',
      'vip_address: 192.168.5.100\n    external_network: public',
    );
    using made = configDir({ 'node.yaml': NODE, 'tenants.d/acme.yaml': text });
    const first = await loadConfig(made.dir);
    made.write('node.yaml', 'node: lb-1\n');
    const second = await loadConfig(made.dir, { previous: first });
    expect(second.kept).toEqual(['acme']);
    const result = await compile(second, IdAllocator.inMemory());
    expect(result.tenants.size).toBe(0);
    expect(result.problems[0]!.message).toContain('external network "public" is in node.yaml no more');
  });
});

describe('a change of one tenant', () => {
  it('leaves the intents of the others the same objects, and their ids in place', async () => {
    using made = configDir({
      'node.yaml': NODE,
      'tenants.d/acme.yaml': ACME,
      'tenants.d/b.yaml': 'tenant: b\n',
    });
    const ids = IdAllocator.inMemory();
    const first = await loadConfig(made.dir);
    const before = await compile(first, ids);
    made.write('tenants.d/b.yaml', 'tenant: b\npools: [{ name: p }]\n');
    const second = await loadConfig(made.dir, { previous: first });
    const planned = await compile(second, ids.fork());
    const after = await compile(second, ids);
    expect(after.tenants.get('acme')).toBe(before.tenants.get('acme'));
    expect(planned.tenants.get('acme')).toBe(before.tenants.get('acme'));
    expect(after.tenants.get('b')).not.toBe(before.tenants.get('b'));
    expect(after.released).toEqual([]);
    // Back to what was before: nothing that rests meanwhile may be handed out from memory.
    expect((await compile(first, ids)).released.map((r) => r.key)).toEqual(['b/p']);
    expect((await compile(second, ids)).tenants.get('b')!.pools[0]!.id).toBe(
      after.tenants.get('b')!.pools[0]!.id,
    );
    expect(ids.quarantined()).toEqual([]);
    made.remove('tenants.d/acme.yaml');
    const third = await compile(await loadConfig(made.dir, { previous: second }), ids);
    expect(third.released.map((r) => `${r.space} ${r.key}`).sort()).toEqual([
      'endpoint acme/10.20.0.2:8080',
      'endpoint acme/10.20.0.3:8080',
      'listener acme/web/http',
      'pool acme/web',
      'segment/acme p2',
      'tenant acme',
    ]);
  });
});
