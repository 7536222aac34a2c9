import { formatIpv4 } from '../packetio/frames/address.js';
import { unreachableName } from '../packetio/frames/icmp.js';
import { IPPROTO } from '../packetio/frames/ipv4.js';
import type { Packet } from '../packetio/frames/packet.js';
import type { Monitor, Outcome } from './types.js';
import type { Path, ProbeWire } from './wire.js';

/** What a probe may do. */
export interface ProbeHost {
  readonly wire: ProbeWire;
  readonly path: Path;
  readonly monitor: Monitor;
  /** Source port, or identifier of an echo. */
  readonly localPort: number;
  /** 32 unpredictable bits. */
  readonly secret: number;
  /** Calls `onTimer` so many ms from now; 0: not at all. */
  timer(ms: number): void;
  /** The first byte or packet that answers is here: ends the round-trip measurement. */
  answered(): void;
  /** The verdict; the first one counts. The probe goes on until `closed`. */
  verdict(outcome: Outcome): void;
  /** Nothing more is to come of this probe. */
  closed(): void;
  /** An answer is late enough to doubt that the neighbour is there. */
  silent(): void;
}

/** One check on its way. Packets given to it were matched by their whole tuple. */
export interface Probe {
  readonly protocol: number;
  start(): void;
  onPacket(packet: Packet): void;
  /** An ICMP error that quotes a packet of this probe's tuple. */
  onUnreachable(quotedSeq: number, outcome: Outcome): void;
  onTimer(): void;
  /** The time-out; the outcome where no verdict was given before. */
  expire(): Outcome;
  /** Ends without a verdict, politely where the peer holds something for us. */
  abort(): void;
}

export function success(reason: string): Outcome {
  return { ok: true, reason };
}

/** First retransmission so early that two fit before the time-out: one lost packet is no failure. */
export function firstRetransmission(timeoutMs: number): number {
  return Math.max(10, Math.min(1000, timeoutMs / 4));
}

/** What an ICMP error says of the member, or undefined where it doesn't say that it is gone. */
export function unreachableOutcome(packet: Packet & { kind: 'icmp' }): Outcome | undefined {
  const { type, code } = packet.icmp;
  const from = formatIpv4(packet.ip.src);
  if (type === 3 && code !== 4) {
    return { ok: false, kind: 'unreachable', reason: `ICMP ${unreachableName(code)} from ${from}` };
  }
  if (type === 11 && code === 0)
    return { ok: false, kind: 'unreachable', reason: `ICMP TTL exceeded from ${from}` };
  return undefined;
}

export const ICMP_PROTOCOL = IPPROTO.icmp;
