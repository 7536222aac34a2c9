import { formatIpv4 } from '../packetio/frames/address.js';
import { TimerQueue } from '../packetio/timer-queue.js';
import type { Clock, PacketIo, Random } from '../packetio/types.js';
import { Answers } from './answers.js';
import { newCounters } from './counters.js';
import { Debouncer } from './debouncer.js';
import { Flight, Flights, type Tower } from './flight.js';
import { Histogram } from './histogram.js';
import { LagWatch } from './lag-watch.js';
import { type Neighbours, NeighbourWait } from './neighbours.js';
import { StartQueue } from './start-queue.js';
import { Subscribers } from './subscribers.js';
import { monitorKey, Target } from './target.js';
import { TargetIndex } from './target-index.js';
import {
  type Check,
  type CheckStatus,
  DEFAULT_LIMITS,
  type HealthLimits,
  type MonitorType,
  type Outcome,
  type ProbeStatus,
  type Transition,
} from './types.js';
import { ProbeWire } from './wire.js';

/** Intervals are longer or shorter by up to this part of them. */
const JITTER = 0.1;
/** Checks start on a grid of so many milliseconds: those of one moment leave in one write to the switch. */
const GRID_MS = 5;
/** New targets beyond which their first probes are spread over a whole interval. */
const SPREAD_OVER = 1000;
/** Round trip to the switch beyond which no more checks are started for the moment. */
const CONGESTED_MS = 100;
/** A time-out that is handled this late waits for answers that may lie in the socket. */
const GRACE_MS = 5;
const MS = [0.25, 0.5, 1, 2.5, 5, 10, 25, 50, 100, 250, 500, 1000, 2500, 5000];

/** Probes members of all tenants and says which are up. */
export class HealthChecker {
  readonly counters = newCounters();
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
  private readonly members = new Subscribers();
  private readonly flights = new Flights();
  private readonly waiting = new NeighbourWait();
  private readonly starts: StartQueue;
  private readonly targetTimers: TimerQueue<Target>;
  private readonly flightTimers: TimerQueue<Flight>;
  private readonly debouncer: Debouncer<Transition>;
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
    this.starts = new StartQueue({
      clock,
      perSecond: limits.probesPerSecond,
      start: (target) => this.start(target),
      // More than the switch manages would only make all answers late.
      congested: () => io.delay() > CONGESTED_MS,
    });
    this.targetTimers = new TimerQueue(clock, (target) => this.onTargetTime(target));
    this.flightTimers = new TimerQueue(clock, (flight, now) => this.onFlightTime(flight, now));
    this.debouncer = new Debouncer(clock, limits.quietMs, limits.latestMs, (batch) => {
      for (const handler of this.handlers) handler(batch);
    });
    this.tower = {
      wire: this.wire,
      now: () => clock.now(),
      delay: () => io.delay(),
      wake: (flight, at) => this.flightTimers.schedule(flight, at),
      answered: (flight) => this.onAnswered(flight),
      verdict: (flight, outcome) => this.conclude(flight.target, flight, outcome),
      landed: (flight) => this.onLanded(flight),
      silent: (flight) =>
        arp.suspect(flight.target.tenant, flight.path.injection.segment, flight.target.nextHop),
    };
    const { flights, targets, wire, counters } = this;
    const answers = new Answers({ flights, targets, arp, wire, clock, counters });
    io.onPunt('probe', (context, frame) => answers.onFrame(context, frame));
    arp.onUsable(({ tenant, segment, address }) => this.onUsable(tenant, segment, address));
  }

  /**
   * All checks of a tenant. What was found out is kept by (tenant, address, port, monitor); a member whose monitor
   * changed keeps its verdict and counts anew. Members that are unchanged get no packet for it.
   */
  setChecks(tenant: number, checks: readonly Check[]): void {
    const now = this.clock.now();
    const fresh: Target[] = [];
    const left = this.members.replace(
      tenant,
      checks,
      (check, old) => check.monitor && this.targetFor(tenant, check, check.monitor, old, fresh, now),
    );
    for (const target of left) this.drop(target);
    this.plan(fresh, now);
    if (this.targets.size > 0) this.lag.start();
    else this.lag.stop();
  }

  /** Endpoint id → what probes say, of one pool: the input of `serving`. */
  poolStatuses(poolId: number): Map<number, ProbeStatus> {
    return this.members.poolStatuses(poolId);
  }

  /** Every member of every pool. */
  status(): CheckStatus[] {
    return this.members.rows(this.clock.now());
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
      target.nominal = onGrid(now + this.random() * share * target.monitor.delayMs);
      this.targetTimers.schedule(target, target.nominal);
    }
  }

  private drop(target: Target): void {
    target.gone = true;
    this.targets.remove(target);
    this.targetTimers.cancel(target);
    this.waiting.remove(target);
    if (!target.started) this.neverStarted--;
    if (target.flight) {
      target.flight.probe.abort();
      target.flight.decided = true;
      target.flight.closed();
    }
  }

  private onTargetTime(target: Target): void {
    if (target.phase === 'resolving') {
      this.waiting.remove(target);
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
    this.waiting.add(target);
    target.waitingLink = this.io.link;
    target.waitingSince = now;
    target.phase = 'resolving';
    this.targetTimers.schedule(target, now + target.monitor.timeoutMs);
  }

  private onUsable(tenant: number, segment: number, address: number): void {
    for (const target of this.waiting.take(tenant, segment, address)) {
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
    const long = target.monitor.timeoutMs / 2;
    const deaf = this.lag.worstSince(since);
    if (deaf > long) return `not judged: the agent was busy for ${Math.round(deaf)} ms`;
    const delay = this.io.delaySince(since);
    if (delay > long) return `not judged: the switch was busy for ${Math.round(delay)} ms`;
    return undefined;
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
    target.nominal = onGrid(Math.max(target.nominal + interval, now));
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
}

const PROTOCOL: Record<MonitorType, number> = { TCP: 6, HTTP: 6, 'UDP-CONNECT': 17, PING: 1 };

function onGrid(at: number): number {
  return Math.ceil(at / GRID_MS) * GRID_MS;
}
