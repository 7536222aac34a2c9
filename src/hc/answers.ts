import { type Packet, parsePacket } from '../packetio/frames/packet.js';
import { TCP } from '../packetio/frames/tcp.js';
import { TokenBucket } from '../packetio/token-bucket.js';
import type { Clock, PacketContext } from '../packetio/types.js';
import type { HealthCounters } from './counters.js';
import { answerTuple, type Flights } from './flight.js';
import type { Neighbours } from './neighbours.js';
import { unreachableOutcome } from './probe.js';
import type { TargetIndex } from './target-index.js';
import type { ProbeWire } from './wire.js';

const STRAYS_PER_SECOND = 200;

export interface AnswersOptions {
  readonly flights: Flights;
  readonly targets: TargetIndex;
  readonly arp: Pick<Neighbours, 'lookup' | 'observe'>;
  readonly wire: ProbeWire;
  readonly clock: Clock;
  readonly counters: HealthCounters;
}

/** Packets to our probe addresses: each is given to the flight that it answers, by its whole tuple, or counted. */
export class Answers {
  private readonly strayBudget: TokenBucket;

  constructor(private readonly options: AnswersOptions) {
    this.strayBudget = new TokenBucket(STRAYS_PER_SECOND, STRAYS_PER_SECOND, options.clock.now());
  }

  onFrame(context: PacketContext, frame: Uint8Array): void {
    const { counters, flights, arp } = this.options;
    const packet = parsePacket(frame);
    const { tenant, segment } = context;
    if (packet.kind === 'bad') {
      counters.badFrames++;
      return;
    }
    if (packet.kind === 'icmp' && packet.icmp.quoted) {
      this.onError(context, packet);
      return;
    }
    const tuple = answerTuple(tenant, segment, packet);
    const flight = tuple && flights.find(tuple);
    if (flight === undefined) {
      counters.unmatched++;
      if (packet.kind === 'tcp') this.onStray(context, packet);
      return;
    }
    const { target } = flight;
    if (target.onLink && arp.lookup(tenant, segment, target.nextHop)?.mac !== packet.eth.src) {
      counters.wrongMac++;
      flight.stranger = packet.eth.src;
      arp.observe(context, target.nextHop, packet.eth.src);
      return;
    }
    flight.probe.onPacket(packet);
  }

  /** An ICMP error counts when it quotes a packet of a flight. */
  private onError(context: PacketContext, packet: Packet & { kind: 'icmp' }): void {
    const { counters, flights } = this.options;
    const quoted = packet.icmp.quoted!;
    const outcome = unreachableOutcome(packet);
    const isEcho = quoted.protocol === 1;
    const flight = flights.find({
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
      counters.unmatched++;
      return;
    }
    flight.probe.onUnreachable(quoted.seq, outcome);
  }

  /** What a member still believes to be a connection of ours is ended, so that nothing half-open stays there. */
  private onStray({ tenant, segment }: PacketContext, packet: Packet & { kind: 'tcp' }): void {
    const { targets, wire, clock, counters } = this.options;
    const { ip, tcp, eth } = packet;
    const ends = (tcp.flags & (TCP.syn | TCP.ack)) === (TCP.syn | TCP.ack) || (tcp.flags & TCP.fin) !== 0;
    if (!ends || tcp.flags & TCP.rst || (tcp.flags & TCP.ack) === 0 || tcp.dstPort < 0xc000) return;
    if (!targets.hasEndpoint(tenant, ip.src, tcp.srcPort)) return;
    if (!this.strayBudget.take(clock.now())) return;
    counters.strays++;
    const path = {
      injection: { kind: 'route', tenant, segment } as const,
      source: ip.dst,
      sourceMac: eth.dst,
      address: ip.src,
      port: tcp.srcPort,
    };
    wire.tcp(path, tcp.dstPort, tcp.ack, 0, TCP.rst, 0, 0);
  }
}
