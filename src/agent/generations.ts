import type { Synchronizer } from '../sync/index.js';

/** Which generation of each tenant the switch holds. */
export class Generations {
  private readonly confirmed = new Map<number, number>();

  constructor(private readonly sync: Synchronizer) {}

  /** The tenant's flows of this generation were handed to the synchronizer just now. */
  handedOver(tenantId: number, generation: number): void {
    if (!this.confirmed.has(tenantId)) this.confirmed.set(tenantId, 0);
    void this.sync.confirmed(tenantId).then(() => {
      const last = this.confirmed.get(tenantId);
      if (last !== undefined && last < generation) this.confirmed.set(tenantId, generation);
    });
  }

  forget(tenantId: number): void {
    this.confirmed.delete(tenantId);
  }

  /** The last generation that the switch confirmed in full; 0: none. */
  applied(tenantId: number): number {
    return this.confirmed.get(tenantId) ?? 0;
  }
}
