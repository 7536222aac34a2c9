import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { buildArpRequest } from '../../../src/packetio/frames/arp.js';
import { tagged } from '../../../src/packetio/frames/ethernet.js';
import { buildIcmp } from '../../../src/packetio/frames/icmp.js';
import { parsePacket } from '../../../src/packetio/frames/packet.js';
import { buildTcp } from '../../../src/packetio/frames/tcp.js';
import { buildUdp } from '../../../src/packetio/frames/udp.js';

const u16 = fc.integer({ min: 0, max: 0xffff });
const u32 = fc.integer({ min: 0, max: 0xffffffff });
const mac = fc.bigInt({ min: 0n, max: 0xffffffffffffn });
const payload = fc.uint8Array({ maxLength: 1460 });
const base = { dstMac: mac, srcMac: mac, src: u32, dst: u32, ttl: fc.integer({ min: 1, max: 255 }) };
const ports = { srcPort: u16, dstPort: u16 };
const segment = fc.record({
  ...base,
  ...ports,
  seq: u32,
  ack: u32,
  flags: fc.integer({ min: 0, max: 63 }),
  window: u16,
  mss: u16,
  payload,
});

describe('frames', () => {
  it('come back as they were built', () => {
    fc.assert(
      fc.property(segment, (t) => {
        const { dstMac, srcMac, src, dst, ttl, ...tcp } = t;
        expect(parsePacket(buildTcp(t))).toMatchObject({
          kind: 'tcp',
          eth: { dst: dstMac, src: srcMac },
          ip: { src, dst, ttl },
          tcp,
        });
      }),
    );
    fc.assert(
      fc.property(fc.record({ ...base, ...ports, payload }), (u) => {
        const { srcPort, dstPort } = u;
        expect(parsePacket(buildUdp(u))).toMatchObject({
          kind: 'udp',
          udp: { srcPort, dstPort, payload: u.payload },
        });
      }),
    );
  });

  it('cut or changed anywhere never throw, and a cut one is never taken for whole', () => {
    const type = fc.constantFrom(0, 3, 8, 11);
    const frame = fc.oneof(
      segment.map(buildTcp),
      fc.record({ ...base, ...ports, payload }).map(buildUdp),
      fc.record({ ...base, type, code: fc.constant(3), id: u16, seq: u16, payload }).map(buildIcmp),
      // An error that quotes a frame of ours, so that its inner parser is reached.
      segment.map((t) => {
        const quoted = buildTcp(t).subarray(14);
        return buildIcmp({ ...t, type: 3, code: 1, id: 0, seq: 0, payload: quoted });
      }),
      segment.map((t) => tagged(buildTcp(t), 5)),
      fc.tuple(mac, u32, u32).map(([m, a, b]) => buildArpRequest(m, a, b).subarray(0, 42)),
      fc.uint8Array({ maxLength: 200 }),
    );
    const edits = fc.array(fc.tuple(fc.nat(), fc.integer({ min: 0, max: 255 })), { maxLength: 4 });
    fc.assert(
      fc.property(frame, edits, fc.double({ min: 0, max: 1, noNaN: true }), (bytes, changes, cut) => {
        const whole = parsePacket(bytes).kind;
        const length = Math.floor(bytes.length * cut);
        if (length < bytes.length && whole !== 'other')
          expect(parsePacket(bytes.slice(0, length)).kind).toMatch(/bad|other/);
        const bent = Uint8Array.from(bytes);
        for (const [at, value] of changes) if (bent.length > 0) bent[at % bent.length] = value;
        parsePacket(bent);
      }),
      { numRuns: 2000 },
    );
  });
});
