import fc from 'fast-check';
import { Desired } from '../../../src/agent/desired.js';
import { FactsStore } from '../../../src/agent/facts-store.js';
import type { ProviderIntent, TenantIntent } from '../../../src/model/types.js';
import { instructionsKey } from '../../../src/ofp/keys.js';
import {
  isOurGroup,
  isOurMeter,
  type ResolvedNeighbour,
  renderNode,
  renderTenant,
} from '../../../src/pipeline/index.js';
import { Synchronizer } from '../../../src/sync/index.js';
import { meterKey } from '../../../src/sync/mods.js';
import { flowKey, groupKey } from '../../../src/sync/owner-entry.js';
import type { MemorySwitch } from '../../fake-switch/connection.js';
import { FakeSwitch } from '../../fake-switch/fake-switch.js';
import type { Tables } from '../../fake-switch/tables.js';
import {
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
import { FakeClock } from '../../unit/packetio/fake-clock.js';

/** Something that happens to a node. */
export type Step =
  | { readonly type: 'tenant'; readonly id: number; readonly shape: Shape }
  | { readonly type: 'remove'; readonly id: number }
  | { readonly type: 'provider'; readonly networks: number }
  | { readonly type: 'port'; readonly name: string; readonly ofport: number | undefined }
  | { readonly type: 'serving'; readonly id: number; readonly pool: number; readonly mask: number }
  | {
      readonly type: 'neighbour';
      readonly id: number;
      readonly host: number;
      readonly mac: number | undefined;
    }
  | { readonly type: 'time'; readonly ms: number }
  | { readonly type: 'reconnect' };

/** Of a tenant; listeners are named, so that one may come back under another number. */
export interface Shape {
  readonly segments: number;
  readonly pools: readonly (readonly number[])[];
  readonly listeners: readonly {
    readonly number: number;
    readonly vip: number;
    readonly pool: number;
    readonly rate: boolean;
  }[];
  readonly bandwidth: boolean;
  readonly public: boolean;
}

const PORTS = ['p0', 'p1', 'p2', 'up'];
const TENANTS = [1, 2, 3];

export const shapes: fc.Arbitrary<Shape> = fc.record({
  segments: fc.integer({ min: 1, max: 2 }),
  pools: fc.array(fc.uniqueArray(fc.integer({ min: 2, max: 9 }), { maxLength: 3 }), { maxLength: 2 }),
  listeners: fc.uniqueArray(
    fc.record({
      number: fc.integer({ min: 1, max: 4 }),
      vip: fc.constantFrom(100, 101),
      pool: fc.nat(2),
      rate: fc.boolean(),
    }),
    { maxLength: 2, comparator: (a, b) => a.number === b.number || a.vip === b.vip },
  ),
  bandwidth: fc.boolean(),
  public: fc.boolean(),
});

const id = fc.constantFrom(...TENANTS);

export const steps: fc.Arbitrary<Step> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ type: fc.constant('tenant' as const), id, shape: shapes }) },
  { weight: 1, arbitrary: fc.record({ type: fc.constant('remove' as const), id }) },
  { weight: 1, arbitrary: fc.record({ type: fc.constant('provider' as const), networks: fc.nat(2) }) },
  {
    weight: 2,
    arbitrary: fc.record({
      type: fc.constant('port' as const),
      name: fc.constantFrom(...PORTS),
      ofport: fc.option(fc.integer({ min: 1, max: 5 }), { nil: undefined }),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({ type: fc.constant('serving' as const), id, pool: fc.nat(1), mask: fc.nat(7) }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      type: fc.constant('neighbour' as const),
      id,
      host: fc.integer({ min: 2, max: 4 }),
      mac: fc.option(fc.integer({ min: 1, max: 3 }), { nil: undefined }),
    }),
  },
  { weight: 3, arbitrary: fc.record({ type: fc.constant('time' as const), ms: fc.constantFrom(0, 5, 25) }) },
  { weight: 1, arbitrary: fc.record({ type: fc.constant('reconnect' as const) }) },
);

/** What is configured and found out: it outlives processes. */
export class Truth {
  readonly tenants = new Map<number, TenantIntent>();
  provider: ProviderIntent = NO_PROVIDER;
  readonly facts = new FactsStore();

  /** What the switch should hold, from scratch. */
  held(): string[] {
    const sw = new FakeSwitch();
    sw.install([
      ...renderNode(this.provider, this.facts),
      ...[...this.tenants.values()].flatMap((t) => renderTenant(t, this.facts, this.provider)),
    ]);
    return textOf(sw.tables);
  }
}

/** One process on the switch: what it doesn't know it has to read. */
export class Process {
  readonly clock = new FakeClock();
  readonly sync = new Synchronizer({
    clock: this.clock,
    log: { debug: () => undefined, info: () => undefined, warn: () => undefined },
    isOurGroup,
    isOurMeter,
    maxBundle: 40,
  });
  private readonly desired: Desired;

