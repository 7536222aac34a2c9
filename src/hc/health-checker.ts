import { formatIpv4, type Mac } from '../packetio/frames/address.js';
import { type Packet, parsePacket } from '../packetio/frames/packet.js';
import { TCP } from '../packetio/frames/tcp.js';
import { TimerQueue } from '../packetio/timer-queue.js';
import { TokenBucket } from '../packetio/token-bucket.js';
import type { Clock, PacketContext, PacketIo, Random } from '../packetio/types.js';
import { Debouncer } from './debouncer.js';
import { answerTuple, Flight, Flights, type Tower } from './flight.js';
import { Histogram } from './histogram.js';
import { LagWatch } from './lag-watch.js';
import { unreachableOutcome } from './probe.js';
import { StartQueue } from './start-queue.js';
import { monitorKey, type Subscriber, Target } from './target.js';
import { TargetIndex } from './target-index.js';
import {
  type Check,
  type CheckStatus,
  DEFAULT_LIMITS,
  type FailureKind,
  type HealthLimits,
  type MonitorType,
  type Outcome,
  type ProbeStatus,
  type Transition,
} from './types.js';
import { ProbeWire } from './wire.js';

/** What the checker needs of the neighbour table. */
export interface Neighbours {
  lookup(tenant: number, segment: number, address: number): { readonly mac: Mac } | undefined;
  confirm(tenant: number, segment: number, address: number): void;
  suspect(tenant: number, segment: number, address: number): void;
  observe(context: PacketContext, address: number, mac: Mac): void;
  onUsable(handler: (key: { tenant: number; segment: number; address: number }) => void): void;
}

export interface HealthCounters {
  readonly sent: Record<MonitorType, number>;
  succeeded: number;
  readonly failed: Record<FailureKind, number>;
  /** Results without a verdict: the loop was deaf, or the switch was away. */
  suspended: number;
  transitions: number;
  /** Packets to our probe addresses that answer no probe; from the wrong card; of which nothing was understood. */
  unmatched: number;
  wrongMac: number;
  badFrames: number;
  /** SYN-ACKs and FINs of members that came too late, answered with RST. */
  strays: number;
}

/** Intervals are longer or shorter by up to this part of them. */
const JITTER = 0.1;
/** New targets beyond which their first probes are spread over a whole interval. */
const SPREAD_OVER = 1000;
/** A time-out that is handled this late waits for answers that may lie in the socket. */
const GRACE_MS = 5;
const STRAYS_PER_SECOND = 200;
const MS = [0.25, 0.5, 1, 2.5, 5, 10, 25, 50, 100, 250, 500, 1000, 2500, 5000];

/** Probes members of all tenants and says which are up. */
export class HealthChecker {
  readonly counters: HealthCounters = {
    sent: { TCP: 0, HTTP: 0, 'UDP-CONNECT': 0, PING: 0 },
    succeeded: 0,
    failed: {
      timeout: 0,
      refused: 0,
      reset: 0,
      unreachable: 0,
      closed: 0,
      'bad-status': 0,
      malformed: 0,
      'no-neighbour': 0,
    },
    suspended: 0,
    transitions: 0,
    unmatched: 0,
    wrongMac: 0,
    badFrames: 0,
    strays: 0,
  };
  /** Milliseconds: from the first packet to the answer; from when a probe was due to when it left. */
  readonly roundTrips = new Histogram(MS);
  readonly lateness = new Histogram(MS);

  private readonly io: PacketIo;
  private readonly arp: Neighbours;
  private readonly clock: Clock;
  private readonly random: Random;
  private readonly wire: ProbeWire;
  private readonly lag: LagWatch;
  private readonly targets = new TargetIndex();
  /** By tenant, then pool and endpoint. */
  private readonly members = new Map<number, Map<number, Subscriber>>();
  private readonly byPool = new Map<number, Set<Subscriber>>();
  private readonly flights = new Flights();
  private readonly waiting = new Map<string, Set<Target>>();
  private readonly starts: StartQueue;
  private readonly targetTimers: TimerQueue<Target>;
  private readonly flightTimers: TimerQueue<Flight>;
  private readonly debouncer: Debouncer<Transition>;
  private readonly strayBudget: TokenBucket;
  private readonly handlers: ((batch: readonly Transition[]) => void)[] = [];
  private readonly tower: Tower;
  private neverStarted = 0;

