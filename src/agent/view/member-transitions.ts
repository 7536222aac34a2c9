import type { OperatingStatus } from '../../api/types.js';
import { memberStatus } from '../../hc/index.js';
import type { MemberIntent, PoolIntent, TenantIntent } from '../../model/index.js';
import { adminStates } from '../admin-states.js';
import type { AgentParts } from '../parts.js';
import type { Sample } from '../read-model.js';
import { poolsOf } from './members.js';

interface Known {
  status: OperatingStatus;
  readonly changes: Map<OperatingStatus, number>;
}

export function* statusesOf(
  parts: Pick<AgentParts, 'health' | 'admin'>,
  tenant: TenantIntent,
  pool: PoolIntent,
): Generator<{ readonly member: MemberIntent; readonly status: OperatingStatus }> {
  const statuses = parts.health.poolStatuses(pool.id);
  const admin = adminStates(parts.admin, tenant, pool);
  for (const member of pool.members) yield { member, status: memberStatus(member, statuses, admin) };
}

/**
 * Counts changes of operating status as slots saw them: verdicts that took each other back within the debounce window
 * are none. Looks whenever health or a person has spoken, and at scrape for what the configuration changed.
 */
export class MemberTransitions {
  private readonly known = new Map<string, Known>();

  /** @param onEmpty told of pools that nobody serves any more */
  constructor(
    private readonly parts: AgentParts,
    private readonly onEmpty: (poolId: number) => void,
  ) {
    parts.health.onTransitions((batch) => {
      const pools = new Set(batch.map((t) => t.poolId));
      const tenants = new Set(batch.map((t) => t.tenant));
      for (const { tenant, pool } of poolsOf(parts)) {
        if (tenants.has(tenant.id) && pools.has(pool.id)) this.look(tenant, pool);
      }
    });
    parts.events.subscribe((event) => {
      if (event.type !== 'drain') return;
      for (const { tenant, pool } of poolsOf(parts, event)) this.look(tenant, pool);
    });
  }

  *samples(): Generator<Sample> {
    const gone = new Set(this.known.keys());
    for (const { tenant, pool } of poolsOf(this.parts)) {
      this.look(tenant, pool);
      for (const member of pool.members) {
        const key = keyOf(tenant, pool, member);
        gone.delete(key);
        const labels = { tenant: tenant.name, pool: pool.name, member: member.name };
        for (const [to, value] of this.known.get(key)?.changes ?? [])
          yield { labels: { ...labels, to }, value };
      }
    }
    for (const key of gone) this.known.delete(key);
  }

  private look(tenant: TenantIntent, pool: PoolIntent): void {
    for (const { member, status } of statusesOf(this.parts, tenant, pool)) {
      const key = keyOf(tenant, pool, member);
      const known = this.known.get(key);
      if (known === undefined) {
        this.known.set(key, { status, changes: new Map() });
      } else if (known.status !== status) {
        known.status = status;
        known.changes.set(status, (known.changes.get(status) ?? 0) + 1);
      }
    }
    if (!this.parts.facts.serving.get(pool.id)?.size) this.onEmpty(pool.id);
  }
}

/** By ids: an object of the same name that comes later begins at zero. */
function keyOf(tenant: TenantIntent, pool: PoolIntent, member: MemberIntent): string {
  return `${tenant.id}/${pool.id}/${member.endpointId}/${member.name}`;
}
