import { type Packet, parsePacket } from '../../../src/packetio/frames/packet.js';
import type { Injection, PacketContext, PacketIo, PuntClass } from '../../../src/packetio/types.js';

export interface Sent {
  readonly how: Injection;
  readonly frame: Uint8Array;
  readonly packet: Packet;
}

/** Keeps what is sent, hands in what a test punts. */
export class FakePacketIo implements PacketIo {
  link = 1;
  /** Of the way to the switch and back, at all times. */
  delayMs = 0;
  sent: Sent[] = [];
  /** Called for each frame sent, after it was kept: a scripted network. */
  onSent: (sent: Sent) => void = () => {};
  private readonly handlers = new Map<PuntClass, (context: PacketContext, frame: Uint8Array) => void>();

  delay(): number {
    return this.delayMs;
  }

  delaySince(): number {
    return this.delayMs;
  }

  inject(how: Injection, frame: Uint8Array): boolean {
    if (this.link === 0) return false;
    const copy = Uint8Array.from(frame);
    const sent = { how, frame: copy, packet: parsePacket(copy) };
    this.sent.push(sent);
    this.onSent(sent);
    return true;
  }

  onPunt(cls: PuntClass, handler: (context: PacketContext, frame: Uint8Array) => void): void {
    this.handlers.set(cls, handler);
  }

  punt(cls: PuntClass, context: Partial<PacketContext>, frame: Uint8Array): void {
    this.handlers.get(cls)?.({ tenant: 1, segment: 2, inPort: 10, nextHop: 0, ...context }, frame);
  }

  /** What was sent since the last call. */
  take(): Sent[] {
    const sent = this.sent;
    this.sent = [];
    return sent;
  }
}
