/** All that the API and the commands see of the agent and ask of it. Implemented in this folder, faked in tests. */
import type {
  AdminResult,
  AgentEvent,
  CaptureRequest,
  ConfigApplied,
  ConfigPlan,
  ConfigProblem,
  ConfigShown,
  ConnectionRow,
  DiffResult,
  DropRow,
  FdbRow,
  Filter,
  FlowKind,
  FlowRow,
  GroupRow,
  LogLevels,
  MemberHealth,
  MemberRef,
  MeterRow,
  NeighbourRow,
  PoolSlots,
  PortRow,
  Status,
  TraceRequest,
  TraceResult,
} from '../api/types.js';

/**
 * The agent says no, in words. Codes become HTTP statuses: not-found 404, conflict 409, unavailable 503 (no switch,
 * no unixctl socket), invalid 422, timeout 504.
 */
export class RefusedError extends Error {
  override readonly name = 'RefusedError';
  constructor(
    readonly code: 'not-found' | 'conflict' | 'unavailable' | 'invalid' | 'timeout',
    message: string,
    /** What would be right. */
    readonly hint?: string,
  ) {
    super(message);
  }
}

/** A sample of a metric at scrape. Counters are totals since start. */
export interface Sample {
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

/** Cumulative: `counts[i]` observations were at most `bounds[i]`. */
export interface HistogramSample {
  readonly labels: Readonly<Record<string, string>>;
  readonly bounds: readonly number[];
  readonly counts: readonly number[];
  readonly sum: number;
  readonly count: number;
}

/**
 * Numbers for /metrics, all read at scrape: an object that is gone is simply not among them. Names of labels are
 * `tenant`, `pool`, `member`, `listener` (`LB/LISTENER`), `segment`, and those said here.
 */
export interface MetricSource {
  /** Asks the switch for what only it counts; resolves when the answers are there, or are known not to come. */
  refresh(): Promise<void>;
  /** tenant, pool, member, status: 1 for the present status. */
  memberStatus(): Iterable<Sample>;
  /** tenant, pool, member, to (`ONLINE`, `ERROR`…). */
  memberTransitions(): Iterable<Sample>;
  /** tenant, pool, member: slots held; also of members that hold none. */
  memberSlots(): Iterable<Sample>;
  /** type (TCP, HTTP, …). */
  probesSent(): Iterable<Sample>;
  /** reason: a `FailureKind`. */
  probesFailed(): Iterable<Sample>;
  /** seconds. */
  probeLatency(): Iterable<HistogramSample>;
  /** Checks without a verdict: the agent was too busy to listen, or the switch was away. */
  probesUnjudged(): number;
  /** tenant: conntrack entries. */
  connections(): Iterable<Sample>;
  connectionLimit(): Iterable<Sample>;
  /** tenant, limit (connections, connection_rate, bandwidth, punt): packets. */
  limitHits(): Iterable<Sample>;
  /** tenant, reason: a `DropReason`; packets. */
  drops(): Iterable<Sample>;
  /** tenant; `(node)` for what belongs to none. */
  flowsDesired(): Iterable<Sample>;
  flowsInstalled(): Iterable<Sample>;
  /** type (flow, group, meter), command (add, modify, delete). */
  flowMods(): Iterable<Sample>;
  /** seconds. */
  bundleLatency(): Iterable<HistogramSample>;
  /** result (equal, repaired). */
  reconciles(): Iterable<Sample>;
  /** tenant: flows that somebody else had changed; repaired. */
  driftedFlows(): Iterable<Sample>;
  /** Bundles that the switch refused. */
  bundlesRefused(): number;
  /** class (arp, nd, probe, nextHop). */
  packetIns(): Iterable<Sample>;
  /** way: `route` as probes, `segment` as ARP, `adjacency`. */
  packetOuts(): Iterable<Sample>;
  /** class, direction (in, out); going out the class is `any`. */
  packetDrops(): Iterable<Sample>;
  /** tenant, state. What belongs to external networks has the tenant `(external)`. */
  neighbours(): Iterable<Sample>;
  /** tenant: addresses claimed by two MACs. */
  duplicateAddresses(): Iterable<Sample>;
  /** 1 while connected. */
  switchConnected(): number;
  switchConnects(): number;
  /** seconds; undefined before the first echo. */
  switchRtt(): number | undefined;
  /** tenant, state: 1 for the present state. */
  tenantState(): Iterable<Sample>;
  /** Errors in the configuration directory. */
  configErrors(): number;
  /** seconds, at quantile 0.5, 0.99 and 1 since the last scrape. */
  eventLoopLag(): { readonly p50: number; readonly p99: number; readonly max: number };
}

export type FlowFilter = Filter & { readonly table?: number; readonly kind?: FlowKind };

/**
 * Methods whose answer needs the switch may reject with RefusedError 'unavailable'. A name in a filter that doesn't
 * exist is found by the API through `names()` before the method is called.
 */
export interface ReadModel {
  /** Configured names, for filters and hints: tenant → pool → members. */
  names(): ReadonlyMap<string, ReadonlyMap<string, readonly string[]>>;
  status(filter: Filter): Promise<Status>;
  /** The switch is there, and has confirmed since it connected what was wanted then, or refused it. */
  ready(): { readonly ready: boolean; readonly reason?: string };
  health(filter: Filter): Promise<readonly MemberHealth[]>;
  slots(filter: Filter): Promise<readonly PoolSlots[]>;
  neighbours(filter: Filter): Promise<readonly NeighbourRow[]>;
  fdb(filter: Filter): Promise<readonly FdbRow[]>;
  /** At most `limit` rows. */
  connections(filter: Filter, limit: number): Promise<readonly ConnectionRow[]>;
  /** In slices, so that neither side holds a full table. */
  flows(filter: FlowFilter): AsyncIterable<FlowRow>;
  ports(filter: Filter): Promise<readonly PortRow[]>;
  groups(filter: Filter): Promise<readonly GroupRow[]>;
  meters(filter: Filter): Promise<readonly MeterRow[]>;
  /** What rules and meters dropped, by reason. */
  drops(filter: Filter): Promise<readonly DropRow[]>;
  diffFlows(filter: Filter): Promise<DiffResult>;

  /** Resolve when the state is on the disk; the switch follows. */
  drain(member: MemberRef): Promise<AdminResult>;
  enable(member: MemberRef): Promise<AdminResult>;
  trace(request: TraceRequest): Promise<TraceResult>;
  /** Chunks of text lines or of a pcapng file, until `signal` aborts. */
  capture(request: CaptureRequest, signal: AbortSignal): AsyncIterable<Uint8Array>;

  configCheck(): Promise<{ readonly problems: readonly ConfigProblem[] }>;
  /** What applying `dir`, the agent's own directory by default, would send. */
  configPlan(filter: Filter, dir?: string): Promise<ConfigPlan>;
  /** Reloads; with `waitMs` resolves when the switch confirmed everything, of `tenant` alone, or the time is over. */
  configApply(waitMs: number | undefined, tenant?: string): Promise<ConfigApplied>;
  configShow(filter: Filter): Promise<ConfigShown>;

  logLevels(): LogLevels;
  /** @throws RefusedError for unknown modules and levels; module `any` means all. */
  setLogLevel(module: string, level: string): LogLevels;

  /** Calls back on each event until the returned function is called. Events are numbered; the last ones are kept. */
  onEvent(handler: (event: AgentEvent) => void): () => void;
  /** Kept events after `seq`. */
  eventsSince(seq: number): readonly AgentEvent[];

  readonly metrics: MetricSource;
}
