import { PROVIDER_TENANT, type ProviderIntent, type TenantIntent } from '../model/types.js';
import { endpointsOf } from './lookups.js';
import { KIND, type Owner } from './types.js';

/** Whose states `renderNode` gives, in its order. */
export function ownersOfNode(provider: ProviderIntent): Owner[] {
  return [
    { tenant: 0, kind: KIND.node, object: 0 },
    { tenant: PROVIDER_TENANT, kind: KIND.tenant, object: 0 },
    ...provider.networks.flatMap(({ id }) => [
      { tenant: PROVIDER_TENANT, kind: KIND.segment, object: id },
      { tenant: PROVIDER_TENANT, kind: KIND.neighbours, object: id },
    ]),
  ];
}

/** Whose states `renderTenant` gives, in its order. */
export function ownersOfTenant(tenant: TenantIntent): Owner[] {
  const of = (kind: Owner['kind'], object: number): Owner => ({ tenant: tenant.id, kind, object });
  return [
    of(KIND.tenant, 0),
    ...tenant.segments.map(({ id }) => of(KIND.segment, id)),
    ...tenant.segments.map(({ id }) => of(KIND.neighbours, id)),
    ...tenant.listeners.map(({ id }) => of(KIND.listener, id)),
    ...tenant.pools.map(({ id }) => of(KIND.pool, id)),
    ...[...endpointsOf(tenant).keys()].map((id) => of(KIND.endpoint, id)),
  ];
}
