import { type Ipv4, type Mac, viewOf } from './address.js';
import { foldChecksum, pseudoHeader4, sumBytes, sumIsValid } from './checksum.js';
import type { FrameError } from './errors.js';
import { ETHERNET_HEADER, ETHERTYPE, writeEthernet } from './ethernet.js';
import { IPPROTO, IPV4_HEADER, type Ipv4Header, writeIpv4 } from './ipv4.js';

export const UDP_HEADER = 8;

export interface UdpDatagram {
  readonly srcPort: number;
  readonly dstPort: number;
  readonly payload: Uint8Array;
}

/** A UDP datagram in an unfragmented packet (RFC 768), checksum verified unless absent. */
export function parseUdp(frame: Uint8Array, view: DataView, ip: Ipv4Header): UdpDatagram | FrameError {
  const at = ip.payloadAt;
  if (ip.end - at < UDP_HEADER) return 'truncated';
  const length = view.getUint16(at + 4);
  if (length < UDP_HEADER || at + length > ip.end) return 'bad-length';
  if (view.getUint16(at + 6) !== 0) {
    const sum = pseudoHeader4(ip.src, ip.dst, IPPROTO.udp, length) + sumBytes(view, at, at + length);
    if (!sumIsValid(sum)) return 'bad-checksum';
  }
  return {
    srcPort: view.getUint16(at),
    dstPort: view.getUint16(at + 2),
    payload: frame.subarray(at + UDP_HEADER, at + length),
  };
}

export interface UdpFrame {
  readonly dstMac: Mac;
  readonly srcMac: Mac;
  readonly src: Ipv4;
  readonly dst: Ipv4;
  readonly srcPort: number;
  readonly dstPort: number;
  readonly ttl?: number;
  readonly payload?: Uint8Array;
}

/** A whole frame. */
export function buildUdp(u: UdpFrame): Uint8Array {
  const size = u.payload?.length ?? 0;
  const length = UDP_HEADER + size;
  const frame = new Uint8Array(ETHERNET_HEADER + IPV4_HEADER + length);
  const view = viewOf(frame);
  const ipAt = writeEthernet(view, u.dstMac, u.srcMac, ETHERTYPE.ipv4);
  const at = writeIpv4(view, ipAt, { ...u, protocol: IPPROTO.udp }, length);
  view.setUint16(at, u.srcPort);
  view.setUint16(at + 2, u.dstPort);
  view.setUint16(at + 4, length);
  if (u.payload) frame.set(u.payload, at + UDP_HEADER);
  const sum = pseudoHeader4(u.src, u.dst, IPPROTO.udp, length) + sumBytes(view, at, at + length);
  // 0 on the wire would mean "no checksum".
  view.setUint16(at + 6, foldChecksum(sum) || 0xffff);
  return frame;
}
