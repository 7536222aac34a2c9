import type { ConfigProblem, Filter, Status, SwitchStatus, TenantStatus } from '../../api/types.js';
import { poolStatus } from '../../hc/index.js';
import type { Problem, TenantIntent } from '../../model/index.js';
import { describeFailure, type SyncSummary } from '../../sync/index.js';
import { adminStates } from '../admin-states.js';
import type { AgentParts } from '../parts.js';
import { VERSION } from '../version.js';

export function namesOf(parts: AgentParts): Map<string, Map<string, string[]>> {
  return new Map(
    [...parts.intents.tenants.values()].map((t) => [
      t.name,
      new Map(t.pools.map((p) => [p.name, p.members.map((m) => m.name)])),
    ]),
  );
}

export function ready(parts: AgentParts): { ready: boolean; reason?: string } {
  if (parts.session.state.state !== 'ready') return { ready: false, reason: 'no switch is connected' };
  const { pending } = parts.sync.summary();
  return pending === 0 ? { ready: true } : { ready: false, reason: `${pending} changes are on their way` };
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

export function statusOf(parts: AgentParts, filter: Filter): Status {
  const { node, intents, sync } = parts;
  const summary = sync.summary();
  const summaries = sync.summaries();
  const tenants = [...intents.tenants.values()].filter(
    (t) => filter.tenant === undefined || t.name === filter.tenant,
  );
  return {
    node: node.node,
    version: VERSION,
    pid: process.pid,
    startedAt: parts.startedAt.toISOString(),
    ready: ready(parts).ready,
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
    tenants: tenants.map((tenant) => tenantStatus(parts, tenant, summaries.get(tenant.id))),
  };
}

function switchStatus(parts: AgentParts): SwitchStatus {
  const { state } = parts.session;
  const since = new Date(state.since).toISOString();
  if (state.state === 'waiting') return { connected: false, since, reason: state.reason };
  const { peer, datapathId, version } = state.connection;
  return {
    connected: true,
    since,
    peer,
    datapathId: datapathId.toString(16).padStart(16, '0'),
    version: version === 6 ? 'OpenFlow15' : version === 5 ? 'OpenFlow14' : 'OpenFlow13',
  };
}

function tenantStatus(
  parts: AgentParts,
  tenant: TenantIntent,
  summary: SyncSummary | undefined,
): TenantStatus {
  const { sync, intents } = parts;
  const problems = intents.problems.filter((p) => p.tenant === tenant.name && p.severity === 'error');
  const failures = sync.failures(tenant.id);
  const confirmed = sync.connection !== undefined && (summary?.pending ?? 0) === 0;
  const missing = tenant.segments.flatMap((s) =>
    s.ports
      .filter((p) => !parts.facts.ports.has(p.name))
      .map((p) => `port ${p.name} of segment ${s.name} is not on the bridge`),
  );
  const pools = tenant.pools.map((pool) => ({
    status: poolStatus(pool, parts.health.poolStatuses(pool.id), adminStates(parts.admin, tenant, pool)),
    serving: parts.facts.serving.get(pool.id)?.size ?? 0,
    members: pool.members.length,
  }));
  const worst = (['ERROR', 'DEGRADED', 'DRAINING', 'OFFLINE'] as const).find((w) =>
    pools.some((p) => p.status === w),
  );
  const unwatched = pools.length > 0 && pools.every((p) => p.status === 'NO_MONITOR');
  const kept = intents.kept.includes(tenant.name);
  return {
    tenant: tenant.name,
    id: tenant.id,
    state: failures.length > 0 ? 'failed' : kept ? 'kept' : confirmed ? 'applied' : 'pending',
    operatingStatus: worst ?? (unwatched ? 'NO_MONITOR' : 'ONLINE'),
    generation: intents.generationOf(tenant.name),
    appliedGeneration: parts.generations.applied(tenant.id),
    drift: 0,
    flows: summary?.installedFlows ?? 0,
    membersOnline: pools.reduce((n, p) => n + p.serving, 0),
    members: pools.reduce((n, p) => n + p.members, 0),
    errors: [
      ...failures.map(describeFailure),
      ...problems.map((p) => `${p.file}:${p.line}:${p.column} ${p.message}`),
      ...(sync.connection ? missing : []),
    ],
    ...(tenant.connectionLimit === undefined ? {} : { connectionLimit: tenant.connectionLimit }),
  };
}
