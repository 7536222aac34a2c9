import { slicer } from '../loop/turns.js';
import {
  PROVIDER_TENANT,
  type ProviderIntent,
  type SegmentIntent,
  type TenantIntent,
} from '../model/index.js';
import { renderNeighbours, renderNode, renderPool, renderSegment, renderTenant } from '../pipeline/index.js';
import type { Facts, OwnerState } from '../pipeline/types.js';
import { ownerKey, type Synchronizer } from '../sync/index.js';
import { type FactsStore, segmentKey } from './facts-store.js';

/**
 * Turns intents and facts into desired flows, for the owner that changed only. Before the first switch has told its
 * facts, nothing is rendered: it would all be for ports that don't exist.
 */
export class Desired {
  private provider: ProviderIntent = { networks: [] };
  private readonly tenants = new Map<number, TenantIntent>();
  private factsKnown = false;

  constructor(
    private readonly sync: Synchronizer,
    private readonly facts: FactsStore,
  ) {}

  setProvider(provider: ProviderIntent): void {
    this.provider = provider;
    if (this.factsKnown) this.replace([0, PROVIDER_TENANT], renderNode(provider, this.facts));
  }

  setTenant(tenant: TenantIntent): void {
    this.tenants.set(tenant.id, tenant);
    if (this.factsKnown) this.replace([tenant.id], renderTenant(tenant, this.facts, this.provider));
  }

  removeTenant(tenant: TenantIntent): void {
    this.tenants.delete(tenant.id);
    this.replace([tenant.id], []);
  }

  /** Everything, from scratch; for the facts of a switch that connected. */
  async renderAll(): Promise<void> {
    const pause = slicer();
    this.factsKnown = true;
    this.setProvider(this.provider);
    for (const id of [...this.tenants.keys()]) {
      await pause();
      const tenant = this.tenants.get(id);
      if (tenant) this.setTenant(tenant);
    }
  }

  /** What these intents would want, changing nothing; with these facts instead of the present ones. */
  async preview(
    provider: ProviderIntent,
    tenants: Iterable<TenantIntent>,
    facts: Facts = this.facts,
  ): Promise<OwnerState[]> {
    const pause = slicer();
    const states = renderNode(provider, facts);
    for (const tenant of tenants) {
      states.push(...renderTenant(tenant, facts, provider));
      await pause();
    }
    return states;
  }

  /** OpenFlow ports were added, removed or renumbered. */
  portsChanged(names: ReadonlySet<string>): void {
    if (!this.factsKnown) return;
    const uses = (segment: SegmentIntent) => segment.ports.some((port) => names.has(port.name));
    if (this.provider.networks.some(uses)) this.setProvider(this.provider);
    for (const tenant of this.tenants.values()) {
      const states = tenant.segments
        .filter(uses)
        .map((segment) => renderSegment(tenant, segment, this.facts));
      this.sync.setDesired(states);
    }
  }

  neighboursChanged(tenantId: number, segmentId: number): void {
    const segments =
      tenantId === PROVIDER_TENANT ? this.provider.networks : (this.tenants.get(tenantId)?.segments ?? []);
    const segment = segments.find((s) => s.id === segmentId);
    if (segment === undefined) return;
    const resolved = this.facts.neighbours.get(segmentKey(tenantId, segmentId)) ?? [];
    this.sync.setDesired([renderNeighbours(tenantId, segment, resolved)]);
  }

  servingChanged(tenantId: number, poolId: number): void {
    const tenant = this.tenants.get(tenantId);
    const pool = tenant?.pools.find((p) => p.id === poolId);
    if (tenant === undefined || pool === undefined) return;
    this.sync.setDesired([renderPool(tenant, pool, this.facts.serving.get(poolId) ?? new Set())]);
  }

  /** What is wanted of these tenants is exactly `states`. */
  private replace(tenants: readonly number[], states: readonly OwnerState[]): void {
    const kept = new Set(states.map((state) => ownerKey(state.owner)));
    const gone = tenants
      .flatMap((id) => this.sync.ownersOf(id))
      .filter((owner) => !kept.has(ownerKey(owner)));
    this.sync.setDesired(states);
    this.sync.remove(gone);
  }
}
