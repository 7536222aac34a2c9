/** Commands that show rows. */
import type {
  ConnectionRow,
  DropRow,
  FdbRow,
  FlowKind,
  FlowRow,
  GroupRow,
  MemberHealth,
  MeterRow,
  NeighbourRow,
  OperatingStatus,
  PoolSlots,
  PortRow,
} from '../../api/types.js';
import type { Context } from '../context.js';
import { ago, type Column, duration } from '../render.js';

type Paint = ReturnType<NonNullable<Column<unknown>['paint']>>;

export function paintStatus(status: OperatingStatus): Paint {
  if (status === 'ONLINE') return 'good';
  return status === 'ERROR' ? 'bad' : status === 'NO_MONITOR' ? undefined : 'odd';
}

const percent = (share: number): string => `${(share * 100).toFixed(1)}%`;
const rounded = (value: number | undefined): number | undefined =>
  value === undefined ? undefined : Math.round(value * 100) / 100;

export async function showHealth(context: Context): Promise<void> {
  const now = context.now();
  context.rows(await context.client.get<MemberHealth[]>('/health', { ...context.filter }), [
    { title: 'tenant', get: (r) => r.tenant },
    { title: 'pool', get: (r) => r.pool },
    { title: 'member', get: (r) => r.member },
    { title: 'address', get: (r) => r.address },
    { title: 'port', get: (r) => r.port },
    { title: 'status', get: (r) => r.operatingStatus, paint: (r) => paintStatus(r.operatingStatus) },
    { title: 'since', get: (r) => ago(r.since, now) },
    { title: 'rise', get: (r) => `${r.rise}/${r.riseNeeded}` },
    { title: 'fall', get: (r) => `${r.fall}/${r.fallNeeded}` },
    { title: 'rtt ms', get: (r) => rounded(r.rttMs) },
    { title: 'last result', get: (r) => r.lastResult },
  ]);
}

export async function showSlots(context: Context): Promise<void> {
  const pools = await context.client.get<PoolSlots[]>('/slots', { ...context.filter });
  if (context.render.format === 'json') {
    context.value(pools, () => '');
    return;
  }
  const rows = pools.flatMap((pool) => pool.members.map((member) => ({ ...pool, ...member })));
  context.rows(rows, [
    { title: 'tenant', get: (r) => r.tenant },
    { title: 'pool', get: (r) => r.pool },
    { title: 'member', get: (r) => r.member },
    { title: 'serves', get: (r) => r.serving, paint: (r) => (r.serving ? 'good' : 'odd') },
    { title: 'slots', get: (r) => r.slots },
    { title: 'of', get: (r) => r.size },
    { title: 'share', get: (r) => percent(r.share) },
    { title: 'ideal', get: (r) => percent(r.idealShare) },
    { title: 'digest', get: (r) => r.digest },
  ]);
}

export async function showNeighbours(context: Context): Promise<void> {
  context.rows(await context.client.get<NeighbourRow[]>('/neighbours', { ...context.filter }), [
    { title: 'tenant', get: (r) => r.tenant },
    { title: 'segment', get: (r) => r.segment },
    { title: 'address', get: (r) => r.address },
    { title: 'mac', get: (r) => r.mac },
    { title: 'port', get: (r) => r.port },
    {
      title: 'state',
      get: (r) => r.state,
      paint: (r) => (r.state === 'REACHABLE' ? 'good' : r.state === 'FAILED' ? 'bad' : undefined),
    },
    { title: 'age', get: (r) => duration(r.ageSeconds) },
    { title: 'source', get: (r) => r.source },
  ]);
}

export async function showFdb(context: Context): Promise<void> {
  context.rows(await context.client.get<FdbRow[]>('/fdb', { ...context.filter }), [
    { title: 'tenant', get: (r) => r.tenant },
    { title: 'segment', get: (r) => r.segment },
    { title: 'mac', get: (r) => r.mac },
    { title: 'port', get: (r) => r.port },
    { title: 'vlan', get: (r) => r.vlan },
    { title: 'vni', get: (r) => r.vni },
    { title: 'age', get: (r) => duration(r.ageSeconds) },
    { title: 'idle', get: (r) => duration(r.idleSeconds) },
  ]);
}