  constructor(options: {
    readonly io: PacketIo;
    readonly arp: Neighbours;
    readonly clock: Clock;
    readonly random: Random;
    readonly limits?: Partial<HealthLimits>;
  }) {
    const { io, arp, clock, random } = options;
    const limits = { ...DEFAULT_LIMITS, ...options.limits };
    this.io = io;
    this.arp = arp;
    this.clock = clock;
    this.random = random;
    this.wire = new ProbeWire(io);
    this.lag = new LagWatch(clock);
    this.starts = new StartQueue(clock, limits.probesPerSecond, (target) => this.start(target));
    this.targetTimers = new TimerQueue(clock, (target) => this.onTargetTime(target));
    this.flightTimers = new TimerQueue(clock, (flight, now) => this.onFlightTime(flight, now));
    this.debouncer = new Debouncer(clock, limits.quietMs, limits.latestMs, (batch) => {
      for (const handler of this.handlers) handler(batch);
    });
    this.strayBudget = new TokenBucket(STRAYS_PER_SECOND, STRAYS_PER_SECOND, clock.now());
    this.tower = {
      wire: this.wire,
      now: () => clock.now(),
      wake: (flight, at) => this.flightTimers.schedule(flight, at),
      answered: (flight) => this.onAnswered(flight),
      verdict: (flight, outcome) => this.conclude(flight.target, flight, outcome),
      landed: (flight) => this.onLanded(flight),
      silent: (flight) =>
        arp.suspect(flight.target.tenant, flight.path.injection.segment, flight.target.nextHop),
    };
    io.onPunt('probe', (context, frame) => this.onFrame(context, frame));
    arp.onUsable(({ tenant, segment, address }) => this.onUsable(`${tenant}/${segment}/${address}`));
  }

  /**
   * All checks of a tenant. What was found out is kept by (tenant, address, port, monitor); a member whose monitor
   * changed keeps its verdict and counts anew. Members that are unchanged get no packet for it.
   */
  setChecks(tenant: number, checks: readonly Check[]): void {
    const now = this.clock.now();
    const before = this.members.get(tenant) ?? new Map<number, Subscriber>();
    const after = new Map<number, Subscriber>();
    const fresh: Target[] = [];
    const left = new Set<Target>();
    for (const check of checks) {
      const key = check.poolId * 0x1000000 + check.endpointId;
      const member: Subscriber = before.get(key) ?? { tenant, check, target: undefined };
      const old = member.target;
      const target = check.monitor && this.targetFor(tenant, check, check.monitor, old, fresh, now);
      target?.update(check);
      target?.subscribe(member);
      if (old && old !== target) {
        old.unsubscribe(member);
        left.add(old);
      }
      member.check = check;
      member.target = target;
      after.set(key, member);
      this.poolSet(check.poolId).add(member);
    }
    for (const [key, member] of before) {
      if (after.has(key)) continue;
      this.leavePool(member);
      if (member.target === undefined) continue;
      member.target.unsubscribe(member);
      left.add(member.target);
    }
    for (const target of left) if (target.subscribers.length === 0) this.drop(target);
    if (after.size > 0) this.members.set(tenant, after);
    else this.members.delete(tenant);
    this.plan(fresh, now);
    if (this.targets.size > 0) this.lag.start();
    else this.lag.stop();
  }

  /** Endpoint id → what probes say, of one pool: the input of `serving`. */
  poolStatuses(poolId: number): Map<number, ProbeStatus> {
    const statuses = new Map<number, ProbeStatus>();
    for (const member of this.byPool.get(poolId) ?? [])
      statuses.set(member.check.endpointId, statusOf(member));
    return statuses;
  }

