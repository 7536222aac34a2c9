import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { TenantIntent } from '../../../src/model/types.js';
import {
  type Facts,
  KIND,
  type OwnerState,
  renderNeighbours,
  renderPool,
  renderSegment,
  renderTenant,
} from '../../../src/pipeline/index.js';
import { flowKey } from '../../../src/sync/owner-entry.js';
import {
  facts,
  ip,
  listener,
  mac,
  member,
  NO_PROVIDER,
  pool,
  port,
  segment,
  tenant,
} from '../../golden/pipeline/intents.js';

const PORTS = { p0: 1, p1: 2, p2: 3, p3: 4, trunk: 5 };

/** Tenants of any shape that the model would let through. */
const tenants: fc.Arbitrary<TenantIntent> = fc
  .record({
    segments: fc.integer({ min: 1, max: 3 }),
    pools: fc.array(
      fc.record({
        members: fc.uniqueArray(fc.integer({ min: 4, max: 90 }), { minLength: 0, maxLength: 5 }),
        slots: fc.constantFrom(20, 23, 31),
        sticky: fc.boolean(),
      }),
      { maxLength: 4 },
    ),
    listeners: fc.uniqueArray(
      fc.record({
        pool: fc.option(fc.nat(3), { nil: undefined }),
        protocol: fc.constantFrom('TCP' as const, 'UDP' as const),
        port: fc.constantFrom(53, 80, 443),
        vip: fc.constantFrom(100, 101),
        up: fc.boolean(),
      }),
      { maxLength: 6, selector: (l) => `${l.protocol}/${l.port}/${l.vip}` },
    ),
  })
  .map((shape) => {
    // Two ports of one address now and then.
    const endpoint = (n: number) =>
      member(n, `10.${(n >> 1) % shape.segments}.0.${n >> 1}:${8080 + (n & 1)}`);
    const pools = shape.pools.map((p, i) =>
      pool(i + 1, p.members.map(endpoint), {
        slots: p.slots,
        sessionPersistence: p.sticky ? 'SOURCE_IP' : 'NONE',
      }),
    );
    return tenant(7, {
      segments: Array.from({ length: shape.segments }, (_, i) =>
        segment(i + 1, `10.${i}.0.0/24`, [`p${i}`, port('trunk', { vlan: 100 + i })]),
      ),
      pools,
      listeners: shape.listeners.map((l, i) =>
        listener(i + 1, `10.0.0.${l.vip}:${l.port}`, 1, {
          protocol: l.protocol,
          adminStateUp: l.up,
          ...(l.pool !== undefined && l.pool < pools.length && { poolId: l.pool + 1 }),
        }),
      ),
    });
  });

const plain = (states: readonly OwnerState[]) =>
  new Map(
    states.map((s) => [
      `${s.owner.kind}/${s.owner.object}`,
      JSON.stringify(s, (key, v) => (typeof v === 'bigint' ? `${v}n` : key === 'field' ? v.name : v)),
    ]),
  );

/** Replaces owners of a full render by what an incremental one gave. */
function patch(states: readonly OwnerState[], changed: readonly OwnerState[]): Map<string, string> {
  const result = plain(states);
  for (const [key, state] of plain(changed)) {
    expect(result.has(key)).toBe(true);
    result.set(key, state);
  }
  return result;
}

describe('incremental = full', () => {
  it('when who serves changes', () => {
    fc.assert(
      fc.property(tenants, fc.func(fc.boolean()), (t, serves) => {
        const before = facts(PORTS, [t]);
        const serving = new Map(
          t.pools.map((p) => [p.id, new Set(p.members.map((m) => m.endpointId).filter((e) => serves(e)))]),
        );
        const changed = t.pools.map((p) => renderPool(t, p, serving.get(p.id)!));
        expect(patch(renderTenant(t, before, NO_PROVIDER), changed)).toEqual(
          plain(renderTenant(t, { ...before, serving }, NO_PROVIDER)),
        );
      }),
      { numRuns: 60 },
    );
  });

  it('when ports and neighbours change', () => {
    fc.assert(
      fc.property(tenants, fc.subarray(Object.entries(PORTS)), fc.nat(250), (t, ports, host) => {
        const before = facts(PORTS, [t]);
        const resolved = [{ address: ip('10.0.0.0') + host, mac: mac('02:00:00:00:00:01'), ofport: 1 }];
        const after: Facts = { ...before, ports: new Map(ports), neighbours: new Map([['7/1', resolved]]) };
        const changed = [
          ...t.segments.map((s) => renderSegment(t, s, after)),
          renderNeighbours(7, t.segments[0]!, resolved),
        ];
        expect(patch(renderTenant(t, before, NO_PROVIDER), changed)).toEqual(
          plain(renderTenant(t, after, NO_PROVIDER)),
        );
      }),
      { numRuns: 60 },
    );
  });
});

describe('a rendered tenant', () => {
  it('has each rule once, and each owner once', () => {
    fc.assert(
      fc.property(tenants, (t) => {
        const states = renderTenant(t, facts(PORTS, [t]), NO_PROVIDER);
        const keys = states.flatMap((s) => s.flows.map(flowKey));
        expect(new Set(keys).size).toBe(keys.length);
        expect(plain(states).size).toBe(states.length);
      }),
      { numRuns: 100 },
    );
  });

  it('is the same whatever the order of configuration', () => {
    fc.assert(
      fc.property(tenants, (t) => {
        const reversed: TenantIntent = {
          ...t,
          listeners: [...t.listeners].reverse(),
          pools: [...t.pools].reverse().map((p) => ({ ...p, members: [...p.members].reverse() })),
          segments: [...t.segments].reverse(),
        };
        const sorted = (x: TenantIntent) =>
          new Map(
            renderTenant(x, facts(PORTS, [x]), NO_PROVIDER).map((s) => [
              `${s.owner.kind}/${s.owner.object}`,
              s.flows
                .map(
                  (f) =>
                    `${flowKey(f)} ${JSON.stringify(f.instructions, (k, v) => (typeof v === 'bigint' ? `${v}` : k === 'field' ? v.name : v))}`,
                )
                .sort(),
            ]),
          );
        expect(sorted(reversed)).toEqual(sorted(t));
      }),
      { numRuns: 60 },
    );
  });

  it('keeps its members of pools apart from what moves: no other owner has slots', () => {
    fc.assert(
      fc.property(tenants, (t) => {
        for (const s of renderTenant(t, facts(PORTS, [t]), NO_PROVIDER))
          expect(s.flows.some((f) => f.table === 11)).toBe(s.owner.kind === KIND.pool);
      }),
    );
  });
});
