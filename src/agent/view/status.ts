import { basename } from 'node:path';
import type {
  ConfigProblem,
  Filter,
  OperatingStatus,
  Status,
  SwitchStatus,
  TenantStatus,
} from '../../api/types.js';
import { memberStatus, poolStatus } from '../../hc/index.js';
import type { Problem, TenantIntent } from '../../model/index.js';
import { OFP15 } from '../../ofp/index.js';
import { type ConntrackLimits, getLimits } from '../../ovs/index.js';
import { describeFailure, type SyncSummary } from '../../sync/index.js';
import { adminStates } from '../admin-states.js';
import type { AgentParts } from '../parts.js';
import { VERSION } from '../version.js';
import { tenantsOf } from './names.js';
import type { Readiness } from './readiness.js';

/** Every command asks: of a tenant that didn't change the same names are given again. */
const poolNames = new WeakMap<TenantIntent, ReadonlyMap<string, readonly string[]>>();

export function namesOf(parts: AgentParts): Map<string, ReadonlyMap<string, readonly string[]>> {
  const names = new Map<string, ReadonlyMap<string, readonly string[]>>();
  for (const tenant of parts.intents.tenants.values()) {
    let pools = poolNames.get(tenant);
    if (pools === undefined) {
      pools = new Map(tenant.pools.map((p) => [p.name, p.members.map((m) => m.name)]));
      poolNames.set(tenant, pools);
    }
    names.set(tenant.name, pools);
  }
  return names;
}

export function configProblems(problems: readonly Problem[]): ConfigProblem[] {
  return problems.map(({ severity, file, line, column, path, message, tenant }) => ({
    severity,
    file,
    line,
    column,
    path,
    message,
    ...(tenant === undefined ? {} : { tenant }),
  }));
}

/** How long ovs-vswitchd is waited for: without it only the numbers of connections are missing. */
const LIMITS_WAIT_MS = 500;

export async function statusOf(parts: AgentParts, readiness: Readiness, filter: Filter): Promise<Status> {
  const { node, intents, sync } = parts;
  const limits = await withinTime(getLimits(parts.vswitchd));
  const summary = sync.summary();
  const summaries = sync.summaries();
  return {
    node: node.node,
    version: VERSION,
    pid: process.pid,
    startedAt: parts.startedAt.toISOString(),
    ready: readiness.now().ready,
    bridge: node.bridge,
    switch: switchStatus(parts),
    config: {
      dir: intents.dir,
      generation: intents.generation,
      loadedAt: intents.loadedAt.toISOString(),
      problems: configProblems(intents.problems),
    },
    flowsDesired: summary.desiredFlows,
    flowsInstalled: summary.installedFlows,
    tenants: [
      ...tenantsOf(parts, filter).map((t) => tenantStatus(parts, t, summaries.get(t.id), limits)),
      ...(filter.pool === undefined ? refusedTenants(parts, filter) : []),
    ],
  };
}

function withinTime<T>(answer: Promise<T>): Promise<T | undefined> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, LIMITS_WAIT_MS, undefined);
    answer.then(resolve, () => resolve(undefined)).finally(() => clearTimeout(timer));
  });
}

function switchStatus({ session }: AgentParts): SwitchStatus {
  const { state } = session;
  const since = new Date(state.since).toISOString();
  if (state.state === 'waiting') return { connected: false, since, reason: state.reason };
  const { peer, datapathId, version } = state.connection;
  const rttMs = state.connection.counters().roundTrip;
  return {
    connected: true,
    since,
    peer,
    datapathId: datapathId.toString(16).padStart(16, '0'),
    version: version === OFP15 ? 'OpenFlow15' : 'OpenFlow13',
    ...(rttMs === undefined ? {} : { rttMs }),
  };
}

