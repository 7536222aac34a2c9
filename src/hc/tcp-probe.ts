import { IPPROTO } from '../packetio/frames/ipv4.js';
import type { Packet } from '../packetio/frames/packet.js';
import { TCP } from '../packetio/frames/tcp.js';
import { firstRetransmission, type Probe, type ProbeHost, success } from './probe.js';
import { TcpClient, type TcpHost } from './tcp-client.js';
import type { Outcome } from './types.js';

const CONNECTED = success('connected');
const REFUSED: Outcome = { ok: false, kind: 'refused', reason: 'connect refused' };
const NO_ANSWER: Outcome = { ok: false, kind: 'timeout', reason: 'connect timed out' };

/** Connects; what is common to probes that speak over a connection. */
export abstract class ConnectionProbe implements Probe, TcpHost {
  readonly protocol = IPPROTO.tcp;
  protected readonly client: TcpClient;

  constructor(protected readonly host: ProbeHost) {
    this.client = new TcpClient(this, host.secret, firstRetransmission(host.monitor.timeoutMs));
  }

  start(): void {
    this.client.open();
  }

  onPacket(packet: Packet): void {
    if (packet.kind !== 'tcp') return;
    this.client.onSegment(packet.tcp);
    if (this.client.state === 'closed') this.host.closed();
  }

  onUnreachable(quotedSeq: number, outcome: Outcome): void {
    // Only of our SYN: RFC 5927, and a connection that stands is judged by its time-out.
    if (this.client.state !== 'syn-sent' || quotedSeq !== this.host.secret) return;
    this.host.verdict(outcome);
    this.client.abort();
    this.host.closed();
  }

  onTimer(): void {
    this.client.onTimer();
  }

  expire(): Outcome {
    const outcome = this.client.state === 'syn-sent' ? NO_ANSWER : this.late();
    this.client.abort();
    return outcome;
  }

  abort(): void {
    this.client.abort();
  }

  segment(seq: number, ack: number, flags: number, window: number, mss: number, payload?: Uint8Array): void {
    this.host.wire.tcp(this.host.path, this.host.localPort, seq, ack, flags, window, mss, payload);
  }

  timer(ms: number): void {
    this.host.timer(ms);
  }

  silent(): void {
    this.host.silent();
  }

  reset(): void {
    this.host.verdict(this.connectedOnce ? this.lost() : REFUSED);
  }

  connected(): void {
    this.connectedOnce = true;
    this.onConnected();
  }
  private connectedOnce = false;

  /** Ends a connection of which the verdict is known, as the monitor wants it. */
  protected leave(): void {
    if (this.host.monitor.tcpClose === 'fin') this.client.close();
    else this.client.abort();
  }

  protected abstract onConnected(): void;
  abstract data(bytes: Uint8Array): void;
  abstract ended(): void;
  protected abstract late(): Outcome;
  protected abstract lost(): Outcome;
}

/** TCP: a SYN-ACK to our SYN is success; then one RST, or a full close. */
export class TcpConnectProbe extends ConnectionProbe {
  protected onConnected(): void {
    this.host.answered();
    this.host.verdict(CONNECTED);
    if (this.host.monitor.tcpClose === 'fin') this.client.close();
    else {
      // Half open at the peer: a bare RST at the number that it waits for.
      this.client.discard();
      this.segment((this.host.secret + 1) >>> 0, 0, TCP.rst, 0, 0);
    }
  }

  data(): void {}

  ended(): void {
    this.client.close();
  }

  protected late(): Outcome {
    return NO_ANSWER;
  }

  protected lost(): Outcome {
    return CONNECTED;
  }
}
