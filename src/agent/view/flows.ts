import type { FlowRow } from '../../api/types.js';
import '../../nx-extensions/text/index.js';
import type { FlowStats } from '../../ofp/index.js';
import { formatFlowStats, formatInstructions, formatMatch } from '../../ofp/text/index.js';
import {
  cookieOf,
  ownerOfCookie,
  SIGNATURE,
  SIGNATURE_MASK,
  TENANT_MASK,
  tableByNumber,
} from '../../pipeline/index.js';
import type { AgentParts } from '../parts.js';
import type { FlowFilter } from '../read-model.js';
import { KIND_WORDS, Names, ownersAround, tenantsOf } from './names.js';
import { EVERY_FLOW, type FlowScope, flowSlices, switchOf } from './switch-reads.js';
import { actionsInWords, matchInWords } from './words.js';

const KIND_SHIFT = 40n;
const KIND_MASK = 0xffn << KIND_SHIFT;
const ALL_BITS = 0xffff_ffff_ffff_ffffn;

/** In the order of tables and priorities; where there are many, slice by slice. */
export async function* flowRows(parts: AgentParts, filter: FlowFilter): AsyncGenerator<FlowRow> {
  const connection = switchOf(parts);
  const names = new Names(parts);
  const scopes = scopesOf(parts, filter);
  if (filter.pool !== undefined) {
    const flows: FlowStats[] = [];
    for (const scope of scopes) for await (const slice of flowSlices(connection, scope)) flows.push(...slice);
    yield* inOrder(flows, names);
    return;
  }
  for (const scope of scopes) {
    for await (const flows of flowSlices(connection, scope)) yield* inOrder(flows, names);
  }
}

function inOrder(flows: readonly FlowStats[], names: Names): FlowRow[] {
  return flows
    .map((flow) => flowRow(flow, names))
    .sort((a, b) => a.table - b.table || b.priority - a.priority || (a.match < b.match ? -1 : 1));
}

/** What to ask for: one tenant, one kind, the owners around a pool; or everything, also what isn't ours. */
export function scopesOf(parts: AgentParts, filter: FlowFilter): FlowScope[] {
  const table = filter.table === undefined ? {} : { table: filter.table };
  const kind = filter.kind === undefined ? undefined : KIND_WORDS[filter.kind];
  if (filter.pool !== undefined) {
    return ownersAround(parts.intents.tenants.values(), filter)
      .filter((owner) => kind === undefined || owner.kind === kind)
      .map((owner) => ({ ...table, cookie: cookieOf(owner), cookieMask: ALL_BITS }));
  }
  const ofKind = (scope: FlowScope): FlowScope =>
    kind === undefined
      ? scope
      : {
          ...scope,
          cookie: scope.cookie | (BigInt(kind) << KIND_SHIFT) | SIGNATURE,
          cookieMask: scope.cookieMask | KIND_MASK | SIGNATURE_MASK,
        };
  if (filter.tenant === undefined) return [ofKind({ ...EVERY_FLOW, ...table })];
  return tenantsOf(parts, filter).map(({ id }) =>
    ofKind({ ...table, cookie: (BigInt(id) << 48n) | SIGNATURE, cookieMask: TENANT_MASK }),
  );
}

export function flowRow(flow: FlowStats, names: Names): FlowRow {
  const owner = ownerOfCookie(flow.cookie);
  const tenant = owner && names.tenant(owner.tenant);
  const scope = { names, tenant: owner?.tenant ?? 0 };
  const match = formatMatch(flow.match);
  return {
    ...(tenant === undefined ? {} : { tenant }),
    owner: owner ? names.owner(owner) : 'nobody of ours',
    ...(owner ? { kind: names.kind(owner) } : {}),
    table: flow.table,
    tableName: tableByNumber(flow.table)?.name ?? String(flow.table),
    priority: flow.priority,
    cookie: flow.cookie.toString(16).padStart(16, '0'),
    packets: Number(flow.packetCount ?? 0),
    bytes: Number(flow.byteCount ?? 0),
    ageSeconds: flow.durationSec,
    ...(flow.idleSec === undefined ? {} : { idleSeconds: flow.idleSec }),
    match: matchInWords(match, scope),
    actions: actionsInWords(formatInstructions(flow.instructions), match, scope),
    raw: formatFlowStats(flow),
  };
}
