import type { NeighbourChange, NeighbourTable } from '../arp/index.js';
import {
  egressOf,
  PROVIDER_TENANT,
  type ProviderIntent,
  type SegmentIntent,
  type TenantIntent,
} from '../model/index.js';
import type { ResolvedNeighbour } from '../pipeline/types.js';
import type { Desired } from './desired.js';
import { type FactsStore, segmentKey } from './facts-store.js';

/** Tells the neighbour table what to resolve, and the pipeline what it found. */
export class Neighbourhood {
  private readonly segments = new Map<string, SegmentIntent>();

  constructor(
    private readonly table: NeighbourTable,
    private readonly facts: FactsStore,
    private readonly desired: Desired,
  ) {
    table.onChange((changes) => this.changed(changes));
  }

  /** @param adopt the switch's own adjacencies stand until verified: after a restart */
  setTenant(tenant: TenantIntent, adopt: boolean): void {
    const vips = tenant.listeners.map((l) => l.vip);
    this.setSegments(tenant.id, tenant.segments, vips, adopt);
    const targets = new Map<string, { segment: number; address: number }>();
    const want = (segment: number, address: number) =>
      targets.set(`${segment}/${address}`, { segment, address });
    for (const { address } of tenant.pools.flatMap((p) => p.members)) {
      const egress = egressOf(tenant, address);
      if (egress) want(egress.segment.id, egress.nextHop);
    }
    for (const route of tenant.routes) want(route.segmentId, route.nextHop);
    this.table.setTargets(tenant.id, [...targets.values()]);
  }

  removeTenant(tenant: TenantIntent): void {
    for (const segment of tenant.segments) this.segments.delete(segmentKey(tenant.id, segment.id));
    this.table.setTargets(tenant.id, []);
    this.table.setSegments(tenant.id, []);
  }

  setProvider(provider: ProviderIntent, vips: readonly number[], adopt: boolean): void {
    this.setSegments(PROVIDER_TENANT, provider.networks, vips, adopt);
    this.table.setTargets(
      PROVIDER_TENANT,
      provider.networks.flatMap((n) =>
        n.externalGateway === undefined ? [] : [{ segment: n.id, address: n.externalGateway }],
      ),
    );
  }

  private setSegments(
    tenant: number,
    segments: readonly SegmentIntent[],
    vips: readonly number[],
    adopt: boolean,
  ): void {
    for (const segment of segments) this.segments.set(segmentKey(tenant, segment.id), segment);
    this.table.setSegments(
      tenant,
      segments.map((s) => ({
        id: s.id,
        mac: s.mac,
        source: s.probeAddress,
        subnets: s.subnets.map((n) => n.prefix),
        own: [...new Set([...s.subnets.map((n) => n.gateway), s.probeAddress, ...vips])],
      })),
    );
    if (!adopt) return;
    for (const s of segments) {
      const known = this.facts.neighbours.get(segmentKey(tenant, s.id));
      if (known) this.table.adopt(tenant, s.id, known);
    }
  }

  private changed(changes: readonly NeighbourChange[]): void {
    const touched = new Map<string, { tenant: number; segment: number }>();
    for (const change of changes) {
      const { tenant, segment, address } = change;
      if (!this.facts.setNeighbour(tenant, segment, address, this.resolved(change))) continue;
      touched.set(segmentKey(tenant, segment), { tenant, segment });
    }
    for (const { tenant, segment } of touched.values()) this.desired.neighboursChanged(tenant, segment);
  }

  /** With the tag or tunnel of the segment's own port, which the pipeline has taken off before we see the frame. */
  private resolved(change: NeighbourChange): ResolvedNeighbour | undefined {
    const { address, mac, ofport, tunDst } = change;
    if (mac === undefined || ofport === undefined) return undefined;
    const ports = this.segments.get(segmentKey(change.tenant, change.segment))?.ports ?? [];
    const port = ports.find((p) => this.facts.ports.get(p.name) === ofport);
    return {
      address,
      mac,
      ofport,
      ...(port?.vlan === undefined ? {} : { vlan: port.vlan }),
      ...(port?.vni === undefined ? {} : { tunId: port.vni }),
      ...(port?.vni !== undefined && tunDst !== undefined ? { tunDst } : {}),
    };
  }
}
