import type { AdminStates } from '../hc/index.js';
import type { AdminState, PoolIntent, TenantIntent } from '../model/index.js';

/** People's word of a pool's members, by endpoint id. */
export function adminStates(admin: AdminState, tenant: TenantIntent, pool: PoolIntent): AdminStates {
  const key = { tenant: tenant.name, pool: pool.name };
  const drained = pool.members.filter((m) => admin.drainedSince({ ...key, member: m.name }) !== undefined);
  return new Map(drained.map((m) => [m.endpointId, 'draining' as const]));
}
