import type { DiffResult, Filter, FlowDifference } from '../../api/types.js';
import { slicer } from '../../loop/turns.js';
import { formatFlowStats } from '../../ofp/text/index.js';
import {
  groupSubject,
  isLearned,
  isOurGroup,
  isOurMeter,
  LEARNED_KIND_BIT,
  type Owner,
  ownerOfCookie,
  SIGNATURE,
  SIGNATURE_MASK,
} from '../../pipeline/index.js';
import { groupKey, meterKey, ownerKey, readOwner } from '../../sync/index.js';
import type { AgentParts } from '../parts.js';
import { type Change, changesOf } from './changes.js';
import { scopesOf } from './flows.js';
import { Names, ownersAround, tenantsOf } from './names.js';
import { countFlows, entriesOf, flowSlices, switchOf } from './switch-reads.js';

type Switch = ReturnType<typeof switchOf>;
/** How long an owner whose change is on its way is looked at again, ms. */
const PATIENCE = 2000;
const AGAIN = 50;

/** Everything that is wanted against what the switch holds: asked of the switch, not of what it confirmed before. */
export async function diffFlows(parts: AgentParts, filter: Filter): Promise<DiffResult> {
  const connection = switchOf(parts);
  const names = new Names(parts);
  const differences: FlowDifference[] = [];
  const add = (owner: Owner, change: Change): void => {
    const tenant = names.tenant(owner.tenant);
    differences.push({
      ...(tenant === undefined ? {} : { tenant }),
      owner: names.owner(owner),
      ...difference(change),
    });
  };
  const wanted = ownersOf(parts, filter);
  let compared = 0;
  let flowsOfOurs = 0;
  const extras = await readExtras(connection);
  for (const owner of wanted) {
    const { changes, size, flows } = await compare(parts, connection, owner, extras);
    compared += size;
    flowsOfOurs += flows;
    for (const change of changes) add(owner, change);
  }
  if (filter.pool === undefined) {
    const known = new Set(wanted.map(ownerKey));
    for await (const row of strangers(parts, connection, filter, known, flowsOfOurs, names))
      differences.push(row);
    if (filter.tenant === undefined) differences.push(...unwanted(parts, extras, names));
  }
  return { equal: differences.length === 0, differences, compared };
}

function ownersOf(parts: AgentParts, filter: Filter): Owner[] {
  const all = [...parts.sync.owners()].map((entry) => entry.owner);
  if (filter.pool !== undefined) {
    const around = new Set(ownersAround(parts.intents.tenants.values(), filter).map(ownerKey));
    return all.filter((owner) => around.has(ownerKey(owner)));
  }
  if (filter.tenant === undefined) return all;
  const ids = new Set(tenantsOf(parts, filter).map((tenant) => tenant.id));
  return all.filter((owner) => ids.has(owner.tenant));
}

/** Groups and meters, which say by their number what they are for. */
interface Extras {
  readonly groups: ReadonlyMap<number, string>;
  readonly meters: ReadonlyMap<number, string>;
}

async function readExtras(connection: Switch): Promise<Extras> {
  const groups = await entriesOf(connection, { type: 'group_desc_request' }, 'group_desc_reply');
  const meters = await entriesOf(connection, { type: 'meter_config_request' }, 'meter_config_reply');
  return {
    groups: new Map(groups.filter((g) => isOurGroup(g.groupId)).map((g) => [g.groupId, groupKey(g)])),
    meters: new Map(meters.filter((m) => isOurMeter(m.meterId)).map((m) => [m.meterId, meterKey(m)])),
  };
}

interface Compared {
  readonly changes: readonly Change[];
  /** Flows, groups and meters that are wanted. */
  readonly size: number;
  /** Flows that the switch holds. */
  readonly flows: number;
}