  /** Every member of every pool. */
  status(): CheckStatus[] {
    const now = this.clock.now();
    const rows: CheckStatus[] = [];
    for (const members of this.members.values()) {
      for (const member of members.values()) rows.push(rowOf(member, now));
    }
    return rows;
  }

  /** Changes of status, debounced by pool; a batch may hold several pools. */
  onTransitions(handler: (batch: readonly Transition[]) => void): void {
    this.handlers.push(handler);
  }

  /** Checks that exist, that wait for the rate limit, that are on their way. */
  gauges(): { readonly targets: number; readonly ready: number; readonly inFlight: number } {
    return { targets: this.targets.size, ready: this.starts.size, inFlight: this.flights.size };
  }

  private targetFor(
    tenant: number,
    check: Check,
    monitor: NonNullable<Check['monitor']>,
    old: Target | undefined,
    fresh: Target[],
    now: number,
  ): Target {
    const key = monitorKey(monitor);
    const known = this.targets.get(tenant, key, check.address, check.port);
    if (known) return known;
    const portKey = Math.floor(this.random() * 0x100000000);
    const target = new Target(tenant, key, monitor, check, portKey, now, old);
    this.targets.add(target);
    fresh.push(target);
    return target;
  }

  /** First probes: at once where there are few, spread over the interval where there are many. */
  private plan(fresh: readonly Target[], now: number): void {
    this.neverStarted += fresh.length;
    const share = Math.min(1, this.neverStarted / SPREAD_OVER);
    for (const target of fresh) {
      target.nominal = now + this.random() * share * target.monitor.delayMs;
      this.targetTimers.schedule(target, target.nominal);
    }
  }

  private drop(target: Target): void {
    target.gone = true;
    this.targets.remove(target);
    this.targetTimers.cancel(target);
    this.stopWaiting(target);
    if (!target.started) this.neverStarted--;
    if (target.flight) {
      target.flight.probe.abort();
      target.flight.decided = true;
      target.flight.closed();
    }
  }

  private onTargetTime(target: Target): void {
    if (target.phase === 'resolving') {
      this.stopWaiting(target);
      target.phase = 'flying';
      const reason = `no ARP answer from ${formatIpv4(target.nextHop)} on ${target.segmentName}`;
      this.conclude(target, undefined, { ok: false, kind: 'no-neighbour', reason });
    } else this.starts.push(target);
  }

  private start(target: Target): void {
    const now = this.clock.now();
    if (!target.started) {
      target.started = true;
      this.neverStarted--;
    }
    if (this.io.link === 0) {
      this.suspend(target, 'not probed: no switch is connected');
      return;
    }
    const neighbour = this.arp.lookup(target.tenant, target.segment, target.nextHop);
    if (neighbour === undefined || neighbour.mac === 0n) {
      this.await(target, now);
      return;
    }
    this.lateness.observe(now - Math.min(now, target.nominal));
    this.counters.sent[target.monitor.type]++;
    target.phase = 'flying';
    const protocol = PROTOCOL[target.monitor.type];
    const localPort = this.flights.freePort(target, protocol);
    const secret = Math.floor(this.random() * 0x100000000);
    const flight = new Flight(this.tower, target, localPort, secret, this.io.link);
    target.flight = flight;
    this.flights.add(flight);
    flight.start();
  }

  private await(target: Target, now: number): void {
    const key = `${target.tenant}/${target.segment}/${target.nextHop}`;
    let waiting = this.waiting.get(key);
    if (waiting === undefined) {
      waiting = new Set();
      this.waiting.set(key, waiting);
    }
    waiting.add(target);
    target.waitingFor = key;
    target.waitingLink = this.io.link;
    target.waitingSince = now;
    target.phase = 'resolving';
    this.targetTimers.schedule(target, now + target.monitor.timeoutMs);
  }

