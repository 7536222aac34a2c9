import type { Subscriber, Target } from './target.js';
import type { Check, CheckStatus, ProbeStatus } from './types.js';

/** Members of pools of all tenants, and the target that speaks for each. */
export class Subscribers {
  /** By tenant, then pool and endpoint. */
  private readonly byTenant = new Map<number, Map<number, Subscriber>>();
  private readonly byPool = new Map<number, Set<Subscriber>>();

  /**
   * All members of a tenant. `targetFor` names the target of each, given the one that it had; returned are targets
   * that lost their last member.
   */
  replace(
    tenant: number,
    checks: readonly Check[],
    targetFor: (check: Check, old: Target | undefined) => Target | undefined,
  ): Target[] {
    const before = this.byTenant.get(tenant) ?? new Map<number, Subscriber>();
    const after = new Map<number, Subscriber>();
    const left = new Set<Target>();
    for (const check of checks) {
      const key = check.poolId * 0x1000000 + check.endpointId;
      const member: Subscriber = before.get(key) ?? { tenant, check, target: undefined };
      const old = member.target;
      const target = targetFor(check, old);
      target?.update(check);
      target?.subscribe(member);
      if (old && old !== target) {
        old.unsubscribe(member);
        left.add(old);
      }
      member.check = check;
      member.target = target;
      after.set(key, member);
      this.poolSet(check.poolId).add(member);
    }
    for (const [key, member] of before) {
      if (after.has(key)) continue;
      this.leavePool(member);
      if (member.target === undefined) continue;
      member.target.unsubscribe(member);
      left.add(member.target);
    }
    if (after.size > 0) this.byTenant.set(tenant, after);
    else this.byTenant.delete(tenant);
    return [...left].filter((target) => target.subscribers.length === 0);
  }

  poolStatuses(poolId: number): Map<number, ProbeStatus> {
    const statuses = new Map<number, ProbeStatus>();
    for (const member of this.byPool.get(poolId) ?? [])
      statuses.set(member.check.endpointId, statusOf(member));
    return statuses;
  }

  rows(now: number): CheckStatus[] {
    const rows: CheckStatus[] = [];
    for (const members of this.byTenant.values()) {
      for (const member of members.values()) rows.push(rowOf(member, now));
    }
    return rows;
  }

  private poolSet(poolId: number): Set<Subscriber> {
    let set = this.byPool.get(poolId);
    if (set === undefined) {
      set = new Set();
      this.byPool.set(poolId, set);
    }
    return set;
  }

  private leavePool(member: Subscriber): void {
    const set = this.byPool.get(member.check.poolId);
    set?.delete(member);
    if (set?.size === 0) this.byPool.delete(member.check.poolId);
  }
}

function statusOf(member: Subscriber): ProbeStatus {
  return member.target?.verdict.status ?? 'NO_MONITOR';
}

function rowOf({ tenant, check, target }: Subscriber, now: number): CheckStatus {
  const { poolId, endpointId, address, port } = check;
  const member = { tenant, poolId, endpointId, address, port };
  if (target === undefined) {
    return { ...member, status: 'NO_MONITOR', reason: 'no health monitor', sinceMs: 0, rise: 0, fall: 0 };
  }
  const { verdict, reason, since, lastProbeAt, rttMs, monitor } = target;
  return {
    ...member,
    type: monitor.type,
    status: verdict.status,
    reason,
    sinceMs: now - since,
    rise: verdict.rise,
    fall: verdict.fall,
    ...(lastProbeAt === undefined ? {} : { lastProbeMs: now - lastProbeAt }),
    ...(rttMs === undefined ? {} : { rttMs }),
  };
}
