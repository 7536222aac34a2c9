import type { ConnectionRow, Filter } from '../../api/types.js';
import { formatIpv4, type TenantIntent } from '../../model/index.js';
import { type ConntrackEntry, dumpConntrack, UnixctlError } from '../../ovs/index.js';
import { REG } from '../../pipeline/index.js';
import type { AgentParts } from '../parts.js';
import { RefusedError } from '../read-model.js';
import { Names, tenantsOf } from './names.js';

/** Of tenants' zones, one after the other: what others track on this machine is none of ours. */
export async function connectionRows(
  parts: AgentParts,
  filter: Filter,
  limit: number,
): Promise<ConnectionRow[]> {
  const names = new Names(parts);
  const rows: ConnectionRow[] = [];
  for (const tenant of tenantsOf(parts, filter)) {
    const endpoints = endpointsOf(tenant, filter.pool);
    for (const entry of await zoneOf(parts, tenant.id)) {
      const row = connectionRow(tenant, names, endpoints, entry);
      if (filter.pool !== undefined && row.member === undefined) continue;
      rows.push(row);
      if (rows.length >= limit) return rows;
    }
  }
  return rows;
}

async function zoneOf(parts: AgentParts, zone: number): Promise<ConntrackEntry[]> {
  try {
    return await dumpConntrack(parts.vswitchd, zone);
  } catch (error) {
    if (!(error instanceof UnixctlError)) throw error;
    throw new RefusedError(
      error.code === 'timeout' ? 'timeout' : 'unavailable',
      `Connections can't be read: ${error.message}.`,
      'ovs.vswitchd in node.yaml names the control socket of ovs-vswitchd',
    );
  }
}

/** `address:port` → `POOL/MEMBER`. */
function endpointsOf(tenant: TenantIntent, only: string | undefined): Map<string, string> {
  const endpoints = new Map<string, string>();
  for (const pool of tenant.pools) {
    if (only !== undefined && pool.name !== only) continue;
    for (const { address, port, name } of pool.members) {
      const key = `${formatIpv4(address)}:${port}`;
      if (!endpoints.has(key)) endpoints.set(key, `${pool.name}/${name}`);
    }
  }
  return endpoints;
}

function connectionRow(
  tenant: TenantIntent,
  names: Names,
  endpoints: ReadonlyMap<string, string>,
  { protocol, orig, reply, mark, state, timeoutSeconds }: ConntrackEntry,
): ConnectionRow {
  const listener = mark & (2 ** REG.listener.nBits - 1);
  const member = endpoints.get(`${reply.src}:${reply.sport}`);
  const translated = reply.src !== orig.dst || reply.sport !== orig.dport;
  return {
    tenant: tenant.name,
    protocol,
    source: orig.src,
    sourcePort: orig.sport ?? 0,
    destination: orig.dst,
    destinationPort: orig.dport ?? 0,
    ...(listener === 0 ? {} : { listener: names.listener(listener) }),
    ...(member === undefined ? {} : { member }),
    ...(translated ? { memberAddress: reply.src, memberPort: reply.sport ?? 0 } : {}),
    ...(state === undefined ? {} : { state }),
    ...(timeoutSeconds === undefined ? {} : { timeoutSeconds }),
  };
}
