import { beforeEach, describe, expect, it } from 'vitest';
import { parsePacket } from '../../../src/packetio/frames/packet.js';
import { buildUdp } from '../../../src/packetio/frames/udp.js';
import type { PacketContext } from '../../../src/packetio/types.js';
import { CARD, GATEWAY, HOST, OURS, segment, VIP, World } from './world.js';

let w: World;
beforeEach(() => {
  w = new World();
});

describe('packets to unresolved next hops', () => {
  const frame = (n = 0) =>
    buildUdp({ dstMac: OURS, srcMac: OURS, src: 1, dst: HOST, srcPort: n, dstPort: 9, ttl: 63 });
  const miss = (nextHop = HOST, context: Partial<PacketContext> = {}) =>
    w.io.punt('nextHop', { nextHop, ...context }, frame(nextHop & 0xffff));

  it('at most four wait, and go on in order to the MAC that answers', () => {
    for (let n = 0; n < 6; n++) w.io.punt('nextHop', { nextHop: HOST }, frame(n));
    expect(w.table.counters).toMatchObject({ queued: 4, dropped: { full: 2 } });
    w.hosts = [{ mac: CARD, port: 10 }];
    w.clock.advance(1100);
    const sent = w.io.take().filter((s) => s.packet.kind === 'udp');
    expect(sent.map((s) => s.how.kind)).toEqual(Array(4).fill('segment'));
    expect(sent.map((s) => s.packet)).toMatchObject(
      [0, 1, 2, 3].map((n) => ({ eth: { dst: CARD }, ip: { ttl: 63 }, udp: { srcPort: n } })),
    );
    expect(w.table.snapshot()).toMatchObject([{ source: 'host' }]);
    w.io.punt('nextHop', { nextHop: HOST }, frame(7));
    expect(parsePacket(w.io.take()[0]!.frame)).toMatchObject({ eth: { dst: CARD }, udp: { srcPort: 7 } });
  });

  it('one that doesn`t answer is remembered for a second, then forgotten', () => {
    miss();
    w.clock.advance(3100);
    w.io.take();
    miss();
    w.clock.advance(100);
    expect(w.io.take()).toEqual([]);
    expect(w.table.counters.dropped.unresolved).toBe(2);
    w.clock.advance(1000);
    expect(w.table.snapshot()).toEqual([]);
    miss();
    w.clock.advance(1);
    expect(w.requests()).toEqual(['all']);
  });

  it('addresses that can`t be neighbours are not looked for', () => {
    for (const address of [VIP, GATEWAY, 0x0a140000, 0x0a1400ff, 0x0b000001, 0]) miss(address);
    miss(HOST, { tenant: 5 });
    miss(HOST, { segment: 5 });
    expect(w.table.counters.dropped['not-a-neighbour']).toBe(8);
    expect(w.table.snapshot()).toEqual([]);
  });

  it('a scan of a subnet is bounded in questions and memory, and does not touch targets', () => {
    w.table.setSegments(1, [{ ...segment, subnets: [{ address: 0x0a000000, length: 8 }] }]);
    w.settled();
    for (let n = 0; n < 50_000; n++) {
      miss(0x0a200001 + n);
      if (n % 50 === 0) w.clock.advance(1);
    }
    expect(w.table.snapshot().length).toBeLessThan(1026);
    expect(w.requests().length).toBeLessThan(1000);
    expect(w.entry().state).toBe('REACHABLE');
    w.clock.advance(10_000);
    expect(w.table.snapshot()).toHaveLength(1);
  });

  it('a shortened packet starts the search but is not sent on', () => {
    miss(HOST, { truncated: true });
    w.hosts = [{ mac: CARD, port: 10 }];
    w.clock.advance(1100);
    expect(w.table.counters).toMatchObject({ queued: 0, forwarded: 0, dropped: { truncated: 1 } });
    expect(w.entry().state).toBe('REACHABLE');
  });
});
