import { describe, expect, it } from 'vitest';
import { TcpStream } from '../../../src/capture/tcp-stream.js';
import { sumIsValid } from '../../../src/packetio/frames/checksum.js';

const view = (packet: Uint8Array) => new DataView(packet.buffer, packet.byteOffset, packet.length);
const ends = (packet: Uint8Array) => {
  const v = view(packet);
  return `${packet.slice(12, 16).join('.')}:${v.getUint16(20)} > ${packet.slice(16, 20).join('.')}:${v.getUint16(22)}`;
};

describe('a connection as TCP', () => {
  it.each([
    ['127.0.0.1:40312', '127.0.0.1:40312'],
    ['tcp:192.0.2.7:50000', '192.0.2.7:50000'],
    ['ssl:192.0.2.7:6653', '192.0.2.7:40003'],
    ['unix:/run/openvswitch/br-lb.mgmt', '127.0.0.1:40003'],
    ['[2001:db8::1]:40312', '127.0.0.1:40003'],
  ])('%s is %s, the controller port 6653', (peer, shown) => {
    const stream = new TcpStream(peer, 3);
    const [packet] = stream.message('in', new Uint8Array(8));
    expect(ends(packet!)).toBe(`${shown} > 127.0.0.1:6653`);
    expect(ends(stream.message('out', new Uint8Array(8))[0]!)).toBe(`127.0.0.1:6653 > ${shown}`);
  });

  it('sequence numbers go on without a hole, each side acknowledging the other', () => {
    const stream = new TcpStream('127.0.0.1:40312', 0);
    const numbers = (packet: Uint8Array) => [view(packet).getUint32(24), view(packet).getUint32(28)];
    expect(stream.handshake().map(({ packet }) => numbers(packet))).toEqual([
      [0, 0],
      [0, 1],
      [1, 1],
    ]);
    expect(stream.message('out', new Uint8Array(100)).map(numbers)).toEqual([[1, 1]]);
    expect(stream.message('in', new Uint8Array(8)).map(numbers)).toEqual([[1, 101]]);
    expect(stream.message('out', new Uint8Array(8)).map(numbers)).toEqual([[101, 9]]);
  });

  it('the longest message is whole in packets that IPv4 can carry', () => {
    const message = Uint8Array.from({ length: 65_535 }, (_, i) => i & 0xff);
    const packets = new TcpStream('127.0.0.1:40312', 0).message('in', message);
    expect(packets.length).toBe(2);
    expect(Buffer.concat(packets.map((p) => p.subarray(40))).equals(message)).toBe(true);
    for (const packet of packets) expect(view(packet).getUint16(2)).toBe(packet.length);
  });

  it('checksums are right', () => {
    const [packet] = new TcpStream('127.0.0.1:40312', 0).message('in', Uint8Array.of(1, 2, 3));
    const v = view(packet!);
    const words = (from: number, to: number) => {
      let sum = 0;
      for (let at = from; at < to; at += 2) sum += at + 1 < to ? v.getUint16(at) : v.getUint8(at) << 8;
      return sum;
    };
    expect(sumIsValid(words(0, 20))).toBe(true);
    expect(sumIsValid(words(12, 20) + 6 + 23 + words(20, 43))).toBe(true);
  });
});
