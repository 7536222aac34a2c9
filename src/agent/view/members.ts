import type { Filter, MemberHealth, PoolSlots } from '../../api/types.js';
import { type CheckStatus, memberStatus } from '../../hc/index.js';
import { slotDigest, slotTable } from '../../maglev/index.js';
import { egressOf, formatIpv4 } from '../../model/index.js';
import { poolMembers } from '../../pipeline/index.js';
import { adminStates } from '../admin-states.js';
import type { AgentParts } from '../parts.js';
import { poolsOf } from './names.js';

export { poolsOf } from './names.js';

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
      const drained = parts.admin.drainedSince({
        tenant: tenant.name,
        pool: pool.name,
        member: member.name,
      });
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
        ...(check ? seen(check) : egressOf(tenant, member.address) ? {} : { lastResult: 'no route to it' }),
        ...(drained === undefined ? {} : { since: new Date(drained).toISOString() }),
      });
    }
  }
  return rows;
}

function seen(check: CheckStatus): Partial<MemberHealth> {
  const { lastProbeMs, rttMs, reason, rise, fall } = check;
  const ok = lastProbeMs !== undefined && rise > 0 && fall === 0;
  return {
    lastResult: ok ? 'ok' : reason,
    // Nobody looks: there is no moment at which that became so.
    ...(check.status === 'NO_MONITOR' ? {} : { since: ago(check.sinceMs) }),
    ...(lastProbeMs === undefined ? {} : { lastCheckAt: ago(lastProbeMs) }),
    ...(rttMs === undefined ? {} : { rttMs }),
  };
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