export async function showConnections(context: Context, limit: number): Promise<void> {
  const rows = await context.client.get<ConnectionRow[]>('/connections', { ...context.filter, limit });
  context.rows(rows, [
    { title: 'tenant', get: (r) => r.tenant },
    { title: 'protocol', get: (r) => r.protocol },
    { title: 'source', get: (r) => `${r.source}:${r.sourcePort}` },
    { title: 'destination', get: (r) => `${r.destination}:${r.destinationPort}` },
    { title: 'listener', get: (r) => r.listener },
    { title: 'member', get: (r) => r.member },
    {
      title: 'translated',
      get: (r) => (r.memberAddress === undefined ? undefined : `${r.memberAddress}:${r.memberPort}`),
    },
    { title: 'state', get: (r) => r.state },
    { title: 'expires', get: (r) => duration(r.timeoutSeconds) },
  ]);
  if (rows.length === limit)
    context.io.stderr.write(`lbctl: only the first ${limit} are shown; --limit shows more\n`);
}

export interface FlowOptions {
  readonly table?: number;
  readonly kind?: FlowKind;
  readonly raw?: boolean;
}

export async function showFlows(context: Context, options: FlowOptions): Promise<void> {
  const { table, kind } = options;
  const rows = await context.client.get<FlowRow[]>('/flows', { ...context.filter, table, kind });
  if (options.raw && context.render.format === 'table') {
    context.print(rows.map((row) => `${row.raw}\n`).join(''));
    return;
  }
  context.rows(rows, [
    { title: 'table', get: (r) => r.table },
    { title: 'name', get: (r) => r.tableName },
    { title: 'tenant', get: (r) => r.tenant },
    { title: 'owner', get: (r) => r.owner },
    { title: 'priority', get: (r) => r.priority },
    { title: 'packets', get: (r) => r.packets },
    { title: 'match', get: (r) => r.match },
    { title: 'actions', get: (r) => r.actions },
  ]);
}

export async function showDrops(context: Context): Promise<void> {
  context.rows(await context.client.get<DropRow[]>('/drops', { ...context.filter }), [
    { title: 'tenant', get: (r) => r.tenant },
    { title: 'owner', get: (r) => r.owner },
    { title: 'reason', get: (r) => r.reason },
    { title: 'packets', get: (r) => r.packets, paint: (r) => (r.packets > 0 ? 'odd' : undefined) },
    { title: 'bytes', get: (r) => r.bytes },
    { title: 'about', get: (r) => r.about },
  ]);
}

export async function showPorts(context: Context): Promise<void> {
  context.rows(await context.client.get<PortRow[]>('/ports', { ...context.filter }), [
    { title: 'tenant', get: (r) => r.tenant },
    { title: 'segment', get: (r) => r.segment },
    { title: 'port', get: (r) => r.port },
    { title: 'number', get: (r) => r.ofport },
    { title: 'vlan', get: (r) => r.vlan },
    { title: 'vni', get: (r) => r.vni },
    { title: 'state', get: (r) => r.state, paint: (r) => (r.state === 'up' ? 'good' : 'bad') },
    { title: 'rx', get: (r) => r.rxPackets },
    { title: 'tx', get: (r) => r.txPackets },
    { title: 'rx dropped', get: (r) => r.rxDropped },
    { title: 'tx dropped', get: (r) => r.txDropped },
  ]);
}

export async function showGroups(context: Context): Promise<void> {
  context.rows(await context.client.get<GroupRow[]>('/groups', { ...context.filter }), [
    { title: 'tenant', get: (r) => r.tenant },
    { title: 'owner', get: (r) => r.owner },
    { title: 'group', get: (r) => r.groupId },
    { title: 'type', get: (r) => r.type },
    { title: 'buckets', get: (r) => r.buckets },
    { title: 'packets', get: (r) => r.packets },
  ]);
}

export async function showMeters(context: Context): Promise<void> {
  context.rows(await context.client.get<MeterRow[]>('/meters', { ...context.filter }), [
    { title: 'tenant', get: (r) => r.tenant },
    { title: 'owner', get: (r) => r.owner },
    { title: 'meter', get: (r) => r.meterId },
    { title: 'rate', get: (r) => r.rate },
    { title: 'packets', get: (r) => r.packets },
    { title: 'dropped', get: (r) => r.dropped, paint: (r) => ((r.dropped ?? 0) > 0 ? 'odd' : undefined) },
  ]);
}
