import type { Filter, NeighbourRow } from '../../api/types.js';
import type { NeighbourRow as TableRow } from '../../arp/index.js';
import { formatIpv4, formatMac, PROVIDER_TENANT, type TenantIntent } from '../../model/index.js';
import type { AgentParts } from '../parts.js';
import { EXTERNAL, hopsOf, Names, tenantsOf } from './names.js';

/** Sorted by tenant, segment and address. */
export function neighboursOf(parts: AgentParts, filter: Filter): NeighbourRow[] {
  const names = new Names(parts);
  const all = filter.tenant === undefined && filter.pool === undefined;
  const tenants = new Map(tenantsOf(parts, filter).map((tenant) => [tenant.id, tenant]));
  const members = new Map([...tenants.values()].map((tenant) => [tenant.id, hopsOf(tenant, tenant.pools)]));
  const wanted = new Map(
    [...tenants.values()].map((tenant) => [tenant.id, hopsOf(tenant, poolsNamed(tenant, filter.pool))]),
  );
  const isWanted = (row: TableRow): boolean =>
    filter.pool === undefined
      ? all || tenants.has(row.tenant)
      : (wanted.get(row.tenant)?.has(`${row.segment}/${row.address}`) ?? false);
  return parts.neighbours
    .snapshot()
    .filter(isWanted)
    .sort((a, b) => a.tenant - b.tenant || a.segment - b.segment || a.address - b.address)
    .map((row) => ({
      tenant: row.tenant === PROVIDER_TENANT ? EXTERNAL : (names.tenant(row.tenant) ?? String(row.tenant)),
      segment: names.segment(row.tenant, row.segment),
      address: formatIpv4(row.address),
      state: row.state,
      source: neededBy(row, tenants.get(row.tenant), members.get(row.tenant)),
      // One that was taken over from the switch has not answered yet.
      ...(row.ageMs !== undefined && Number.isFinite(row.ageMs)
        ? { ageSeconds: Math.round(row.ageMs / 1000) }
        : {}),
      ...(row.mac === undefined ? {} : { mac: formatMac(row.mac) }),
      ...(row.ofport === undefined ? {} : { port: names.port(row.ofport) ?? String(row.ofport) }),
    }));
}

function poolsNamed(tenant: TenantIntent, name: string | undefined): TenantIntent['pools'] {
  return tenant.pools.filter((pool) => name === undefined || pool.name === name);
}

function neededBy(
  row: TableRow,
  tenant: TenantIntent | undefined,
  members: ReadonlySet<string> | undefined,
): NeighbourRow['source'] {
  if (row.source === 'host') return 'demand';
  if (row.tenant === PROVIDER_TENANT) return 'gateway';
  const isHop = tenant?.routes.some((r) => r.segmentId === row.segment && r.nextHop === row.address);
  if (isHop) return 'next-hop';
  return members?.has(`${row.segment}/${row.address}`) ? 'member' : 'demand';
}
