import type { PoolIntent } from '../model/types.js';

export interface PoolMember {
  readonly endpointId: number;
  /** `10.0.0.1:80`: what Maglev hashes, the same on every node. */
  readonly key: string;
  readonly weight: number;
  readonly serves: boolean;
}

/**
 * Who shares the slots. Backup members have none while a primary member serves, and all of them when none does.
 */
export function poolMembers(pool: PoolIntent, serving: ReadonlySet<number>): PoolMember[] {
  const all = pool.members.map((member) => ({
    endpointId: member.endpointId,
    key: endpointKey(member.address, member.port),
    weight: member.weight,
    serves: serving.has(member.endpointId),
    backup: member.backup,
  }));
  const primaryServes = all.some((m) => !m.backup && m.serves && m.weight > 0);
  return all.filter((m) => m.backup !== primaryServes).map(({ backup: _, ...member }) => member);
}

export function endpointKey(address: number, port: number): string {
  return `${address >>> 24}.${(address >>> 16) & 255}.${(address >>> 8) & 255}.${address & 255}:${port}`;
}