  private stopWaiting(target: Target): void {
    const waiting = this.waiting.get(target.waitingFor);
    if (waiting?.delete(target) && waiting.size === 0) this.waiting.delete(target.waitingFor);
  }

  private onUsable(key: string): void {
    const waiting = this.waiting.get(key);
    if (waiting === undefined) return;
    this.waiting.delete(key);
    for (const target of waiting) {
      this.targetTimers.cancel(target);
      target.nominal = Math.max(target.nominal, target.waitingSince);
      this.starts.push(target);
    }
  }

  private onFlightTime(flight: Flight, now: number): void {
    // Answers may have arrived while the loop was busy: they are read before this is called a time-out.
    if (now >= flight.deadline + GRACE_MS && !flight.grace) {
      flight.grace = true;
      this.flightTimers.schedule(flight, now + GRACE_MS);
      return;
    }
    flight.onTime(now);
  }

  private onAnswered(flight: Flight): void {
    const rtt = this.clock.now() - flight.startedAt;
    flight.target.rttMs = rtt;
    this.roundTrips.observe(rtt);
    this.arp.confirm(flight.target.tenant, flight.path.injection.segment, flight.target.nextHop);
  }

  private onLanded(flight: Flight): void {
    this.flightTimers.cancel(flight);
    this.flights.remove(flight);
    if (flight.target.flight === flight) flight.target.flight = undefined;
  }

  private conclude(target: Target, flight: Flight | undefined, outcome: Outcome): void {
    const { counters } = this;
    const now = this.clock.now();
    const why = outcome.ok && !outcome.assumed ? undefined : this.excuse(target, flight, outcome);
    if (why !== undefined) {
      this.suspend(target, why);
      return;
    }
    if (outcome.ok) counters.succeeded++;
    else counters.failed[outcome.kind!]++;
    target.lastProbeAt = now;
    target.reason = outcome.reason;
    const from = target.verdict.status;
    if (target.verdict.record(outcome.ok, target.monitor)) this.tell(target, from, now);
    this.next(target, now);
  }

  /** Why a failure, or silence, says nothing of the member. */
  private excuse(target: Target, flight: Flight | undefined, outcome: Outcome): string | undefined {
    const link = flight ? flight.link : target.waitingLink;
    if (link !== this.io.link) return 'not judged: the connection to the switch was lost meanwhile';
    if (!outcome.assumed && outcome.kind !== 'timeout' && outcome.kind !== 'no-neighbour') return undefined;
    const since = flight ? flight.startedAt : target.waitingSince;
    const deaf = this.lag.worstSince(since);
    if (deaf <= target.monitor.timeoutMs / 2) return undefined;
    return `not judged: the agent was busy for ${Math.round(deaf)} ms`;
  }

  private suspend(target: Target, reason: string): void {
    this.counters.suspended++;
    target.reason = reason;
    this.next(target, this.clock.now());
  }

  /** Plans the next probe an interval after this one should have been. */
  private next(target: Target, now: number): void {
    target.phase = 'idle';
    if (target.gone) return;
    const interval = target.monitor.delayMs * (1 + (this.random() - 0.5) * 2 * JITTER);
    target.nominal += interval;
    if (target.nominal < now) target.nominal = now;
    this.targetTimers.schedule(target, target.nominal);
  }

  private tell(target: Target, from: ProbeStatus, at: number): void {
    const { status: to } = target.verdict;
    target.since = at;
    for (const { tenant, check } of target.subscribers) {
      const { poolId, endpointId } = check;
      this.counters.transitions++;
      this.debouncer.add(poolId, { tenant, poolId, endpointId, from, to, reason: target.reason, at });
    }
  }