function tenantStatus(
  parts: AgentParts,
  tenant: TenantIntent,
  summary: SyncSummary | undefined,
  limits: ConntrackLimits | undefined,
): TenantStatus {
  const { sync, intents, node } = parts;
  const connected = sync.connection !== undefined;
  const confirmed = connected && summary !== undefined && summary.pending === 0;
  const failed = (summary?.failed ?? 0) > 0;
  const members = tenant.pools.flatMap((pool) => {
    const statuses = parts.health.poolStatuses(pool.id);
    const admin = adminStates(parts.admin, tenant, pool);
    return pool.members.map((member) => memberStatus(member, statuses, admin));
  });
  const kept = intents.kept.includes(tenant.name);
  const connections = limits?.zones.get(tenant.id)?.count;
  const limit = tenant.connectionLimit ?? node.limits.connectionsPerTenant;
  return {
    tenant: tenant.name,
    id: tenant.id,
    state: failed ? 'failed' : kept ? 'kept' : confirmed ? 'applied' : 'pending',
    operatingStatus: overall(
      tenant.pools.map((pool) =>
        poolStatus(pool, parts.health.poolStatuses(pool.id), adminStates(parts.admin, tenant, pool)),
      ),
    ),
    generation: intents.generationOf(tenant.name),
    appliedGeneration: parts.generations.applied(tenant.id),
    drift: sync.counters.driftedFlows.get(tenant.id) ?? 0,
    flows: summary?.installedFlows ?? 0,
    membersOnline: members.filter((status) => status === 'ONLINE' || status === 'NO_MONITOR').length,
    members: members.length,
    errors: errorsOf(parts, tenant),
    ...(connections === undefined ? {} : { connections }),
    ...(limit === undefined ? {} : { connectionLimit: limit }),
  };
}

/** Of a tenant by its pools, the worst of them; an empty pool, and one that is switched off, counts only alone. */
function overall(pools: readonly OperatingStatus[]): OperatingStatus {
  const worst = (['ERROR', 'DEGRADED', 'DRAINING', 'ONLINE', 'NO_MONITOR'] as const).find((w) =>
    pools.includes(w),
  );
  return worst ?? (pools.length > 0 ? 'OFFLINE' : 'ONLINE');
}

function errorsOf(parts: AgentParts, tenant: TenantIntent): string[] {
  const { intents, sync, facts } = parts;
  const failures = sync.failures(tenant.id);
  const file = intents.sourceOf(tenant.name)?.file;
  const wrong = intents.problems.filter(
    (p) =>
      p.severity === 'error' && (p.tenant === tenant.name || (p.tenant === undefined && p.file === file)),
  );
  // Without a switch nothing is known about its ports.
  const segments = sync.connection === undefined ? [] : tenant.segments;
  const absent = segments.flatMap((segment) =>
    segment.ports
      .filter((port) => !facts.ports.has(port.name))
      .map((port) => `port ${port.name} of segment ${segment.name} is not on the bridge`),
  );
  return [
    ...failures.map(describeFailure),
    ...wrong.map((p) => `${p.file}:${p.line}:${p.column} ${p.message}`),
    ...absent,
  ];
}

/** Tenants of files that are wrong, of which nothing runs: by their name, or where not even that can be read by their file's. */
function refusedTenants({ intents, ids }: AgentParts, filter: Filter): TenantStatus[] {
  const errors = intents.problems.filter((p) => p.severity === 'error');
  const byName = new Map<string, string[]>();
  for (const file of intents.refusedFiles) {
    for (const p of errors.filter((problem) => problem.file === file)) {
      const name = p.tenant ?? basename(file, '.yaml');
      if (intents.tenants.has(name)) continue;
      byName.set(name, [...(byName.get(name) ?? []), `${p.file}:${p.line}:${p.column} ${p.message}`]);
    }
  }
  return [...byName]
    .filter(([name]) => filter.tenant === undefined || filter.tenant === name)
    .map(([tenant, texts]) => ({
      tenant,
      id: ids.find('tenant', tenant) ?? 0,
      state: 'refused',
      operatingStatus: 'OFFLINE',
      generation: 0,
      appliedGeneration: 0,
      drift: 0,
      flows: 0,
      membersOnline: 0,
      members: 0,
      errors: texts,
    }));
}
