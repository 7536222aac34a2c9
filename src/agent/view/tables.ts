import type { FdbRow, Filter, GroupRow, MeterRow, PortRow } from '../../api/types.js';
import { formatMac, type PortRef, PROVIDER_TENANT } from '../../model/index.js';
import { F } from '../../nx-extensions/fields.js';
import '../../nx-extensions/text/index.js';
import { canonicalMatch } from '../../ofp/canonical.js';
import {
  type FlowStats,
  type MeterConfig,
  type MeterStats,
  OFPP,
  OFPPC,
  OFPPS,
  type PortDesc,
  type PortStats,
} from '../../ofp/index.js';
import { formatGroup } from '../../ofp/text/index.js';
import type { MatchField } from '../../ofp/types/field.js';
import { groupSubject, meterSubject, ownerOfCookie, TABLES } from '../../pipeline/index.js';
import type { AgentParts } from '../parts.js';
import { scopesOf } from './flows.js';
import { EXTERNAL, hopsOf, Names, segmentsOf, tenantsOf } from './names.js';
import { entriesOf, flowSlices, switchOf } from './switch-reads.js';

/** MAC addresses that the switch learned in tenants' segments. */
export async function fdbRows(parts: AgentParts, filter: Filter): Promise<FdbRow[]> {
  const connection = switchOf(parts);
  const names = new Names(parts);
  const rows: FdbRow[] = [];
  const { pool: _, ...tenants } = filter;
  for (const scope of scopesOf(parts, { ...tenants, kind: 'learned-mac', table: TABLES.fdb.number })) {
    for await (const flows of flowSlices(connection, scope)) {
      for (const flow of flows) rows.push(...fdbRow(parts, names, flow));
    }
  }
  return rows.sort((a, b) => order(a.tenant, b.tenant) || order(a.segment, b.segment) || order(a.mac, b.mac));
}

function fdbRow(parts: AgentParts, names: Names, flow: FlowStats): FdbRow[] {
  const owner = ownerOfCookie(flow.cookie);
  const match = canonicalMatch(flow.match) as readonly MatchField[];
  const mac = match.find((f) => f.field === F.dl_dst)?.value;
  const actions = flow.instructions.flatMap((i) => (i.type === 'apply_actions' ? i.actions : []));
  const out = actions.find((a) => a.type === 'output');
  if (owner === undefined || mac === undefined || out === undefined) return [];
  const port = names.port(out.port) ?? String(out.port);
  const segment = segmentsOf(parts, owner.tenant).find((s) => s.id === owner.object);
  return [
    {
      tenant: names.tenant(owner.tenant) ?? String(owner.tenant),
      segment: names.segment(owner.tenant, owner.object),
      mac: formatMac(BigInt(mac)),
      port,
      ...wrapping(segment?.ports.find((p) => p.name === port)),
      ageSeconds: flow.durationSec,
      ...(flow.idleSec === undefined ? {} : { idleSeconds: flow.idleSec }),
    },
  ];
}

function wrapping(port: PortRef | undefined): { vlan?: number; vni?: number } {
  return {
    ...(port?.vlan === undefined ? {} : { vlan: port.vlan }),
    ...(port?.vni === undefined ? {} : { vni: port.vni }),
  };
}

/** Ports of segments, each once for every segment that it leads to, and ports of the bridge that lead nowhere. */
export async function portRows(parts: AgentParts, filter: Filter): Promise<PortRow[]> {
  const connection = switchOf(parts);
  const described = await entriesOf(connection, { type: 'port_desc_request' }, 'port_desc_reply');
  const counted = await entriesOf(connection, { type: 'port_stats_request' }, 'port_stats_reply');
  const byName = new Map(described.filter((p) => p.portNo !== OFPP.LOCAL).map((p) => [p.name, p]));
  const stats = new Map(counted.map((s) => [s.portNo, s]));
  const row = (port: PortRef, whose: { tenant?: string; segment?: string }): PortRow => {
    const desc = byName.get(port.name);
    return { ...whose, port: port.name, ...wrapping(port), ...seen(desc, desc && stats.get(desc.portNo)) };
  };
  const all = filter.tenant === undefined && filter.pool === undefined;
  const rows: PortRow[] = [];
  for (const tenant of tenantsOf(parts, filter)) {
    // A pool's ports are those of the segments in which its members live, or the way to them begins.
    const pools = tenant.pools.filter((pool) => pool.name === filter.pool);
    const segments = new Set([...hopsOf(tenant, pools)].map((hop) => Number(hop.split('/')[0])));
    for (const segment of tenant.segments) {
      if (filter.pool !== undefined && !segments.has(segment.id)) continue;
      for (const port of segment.ports) rows.push(row(port, { tenant: tenant.name, segment: segment.name }));
    }
  }
  if (!all) return rows;
  for (const network of parts.intents.provider.networks) {
    for (const port of network.ports) rows.push(row(port, { tenant: EXTERNAL, segment: network.name }));
  }
  const named = new Set(rows.map((r) => r.port));
  for (const { name } of byName.values()) if (!named.has(name)) rows.push(row({ name, uplink: false }, {}));
  return rows;
}

