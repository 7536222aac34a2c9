import type { Histogram } from '../../hc/index.js';
import type { MonitorType } from '../../model/index.js';
import { PUNT, type PuntClass } from '../../packetio/index.js';
import type { SyncSummary } from '../../sync/index.js';
import type { AgentParts } from '../parts.js';
import type { HistogramSample, MetricSource, Sample } from '../read-model.js';
import { healthOf, slotsOf } from './members.js';
import { neighboursOf } from './neighbours.js';

const NOTHING: readonly Sample[] = [];

/** Read at scrape. What nothing counts yet has no series. */
export function metricsOf(parts: AgentParts): MetricSource {
  const { sync, health, packetIo, session } = parts;
  const perTenant = (value: (summary: SyncSummary) => number): Sample[] => {
    const summaries = sync.summaries();
    return [...parts.intents.tenants.values()].map((t) => {
      const summary = summaries.get(t.id);
      return { labels: { tenant: t.name }, value: summary ? value(summary) : 0 };
    });
  };
  const perClass = (value: (cls: PuntClass) => number): Sample[] =>
    (Object.keys(PUNT) as PuntClass[]).map((cls) => ({ labels: { class: cls }, value: value(cls) }));
  return {
    memberStatus: () =>
      healthOf(parts, {}).map((m) => ({
        labels: { tenant: m.tenant, pool: m.pool, member: m.member, status: m.operatingStatus },
        value: 1,
      })),
    memberTransitions: () => NOTHING,
    memberSlots: () =>
      slotsOf(parts, {}).flatMap((p) =>
        p.members.map((m) => ({
          labels: { tenant: p.tenant, pool: p.pool, member: m.member },
          value: m.slots,
        })),
      ),
    probesSent: () =>
      Object.entries(health.counters.sent).map(([type, value]) => ({
        labels: { type: type as MonitorType },
        value,
      })),
    probesFailed: () =>
      Object.entries(health.counters.failed).map(([reason, value]) => ({ labels: { reason }, value })),
    probeLatency: () => [inSeconds(health.roundTrips)],
    probesSuspended: () => 0,
    connections: () => NOTHING,
    connectionLimit: () =>
      [...parts.intents.tenants.values()].flatMap((t) =>
        t.connectionLimit === undefined ? [] : [{ labels: { tenant: t.name }, value: t.connectionLimit }],
      ),
    limitHits: () => NOTHING,
    drops: () => NOTHING,
    flowsDesired: () => perTenant((summary) => summary.desiredFlows),
    flowsInstalled: () => perTenant((summary) => summary.installedFlows),
    flowMods: () =>
      [...sync.counters.mods].map(([name, value]) => {
        const [type = '', command = ''] = name.split(' ');
        return { labels: { type, command }, value };
      }),
    bundleLatency: () => [],
    reconciles: () => [
      { labels: { result: 'equal' }, value: sync.counters.reconcilesEqual },
      { labels: { result: 'repaired' }, value: sync.counters.reconciles - sync.counters.reconcilesEqual },
    ],
    packetIns: () => perClass((cls) => packetIo.counters.classes[cls].received),
    packetOuts: () => [{ labels: {}, value: packetIo.counters.injected }],
    packetDrops: () => [
      ...perClass((cls) => packetIo.counters.classes[cls].dropped).map(({ labels, value }) => ({
        labels: { ...labels, direction: 'in' },
        value,
      })),
      { labels: { direction: 'out' }, value: packetIo.counters.injectDropped },
    ],
    neighbours: () => {
      const counts = new Map<string, Sample>();
      for (const n of neighboursOf(parts, {})) {
        const key = `${n.tenant} ${n.state}`;
        counts.set(key, {
          labels: { tenant: n.tenant, state: n.state },
          value: (counts.get(key)?.value ?? 0) + 1,
        });
      }
      return counts.values();
    },
    duplicateAddresses: () => NOTHING,
    switchConnected: () => (session.connection ? 1 : 0),
    switchConnects: () => session.connects,
    switchRtt: () => {
      const ms = session.connection?.counters().roundTrip;
      return ms === undefined ? undefined : ms / 1000;
    },
    tenantState: () => NOTHING,
    eventLoopLag: () => {
      const { p50, p99, max } = parts.lag.take();
      return { p50: p50 / 1000, p99: p99 / 1000, max: max / 1000 };
    },
  };
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
