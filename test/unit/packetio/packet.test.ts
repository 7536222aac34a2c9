import { describe, expect, it } from 'vitest';
import { formatIpv4, formatMac, viewOf } from '../../../src/packetio/frames/address.js';
import { ARP_REPLY, buildArp, buildArpRequest } from '../../../src/packetio/frames/arp.js';
import { foldChecksum, sumBytes } from '../../../src/packetio/frames/checksum.js';
import { tagged } from '../../../src/packetio/frames/ethernet.js';
import { buildIcmp, ICMP } from '../../../src/packetio/frames/icmp.js';
import { parsePacket } from '../../../src/packetio/frames/packet.js';
import { buildTcp, TCP } from '../../../src/packetio/frames/tcp.js';
import { buildUdp } from '../../../src/packetio/frames/udp.js';

const macs = { dstMac: 0x020000000002n, srcMac: 0x020000000001n };
const ips = { src: 0x0a000001, dst: 0xfe000002 };
const tcp = {
  ...macs,
  ...ips,
  srcPort: 50000,
  dstPort: 80,
  seq: 0xfffffff0,
  ack: 7,
  flags: TCP.ack,
  window: 8192,
};
const payload = Uint8Array.from([1, 2, 3, 4, 5]);

/** Puts bytes in, and the header checksum right again. */
function withIpBytes(frame: Uint8Array, at: number, bytes: readonly number[]): Uint8Array {
  const out = Uint8Array.from(frame);
  out.set(bytes, 14 + at);
  const view = viewOf(out);
  view.setUint16(24, 0);
  view.setUint16(24, foldChecksum(sumBytes(view, 14, 14 + (out[14]! & 15) * 4)));
  return out;
}

describe('what is built is what is parsed', () => {
  it('TCP with MSS and an odd payload', () => {
    const p = parsePacket(buildTcp({ ...tcp, mss: 1460, payload }));
    expect(p).toMatchObject({
      kind: 'tcp',
      eth: { dst: macs.dstMac, src: macs.srcMac, vlans: [] },
      ip: { src: ips.src, dst: ips.dst, ttl: 64, dontFragment: true },
      tcp: {
        srcPort: 50000,
        dstPort: 80,
        seq: 0xfffffff0,
        ack: 7,
        flags: TCP.ack,
        window: 8192,
        mss: 1460,
        payload,
      },
    });
  });
  it('UDP, with and without payload', () => {
    const udp = { ...macs, ...ips, srcPort: 1, dstPort: 65535 };
    expect(parsePacket(buildUdp({ ...udp, payload }))).toMatchObject({
      kind: 'udp',
      udp: { srcPort: 1, payload },
    });
    expect(parsePacket(buildUdp(udp))).toMatchObject({
      kind: 'udp',
      udp: { dstPort: 65535, payload: new Uint8Array() },
    });
  });
  it('ICMP echo, and an error with the packet that it quotes', () => {
    const echo = { ...macs, ...ips, type: ICMP.echo, code: 0, id: 0xbeef, seq: 9, payload };
    expect(parsePacket(buildIcmp(echo))).toMatchObject({
      kind: 'icmp',
      icmp: { id: 0xbeef, seq: 9, payload },
    });
    const quote = (frame: Uint8Array) =>
      buildIcmp({
        ...macs,
        ...ips,
        type: ICMP.unreachable,
        code: 3,
        id: 0,
        seq: 0,
        payload: frame.subarray(14, 14 + 28),
      });
    expect(parsePacket(quote(buildTcp(tcp)))).toMatchObject({
      kind: 'icmp',
      icmp: { code: 3, quoted: { ...ips, protocol: 6, srcPort: 50000, dstPort: 80, seq: 0xfffffff0 } },
    });
    expect(parsePacket(quote(buildIcmp(echo)))).toMatchObject({
      icmp: { quoted: { protocol: 1, srcPort: 0xbeef, dstPort: 9 } },
    });
  });
  it('ARP, padded to the minimum frame', () => {
    const frame = buildArpRequest(macs.srcMac, ips.src, ips.dst);
    expect(frame.length).toBe(60);
    expect(parsePacket(frame)).toMatchObject({
      kind: 'arp',
      eth: { dst: 0xffffffffffffn },
      arp: {
        operation: 1,
        senderMac: macs.srcMac,
        senderAddress: ips.src,
        targetMac: 0n,
        targetAddress: ips.dst,
      },
    });
  });
  it('behind one and two VLAN tags', () => {
    const frame = tagged(tagged(buildTcp(tcp), 120), 7);
    expect(parsePacket(frame)).toMatchObject({
      kind: 'tcp',
      eth: { vlans: [7, 120] },
      tcp: { srcPort: 50000 },
    });
    expect(parsePacket(tagged(frame, 1))).toEqual({ kind: 'bad', reason: 'too-many-tags' });
  });
});

