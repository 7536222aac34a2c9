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
  await parts.admin.save();
  parts.adminChanged(tenant.id, pool.id);
  const statuses = parts.health.poolStatuses(pool.id);
  return {
    ...ref,
    changed,
    operatingStatus: memberStatus(member, statuses, adminStates(parts.admin, tenant, pool)),
  };
}
