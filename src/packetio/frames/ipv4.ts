import type { Ipv4 } from './address.js';
import { foldChecksum, sumBytes, sumIsValid } from './checksum.js';
import type { FrameError } from './errors.js';

export const IPPROTO = { icmp: 1, tcp: 6, udp: 17, icmp6: 58 } as const;
export const IPV4_HEADER = 20;

export interface Ipv4Header {
  readonly src: Ipv4;
  readonly dst: Ipv4;
  readonly protocol: number;
  readonly ttl: number;
  readonly tos: number;
  readonly id: number;
  readonly dontFragment: boolean;
  readonly moreFragments: boolean;
  /** Bytes. */
  readonly fragmentOffset: number;
  /** Positions in the frame: behind the options, and one past the last byte that total length names. */
  readonly payloadAt: number;
  readonly end: number;
  /** The bytes stop before the end that total length names: a quotation, or a shortened packet-in. */
  readonly truncated: boolean;
}

/**
 * An IPv4 header with options (RFC 791), checksum verified. Bytes behind total length (Ethernet padding) are
 * outside `end`. `quoted`: inside an ICMP error; the payload may be cut off.
 */
export function parseIpv4(view: DataView, at: number, quoted = false): Ipv4Header | FrameError {
  const available = view.byteLength - at;
  if (available < IPV4_HEADER) return 'truncated';
  const first = view.getUint8(at);
  if (first >> 4 !== 4) return 'bad-version';
  const headerLength = (first & 0xf) * 4;
  const totalLength = view.getUint16(at + 2);
  if (headerLength < IPV4_HEADER || totalLength < headerLength) return 'bad-length';
  if (available < headerLength) return 'truncated';
  // Routers on the way may have quoted the header with its checksum as they saw it, before or after TTL.
  if (!quoted && !sumIsValid(sumBytes(view, at, at + headerLength))) return 'bad-checksum';
  const truncated = totalLength > available;
  if (truncated && !quoted) return 'truncated';
  const fragment = view.getUint16(at + 6);
  return {
    src: view.getUint32(at + 12),
    dst: view.getUint32(at + 16),
    protocol: view.getUint8(at + 9),
    ttl: view.getUint8(at + 8),
    tos: view.getUint8(at + 1),
    id: view.getUint16(at + 4),
    dontFragment: (fragment & 0x4000) !== 0,
    moreFragments: (fragment & 0x2000) !== 0,
    fragmentOffset: (fragment & 0x1fff) * 8,
    payloadAt: at + headerLength,
    end: truncated ? view.byteLength : at + totalLength,
    truncated,
  };
}

export interface Ipv4Fields {
  readonly src: Ipv4;
  readonly dst: Ipv4;
  readonly protocol: number;
  /** Default 64. */
  readonly ttl?: number;
  readonly tos?: number;
  readonly id?: number;
}

/** Writes a header without options and with DF set; returns where the payload starts. */
export function writeIpv4(view: DataView, at: number, ip: Ipv4Fields, payloadLength: number): number {
  view.setUint16(at, 0x4500 | (ip.tos ?? 0));
  view.setUint16(at + 2, IPV4_HEADER + payloadLength);
  view.setUint16(at + 4, ip.id ?? 0);
  view.setUint16(at + 6, 0x4000);
  view.setUint16(at + 8, ((ip.ttl ?? 64) << 8) | ip.protocol);
  view.setUint16(at + 10, 0);
  view.setUint32(at + 12, ip.src);
  view.setUint32(at + 16, ip.dst);
  view.setUint16(at + 10, foldChecksum(sumBytes(view, at, at + IPV4_HEADER)));
  return at + IPV4_HEADER;
}