/** A difference counts where nothing is on its way that would remove it. */
async function compare(
  parts: AgentParts,
  connection: Switch,
  owner: Owner,
  extras: Extras,
): Promise<Compared> {
  const end = performance.now() + PATIENCE;
  const pause = slicer();
  for (let now = extras; ; now = await readExtras(connection)) {
    const revision = parts.sync.find(owner)?.revision;
    const flows = await readOwner(connection, owner, pause);
    const entry = parts.sync.find(owner);
    const wanted = entry?.desired;
    const groups = picked(
      now.groups,
      wanted?.groups.map((g) => g.groupId),
    );
    const meters = picked(
      now.meters,
      wanted?.meters.map((m) => m.meterId),
    );
    const changes = changesOf(owner, { flows, groups, meters }, wanted);
    const size = (wanted?.flows.length ?? 0) + (wanted?.groups.length ?? 0) + (wanted?.meters.length ?? 0);
    const underWay = entry !== undefined && (entry.dirty || entry.inFlight) && entry.failure === undefined;
    const moving = underWay || entry?.revision !== revision;
    if (changes.length === 0 || !moving || performance.now() > end)
      return { changes, size, flows: flows.size };
    await new Promise((resolve) => setTimeout(resolve, AGAIN));
  }
}

function picked(from: ReadonlyMap<number, string>, ids: readonly number[] = []): Map<number, string> {
  return new Map(ids.flatMap((id) => (from.has(id) ? [[id, from.get(id)!] as const] : [])));
}

function difference({ op, kind, text, was }: Change): Omit<FlowDifference, 'owner'> {
  if (op === 'add') return { kind, difference: 'missing', desired: text };
  if (op === 'delete') return { kind, difference: 'extra', installed: text };
  return { kind, difference: 'different', desired: text, ...(was === undefined ? {} : { installed: was }) };
}

/** Flows of owners that nobody knows: looked for only where the numbers of flows don't add up. */
async function* strangers(
  parts: AgentParts,
  connection: Switch,
  filter: Filter,
  known: ReadonlySet<number>,
  ours: number,
  names: Names,
): AsyncGenerator<FlowDifference> {
  for (const scope of scopesOf(parts, filter)) {
    const learned = {
      cookie: scope.cookie | SIGNATURE | LEARNED_KIND_BIT,
      cookieMask: scope.cookieMask | SIGNATURE_MASK | LEARNED_KIND_BIT,
    };
    if ((await countFlows(connection, scope)) === ours + (await countFlows(connection, learned))) continue;
    for await (const flows of flowSlices(connection, scope)) {
      for (const flow of flows) {
        const owner = ownerOfCookie(flow.cookie);
        if (owner && (isLearned(owner.kind) || known.has(ownerKey(owner)))) continue;
        const tenant = owner && names.tenant(owner.tenant);
        yield {
          ...(tenant === undefined ? {} : { tenant }),
          owner: owner ? names.owner(owner) : 'nobody of ours',
          kind: 'flow',
          difference: owner ? 'extra' : 'foreign',
          installed: formatFlowStats(flow),
        };
      }
    }
  }
}

/** Groups and meters of ours that no owner wants. */
function unwanted(parts: AgentParts, extras: Extras, names: Names): FlowDifference[] {
  const groups = new Set<number>();
  const meters = new Set<number>();
  for (const { desired } of parts.sync.owners()) {
    for (const group of desired?.groups ?? []) groups.add(group.groupId);
    for (const meter of desired?.meters ?? []) meters.add(meter.meterId);
  }
  const rows: FlowDifference[] = [];
  for (const id of extras.groups.keys()) {
    if (groups.has(id)) continue;
    const tenant = names.tenant(groupSubject(id)!.tenant);
    const whose = tenant === undefined ? {} : { tenant };
    rows.push({
      ...whose,
      owner: names.group(id),
      kind: 'group',
      difference: 'extra',
      installed: `group_id=${id}`,
    });
  }
  for (const id of extras.meters.keys()) {
    if (meters.has(id)) continue;
    rows.push({ owner: names.meter(id), kind: 'meter', difference: 'extra', installed: `meter=${id}` });
  }
  return rows;
}
