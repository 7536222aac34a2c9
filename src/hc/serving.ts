import type { ProbeStatus } from './types.js';

/** What an operator said of a member, beyond its configuration. */
export type AdminState = 'enabled' | 'draining';

export interface ServingMember {
  readonly endpointId: number;
  readonly weight: number;
  readonly adminStateUp: boolean;
  readonly backup: boolean;
}
export interface ServingPool {
  readonly onAllDown: 'closed' | 'open';
  readonly members: readonly ServingMember[];
}

/** Octavia's operating status. */
export type OperatingStatus = 'ONLINE' | 'OFFLINE' | 'DEGRADED' | 'ERROR' | 'DRAINING' | 'NO_MONITOR';

/** What probes say, by endpoint id; absent: no verdict yet. */
export type Statuses = ReadonlyMap<number, ProbeStatus>;
/** By endpoint id; absent: enabled. */
export type AdminStates = ReadonlyMap<number, AdminState>;

/** May get new connections as far as people are concerned. */
function isCandidate(m: ServingMember, admin: AdminStates): boolean {
  return m.adminStateUp && m.weight > 0 && admin.get(m.endpointId) !== 'draining';
}

function isUp(m: ServingMember, statuses: Statuses): boolean {
  const status = statuses.get(m.endpointId);
  return status === 'ONLINE' || status === 'NO_MONITOR';
}

/**
 * Endpoint ids of the members that get new connections: primaries that are up; where there is none, backups that are
 * up; where there is none either, nobody, or with `on_all_down: open` all that people didn't take out.
 */
export function serving(pool: ServingPool, statuses: Statuses, admin: AdminStates): Set<number> {
  const candidates = pool.members.filter((m) => isCandidate(m, admin));
  const up = candidates.filter((m) => isUp(m, statuses));
  const primaries = up.filter((m) => !m.backup);
  const chosen =
    primaries.length > 0 ? primaries : up.length > 0 ? up : pool.onAllDown === 'open' ? candidates : [];
  return new Set(chosen.map((m) => m.endpointId));
}

/** People's decisions first: OFFLINE when administratively down, DRAINING with weight 0 or drained. */
export function memberStatus(m: ServingMember, statuses: Statuses, admin: AdminStates): OperatingStatus {
  if (!m.adminStateUp) return 'OFFLINE';
  if (m.weight === 0 || admin.get(m.endpointId) === 'draining') return 'DRAINING';
  return statuses.get(m.endpointId) ?? 'OFFLINE';
}

/**
 * OFFLINE: no members, or all administratively down. DRAINING: all that are left drain. ERROR: members, but none up.
 * DEGRADED: some up. NO_MONITOR: all count as up because nobody looks.
 */
export function poolStatus(pool: ServingPool, statuses: Statuses, admin: AdminStates): OperatingStatus {
  const all = pool.members
    .map((m) => memberStatus(m, statuses, admin))
    .filter((_, n) => pool.members[n]!.adminStateUp);
  if (all.length === 0) return 'OFFLINE';
  const judged = all.filter((s) => s !== 'DRAINING');
  if (judged.length === 0) return 'DRAINING';
  const up = judged.filter((s) => s === 'ONLINE' || s === 'NO_MONITOR').length;
  if (up === 0) return 'ERROR';
  if (up < judged.length) return 'DEGRADED';
  return judged.every((s) => s === 'NO_MONITOR') ? 'NO_MONITOR' : 'ONLINE';
}

/** Of a listener, by its pool's; without a pool everything is dropped. */
export function listenerStatus(adminStateUp: boolean, pool: OperatingStatus | undefined): OperatingStatus {
  if (!adminStateUp || pool === undefined) return 'OFFLINE';
  return pool === 'NO_MONITOR' ? 'ONLINE' : pool;
}
