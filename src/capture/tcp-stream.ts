import { foldChecksum, pseudoHeader4, sumBytes } from '../packetio/frames/checksum.js';

/** Port of the controller's side in a file, whatever it is on the wire: dissectors know OpenFlow by it. */
export const OPENFLOW_PORT = 6653;
const LOOPBACK = 0x7f000001;
const IP_HEADER = 20;
const TCP_HEADER = 20;
const IPPROTO_TCP = 6;
/** Below the 65,535 bytes of an IPv4 packet. */
const MAX_PAYLOAD = 60_000;
const FLAG = { syn: 0x02, psh: 0x08, ack: 0x10 } as const;

/**
 * One OpenFlow connection as a TCP connection from the switch to port 6653, as an IPv4 capture would have it: first a
 * handshake, then each message in segments of its own. Messages that aren't captured leave no hole.
 */
export class TcpStream {
  private readonly switchAddress: number;
  private readonly switchPort: number;
  /** Next sequence number of what comes from the switch, and of what goes to it. */
  private readonly next = { in: 1, out: 1 };
  private identification = 0;

  /**
   * @param peer as the channel names it, `127.0.0.1:40312` or `tcp:192.0.2.7:6653`; what isn't IPv4 gets a loopback address
   * @param number tells connections apart that have no TCP port
   */
  constructor(peer: string, number: number) {
    const tcp = /^(?:(?:tcp|ssl):)?(\d+)\.(\d+)\.(\d+)\.(\d+):(\d+)$/.exec(peer);
    const octets = tcp?.slice(1, 5).map(Number);
    const port = Number(tcp?.[5]);
    this.switchAddress = octets ? octets.reduce((sum, octet) => sum * 256 + octet, 0) : LOOPBACK;
    this.switchPort = tcp && port !== OPENFLOW_PORT ? port : 40_000 + (number % 20_000);
  }

  /** SYN, SYN and ACK, ACK. */
  handshake(): { direction: 'in' | 'out'; packet: Uint8Array }[] {
    const nothing = new Uint8Array(0);
    return [
      { direction: 'in', packet: this.packet('in', nothing, FLAG.syn, 0, 0) },
      { direction: 'out', packet: this.packet('out', nothing, FLAG.syn | FLAG.ack, 0, 1) },
      { direction: 'in', packet: this.packet('in', nothing, FLAG.ack, 1, 1) },
    ];
  }

  /** IPv4 packets that carry a message. */
  message(direction: 'in' | 'out', message: Uint8Array): Uint8Array[] {
    const packets: Uint8Array[] = [];
    const ack = this.next[direction === 'in' ? 'out' : 'in'];
    for (let at = 0; at < message.length; at += MAX_PAYLOAD) {
      const payload = message.subarray(at, at + MAX_PAYLOAD);
      packets.push(this.packet(direction, payload, FLAG.psh | FLAG.ack, this.next[direction], ack));
      this.next[direction] = (this.next[direction] + payload.length) >>> 0;
    }
    return packets;
  }

  private packet(
    direction: 'in' | 'out',
    payload: Uint8Array,
    flags: number,
    sequence: number,
    acknowledged: number,
  ): Uint8Array {
    const length = IP_HEADER + TCP_HEADER + payload.length;
    const bytes = new Uint8Array(length);
    const view = new DataView(bytes.buffer);
    const [source, destination] =
      direction === 'in' ? [this.switchAddress, LOOPBACK] : [LOOPBACK, this.switchAddress];
    const [from, to] =
      direction === 'in' ? [this.switchPort, OPENFLOW_PORT] : [OPENFLOW_PORT, this.switchPort];
    view.setUint16(0, 0x4500);
    view.setUint16(2, length);
    view.setUint16(4, this.identification++ & 0xffff);
    view.setUint16(8, (64 << 8) | IPPROTO_TCP);
    view.setUint32(12, source);
    view.setUint32(16, destination);
    view.setUint16(10, foldChecksum(sumBytes(view, 0, IP_HEADER)));
    view.setUint16(20, from);
    view.setUint16(22, to);
    view.setUint32(24, sequence);
    view.setUint32(28, acknowledged);
    view.setUint16(32, ((TCP_HEADER / 4) << 12) | flags);
    view.setUint16(34, 0xffff);
    bytes.set(payload, IP_HEADER + TCP_HEADER);
    const sum = pseudoHeader4(source, destination, IPPROTO_TCP, length - IP_HEADER);
    view.setUint16(36, foldChecksum(sum + sumBytes(view, IP_HEADER, length)));
    return bytes;
  }
}
