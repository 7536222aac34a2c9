import { TokenBucket } from '../packetio/token-bucket.js';
import type { Entry } from './entry.js';
import type { NeighbourSegment } from './types.js';

/** Addresses that the traffic of one tenant may make us look for, per second. */
const LOOKUPS_PER_SECOND = 100;

export interface Segment {
  config: NeighbourSegment;
  own: ReadonlySet<number>;
  readonly entries: Map<number, Entry>;
  /** When the last claim of each of our own addresses was reported. */
  readonly claimedAt: Map<number, number>;
}
export interface Tenant {
  readonly segments: Map<number, Segment>;
  readonly lookups: TokenBucket;
  /** Entries that are no target, and frames that wait. */
  hosts: number;
  frames: number;
}

/** Everything that is known, by tenant, segment and address. */
export class Segments {
  private readonly tenants = new Map<number, Tenant>();

  tenant(id: number): Tenant | undefined {
    return this.tenants.get(id);
  }

  tenantOrNew(id: number, now: number): Tenant {
    let tenant = this.tenants.get(id);
    if (tenant === undefined) {
      const lookups = new TokenBucket(LOOKUPS_PER_SECOND, LOOKUPS_PER_SECOND, now);
      tenant = { segments: new Map(), lookups, hosts: 0, frames: 0 };
      this.tenants.set(id, tenant);
    }
    return tenant;
  }

  removeTenant(id: number): void {
    this.tenants.delete(id);
  }

  find(tenant: number, segment: number): Segment | undefined {
    return this.tenants.get(tenant)?.segments.get(segment);
  }

  entry(tenant: number, segment: number, address: number): Entry | undefined {
    return this.find(tenant, segment)?.entries.get(address);
  }

  *all(): Iterable<Entry> {
    for (const tenant of this.tenants.values())
      for (const segment of tenant.segments.values()) yield* segment.entries.values();
  }
}
