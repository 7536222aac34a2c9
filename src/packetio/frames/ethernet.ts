import { type Mac, readMac, writeMac } from './address.js';
import type { FrameError } from './errors.js';

export const ETHERTYPE = { ipv4: 0x0800, arp: 0x0806, vlan: 0x8100, ipv6: 0x86dd, qinq: 0x88a8 } as const;
export const ETHERNET_HEADER = 14;

export interface EthernetHeader {
  readonly dst: Mac;
  readonly src: Mac;
  /** Of the payload, behind all tags. */
  readonly ethertype: number;
  /** VLAN ids, outermost first; at most two. */
  readonly vlans: readonly number[];
  /** Where the payload starts. */
  readonly payloadAt: number;
}

const NO_VLANS: readonly number[] = [];

/** An Ethernet II header with up to two 802.1Q/802.1ad tags. */
export function parseEthernet(view: DataView): EthernetHeader | FrameError {
  if (view.byteLength < ETHERNET_HEADER) return 'truncated';
  let vlans = NO_VLANS;
  let at = 12;
  let ethertype = view.getUint16(at);
  while (ethertype === ETHERTYPE.vlan || ethertype === ETHERTYPE.qinq) {
    if (vlans.length === 2) return 'too-many-tags';
    if (view.byteLength < at + 6) return 'truncated';
    vlans = [...vlans, view.getUint16(at + 2) & 0xfff];
    at += 4;
    ethertype = view.getUint16(at);
  }
  return { dst: readMac(view, 0), src: readMac(view, 6), ethertype, vlans, payloadAt: at + 2 };
}

/** Writes a header without tags; returns where the payload starts. */
export function writeEthernet(view: DataView, dst: Mac, src: Mac, ethertype: number): number {
  writeMac(view, 0, dst);
  writeMac(view, 6, src);
  view.setUint16(12, ethertype);
  return ETHERNET_HEADER;
}

/** The frame with an 802.1Q tag put in. */
export function tagged(frame: Uint8Array, vlan: number, pcp = 0): Uint8Array {
  const out = new Uint8Array(frame.length + 4);
  out.set(frame.subarray(0, 12));
  out.set([0x81, 0x00, (pcp << 5) | ((vlan >> 8) & 0xf), vlan & 0xff], 12);
  out.set(frame.subarray(12), 16);
  return out;
}