describe('hostile frames', () => {
  it('one flipped bit under a checksum is noticed', () => {
    const frames = [
      buildTcp({ ...tcp, payload }),
      buildUdp({ ...macs, ...ips, srcPort: 1, dstPort: 2, payload }),
    ];
    for (const frame of frames) {
      for (let at = 14; at < frame.length; at++) {
        const bent = Uint8Array.from(frame);
        bent[at]! ^= 0x10;
        expect(parsePacket(bent).kind, `byte ${at}`).toMatch(/bad|fragment/);
      }
    }
  });
  it('bytes behind the total length are not payload', () => {
    const frame = new Uint8Array(60);
    frame.set(buildTcp(tcp));
    expect(parsePacket(frame)).toMatchObject({ kind: 'tcp', tcp: { payload: new Uint8Array() } });
  });
  it('IPv4 options are stepped over, fragments are told apart', () => {
    const plain = buildUdp({ ...macs, ...ips, srcPort: 1, dstPort: 2, payload });
    const grown = new Uint8Array(plain.length + 4);
    grown.set(plain.subarray(0, 34));
    grown.set([1, 1, 1, 0], 34);
    grown.set(plain.subarray(34), 38);
    const withOptions = withIpBytes(withIpBytes(grown, 0, [0x46]), 2, [0, grown.length - 14]);
    expect(parsePacket(withOptions)).toMatchObject({ kind: 'udp', udp: { srcPort: 1, payload } });
    expect(parsePacket(withIpBytes(plain, 6, [0x20, 0]))).toMatchObject({
      kind: 'fragment',
      ip: { moreFragments: true },
    });
    expect(parsePacket(withIpBytes(plain, 6, [0, 3]))).toMatchObject({
      kind: 'fragment',
      ip: { fragmentOffset: 24 },
    });
  });
  it('lengths that contradict each other', () => {
    const reason = (frame: Uint8Array) => (parsePacket(frame) as { reason: string }).reason;
    const frame = buildTcp({ ...tcp, payload });
    expect(reason(withIpBytes(frame, 0, [0x65]))).toBe('bad-version');
    expect(reason(withIpBytes(frame, 0, [0x44]))).toBe('bad-length');
    expect(reason(withIpBytes(frame, 2, [0, 10]))).toBe('bad-length');
    expect(reason(withIpBytes(frame, 2, [0xff, 0xff]))).toBe('truncated');
    expect(reason(withIpBytes(frame, 2, [0, 39]))).toBe('truncated');
    expect(reason(withIpBytes(frame, 32, [0x40]))).toBe('bad-length');
    expect(reason(withIpBytes(frame, 32, [0xf0]))).toBe('bad-length');
    expect(reason(withIpBytes(buildUdp({ ...macs, ...ips, srcPort: 1, dstPort: 2 }), 24, [0, 7]))).toBe(
      'bad-length',
    );
  });
  it('ARP of other hardware, protocols and lengths', () => {
    const arp = { operation: ARP_REPLY, senderMac: 1n, senderAddress: 1, targetMac: 2n, targetAddress: 2 };
    const bent = (at: number, value: number) => {
      const frame = buildArp(2n, 1n, arp);
      frame[14 + at] = value;
      return parsePacket(frame);
    };
    expect(bent(1, 6)).toEqual({ kind: 'bad', reason: 'bad-value' });
    expect(bent(2, 0x86)).toEqual({ kind: 'bad', reason: 'bad-value' });
    expect(bent(4, 8)).toEqual({ kind: 'bad', reason: 'bad-length' });
    expect(parsePacket(buildArp(2n, 1n, arp).subarray(0, 41))).toEqual({ kind: 'bad', reason: 'truncated' });
  });
  it('TCP options that lie about their length end the search for MSS', () => {
    const view = (options: number[]) => {
      const frame = buildTcp({ ...tcp, mss: 1460 });
      frame.set(options, 54);
      const v = viewOf(frame);
      v.setUint16(50, 0);
      const sum = 6 + 24 + sumBytes(v, 26, 34) + sumBytes(v, 34, 58);
      v.setUint16(50, foldChecksum(sum));
      return parsePacket(frame);
    };
    expect(view([2, 4, 5, 0xb4])).toMatchObject({ tcp: { mss: 1460 } });
    expect(view([2, 0, 5, 0xb4])).toMatchObject({ tcp: { mss: 0 } });
    expect(view([3, 255, 5, 0xb4])).toMatchObject({ tcp: { mss: 0 } });
    expect(view([1, 1, 1, 2])).toMatchObject({ tcp: { mss: 0 } });
  });
});

it('words for addresses', () => {
  expect(formatIpv4(0xff000001)).toBe('255.0.0.1');
  expect(formatMac(0x0002000a0b0cn)).toBe('00:02:00:0a:0b:0c');
});
