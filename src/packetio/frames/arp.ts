import { BROADCAST_MAC, type Ipv4, type Mac, readMac, viewOf, writeMac } from './address.js';
import type { FrameError } from './errors.js';
import { ETHERNET_HEADER, ETHERTYPE, writeEthernet } from './ethernet.js';

export const ARP_REQUEST = 1;
export const ARP_REPLY = 2;
const ARP_LENGTH = 28;
/** Shortest Ethernet frame without its check sequence. */
const MIN_FRAME = 60;

export interface ArpPacket {
  readonly operation: number;
  readonly senderMac: Mac;
  readonly senderAddress: Ipv4;
  readonly targetMac: Mac;
  readonly targetAddress: Ipv4;
}

/** ARP for Ethernet and IPv4, RFC 826; others are 'bad-value'. */
export function parseArp(view: DataView, at: number): ArpPacket | FrameError {
  if (view.byteLength < at + ARP_LENGTH) return 'truncated';
  if (view.getUint16(at) !== 1 || view.getUint16(at + 2) !== ETHERTYPE.ipv4) return 'bad-value';
  if (view.getUint16(at + 4) !== 0x0604) return 'bad-length';
  return {
    operation: view.getUint16(at + 6),
    senderMac: readMac(view, at + 8),
    senderAddress: view.getUint32(at + 14),
    targetMac: readMac(view, at + 18),
    targetAddress: view.getUint32(at + 24),
  };
}

/** A whole frame, padded to the minimum of Ethernet. */
export function buildArp(dst: Mac, src: Mac, arp: ArpPacket): Uint8Array {
  const frame = new Uint8Array(MIN_FRAME);
  const view = viewOf(frame);
  const at = writeEthernet(view, dst, src, ETHERTYPE.arp);
  view.setUint16(at, 1);
  view.setUint16(at + 2, ETHERTYPE.ipv4);
  view.setUint16(at + 4, 0x0604);
  view.setUint16(at + 6, arp.operation);
  writeMac(view, at + 8, arp.senderMac);
  view.setUint32(at + 14, arp.senderAddress);
  writeMac(view, at + 18, arp.targetMac);
  view.setUint32(at + 24, arp.targetAddress);
  return frame;
}

/** "Who has `target`?", to everyone or to the one station that is believed to have it. */
export function buildArpRequest(src: Mac, source: Ipv4, target: Ipv4, to: Mac = BROADCAST_MAC): Uint8Array {
  return buildArp(to, src, {
    operation: ARP_REQUEST,
    senderMac: src,
    senderAddress: source,
    targetMac: 0n,
    targetAddress: target,
  });
}

/** Bytes that an ARP frame occupies before padding. */
export const ARP_FRAME = ETHERNET_HEADER + ARP_LENGTH;
