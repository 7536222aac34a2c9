import type { Filter, FlowKind } from '../../api/types.js';
import {
  egressOf,
  type ListenerIntent,
  type PoolIntent,
  PROVIDER_TENANT,
  type SegmentIntent,
  type TenantIntent,
} from '../../model/index.js';
import { groupSubject, KIND, type Kind, meterSubject, type Owner } from '../../pipeline/index.js';
import type { AgentParts } from '../parts.js';

/** How the provider's networks are called where a tenant's name stands. */
export const EXTERNAL = '(external)';

/** What people call an owner's kind: in rows, and in filters. */
export const KIND_WORDS = {
  node: KIND.node,
  tenant: KIND.tenant,
  segment: KIND.segment,
  listener: KIND.listener,
  pool: KIND.pool,
  member: KIND.endpoint,
  neighbours: KIND.neighbours,
  'learned-mac': KIND.learnedFdb,
  'learned-neighbour': KIND.learnedAdjacency,
  'learned-answer': KIND.learnedHairpin,
} as const satisfies Record<FlowKind, Kind>;

const WORD_OF_KIND = new Map<number, FlowKind>(
  Object.entries(KIND_WORDS).map(([word, kind]) => [kind, word as FlowKind]),
);

/** The intents that names are taken from. */
export type NamedIntents = Pick<AgentParts['intents'], 'tenants' | 'provider' | 'byId'>;
interface Named {
  readonly intents: NamedIntents;
}

/** Tenants that a filter leaves: those with the pool, where one is named. */
export function tenantsOf(parts: Named, filter: Filter): TenantIntent[] {
  return [...parts.intents.tenants.values()].filter(
    (tenant) =>
      (filter.tenant === undefined || tenant.name === filter.tenant) &&
      (filter.pool === undefined || tenant.pools.some((pool) => pool.name === filter.pool)),
  );
}

export function* poolsOf(
  parts: Named,
  filter: Filter = {},
): Generator<{ readonly tenant: TenantIntent; readonly pool: PoolIntent }> {
  for (const tenant of tenantsOf(parts, filter)) {
    for (const pool of tenant.pools) {
      if (filter.pool === undefined || pool.name === filter.pool) yield { tenant, pool };
    }
  }
}

/** Owners around pools: the pools, their members, and the listeners that they serve. */
export function ownersAround(tenants: Iterable<TenantIntent>, filter: Filter): Owner[] {
  return [...tenants]
    .filter((tenant) => filter.tenant === undefined || tenant.name === filter.tenant)
    .flatMap(({ id: tenant, listeners, pools }) =>
      pools
        .filter((pool) => filter.pool === undefined || pool.name === filter.pool)
        .flatMap((pool): Owner[] => [
          ...listeners
            .filter((listener) => listener.poolId === pool.id)
            .map((listener) => ({ tenant, kind: KIND.listener, object: listener.id })),
          { tenant, kind: KIND.pool, object: pool.id },
          ...pool.members.flatMap(({ endpointId: object }) => [
            { tenant, kind: KIND.endpoint, object },
            { tenant, kind: KIND.learnedHairpin, object },
          ]),
        ]),
    );
}

export function segmentsOf(parts: Named, tenantId: number): readonly SegmentIntent[] {
  return tenantId === PROVIDER_TENANT
    ? parts.intents.provider.networks
    : (parts.intents.byId(tenantId)?.segments ?? []);
}

/** The addresses in front of a pool's members, by `segment/address`: what is asked for by ARP for them. */
export function hopsOf(tenant: TenantIntent, pools: readonly PoolIntent[]): Set<string> {
  return new Set(
    pools
      .flatMap((pool) => pool.members.map((member) => egressOf(tenant, member.address)))
      .flatMap((egress) => (egress ? [`${egress.segment.id}/${egress.nextHop}`] : [])),
  );
}

/** Names for numbers, as they are now. Of what is configured no more the number is the name. */
export class Names {
  private readonly tenants = new Map<number, TenantIntent>();
  private readonly pools = new Map<number, PoolIntent>();
  private readonly listeners = new Map<number, ListenerIntent>();
  private readonly members = new Map<number, string>();
  private readonly ports = new Map<number, string>();

  constructor(private readonly parts: Named & Pick<AgentParts, 'ids' | 'facts'>) {
    for (const tenant of parts.intents.tenants.values()) {
      this.tenants.set(tenant.id, tenant);
      for (const listener of tenant.listeners) this.listeners.set(listener.id, listener);
      for (const pool of tenant.pools) {
        this.pools.set(pool.id, pool);
        for (const { endpointId, name } of pool.members)
          if (!this.members.has(endpointId)) this.members.set(endpointId, `${pool.name}/${name}`);
      }
    }
    for (const [name, ofport] of parts.facts.ports) this.ports.set(ofport, name);
  }

  /** Undefined for the node's own id 0, and where nobody has the number. */
  tenant(id: number): string | undefined {
    if (id === PROVIDER_TENANT) return EXTERNAL;
    return this.tenants.get(id)?.name ?? this.parts.ids.nameOf('tenant', id);
  }

  segment(tenantId: number, id: number): string {
    return segmentsOf(this.parts, tenantId).find((segment) => segment.id === id)?.name ?? String(id);
  }

  pool(id: number): string {
    return this.pools.get(id)?.name ?? String(id);
  }

  /** `LOAD_BALANCER/LISTENER` */
  listener(id: number): string {
    const listener = this.listeners.get(id);
    return listener ? `${listener.loadBalancer}/${listener.name}` : String(id);
  }

  /** `POOL/MEMBER`; pools with the same endpoint share it, the first one names it. */
  member(endpointId: number): string {
    return this.members.get(endpointId) ?? String(endpointId);
  }

  port(ofport: number): string | undefined {
    return this.ports.get(ofport);
  }

  kind(owner: Owner): FlowKind {
    return WORD_OF_KIND.get(owner.kind)!;
  }

  /** What something in the switch belongs to: `pool web`, `listener web/http`. */
  owner(owner: Owner): string {
    const word = this.kind(owner);
    switch (word) {
      case 'node':
      case 'tenant':
        return word;
      case 'pool':
        return `pool ${this.pool(owner.object)}`;
      case 'listener':
        return `listener ${this.listener(owner.object)}`;
      case 'member':
      case 'learned-answer':
        return `${word} ${this.member(owner.object)}`;
      default:
        return `${word} ${this.segment(owner.tenant, owner.object)}`;
    }
  }

  /** One word for a group: the segment that it floods. */
  group(id: number): string {
    const subject = groupSubject(id);
    return subject ? `flood(${this.segment(subject.tenant, subject.segment)})` : String(id);
  }

  /** One word for a meter: what it limits. */
  meter(id: number): string {
    const subject = meterSubject(id);
    switch (subject?.what) {
      case 'punt':
        return `agent(${subject.cls ?? id})`;
      case 'connections':
        return `connections(${this.listener(subject.listener)})`;
      case 'tenant':
        return `bandwidth(${this.tenant(subject.tenant) ?? subject.tenant})`;
      case 'port': {
        const vlan = subject.vlan === undefined ? '' : `.${subject.vlan}`;
        return `bandwidth(${this.port(subject.ofport) ?? subject.ofport}${vlan})`;
      }
      case 'tunnel':
        return `bandwidth(${this.segment(subject.tenant, subject.segment)})`;
      default:
        return String(id);
    }
  }
}
