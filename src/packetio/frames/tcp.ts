import { type Ipv4, type Mac, viewOf } from './address.js';
import { foldChecksum, pseudoHeader4, sumBytes, sumIsValid } from './checksum.js';
import type { FrameError } from './errors.js';
import { ETHERNET_HEADER, ETHERTYPE, writeEthernet } from './ethernet.js';
import { IPPROTO, IPV4_HEADER, type Ipv4Header, writeIpv4 } from './ipv4.js';

export const TCP_HEADER = 20;
export const TCP = { fin: 1, syn: 2, rst: 4, psh: 8, ack: 16, urg: 32 } as const;

export interface TcpSegment {
  readonly srcPort: number;
  readonly dstPort: number;
  readonly seq: number;
  readonly ack: number;
  /** Bits of TCP. */
  readonly flags: number;
  readonly window: number;
  /** Maximum segment size option; 0 where absent. */
  readonly mss: number;
  readonly payload: Uint8Array;
}

/** A TCP segment in an unfragmented packet (RFC 9293 §3.1), checksum verified. */
export function parseTcp(frame: Uint8Array, view: DataView, ip: Ipv4Header): TcpSegment | FrameError {
  const at = ip.payloadAt;
  const length = ip.end - at;
  if (length < TCP_HEADER) return 'truncated';
  const headerLength = (view.getUint8(at + 12) >> 4) * 4;
  if (headerLength < TCP_HEADER || headerLength > length) return 'bad-length';
  const sum = pseudoHeader4(ip.src, ip.dst, IPPROTO.tcp, length) + sumBytes(view, at, ip.end);
  if (!sumIsValid(sum)) return 'bad-checksum';
  return {
    srcPort: view.getUint16(at),
    dstPort: view.getUint16(at + 2),
    seq: view.getUint32(at + 4),
    ack: view.getUint32(at + 8),
    flags: view.getUint8(at + 13) & 0x3f,
    window: view.getUint16(at + 14),
    mss: headerLength > TCP_HEADER ? mssOption(view, at + TCP_HEADER, at + headerLength) : 0,
    payload: frame.subarray(at + headerLength, ip.end),
  };
}

/** The MSS option of RFC 9293 §3.2; what follows a malformed option is ignored. */
function mssOption(view: DataView, from: number, to: number): number {
  let at = from;
  while (at < to) {
    const kind = view.getUint8(at);
    if (kind === 0) return 0;
    if (kind === 1) {
      at++;
      continue;
    }
    if (at + 2 > to) return 0;
    const length = view.getUint8(at + 1);
    if (length < 2 || at + length > to) return 0;
    if (kind === 2 && length === 4) return view.getUint16(at + 2);
    at += length;
  }
  return 0;
}

export interface TcpFrame {
  readonly dstMac: Mac;
  readonly srcMac: Mac;
  readonly src: Ipv4;
  readonly dst: Ipv4;
  readonly srcPort: number;
  readonly dstPort: number;
  readonly seq: number;
  readonly ack: number;
  readonly flags: number;
  readonly window: number;
  /** Adds the option where not 0. */
  readonly mss?: number;
  readonly ttl?: number;
  readonly payload?: Uint8Array;
}

/** Bytes of a frame with these parts, tags and Ethernet padding not counted. */
export function tcpFrameLength(payloadLength: number, withMss: boolean): number {
  return ETHERNET_HEADER + IPV4_HEADER + TCP_HEADER + (withMss ? 4 : 0) + payloadLength;
}

/** Writes a frame at the start of `frame`, which must be large enough; returns its length. */
export function writeTcp(frame: Uint8Array, view: DataView, t: TcpFrame): number {
  const mss = t.mss ?? 0;
  const headerLength = mss === 0 ? TCP_HEADER : TCP_HEADER + 4;
  const size = t.payload?.length ?? 0;
  const length = headerLength + size;
  const ipAt = writeEthernet(view, t.dstMac, t.srcMac, ETHERTYPE.ipv4);
  const ip = { src: t.src, dst: t.dst, protocol: IPPROTO.tcp, ttl: t.ttl ?? 64 };
  const at = writeIpv4(view, ipAt, ip, length);
  view.setUint16(at, t.srcPort);
  view.setUint16(at + 2, t.dstPort);
  view.setUint32(at + 4, t.seq);
  view.setUint32(at + 8, t.ack);
  view.setUint16(at + 12, ((headerLength / 4) << 12) | t.flags);
  view.setUint16(at + 14, t.window);
  view.setUint32(at + 16, 0);
  if (mss !== 0) view.setUint32(at + 20, 0x02040000 | mss);
  if (t.payload) frame.set(t.payload, at + headerLength);
  const sum = pseudoHeader4(t.src, t.dst, IPPROTO.tcp, length) + sumBytes(view, at, at + length);
  view.setUint16(at + 16, foldChecksum(sum));
  return at + length;
}

/** A whole frame. */
export function buildTcp(t: TcpFrame): Uint8Array {
  const frame = new Uint8Array(tcpFrameLength(t.payload?.length ?? 0, (t.mss ?? 0) !== 0));
  writeTcp(frame, viewOf(frame), t);
  return frame;
}
