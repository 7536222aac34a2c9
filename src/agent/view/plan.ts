import { isDeepStrictEqual } from 'node:util';
import type { ConfigPlan, Filter } from '../../api/types.js';
import { type Statuses, serving } from '../../hc/index.js';
import { slicer } from '../../loop/turns.js';
import {
  type Compiled,
  type PoolIntent,
  PROVIDER_TENANT,
  type ProviderIntent,
  type TenantIntent,
} from '../../model/index.js';
import { type Facts, type Owner, type OwnerState, renderNode, renderTenant } from '../../pipeline/index.js';
import { ownerKey } from '../../sync/index.js';
import { adminStates } from '../admin-states.js';
import { restartNeeded } from '../intents.js';
import type { AgentParts } from '../parts.js';
import { RefusedError } from '../read-model.js';
import { changesOf } from './changes.js';
import { type NamedIntents, Names, ownersAround } from './names.js';
import { configProblems } from './status.js';

type PlannedChange = ConfigPlan['changes'][number];
type PlannedTenant = ConfigPlan['summary'][number];

/**
 * What applying a directory would send now: against what the switch confirmed, with what is known about ports,
 * neighbours and members. Nothing is changed; ids that would be given out are not.
 */
export async function planConfig(
  parts: AgentParts,
  filter: Filter,
  dir: string | undefined,
): Promise<ConfigPlan> {
  const { loaded, compiled } = await parts.intents.preview(dir);
  const problems = configProblems([...loaded.problems, ...compiled.problems]);
  const known = new Set([...parts.intents.tenants.keys(), ...compiled.tenants.keys()]);
  if (filter.tenant !== undefined && !known.has(filter.tenant))
    throw new RefusedError(
      'not-found',
      `There is no tenant "${filter.tenant}", neither running nor planned.`,
    );
  const names = new Names({
    ids: parts.ids,
    facts: parts.facts,
    intents: planned(parts, compiled.tenants, compiled.provider),
  });
  const changes: PlannedChange[] = [];
  const summary: PlannedTenant[] = [];
  const pause = slicer();
  const wanted = filter.pool === undefined ? undefined : around(parts, compiled.tenants, filter);
  for (const { tenant, states, owners } of difference(parts, compiled)) {
    if (filter.tenant !== undefined && filter.tenant !== tenant) continue;
    const count = { add: 0, modify: 0, delete: 0 };
    for (const owner of owners) {
      await pause();
      if (wanted !== undefined && !wanted.has(ownerKey(owner))) continue;
      const state = states.get(ownerKey(owner));
      for (const change of changesOf(owner, parts.sync.find(owner), state)) {
        count[change.op]++;
        changes.push({ tenant, owner: names.owner(owner), ...change });
      }
    }
    if (count.add + count.modify + count.delete > 0) summary.push({ tenant, ...count });
  }
  return {
    problems,
    changes,
    summary,
    restartNeeded: loaded.node ? restartNeeded(parts.node, loaded.node) : [],
  };
}

interface Planned {
  readonly tenant: string;
  readonly states: ReadonlyMap<number, OwnerState>;
  /** Those that want something, and those that hold something. */
  readonly owners: readonly Owner[];
}

/** One by one, so that only one tenant's flows are in memory: the node first, as they would be sent. */
function* difference(
  parts: AgentParts,
  compiled: Pick<Compiled, 'tenants' | 'provider' | 'problems'>,
): Generator<Planned> {
  const { intents, facts } = parts;
  const provider = !isDeepStrictEqual(intents.provider, compiled.provider);
  if (provider) yield group(parts, '(node)', [0, PROVIDER_TENANT], renderNode(compiled.provider, facts));
  for (const tenant of compiled.tenants.values()) {
    const running = intents.tenants.get(tenant.name);
    if (!provider && isDeepStrictEqual(running, tenant)) continue;
    const ids = running === undefined || running.id === tenant.id ? [tenant.id] : [running.id, tenant.id];
    yield group(parts, tenant.name, ids, renderTenant(tenant, factsFor(parts, tenant), compiled.provider));
  }
  // One that can't be had now, because its id isn't free, runs on as it is.
  const waiting = new Set(compiled.problems.map((problem) => problem.tenant));
  for (const tenant of intents.tenants.values()) {
    if (!compiled.tenants.has(tenant.name) && !waiting.has(tenant.name))
      yield group(parts, tenant.name, [tenant.id], []);
  }
}

function group(
  parts: AgentParts,
  tenant: string,
  ids: readonly number[],
  states: readonly OwnerState[],
): Planned {
  const byKey = new Map(states.map((state) => [ownerKey(state.owner), state]));
  const owners = new Map(states.map((state) => [ownerKey(state.owner), state.owner]));
  for (const { owner, key } of parts.sync.owners()) if (ids.includes(owner.tenant)) owners.set(key, owner);
  return { tenant, states: byKey, owners: [...owners.values()] };
}

/** Who would serve at once: of new members those that nobody checks; the others when their checks succeed. */
function factsFor({ facts, health, admin }: AgentParts, tenant: TenantIntent): Facts {
  const servingNow = (pool: PoolIntent): ReadonlySet<number> => {
    const probed = health.poolStatuses(pool.id);
    const statuses: Statuses = new Map(
      pool.members.flatMap(({ endpointId }) => {
        const status = pool.monitor === undefined ? 'NO_MONITOR' : probed.get(endpointId);
        return status === undefined ? [] : [[endpointId, status] as const];
      }),
    );
    return serving(pool, statuses, adminStates(admin, tenant, pool));
  };
  return {
    ports: facts.ports,
    neighbours: facts.neighbours,
    serving: new Map(tenant.pools.map((pool) => [pool.id, servingNow(pool)])),
  };
}

function around(
  { intents }: AgentParts,
  tenants: ReadonlyMap<string, TenantIntent>,
  filter: Filter,
): Set<number> {
  const both = [...intents.tenants.values(), ...tenants.values()];
  return new Set(ownersAround(both, filter).map(ownerKey));
}

/** Names of what runs and of what is planned; the planned ones win. */
function planned(
  { intents }: AgentParts,
  tenants: ReadonlyMap<string, TenantIntent>,
  provider: ProviderIntent,
): NamedIntents {
  const all = new Map([...intents.tenants, ...tenants]);
  return {
    tenants: all,
    provider,
    byId: (id) => [...all.values()].find((tenant) => tenant.id === id),
  };
}
