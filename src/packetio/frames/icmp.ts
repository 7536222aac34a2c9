import { type Ipv4, type Mac, viewOf } from './address.js';
import { foldChecksum, sumBytes, sumIsValid } from './checksum.js';
import { type FrameError, failed } from './errors.js';
import { ETHERNET_HEADER, ETHERTYPE, writeEthernet } from './ethernet.js';
import { IPPROTO, IPV4_HEADER, type Ipv4Header, parseIpv4, writeIpv4 } from './ipv4.js';

export const ICMP = {
  echoReply: 0,
  unreachable: 3,
  echo: 8,
  timeExceeded: 11,
  parameterProblem: 12,
} as const;
export const ICMP_HEADER = 8;

/** The packet that an ICMP error speaks of, as far as its first 8 bytes behind the IP header tell. */
export interface QuotedPacket {
  readonly src: Ipv4;
  readonly dst: Ipv4;
  readonly protocol: number;
  /** TCP, UDP: ports. ICMP echo: identifier and sequence number. */
  readonly srcPort: number;
  readonly dstPort: number;
  /** TCP. */
  readonly seq: number;
}

export interface IcmpMessage {
  readonly type: number;
  readonly code: number;
  /** Echo and echo reply. */
  readonly id: number;
  readonly seq: number;
  readonly payload: Uint8Array;
  /** Errors that quote a first fragment of TCP, UDP or an echo. */
  readonly quoted?: QuotedPacket;
}

/** An ICMP message in an unfragmented packet (RFC 792), checksum verified. */
export function parseIcmp(frame: Uint8Array, view: DataView, ip: Ipv4Header): IcmpMessage | FrameError {
  const at = ip.payloadAt;
  if (ip.end - at < ICMP_HEADER) return 'truncated';
  if (!sumIsValid(sumBytes(view, at, ip.end))) return 'bad-checksum';
  const type = view.getUint8(at);
  const message = {
    type,
    code: view.getUint8(at + 1),
    id: view.getUint16(at + 4),
    seq: view.getUint16(at + 6),
    payload: frame.subarray(at + ICMP_HEADER, ip.end),
  };
  if (type !== ICMP.unreachable && type !== ICMP.timeExceeded && type !== ICMP.parameterProblem)
    return message;
  const quoted = parseQuoted(message.payload);
  return quoted ? { ...message, quoted } : message;
}

function parseQuoted(bytes: Uint8Array): QuotedPacket | undefined {
  const view = viewOf(bytes);
  const ip = parseIpv4(view, 0, true);
  if (failed(ip) || ip.fragmentOffset !== 0 || ip.end - ip.payloadAt < 8) return undefined;
  const { src, dst, protocol, payloadAt: at } = ip;
  const isEcho = protocol === IPPROTO.icmp && view.getUint8(at) === ICMP.echo;
  if (protocol !== IPPROTO.tcp && protocol !== IPPROTO.udp && !isEcho) return undefined;
  const first = view.getUint32(at);
  const second = view.getUint32(at + 4);
  const ports = isEcho ? second : first;
  return { src, dst, protocol, srcPort: ports >>> 16, dstPort: ports & 0xffff, seq: second };
}

/** What an unreachable means, in words; RFC 792 and RFC 1812 §5.2.7.1. */
export function unreachableName(code: number): string {
  return UNREACHABLE[code] ?? `unreachable (code ${code})`;
}
const UNREACHABLE: readonly (string | undefined)[] = [
  'network unreachable',
  'host unreachable',
  'protocol unreachable',
  'port unreachable',
  'fragmentation needed',
  'source route failed',
  'network unknown',
  'host unknown',
  'source host isolated',
  'network prohibited',
  'host prohibited',
  'network unreachable for this type of service',
  'host unreachable for this type of service',
  'administratively prohibited',
];

export interface IcmpFrame {
  readonly dstMac: Mac;
  readonly srcMac: Mac;
  readonly src: Ipv4;
  readonly dst: Ipv4;
  readonly type: number;
  readonly code: number;
  readonly id: number;
  readonly seq: number;
  readonly ttl?: number;
  readonly payload?: Uint8Array;
}

/** A whole frame. */
export function buildIcmp(i: IcmpFrame): Uint8Array {
  const length = ICMP_HEADER + (i.payload?.length ?? 0);
  const frame = new Uint8Array(ETHERNET_HEADER + IPV4_HEADER + length);
  const view = viewOf(frame);
  const ipAt = writeEthernet(view, i.dstMac, i.srcMac, ETHERTYPE.ipv4);
  const at = writeIpv4(
    view,
    ipAt,
    { src: i.src, dst: i.dst, protocol: IPPROTO.icmp, ttl: i.ttl ?? 64 },
    length,
  );
  view.setUint16(at, (i.type << 8) | i.code);
  view.setUint16(at + 4, i.id);
  view.setUint16(at + 6, i.seq);
  if (i.payload) frame.set(i.payload, at + ICMP_HEADER);
  view.setUint16(at + 2, foldChecksum(sumBytes(view, at, at + length)));
  return frame;
}
