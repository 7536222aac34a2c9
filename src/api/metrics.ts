/** /metrics: filled from the agent's numbers at each scrape, so the series of a deleted object are simply not there. */
import type { Metric } from 'prom-client';
import Registry from 'prom-client/lib/registry.js';
import type { HistogramSample, MetricSource, Sample } from '../agent/read-model.js';
import { slicer } from '../loop/turns.js';

/** Series of one metric; more are left out and counted: a scrape must not cost the node its memory. */
const MAX_SERIES = 50_000;
/** Series written at once, and series computed between two looks at the clock: one may cost a slot table. */
const STEP = 200;
const LOOK = 8;
/** ms for the switch's own counts; without them the last ones are shown. */
const REFRESH_MS = 1000;

interface Value {
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
  readonly metricName?: string;
}

interface Definition {
  readonly name: string;
  readonly type: 'gauge' | 'counter' | 'histogram';
  readonly help: string;
  readonly values: () => Iterable<Value>;
}

export interface Metrics {
  /** The text format, written in slices. Callers that come meanwhile get the same text. */
  render(): Promise<string>;
  readonly contentType: string;
}

export function createMetrics(source: MetricSource): Metrics {
  let omitted = 0;
  const definitions = define(source, () => omitted);
  let rendering: Promise<string> | undefined;

  const write = async (): Promise<string> => {
    await Promise.race([source.refresh(), delay(REFRESH_MS)]);
    const pause = slicer();
    let text = '';
    for (const definition of definitions) {
      text += await textOf(definition, []);
      let count = 0;
      let step: Value[] = [];
      for (const value of definition.values()) {
        if (++count > MAX_SERIES) omitted++;
        else step.push(value);
        if (count % LOOK === 0) await pause();
        if (count % STEP !== 0) continue;
        text += withoutHead(await textOf(definition, step));
        step = [];
        await pause();
      }
      text += withoutHead(await textOf(definition, step));
      await pause();
    }
    return text;
  };

  return {
    render: () => {
      rendering ??= write().finally(() => {
        rendering = undefined;
      });
      return rendering;
    },
    contentType: Registry.PROMETHEUS_CONTENT_TYPE,
  };
}
function define(source: MetricSource, omitted: () => number): Definition[] {
  const definitions: Definition[] = [];
  const add = (name: string, type: Definition['type'], help: string, values: () => Iterable<Value>): void => {
    definitions.push({ name, type, help, values });
  };
  const gauge = (name: string, help: string, values: () => Iterable<Sample>): void =>
    add(`hpnn_${name}`, 'gauge', help, values);
  const counter = (name: string, help: string, values: () => Iterable<Sample>): void =>
    add(`hpnn_${name}_total`, 'counter', help, values);
  const histogram = (name: string, help: string, values: () => Iterable<HistogramSample>): void =>
    add(`hpnn_${name}`, 'histogram', help, () => flatten(`hpnn_${name}`, values()));
  const one = (value: number | undefined): Sample[] => (value === undefined ? [] : [{ labels: {}, value }]);

  gauge('member_status', 'Operating status of a member; 1 for the present one', () => source.memberStatus());
  counter('member_transitions', 'Changes of operating status, by the new one', () =>
    source.memberTransitions(),
  );
  gauge('member_slots', 'Slots of the pool that a member holds', () => source.memberSlots());
  counter('probes_sent', 'Health checks started', () => source.probesSent());
  counter('probes_failed', 'Health checks failed, by reason', () => source.probesFailed());
  histogram('probe_latency_seconds', 'Time of successful health checks', () => source.probeLatency());
  counter(
    'probes_unjudged',
    'Health checks without a verdict: the agent lagged, or the switch was away',
    () => one(source.probesUnjudged()),
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
  counter('drifted_flows', 'Flows that somebody else had changed', () => source.driftedFlows());
  counter('bundles_refused', 'Bundles that the switch refused', () => one(source.bundlesRefused()));
  counter('packet_in', 'Packets handed to the agent, by class', () => source.packetIns());
  counter('packet_out', 'Packets sent by the agent, by the way they take', () => source.packetOuts());
  counter('packet_dropped', 'Packets the agent had no room for', () => source.packetDrops());
  gauge('neighbours', 'Entries of the neighbour table, by state', () => source.neighbours());
  counter('duplicate_addresses', 'Two stations answered for one address', () => source.duplicateAddresses());
  gauge('openflow_connected', '1 while the switch is connected', () => one(source.switchConnected()));
  counter('openflow_connects', 'Connections made by or to the switch', () => one(source.switchConnects()));
  gauge('openflow_rtt_seconds', 'Round-trip of the last echo', () => one(source.switchRtt()));
  gauge('tenant_state', 'State of a tenant; 1 for the present one', () => source.tenantState());
  gauge('config_errors', 'Errors in the configuration directory', () => one(source.configErrors()));
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
  counter('series_omitted', 'Series left out because a metric had too many', () => one(omitted()));

  return definitions;
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

/** A registry asks a metric for its name and values only; ours keep none of their own. */
async function textOf({ name, type, help }: Definition, values: readonly Value[]): Promise<string> {
  const registry = new Registry();
  const get = () => Promise.resolve({ name, help, type, aggregator: 'sum', values });
  registry.registerMetric({ name, get } as unknown as Metric);
  return `${await registry.getSingleMetricAsString(name)}\n`;
}

/** Without the lines HELP and TYPE. */
function withoutHead(text: string): string {
  return text.slice(text.indexOf('\n', text.indexOf('\n') + 1) + 1);
}

function delay(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms).unref());
}
