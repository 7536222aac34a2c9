import type { Target } from './target.js';

/** Targets by tenant, monitor, and address with port: numbers as keys, for there may be a hundred thousand. */
export class TargetIndex {
  private readonly tenants = new Map<number, Map<string, Map<number, Target>>>();
  size = 0;

  get(tenant: number, monitorKey: string, address: number, port: number): Target | undefined {
    return this.tenants.get(tenant)?.get(monitorKey)?.get(endpointKey(address, port));
  }

  add(target: Target): void {
    const byMonitor = this.tenants.get(target.tenant) ?? new Map<string, Map<number, Target>>();
    const byEndpoint = byMonitor.get(target.monitorKey) ?? new Map<number, Target>();
    this.tenants.set(target.tenant, byMonitor.set(target.monitorKey, byEndpoint));
    byEndpoint.set(endpointKey(target.path.address, target.path.port), target);
    this.size++;
  }

  remove(target: Target): void {
    const byMonitor = this.tenants.get(target.tenant);
    const byEndpoint = byMonitor?.get(target.monitorKey);
    if (!byEndpoint?.delete(endpointKey(target.path.address, target.path.port))) return;
    this.size--;
    if (byEndpoint.size === 0) byMonitor?.delete(target.monitorKey);
    if (byMonitor?.size === 0) this.tenants.delete(target.tenant);
  }

  /** Whether the tenant has any check of that address and port. */
  hasEndpoint(tenant: number, address: number, port: number): boolean {
    const key = endpointKey(address, port);
    for (const byEndpoint of this.tenants.get(tenant)?.values() ?? []) if (byEndpoint.has(key)) return true;
    return false;
  }
}

function endpointKey(address: number, port: number): number {
  return address * 0x10000 + port;
}