  constructor(
    private readonly far: MemorySwitch,
    private readonly truth: Truth,
  ) {
    this.desired = new Desired(this.sync, truth.facts);
    this.desired.setProvider(truth.provider);
    for (const t of truth.tenants.values()) this.desired.setTenant(t);
  }

  /** Reads back and sends the difference; whether the wire held. */
  async connect(): Promise<boolean> {
    const connection = this.far.connect();
    connection.onClose(() => this.sync.detach());
    try {
      await this.desired.renderAll();
      await this.sync.readBack(connection);
      await this.sync.resume();
    } catch (error) {
      if (connection.open) throw error;
    }
    await this.rest();
    return connection.open;
  }

  async step(step: Step): Promise<void> {
    const { truth, desired } = this;
    const { facts } = truth;
    switch (step.type) {
      case 'tenant': {
        const made = tenantOf(step.id, step.shape);
        truth.tenants.set(step.id, made);
        return desired.setTenant(made);
      }
      case 'remove': {
        const gone = truth.tenants.get(step.id);
        truth.tenants.delete(step.id);
        if (gone) desired.removeTenant(gone);
        return;
      }
      case 'provider':
        truth.provider = { networks: Array.from({ length: step.networks }, (_, n) => network(n + 1)) };
        desired.setProvider(truth.provider);
        for (const t of truth.tenants.values()) desired.setTenant(t);
        return;
      case 'port':
        return desired.portsChanged(facts.setPort(step.name, step.ofport));
      case 'serving': {
        const p = truth.tenants.get(step.id)?.pools[step.pool];
        if (!p) return;
        const who = p.members.filter((_, n) => step.mask & (1 << n)).map((m) => m.endpointId);
        if (facts.setServing(p.id, new Set(who))) desired.servingChanged(step.id, p.id);
        return;
      }
      case 'neighbour': {
        const address = ip('10.0.0.0') + step.host;
        const known: ResolvedNeighbour | undefined =
          step.mac === undefined
            ? undefined
            : { address, mac: mac(`02:00:00:00:00:0${step.mac}`), ofport: 1 };
        if (facts.setNeighbour(step.id, 1, address, known)) desired.neighboursChanged(step.id, 1);
        return;
      }
      case 'time':
        this.clock.advance(step.ms);
        return turns(4);
      case 'reconnect':
        this.sync.detach();
        await this.connect();
    }
  }

  /** Until nothing more is sent, whatever time that takes. */
  async settle(): Promise<void> {
    for (let n = 0; n < 200 && this.sync.summary().pending > 0; n++) {
      this.clock.advance(20);
      await this.rest();
    }
  }

  async rest(): Promise<void> {
    for (let was = -1; was !== this.far.asked.length; ) {
      was = this.far.asked.length;
      await turns(6);
    }
  }
}

/** Flows with their owners, groups and meters, as texts that are equal where the switch would treat them alike. */
export function textOf(tables: Tables): string[] {
  return [
    ...tables.flows().map((f) => `${f.cookie.toString(16)} ${flowKey(f)} ${instructionsKey(f.instructions)}`),
    ...[...tables.groups.values()].map((g) => `group ${g.groupId} ${groupKey(g)}`),
    ...[...tables.meters.values()].map((m) => `meter ${m.meterId} ${meterKey(m)}`),
  ].sort();
}

function tenantOf(t: number, shape: Shape): TenantIntent {
  const pools = shape.pools.map((hosts, n) =>
    pool(
      t * 10 + n,
      hosts.map((host) => member(t * 100 + host, `10.0.0.${host}:8080`)),
      { slots: 13 },
    ),
  );
  return tenant(t, {
    segments: Array.from({ length: shape.segments }, (_, n) =>
      segment(n + 1, `10.${n}.0.0/24`, [port(`p${n}`, { vlan: t }), port('p2', { vlan: 100 + 10 * t + n })]),
    ),
    pools,
    listeners: shape.listeners.map((l) =>
      listener(
        t * 10 + l.number,
        shape.public ? `192.168.5.${l.vip + 10 * t}:80` : `10.0.0.${l.vip}:80`,
        shape.public ? 'ext:1' : 1,
        {
          ...(pools[l.pool] ? { poolId: pools[l.pool]!.id } : {}),
          ...(l.rate ? { connectionRate: 100 } : {}),
        },
      ),
    ),
    ...(shape.bandwidth ? { bandwidth: 1_000_000 } : {}),
  });
}

function network(n: number) {
  return segment(n, `192.168.${4 + n}.0/24`, [port('up', { vlan: 4000 + n })], {
    externalGateway: ip(`192.168.${4 + n}.254`),
  });
}

export async function turns(n: number): Promise<void> {
  for (let i = 0; i < n; i++) await new Promise((resolve) => setImmediate(resolve));
}