function seen(desc: PortDesc | undefined, stats: PortStats | undefined): Omit<PortRow, 'port'> {
  if (desc === undefined) return { state: 'absent' };
  const down = (desc.config & OFPPC.PORT_DOWN) !== 0 || (desc.state & OFPPS.LINK_DOWN) !== 0;
  return {
    ofport: desc.portNo,
    state: down ? 'down' : 'up',
    ...(stats === undefined
      ? {}
      : {
          rxPackets: Number(stats.rxPackets),
          txPackets: Number(stats.txPackets),
          rxDropped: known(stats.rxDropped),
          txDropped: known(stats.txDropped),
        }),
  };
}

/** All ones: the device doesn't count it (OpenFlow 1.3.5, section 7.3.5.6). */
function known(count: bigint): number {
  return count === 0xffff_ffff_ffff_ffffn ? 0 : Number(count);
}

export async function groupRows(parts: AgentParts, filter: Filter): Promise<GroupRow[]> {
  const connection = switchOf(parts);
  const names = new Names(parts);
  const groups = await entriesOf(connection, { type: 'group_desc_request' }, 'group_desc_reply');
  const counted = await entriesOf(connection, { type: 'group_stats_request' }, 'group_stats_reply');
  const stats = new Map(counted.map((s) => [s.groupId, s]));
  const rows = groups
    .sort((a, b) => a.groupId - b.groupId)
    .map((group): GroupRow => {
      const subject = groupSubject(group.groupId);
      const tenant = subject && names.tenant(subject.tenant);
      const count = stats.get(group.groupId);
      return {
        ...(tenant === undefined ? {} : { tenant }),
        owner: subject ? `segment ${names.segment(subject.tenant, subject.segment)}` : 'nobody of ours',
        groupId: group.groupId,
        type: group.groupType,
        buckets: group.buckets.length,
        ...(count === undefined ? {} : { packets: Number(count.packetCount) }),
        raw: formatGroup(group, connection.version),
      };
    });
  return rows.filter(belongs(parts, filter));
}

/** A row of the tenants that the filter leaves; without a filter every row. */
function belongs(parts: AgentParts, filter: Filter): (row: { readonly tenant?: string }) => boolean {
  if (filter.tenant === undefined && filter.pool === undefined) return () => true;
  const tenants = new Set(tenantsOf(parts, filter).map((tenant) => tenant.name));
  return ({ tenant }) => tenant !== undefined && tenants.has(tenant);
}

export async function meterRows(parts: AgentParts, filter: Filter): Promise<MeterRow[]> {
  const connection = switchOf(parts);
  const names = new Names(parts);
  const meters = await entriesOf(connection, { type: 'meter_config_request' }, 'meter_config_reply');
  const counted = await entriesOf(connection, { type: 'meter_stats_request' }, 'meter_stats_reply');
  const stats = new Map(counted.map((s) => [s.meterId, s]));
  return meters
    .sort((a, b) => a.meterId - b.meterId)
    .map((meter) => meterRow(parts, names, meter, stats.get(meter.meterId)))
    .filter(belongs(parts, filter));
}

function meterRow(
  parts: AgentParts,
  names: Names,
  meter: MeterConfig,
  stats: MeterStats | undefined,
): MeterRow {
  const tenant = tenantOfMeter(parts, names, meter.meterId);
  return {
    ...(tenant === undefined ? {} : { tenant }),
    owner: names.meter(meter.meterId),
    meterId: meter.meterId,
    rate: rateOf(meter),
    ...(stats === undefined
      ? {}
      : {
          packets: Number(stats.packetInCount),
          dropped: stats.bands.reduce((sum, band) => sum + Number(band.packetCount), 0),
        }),
  };
}

function tenantOfMeter(parts: AgentParts, names: Names, id: number): string | undefined {
  const subject = meterSubject(id);
  if (subject === undefined) return undefined;
  switch (subject.what) {
    case 'connections':
      return [...parts.intents.tenants.values()].find((t) =>
        t.listeners.some((listener) => listener.id === subject.listener),
      )?.name;
    case 'port':
      return portOwner(parts, names.port(subject.ofport), subject.vlan);
    default:
      return names.tenant(subject.tenant);
  }
}

function portOwner(
  parts: AgentParts,
  name: string | undefined,
  vlan: number | undefined,
): string | undefined {
  const uses = (id: number) =>
    segmentsOf(parts, id).some((s) => s.ports.some((p) => p.name === name && p.vlan === vlan));
  if (uses(PROVIDER_TENANT)) return EXTERNAL;
  return [...parts.intents.tenants.values()].find((tenant) => uses(tenant.id))?.name;
}

function rateOf({ flags, bands }: MeterConfig): string {
  const unit = flags.includes('kbps') ? 'kbit/s' : 'packets/s';
  return bands.map((band) => `${band.rate} ${unit}`).join(', ');
}

function order(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
