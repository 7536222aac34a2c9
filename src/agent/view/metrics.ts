import type { Histogram } from '../../hc/index.js';
import { PROVIDER_TENANT } from '../../model/index.js';
import { PUNT, type PuntClass } from '../../packetio/index.js';
import type { SyncSummary } from '../../sync/index.js';
import type { AgentParts } from '../parts.js';
import type { HistogramSample, MetricSource, Sample } from '../read-model.js';
import { MemberTransitions, statusesOf } from './member-transitions.js';
import { poolsOf } from './members.js';
import { SlotCounts } from './slot-counts.js';
import { SwitchCounters, type TenantCounts } from './switch-counters.js';

const NODE = '(node)';
const EXTERNAL = '(external)';

/** All that is ever sent: a series that came with its first message would hide that one from rate(). */
const MODS = (['flow', 'group', 'meter'] as const).flatMap((type) =>
  (['add', 'modify', 'delete'] as const).map((command) => [type, command] as const),
);

/** Read at scrape, pool by pool, so that whoever writes them can pause in between. */
export function metricsOf(parts: AgentParts): MetricSource {
  const { sync, health, packetIo, session, intents, neighbours, facts } = parts;
  const log = parts.loggers.get('api');
  const switchCounters = new SwitchCounters(parts, undefined, (error) =>
    log.debug({ err: error }, 'counters of the switch not read'),
  );
  const slots = new SlotCounts();
  const transitions = new MemberTransitions(parts, (poolId) => switchCounters.poolEmpty(poolId));
  const duplicates = countDuplicates(parts);

  const nameOf = namesById(parts);
  const byTenant = function* <T extends string>(counts: TenantCounts<T>, label: string): Generator<Sample> {
    const names = nameOf();
    for (const [id, byWhat] of counts) {
      const tenant = names.get(id);
      if (tenant === undefined) continue;
      for (const [what, value] of byWhat) yield { labels: { tenant, [label]: what }, value };
    }
  };
  const flowCounts = (value: (summary: SyncSummary) => number): Sample[] => {
    const summaries = sync.summaries();
    const of = (id: number) => {
      const summary = summaries.get(id);
      return summary ? value(summary) : 0;
    };
    const node = { labels: { tenant: NODE }, value: of(0) + of(PROVIDER_TENANT) };
    return [
      node,
      ...[...intents.tenants.values()].map((t) => ({ labels: { tenant: t.name }, value: of(t.id) })),
    ];
  };
  const perClass = (value: (cls: PuntClass) => number): Sample[] =>
    (Object.keys(PUNT) as PuntClass[]).map((cls) => ({ labels: { class: cls }, value: value(cls) }));
  const labelled = (label: string, counts: Readonly<Record<string, number>>): Sample[] =>
    Object.entries(counts).map(([what, value]) => ({ labels: { [label]: what }, value }));

  return {
    refresh: async () => {
      await switchCounters.refresh();
      const names = nameOf();
      switchCounters.retain(names);
      for (const id of duplicates.keys()) if (!names.has(id)) duplicates.delete(id);
    },
    memberStatus: function* () {
      for (const { tenant, pool } of poolsOf(parts)) {
        for (const { member, status } of statusesOf(parts, tenant, pool)) {
          const labels = { tenant: tenant.name, pool: pool.name, member: member.name, status };
          yield { labels, value: 1 };
        }
      }
    },
    memberTransitions: () => transitions.samples(),
    memberSlots: function* () {
      for (const { tenant, pool } of poolsOf(parts)) {
        const held = slots.of(pool, facts.serving.get(pool.id) ?? NOBODY_SERVES);
        for (const member of pool.members) {
          const labels = { tenant: tenant.name, pool: pool.name, member: member.name };
          yield { labels, value: held.get(member.endpointId) ?? 0 };
        }
      }
    },
    probesSent: () => labelled('type', health.counters.sent),
    probesFailed: () => labelled('reason', health.counters.failed),
    probeLatency: () => [inSeconds(health.roundTrips)],
    probesUnjudged: () => health.counters.suspended,
    connections: function* () {
      for (const t of intents.tenants.values()) {
        const value = switchCounters.connections.get(t.id);
        if (value !== undefined) yield { labels: { tenant: t.name }, value };
      }
    },
    connectionLimit: function* () {
      for (const t of intents.tenants.values()) {
        const value = t.connectionLimit ?? parts.node.limits.connectionsPerTenant;
        if (value !== undefined) yield { labels: { tenant: t.name }, value };
      }
    },
    limitHits: () => byTenant(switchCounters.limitHits, 'limit'),
    drops: () => byTenant(switchCounters.droppedPackets, 'reason'),
    flowsDesired: () => flowCounts((summary) => summary.desiredFlows),
    flowsInstalled: () => flowCounts((summary) => summary.installedFlows),
    flowMods: () =>
      MODS.map(([type, command]) => ({
        labels: { type, command },
        value: sync.counters.mods.get(`${type} ${command}`) ?? 0,
      })),
    bundleLatency: () => [inSeconds(parts.bundleMs)],
    reconciles: () => [
      { labels: { result: 'equal' }, value: sync.counters.reconcilesEqual },
      { labels: { result: 'repaired' }, value: sync.counters.reconciles - sync.counters.reconcilesEqual },
    ],
    driftedFlows: function* () {
      for (const [id, tenant] of nameOf())
        yield { labels: { tenant }, value: sync.counters.driftedFlows.get(id) ?? 0 };
    },
    bundlesRefused: () => sync.counters.bundlesRefused,
    packetIns: () => perClass((cls) => packetIo.counters.classes[cls].received),
    packetOuts: () => labelled('way', packetIo.counters.injectedBy),
    packetDrops: () => [
      ...perClass((cls) => packetIo.counters.classes[cls].dropped).map(({ labels, value }) => ({
        labels: { ...labels, direction: 'in' },
        value,
      })),
      { labels: { class: 'any', direction: 'out' }, value: packetIo.counters.injectDropped },
    ],
    neighbours: () => {
      const names = nameOf();
      const counts = new Map<string, { labels: Sample['labels']; value: number }>();
      for (const { tenant: id, state } of neighbours.snapshot()) {
        const tenant = names.get(id);
        if (tenant === undefined) continue;
        const key = `${id} ${state}`;
        const count = counts.get(key);
        if (count) count.value++;
        else counts.set(key, { labels: { tenant, state }, value: 1 });
      }
      return counts.values();
    },
    duplicateAddresses: function* () {
      for (const [id, tenant] of nameOf()) {
        if (id !== 0) yield { labels: { tenant }, value: duplicates.get(id) ?? 0 };
      }
    },
    switchConnected: () => (session.connection ? 1 : 0),
    switchConnects: () => session.connects,
    switchRtt: () => {
      const ms = session.connection?.counters().roundTrip;
      return ms === undefined ? undefined : ms / 1000;
    },
    tenantState: () => tenantStates(parts),
    configErrors: () => intents.problems.filter((p) => p.severity === 'error').length,
    eventLoopLag: () => {
      const { p50, p99, max } = parts.lag.take();
      return { p50: p50 / 1000, p99: p99 / 1000, max: max / 1000 };
    },
  };
}

