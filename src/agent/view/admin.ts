import type { AdminResult, MemberRef } from '../../api/types.js';
import { memberStatus } from '../../hc/index.js';
import { adminStates } from '../admin-states.js';
import type { AgentParts } from '../parts.js';
import { RefusedError } from '../read-model.js';

/** Durable when it resolves; the slots follow at once. */
export async function setDrained(parts: AgentParts, ref: MemberRef, drained: boolean): Promise<AdminResult> {
  const tenant = parts.intents.tenants.get(ref.tenant);
  const pool = tenant?.pools.find((p) => p.name === ref.pool);
  const member = pool?.members.find((m) => m.name === ref.member);
  if (!tenant || !pool || !member) {
    throw new RefusedError('not-found', `there is no member ${ref.tenant}/${ref.pool}/${ref.member}`);
  }
  const changed = drained ? parts.admin.drain(ref, Date.now()) : parts.admin.enable(ref);
  if (changed) {
    try {
      await parts.admin.save();
    } catch (error) {
      // What isn't on the disk doesn't count: asked again, it is tried again.
      if (drained) parts.admin.enable(ref);
      else parts.admin.drain(ref, Date.now());
      throw error;
    }
    parts.adminChanged(tenant.id, pool.id);
    const names = { tenant: ref.tenant, pool: ref.pool, member: ref.member };
    parts.events.add({ type: 'drain', ...names, text: drained ? 'drained' : 'enabled' });
  }
  const statuses = parts.health.poolStatuses(pool.id);
  return {
    ...ref,
    changed,
    operatingStatus: memberStatus(member, statuses, adminStates(parts.admin, tenant, pool)),
  };
}
