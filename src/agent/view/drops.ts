import type { DropRow, Filter } from '../../api/types.js';
import type { FlowStats } from '../../ofp/index.js';
import { DROPS, dropOf } from '../../pipeline/index.js';
import type { AgentParts } from '../parts.js';
import { scopesOf } from './flows.js';
import { Names } from './names.js';
import { flowSlices, switchOf } from './switch-reads.js';
import { meterRows } from './tables.js';

/** What rules drop on purpose and what meters cut, of owners that dropped anything or could. */
export async function dropRows(parts: AgentParts, filter: Filter): Promise<DropRow[]> {
  const connection = switchOf(parts);
  const names = new Names(parts);
  const rows = new Map<string, { -readonly [K in keyof DropRow]: DropRow[K] }>();
  const tables = [...new Set(DROPS.map((drop) => drop.table))].sort((a, b) => a - b);
  const add = (flow: FlowStats): void => {
    const drop = dropOf(flow);
    if (drop === undefined) return;
    const owner = names.owner(drop.owner);
    const tenant = names.tenant(drop.owner.tenant);
    const key = `${tenant} ${owner} ${drop.reason}`;
    const row = rows.get(key) ?? {
      ...(tenant === undefined ? {} : { tenant }),
      owner,
      reason: drop.reason,
      about: DROPS.find((d) => d.reason === drop.reason)!.about,
      packets: 0,
      bytes: 0,
    };
    row.packets += Number(flow.packetCount ?? 0);
    row.bytes = (row.bytes ?? 0) + Number(flow.byteCount ?? 0);
    rows.set(key, row);
  };
  for (const table of tables) {
    for (const scope of scopesOf(parts, { ...filter, table })) {
      for await (const flows of flowSlices(connection, scope)) flows.forEach(add);
    }
  }
  return [...rows.values(), ...(await cutByMeters(parts, filter))].sort(byTenant);
}

/** Rows of a tenant together, the node's own last. */
function byTenant(a: DropRow, b: DropRow): number {
  const key = ({ tenant = '~', owner, reason }: DropRow) => `${tenant} ${reason} ${owner}`;
  return key(a) < key(b) ? -1 : 1;
}

const REASONS: Readonly<Record<string, readonly [string, string]>> = {
  agent: ['agent-rate', 'packets for the agent beyond the rate'],
  connections: ['connection-rate', 'new connections beyond the rate'],
  bandwidth: ['bandwidth', 'beyond the bandwidth'],
};

async function cutByMeters(parts: AgentParts, filter: Filter): Promise<DropRow[]> {
  // Meters belong to tenants, ports and listeners: a pool has none.
  if (filter.pool !== undefined) return [];
  const meters = await meterRows(parts, filter);
  return meters.flatMap(({ tenant, owner, dropped, rate }) => {
    const named = REASONS[/^\w+/.exec(owner)?.[0] ?? ''];
    if (named === undefined || dropped === undefined) return [];
    const [reason, about] = named;
    return [
      {
        ...(tenant === undefined ? {} : { tenant }),
        owner,
        reason,
        about: `${about}: ${rate}`,
        packets: dropped,
      },
    ];
  });
}