  private onFrame(context: PacketContext, frame: Uint8Array): void {
    const packet = parsePacket(frame);
    const { tenant, segment } = context;
    if (packet.kind === 'bad') {
      this.counters.badFrames++;
      return;
    }
    if (packet.kind === 'icmp' && packet.icmp.quoted) {
      this.onError(context, packet);
      return;
    }
    const tuple = answerTuple(tenant, segment, packet);
    const flight = tuple && this.flights.find(tuple);
    if (flight === undefined) {
      this.counters.unmatched++;
      if (packet.kind === 'tcp') this.onStray(context, packet);
      return;
    }
    const { target } = flight;
    if (target.onLink && this.arp.lookup(tenant, segment, target.nextHop)?.mac !== packet.eth.src) {
      this.counters.wrongMac++;
      this.arp.observe(context, target.nextHop, packet.eth.src);
      return;
    }
    flight.probe.onPacket(packet);
  }

  /** An ICMP error counts when it quotes a packet of a flight. */
  private onError(context: PacketContext, packet: Packet & { kind: 'icmp' }): void {
    const quoted = packet.icmp.quoted!;
    const outcome = unreachableOutcome(packet);
    const isEcho = quoted.protocol === 1;
    const flight = this.flights.find({
      tenant: context.tenant,
      segment: context.segment,
      protocol: quoted.protocol,
      address: quoted.dst,
      port: quoted.dstPort,
      source: packet.ip.dst === quoted.src ? quoted.src : -1,
      localPort: quoted.srcPort,
    });
    if (
      flight === undefined ||
      outcome === undefined ||
      (isEcho && quoted.dstPort !== (flight.secret & 0xffff))
    ) {
      this.counters.unmatched++;
      return;
    }
    flight.probe.onUnreachable(quoted.seq, outcome);
  }

  /** What a member still believes to be a connection of ours is ended, so that nothing half-open stays there. */
  private onStray({ tenant, segment }: PacketContext, packet: Packet & { kind: 'tcp' }): void {
    const { ip, tcp, eth } = packet;
    const ends = (tcp.flags & (TCP.syn | TCP.ack)) === (TCP.syn | TCP.ack) || (tcp.flags & TCP.fin) !== 0;
    if (!ends || tcp.flags & TCP.rst || (tcp.flags & TCP.ack) === 0 || tcp.dstPort < 0xc000) return;
    if (!this.targets.hasEndpoint(tenant, ip.src, tcp.srcPort)) return;
    if (!this.strayBudget.take(this.clock.now())) return;
    this.counters.strays++;
    const path = {
      injection: { kind: 'route', tenant, segment } as const,
      source: ip.dst,
      sourceMac: eth.dst,
      address: ip.src,
      port: tcp.srcPort,
    };
    this.wire.tcp(path, tcp.dstPort, tcp.ack, 0, TCP.rst, 0, 0);
  }

  private poolSet(poolId: number): Set<Subscriber> {
    let set = this.byPool.get(poolId);
    if (set === undefined) {
      set = new Set();
      this.byPool.set(poolId, set);
    }
    return set;
  }

  private leavePool(member: Subscriber): void {
    const set = this.byPool.get(member.check.poolId);
    set?.delete(member);
    if (set?.size === 0) this.byPool.delete(member.check.poolId);
  }
}

const PROTOCOL: Record<MonitorType, number> = { TCP: 6, HTTP: 6, 'UDP-CONNECT': 17, PING: 1 };

function statusOf(member: Subscriber): ProbeStatus {
  return member.target?.verdict.status ?? 'NO_MONITOR';
}

function rowOf({ tenant, check, target }: Subscriber, now: number): CheckStatus {
  const { poolId, endpointId, address, port } = check;
  const member = { tenant, poolId, endpointId, address, port };
  if (target === undefined) {
    return { ...member, status: 'NO_MONITOR', reason: 'no health monitor', sinceMs: 0, rise: 0, fall: 0 };
  }
  const { verdict, reason, since, lastProbeAt, rttMs, monitor } = target;
  return {
    ...member,
    type: monitor.type,
    status: verdict.status,
    reason,
    sinceMs: now - since,
    rise: verdict.rise,
    fall: verdict.fall,
    ...(lastProbeAt === undefined ? {} : { lastProbeMs: now - lastProbeAt }),
    ...(rttMs === undefined ? {} : { rttMs }),
  };
}
