/** /metrics: filled from the agent's numbers at each scrape, so the series of a deleted object are simply not there. */
import { type Metric, Registry } from 'prom-client';
import type { HistogramSample, MetricSource, Sample } from '../agent/read-model.js';

/** Series of one metric; more are left out and counted: a scrape must not cost the node its memory. */
const MAX_SERIES = 50_000;

interface Value {
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
  readonly metricName?: string;
}

export function createMetrics(source: MetricSource): {
  render(): Promise<string>;
  readonly contentType: string;
} {
  const registry = new Registry();
  let omitted = 0;

  const register = (
    name: string,
    type: 'gauge' | 'counter' | 'histogram',
    help: string,
    values: () => Iterable<Value>,
  ): void => {
    const get = (): Promise<unknown> => {
      const taken: Value[] = [];
      for (const value of values()) {
        if (taken.length >= MAX_SERIES) omitted++;
        else taken.push(value);
      }
      return Promise.resolve({ name, help, type, aggregator: 'sum', values: taken });
    };
    // The registry asks a metric for its name and values only; ours keep none of their own.
    registry.registerMetric({ name, help, type, get } as unknown as Metric);
  };
  const gauge = (name: string, help: string, values: () => Iterable<Sample>): void =>
    register(`hpnn_${name}`, 'gauge', help, values);
  const counter = (name: string, help: string, values: () => Iterable<Sample>): void =>
    register(`hpnn_${name}_total`, 'counter', help, values);
  const histogram = (name: string, help: string, values: () => Iterable<HistogramSample>): void =>
    register(`hpnn_${name}`, 'histogram', help, () => flatten(`hpnn_${name}`, values()));
  const one = (value: number | undefined): Sample[] => (value === undefined ? [] : [{ labels: {}, value }]);

  gauge('member_status', 'Operating status of a member; 1 for the present one', () => source.memberStatus());
  counter('member_transitions', 'Changes of operating status, by the new one', () =>
    source.memberTransitions(),
  );
  gauge('member_slots', 'Slots of the pool that a member holds', () => source.memberSlots());
  counter('probes_sent', 'Health checks started', () => source.probesSent());
  counter('probes_failed', 'Health checks failed, by reason', () => source.probesFailed());
  histogram('probe_latency_seconds', 'Time of successful health checks', () => source.probeLatency());
  gauge('probes_suspended', '1 while verdicts are suspended because the agent itself lags', () =>
    one(source.probesSuspended()),
  );
  gauge('connections', 'Connection tracking entries of a tenant', () => source.connections());
  gauge('connections_limit', 'What hpnn_connections may reach', () => source.connectionLimit());
  counter('limit_hits', 'Packets dropped because a limit was reached', () => source.limitHits());
  counter('dropped_packets', 'Packets dropped by a rule, by reason', () => source.drops());
  gauge('flows_desired', 'Flows that the configuration and the facts ask for', () => source.flowsDesired());
  gauge('flows_installed', 'Flows that the switch confirmed', () => source.flowsInstalled());
  counter('flow_mods', 'Changes sent to the switch', () => source.flowMods());
  histogram('bundle_latency_seconds', 'Time from opening a bundle to its confirmed commit', () =>
    source.bundleLatency(),
  );
  counter('reconciles', 'Comparisons with what the switch holds, by result', () => source.reconciles());
  counter('packet_in', 'Packets handed to the agent, by class', () => source.packetIns());
  counter('packet_out', 'Packets sent by the agent, by class', () => source.packetOuts());
  counter('packet_dropped', 'Packets the agent had no room for', () => source.packetDrops());
  gauge('neighbours', 'Entries of the neighbour table, by state', () => source.neighbours());
  counter('duplicate_addresses', 'Two stations answered for one address', () => source.duplicateAddresses());
  gauge('openflow_connected', '1 while the switch is connected', () => one(source.switchConnected()));
  counter('openflow_connects', 'Connections made by or to the switch', () => one(source.switchConnects()));
  gauge('openflow_rtt_seconds', 'Round-trip of the last echo', () => one(source.switchRtt()));
  gauge('tenant_state', 'State of a tenant; 1 for the present one', () => source.tenantState());
  gauge('event_loop_lag_seconds', "Lateness of the agent's event loop since the last scrape", () => {
    const { p50, p99, max } = source.eventLoopLag();
    return [
      { labels: { quantile: '0.5' }, value: p50 },
      { labels: { quantile: '0.99' }, value: p99 },
      { labels: { quantile: '1' }, value: max },
    ];
  });
  gauge('process_resident_memory_bytes', 'Resident memory of the agent', () =>
    one(process.memoryUsage.rss()),
  );
  counter('process_cpu_seconds', 'Processor time of the agent', () => {
    const { user, system } = process.cpuUsage();
    return one((user + system) / 1e6);
  });
  counter('series_omitted', 'Series left out because a metric had too many', () => one(omitted));

  return { render: () => registry.metrics(), contentType: Registry.PROMETHEUS_CONTENT_TYPE };
}

/** The three kinds of series of a histogram. */
function* flatten(name: string, samples: Iterable<HistogramSample>): Iterable<Value> {
  for (const { labels, bounds, counts, sum, count } of samples) {
    for (const [i, bound] of bounds.entries()) {
      yield { metricName: `${name}_bucket`, labels: { ...labels, le: String(bound) }, value: counts[i] ?? 0 };
    }
    yield { metricName: `${name}_bucket`, labels: { ...labels, le: '+Inf' }, value: count };
    yield { metricName: `${name}_sum`, labels, value: sum };
    yield { metricName: `${name}_count`, labels, value: count };
  }
}
