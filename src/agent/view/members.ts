import type { Filter, MemberHealth, NeighbourRow, PoolSlots } from '../../api/types.js';
import { memberStatus } from '../../hc/index.js';
import { slotDigest, slotTable } from '../../maglev/index.js';
import {
  formatIpv4,
  formatMac,
  type PoolIntent,
  PROVIDER_TENANT,
  type TenantIntent,
} from '../../model/index.js';
import { poolMembers } from '../../pipeline/index.js';
import { adminStates } from '../admin-states.js';
import type { AgentParts } from '../parts.js';

export function* poolsOf(
  parts: AgentParts,
  filter: Filter = {},
): Generator<{ tenant: TenantIntent; pool: PoolIntent }> {
  for (const tenant of parts.intents.tenants.values()) {
    if (filter.tenant !== undefined && filter.tenant !== tenant.name) continue;
    for (const pool of tenant.pools) {
      const wanted =
        filter.pool === undefined ||
        filter.pool === pool.name ||
        filter.pool === `${tenant.name}/${pool.name}`;
      if (wanted) yield { tenant, pool };
    }
  }
}

/** Wall-clock time of so many milliseconds ago. */
function ago(ms: number): string {
  return new Date(Date.now() - ms).toISOString();
}

export function healthOf(parts: AgentParts, filter: Filter): MemberHealth[] {
  const checks = new Map(parts.health.status().map((c) => [`${c.poolId}/${c.endpointId}`, c]));
  const rows: MemberHealth[] = [];
  for (const { tenant, pool } of poolsOf(parts, filter)) {
    const statuses = parts.health.poolStatuses(pool.id);
    const admin = adminStates(parts.admin, tenant, pool);
    for (const member of pool.members) {
      const check = checks.get(`${pool.id}/${member.endpointId}`);
      rows.push({
        tenant: tenant.name,
        pool: pool.name,
        member: member.name,
        address: formatIpv4(member.address),
        port: member.port,
        weight: member.weight,
        backup: member.backup,
        operatingStatus: memberStatus(member, statuses, admin),
        rise: check?.rise ?? 0,
        fall: check?.fall ?? 0,
        riseNeeded: pool.monitor?.maxRetries ?? 0,
        fallNeeded: pool.monitor?.maxRetriesDown ?? 0,
        ...(check ? { lastResult: check.reason, since: ago(check.sinceMs) } : {}),
        ...(check?.lastProbeMs === undefined ? {} : { lastCheckAt: ago(check.lastProbeMs) }),
        ...(check?.rttMs === undefined ? {} : { rttMs: check.rttMs }),
      });
    }
  }
  return rows;
}

export function slotsOf(parts: AgentParts, filter: Filter): PoolSlots[] {
  return [...poolsOf(parts, filter)].map(({ tenant, pool }) => {
    const serving = parts.facts.serving.get(pool.id) ?? new Set<number>();
    const members = poolMembers(pool, serving);
    const table = slotTable({ members, slots: pool.slots });
    const held = new Map<number, number>();
    for (const index of table) {
      const id = members[index]?.endpointId;
      if (id !== undefined) held.set(id, (held.get(id) ?? 0) + 1);
    }
    const weights = pool.members.reduce((sum, m) => sum + (serving.has(m.endpointId) ? m.weight : 0), 0);
    return {
      tenant: tenant.name,
      pool: pool.name,
      size: pool.slots,
      digest: slotDigest(members, table),
      members: pool.members.map((m) => {
        const slots = held.get(m.endpointId) ?? 0;
        const serves = serving.has(m.endpointId);
        return {
          member: m.name,
          address: formatIpv4(m.address),
          port: m.port,
          serving: serves,
          slots,
          share: slots / pool.slots,
          idealShare: serves && weights > 0 ? m.weight / weights : 0,
        };
      }),
    };
  });
}

export function neighboursOf(parts: AgentParts, filter: Filter): NeighbourRow[] {
  const portNames = new Map([...parts.facts.ports].map(([name, ofport]) => [ofport, name]));
  return parts.neighbours.snapshot().flatMap((row) => {
    const tenant = row.tenant === PROVIDER_TENANT ? undefined : parts.intents.byId(row.tenant);
    const segments =
      row.tenant === PROVIDER_TENANT ? parts.intents.provider.networks : (tenant?.segments ?? []);
    const name = tenant?.name ?? '(external)';
    if (filter.tenant !== undefined && filter.tenant !== name) return [];
    const port = row.ofport === undefined ? undefined : portNames.get(row.ofport);
    return [
      {
        tenant: name,
        segment: segments.find((s) => s.id === row.segment)?.name ?? String(row.segment),
        address: formatIpv4(row.address),
        state: row.state,
        ageSeconds: Math.round((row.ageMs ?? 0) / 1000),
        source: row.source,
        ...(row.mac === undefined ? {} : { mac: formatMac(row.mac) }),
        ...(port === undefined ? {} : { port }),
      },
    ];
  });
}
