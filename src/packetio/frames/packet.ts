import { viewOf } from './address.js';
import { type ArpPacket, parseArp } from './arp.js';
import { type FrameError, failed } from './errors.js';
import { ETHERTYPE, type EthernetHeader, parseEthernet } from './ethernet.js';
import { type IcmpMessage, parseIcmp } from './icmp.js';
import { IPPROTO, type Ipv4Header, parseIpv4 } from './ipv4.js';
import { parseTcp, type TcpSegment } from './tcp.js';
import { parseUdp, type UdpDatagram } from './udp.js';

/** A frame taken apart. Payloads are views of the frame: copy what outlives it. */
export type Packet =
  | { readonly kind: 'arp'; readonly eth: EthernetHeader; readonly arp: ArpPacket }
  | { readonly kind: 'tcp'; readonly eth: EthernetHeader; readonly ip: Ipv4Header; readonly tcp: TcpSegment }
  | { readonly kind: 'udp'; readonly eth: EthernetHeader; readonly ip: Ipv4Header; readonly udp: UdpDatagram }
  | {
      readonly kind: 'icmp';
      readonly eth: EthernetHeader;
      readonly ip: Ipv4Header;
      readonly icmp: IcmpMessage;
    }
  /** One piece of a fragmented packet, also the first. */
  | { readonly kind: 'fragment'; readonly eth: EthernetHeader; readonly ip: Ipv4Header }
  | { readonly kind: 'ipv4'; readonly eth: EthernetHeader; readonly ip: Ipv4Header }
  | { readonly kind: 'other'; readonly eth: EthernetHeader }
  | { readonly kind: 'bad'; readonly reason: FrameError };

/** Takes a frame apart as far as it is understood. Never throws, whatever the bytes. */
export function parsePacket(frame: Uint8Array): Packet {
  const view = viewOf(frame);
  const eth = parseEthernet(view);
  if (failed(eth)) return bad(eth);
  if (eth.ethertype === ETHERTYPE.arp) {
    const arp = parseArp(view, eth.payloadAt);
    return failed(arp) ? bad(arp) : { kind: 'arp', eth, arp };
  }
  if (eth.ethertype !== ETHERTYPE.ipv4) return { kind: 'other', eth };
  const ip = parseIpv4(view, eth.payloadAt);
  if (failed(ip)) return bad(ip);
  if (ip.moreFragments || ip.fragmentOffset !== 0) return { kind: 'fragment', eth, ip };
  switch (ip.protocol) {
    case IPPROTO.tcp: {
      const tcp = parseTcp(frame, view, ip);
      return failed(tcp) ? bad(tcp) : { kind: 'tcp', eth, ip, tcp };
    }
    case IPPROTO.udp: {
      const udp = parseUdp(frame, view, ip);
      return failed(udp) ? bad(udp) : { kind: 'udp', eth, ip, udp };
    }
    case IPPROTO.icmp: {
      const icmp = parseIcmp(frame, view, ip);
      return failed(icmp) ? bad(icmp) : { kind: 'icmp', eth, ip, icmp };
    }
    default:
      return { kind: 'ipv4', eth, ip };
  }
}

function bad(reason: FrameError): Packet {
  return { kind: 'bad', reason };
}
