import { ICMP } from '../packetio/frames/icmp.js';
import { IPPROTO } from '../packetio/frames/ipv4.js';
import type { Packet } from '../packetio/frames/packet.js';
import { type Probe, type ProbeHost, success } from './probe.js';
import type { Outcome } from './types.js';

const REPLIED = success('replied');
const SILENT_UP: Outcome = { ok: true, reason: 'no answer, which counts as up', assumed: true };
const SILENT_DOWN: Outcome = { ok: false, kind: 'timeout', reason: 'no answer' };
const NO_ECHO: Outcome = { ok: false, kind: 'timeout', reason: 'no echo reply' };

/** A question in one packet, asked again at half the time-out. */
abstract class DatagramProbe implements Probe {
  abstract readonly protocol: number;
  private asked = 0;

  constructor(protected readonly host: ProbeHost) {}

  start(): void {
    this.ask();
    this.host.timer(this.host.monitor.timeoutMs / 2);
  }

  onTimer(): void {
    if (this.asked >= 2) return;
    this.ask();
    this.host.silent();
  }

  onUnreachable(_quotedSeq: number, outcome: Outcome): void {
    this.end(outcome);
  }

  abort(): void {}

  abstract onPacket(packet: Packet): void;
  abstract expire(): Outcome;
  protected abstract send(): void;

  protected end(outcome: Outcome): void {
    if (outcome.ok) this.host.answered();
    this.host.verdict(outcome);
    this.host.closed();
  }

  private ask(): void {
    this.asked++;
    this.send();
  }
}

/** UDP-CONNECT: a reply is success, an ICMP unreachable is failure, silence is what the monitor says. */
export class UdpProbe extends DatagramProbe {
  readonly protocol = IPPROTO.udp;

  onPacket(packet: Packet): void {
    if (packet.kind === 'udp') this.end(REPLIED);
  }

  expire(): Outcome {
    return this.host.monitor.udpSilence === 'up' ? SILENT_UP : SILENT_DOWN;
  }

  protected send(): void {
    this.host.wire.udp(this.host.path, this.host.localPort);
  }
}

/** PING: an echo reply with our identifier and sequence number. */
export class PingProbe extends DatagramProbe {
  readonly protocol = IPPROTO.icmp;

  onPacket(packet: Packet): void {
    if (packet.kind !== 'icmp' || packet.icmp.type !== ICMP.echoReply) return;
    if (packet.icmp.seq === (this.host.secret & 0xffff)) this.end(REPLIED);
  }

  expire(): Outcome {
    return NO_ECHO;
  }

  protected send(): void {
    this.host.wire.echo(this.host.path, this.host.localPort, this.host.secret & 0xffff);
  }
}
