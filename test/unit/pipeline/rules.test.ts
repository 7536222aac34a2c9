import { describe, expect, it } from 'vitest';
import { F } from '../../../src/nx-extensions/fields.js';
import type { MatchField } from '../../../src/ofp/types/field.js';
import { isOurGroup, isOurMeter } from '../../../src/pipeline/ids.js';
import {
  cookieOf,
  KIND,
  LEARNED_KIND_BIT,
  type OwnerState,
  ownerOfCookie,
  REG,
  TABLES,
} from '../../../src/pipeline/index.js';
import { allocate, reg } from '../../../src/pipeline/registers.js';
import { m, OwnerRules, TENANT_SCOPED } from '../../../src/pipeline/rules.js';
import { flowKey } from '../../../src/sync/owner-entry.js';
import { FEATURES, renderFeature } from '../../golden/pipeline/features.js';

describe('cookies', () => {
  it('say whose a flow is', () => {
    const owner = { tenant: 65535, kind: KIND.endpoint, object: 0xffffff };
    expect(cookieOf(owner)).toBe(0xffff06ffffff4c42n);
    expect(ownerOfCookie(cookieOf(owner))).toEqual(owner);
  });

  it('of others are nobody’s', () => {
    expect(ownerOfCookie(0n)).toBeUndefined();
    expect(ownerOfCookie(0x0001_ff00_0000_4c42n)).toBeUndefined();
    expect(ownerOfCookie(0x0001_0600_0001_4c43n)).toBeUndefined();
  });

  it('of learned flows have a bit that no other has', () => {
    for (const [name, kind] of Object.entries(KIND)) {
      const learned = (cookieOf({ tenant: 1, kind, object: 1 }) & LEARNED_KIND_BIT) !== 0n;
      expect(learned, name).toBe(name.startsWith('learned'));
    }
  });

  it('refuse what does not fit', () => {
    expect(() => cookieOf({ tenant: 65536, kind: KIND.pool, object: 1 })).toThrow(RangeError);
    expect(() => cookieOf({ tenant: 1, kind: KIND.pool, object: 1 << 24 })).toThrow(RangeError);
  });
});

describe('registers', () => {
  it('cannot overlap', () => {
    const a = { name: 'a', field: F.reg9, ofs: 0, nBits: 16, about: '' };
    expect(() => allocate({ a, b: { ...a, name: 'b', ofs: 15, nBits: 2 } })).toThrow('b overlaps a in reg9');
    expect(() => allocate({ a: { ...a, ofs: 20 } })).toThrow('does not fit');
    expect(allocate({ a, b: { ...a, name: 'b', ofs: 16 } })).toBeDefined();
  });

  it('refuse values with more bits', () => {
    expect(() => reg(REG.listener, 65536)).toThrow(RangeError);
    expect(reg(REG.external, 1)).toEqual(m(F.reg5, 0x20000, 0x20000));
    expect(reg(REG.tunnel, 1)).toEqual(m(F.metadata, 0x2000n, 0x2000n));
  });
});

describe('rules', () => {
  const rules = () => new OwnerRules({ tenant: 7, kind: KIND.tenant, object: 0 });

  it.each([F.nw_dst, F.dl_src, F.arp_tpa, F.ct_nw_dst])(
    'for all tenants cannot match an address: %o',
    (field) => {
      expect(() => rules().node(TABLES.routes, 1, [m(field, field.nBits > 32 ? 1n : 1)])).toThrow(
        'without a tenant',
      );
      expect(() => rules().pool(TABLES.slots, 1, 1, [m(field, field.nBits > 32 ? 1n : 1)])).toThrow(
        'without a tenant',
      );
    },
  );

  it('have one match for the parts of a register', () => {
    const r = rules();
    r.tenant(TABLES.listener, 1, [reg(REG.listener, 5), reg(REG.byHeader, 1)]);
    expect(r.state().flows[0]!.match).toEqual([m(F.reg3, 7), m(F.reg5, 0x10005, 0x1ffff)]);
    expect(() => r.tenant(TABLES.listener, 1, [m(F.nw_proto, 6), m(F.nw_proto, 17)])).toThrow('twice');
  });
});

describe.each(Object.entries(FEATURES))('%s', (_, feature) => {
  const states = renderFeature(feature);
  const flows = states.flatMap((s) => s.flows);

  it('matches no address beyond table 0 without a tenant', () => {
    for (const { table, match } of flows) {
      const fields = (match as readonly MatchField[]).map((f) => f.field);
      if (table > 0 && fields.some((f) => TENANT_SCOPED.has(f))) expect(fields).toContain(F.reg3);
    }
  });

  it('has no rule, group or meter twice', () => {
    expect(new Set(flows.map(flowKey)).size).toBe(flows.length);
    const ids = (of: (s: OwnerState) => number[]) => states.flatMap(of);
    const groups = ids((s) => s.groups.map((g) => g.groupId));
    const meters = ids((s) => s.meters.map((x) => x.meterId));
    expect(new Set(groups).size).toBe(groups.length);
    expect(new Set(meters).size).toBe(meters.length);
    expect(groups.every(isOurGroup) && meters.every(isOurMeter)).toBe(true);
  });

  it('refers to nothing that is not there', () => {
    const groups = new Set(states.flatMap((s) => s.groups.map((g) => g.groupId)));
    const meters = new Set(states.flatMap((s) => s.meters.map((x) => x.meterId)));
    const numbers = new Set<number>(Object.values(TABLES).map((t) => t.number));
    for (const { instructions, table } of flows)
      for (const i of instructions) {
        if (i.type === 'meter') expect(meters).toContain(i.meterId);
        if (i.type === 'goto_table') {
          expect(numbers).toContain(i.table);
          expect(i.table).toBeGreaterThan(table);
        }
        if (i.type !== 'apply_actions') continue;
        for (const a of i.actions) {
          if (a.type === 'group') expect(groups).toContain(a.groupId);
          if (a.type === 'controller2') expect(meters).toContain(a.meterId);
          if (a.type === 'resubmit_table' || a.type === 'ct' || a.type === 'learn2')
            expect(numbers).toContain(a.table);
        }
      }
  });

  it('makes all flows of an owner with its cookie', () => {
    for (const s of states) for (const f of s.flows) expect(ownerOfCookie(f.cookie)).toEqual(s.owner);
  });
});
