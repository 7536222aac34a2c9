/** Names in requests against names that exist. */
import { type ReadModel, RefusedError } from '../agent/read-model.js';
import { nearest } from '../model/nearest.js';
import type { Filter, MemberRef } from './types.js';

interface Asked {
  readonly tenant?: string | undefined;
  readonly pool?: string | undefined;
}

/** Zod's `undefined`s left out. */
export function given({ tenant, pool }: Asked): Filter {
  return { ...(tenant === undefined ? {} : { tenant }), ...(pool === undefined ? {} : { pool }) };
}

/** Throws RefusedError not-found for a name that doesn't exist. */
export function checkFilter(model: ReadModel, asked: Asked): Filter {
  const names = model.names();
  const { tenant, pool } = asked;
  if (tenant !== undefined && !names.has(tenant)) throw unknown('tenant', tenant, [...names.keys()]);
  if (pool !== undefined) {
    const scopes = tenant === undefined ? [...names.values()] : [names.get(tenant)!];
    const known = new Set(scopes.flatMap((pools) => [...pools.keys()]));
    if (!known.has(pool))
      throw unknown('pool', pool, [...known], tenant === undefined ? '' : ` in tenant "${tenant}"`);
  }
  return given(asked);
}

export function checkMember(model: ReadModel, member: MemberRef): MemberRef {
  checkFilter(model, member);
  const known = model.names().get(member.tenant)!.get(member.pool)!;
  if (!known.includes(member.member))
    throw unknown('member', member.member, known, ` in pool "${member.tenant}/${member.pool}"`);
  return member;
}

function unknown(kind: string, name: string, known: readonly string[], where = ''): RefusedError {
  const guess = nearest(name, known);
  const listed = `${[...known].sort().slice(0, 10).join(', ')}${known.length > 10 ? ', …' : ''}`;
  const hint =
    guess !== undefined
      ? `did you mean "${guess}"?`
      : known.length === 0
        ? 'none is configured'
        : `known: ${listed}`;
  return new RefusedError('not-found', `There is no ${kind} "${name}"${where}.`, hint);
}