const NOBODY_SERVES: ReadonlySet<number> = new Set();

/** Names by id, also of what belongs to no tenant; computed anew when the configuration was read again. */
function namesById(parts: AgentParts): () => ReadonlyMap<number, string> {
  let of: unknown;
  let names: ReadonlyMap<number, string> = new Map();
  return () => {
    const { tenants } = parts.intents;
    if (tenants !== of) {
      of = tenants;
      names = new Map([
        [0, NODE],
        [PROVIDER_TENANT, EXTERNAL],
        ...[...tenants.values()].map((t) => [t.id, t.name] as const),
      ]);
    }
    return names;
  };
}

/** By tenant id. */
function countDuplicates({ neighbours }: AgentParts): Map<number, number> {
  const counts = new Map<number, number>();
  neighbours.onEvent(({ type, tenant }) => {
    if (type === 'duplicate-address') counts.set(tenant, (counts.get(tenant) ?? 0) + 1);
  });
  return counts;
}

/** As `lbctl status` says it; also of tenants whose file is wrong and of which nothing runs. */
function* tenantStates({ intents, sync }: AgentParts): Generator<Sample> {
  const kept = new Set(intents.kept);
  const summaries = sync.summaries();
  const connected = sync.connection !== undefined;
  for (const { id, name } of intents.tenants.values()) {
    const summary = summaries.get(id);
    const applied = connected && summary?.pending === 0;
    const failed = (summary?.failed ?? 0) > 0;
    const state = failed ? 'failed' : kept.has(name) ? 'kept' : applied ? 'applied' : 'pending';
    yield { labels: { tenant: name, state }, value: 1 };
  }
  const refused = new Set<string>();
  for (const { severity, tenant } of intents.problems)
    if (severity === 'error' && tenant !== undefined && !intents.tenants.has(tenant)) refused.add(tenant);
  for (const tenant of refused) yield { labels: { tenant, state: 'refused' }, value: 1 };
}

/** Counts of milliseconds, as cumulative ones of seconds. */
function inSeconds(histogram: Histogram): HistogramSample {
  let below = 0;
  const counts = histogram.bounds.map((_, i) => {
    below += histogram.counts[i]!;
    return below;
  });
  return {
    labels: {},
    bounds: histogram.bounds.map((ms) => ms / 1000),
    counts,
    sum: histogram.sum / 1000,
    count: histogram.count,
  };
}
