import { formatMac, type Mac } from '../packetio/frames/address.js';
import type { Packet } from '../packetio/frames/packet.js';
import type { Timed } from '../packetio/timer-queue.js';
import { PingProbe, UdpProbe } from './datagram-probes.js';
import { HttpProbe } from './http-probe.js';
import type { Probe, ProbeHost } from './probe.js';
import { sourcePort } from './source-ports.js';
import type { Target } from './target.js';
import { TcpConnectProbe } from './tcp-probe.js';
import type { Monitor, Outcome } from './types.js';
import type { Path, ProbeWire } from './wire.js';

/** What flights need of the checker. */
export interface Tower {
  readonly wire: ProbeWire;
  now(): number;
  /** Of the way to the switch and back, in ms. */
  delay(): number;
  wake(flight: Flight, at: number): void;
  answered(flight: Flight): void;
  verdict(flight: Flight, outcome: Outcome): void;
  landed(flight: Flight): void;
  silent(flight: Flight): void;
}

/** A probe on its way, from its first packet to the last that it may care for. */
export class Flight implements Timed, ProbeHost {
  due = 0;
  heapIndex = -1;
  /** Next with the same key in the index of flights. */
  next: Flight | undefined;
  readonly wire: ProbeWire;
  readonly path: Path;
  readonly monitor: Monitor;
  readonly startedAt: number;
  readonly deadline: number;
  readonly probe: Probe;
  decided = false;
  over = false;
  /** Its time-out was put off once, for answers not yet read. */
  grace = false;
  /** Another card than the neighbour's answered; it counts for nothing, but says why there is silence. */
  stranger: Mac | undefined;
  private retryAt = Number.POSITIVE_INFINITY;

  constructor(
    private readonly tower: Tower,
    readonly target: Target,
    readonly localPort: number,
    readonly secret: number,
    /** The connection of the switch that it left by. */
    readonly link: number,
  ) {
    this.wire = tower.wire;
    this.path = target.path;
    this.monitor = target.monitor;
    this.startedAt = tower.now();
    this.deadline = this.startedAt + this.monitor.timeoutMs;
    this.probe = makeProbe(this);
  }

  start(): void {
    this.tower.wake(this, this.deadline);
    this.probe.start();
  }

  timer(ms: number): void {
    if (this.over) return;
    // What is on its way in a long queue need not be asked again.
    this.retryAt =
      ms === 0 ? Number.POSITIVE_INFINITY : this.tower.now() + Math.max(ms, 2 * this.tower.delay());
    const at = Math.min(this.retryAt, this.deadline);
    // A later moment is found when the earlier one comes: most timers are put off, few come.
    if (at < this.due || this.heapIndex < 0) this.tower.wake(this, at);
  }

  /** The moment that it waited for. */
  onTime(now: number): void {
    if (now >= this.deadline) {
      this.verdict(this.explained(this.probe.expire()));
      this.closed();
      return;
    }
    if (now >= this.retryAt) {
      this.retryAt = Number.POSITIVE_INFINITY;
      this.probe.onTimer();
    }
    if (!this.over && this.heapIndex < 0) this.tower.wake(this, Math.min(this.retryAt, this.deadline));
  }

  private explained(outcome: Outcome): Outcome {
    if (outcome.ok || this.stranger === undefined) return outcome;
    return { ...outcome, reason: `${outcome.reason}: answers came from ${formatMac(this.stranger)}` };
  }

  answered(): void {
    this.tower.answered(this);
  }

  verdict(outcome: Outcome): void {
    if (this.decided) return;
    this.decided = true;
    this.tower.verdict(this, outcome);
  }

  closed(): void {
    if (this.over) return;
    this.over = true;
    this.tower.landed(this);
  }

  silent(): void {
    this.tower.silent(this);
  }
}

function makeProbe(host: ProbeHost): Probe {
  switch (host.monitor.type) {
    case 'TCP':
      return new TcpConnectProbe(host);
    case 'HTTP':
      return new HttpProbe(host);
    case 'UDP-CONNECT':
      return new UdpProbe(host);
    case 'PING':
      return new PingProbe(host);
  }
}

/** Flights by what an answer to them carries. */
export class Flights {
  /** By the member's address and our port; tenants with the same addresses share a key, and are told apart then. */
  private readonly byKey = new Map<number, Flight>();
  size = 0;

  add(flight: Flight): void {
    const key = keyOf(flight.path.address, flight.localPort);
    flight.next = this.byKey.get(key);
    this.byKey.set(key, flight);
    this.size++;
  }

  remove(flight: Flight): void {
    const key = keyOf(flight.path.address, flight.localPort);
    const first = this.byKey.get(key);
    this.size--;
    if (first === flight) {
      if (flight.next) this.byKey.set(key, flight.next);
      else this.byKey.delete(key);
      return;
    }
    for (let f = first; f; f = f.next) if (f.next === flight) f.next = flight.next;
  }

  /** The flight with this whole tuple. For echoes the member's port doesn't count. */
  find(tuple: Tuple): Flight | undefined {
    let flight = this.byKey.get(keyOf(tuple.address, tuple.localPort));
    while (flight && !fits(flight, tuple)) flight = flight.next;
    return flight;
  }

  /** A source port of the target's sequence that no flight with the same tuple uses. */
  freePort(target: Target, protocol: number): number {
    const { address, port, source } = target.path;
    for (let tries = 0; ; tries++) {
      const localPort = sourcePort(target.portKey, target.portCount++);
      const { tenant, segment } = target;
      const tuple = { tenant, segment, protocol, address, port, source, localPort };
      if (tries > 16 || !this.find(tuple)) return localPort;
    }
  }
}

export interface Tuple {
  readonly tenant: number;
  readonly segment: number;
  readonly protocol: number;
  readonly address: number;
  readonly port: number;
  readonly source: number;
  readonly localPort: number;
}

function keyOf(address: number, localPort: number): number {
  return address * 0x10000 + localPort;
}

function fits(flight: Flight, t: Tuple): boolean {
  const { path, target } = flight;
  return (
    target.tenant === t.tenant &&
    path.injection.segment === t.segment &&
    flight.probe.protocol === t.protocol &&
    path.address === t.address &&
    path.source === t.source &&
    flight.localPort === t.localPort &&
    (t.protocol === 1 || path.port === t.port)
  );
}

/** The tuple of an answer from a member, undefined where the packet is none. */
export function answerTuple(tenant: number, segment: number, packet: Packet): Tuple | undefined {
  switch (packet.kind) {
    case 'tcp':
    case 'udp': {
      const { srcPort: port, dstPort: localPort } = packet.kind === 'tcp' ? packet.tcp : packet.udp;
      const { src: address, dst: source, protocol } = packet.ip;
      return { tenant, segment, protocol, address, port, source, localPort };
    }
    case 'icmp': {
      const { src: address, dst: source, protocol } = packet.ip;
      return { tenant, segment, protocol, address, port: 0, source, localPort: packet.icmp.id };
    }
    default:
      return undefined;
  }
}
