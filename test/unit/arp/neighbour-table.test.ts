import { beforeEach, describe, expect, it } from 'vitest';
import { NeighbourTable } from '../../../src/arp/neighbour-table.js';
import type { NeighbourChange, NeighbourEvent, NeighbourSegment } from '../../../src/arp/types.js';
import { BROADCAST_MAC } from '../../../src/packetio/frames/address.js';
import { ARP_REPLY, ARP_REQUEST, buildArp } from '../../../src/packetio/frames/arp.js';
import { parsePacket } from '../../../src/packetio/frames/packet.js';
import { buildUdp } from '../../../src/packetio/frames/udp.js';
import type { PacketContext } from '../../../src/packetio/types.js';
import { FakeClock, seeded } from '../packetio/fake-clock.js';
import { FakePacketIo } from '../packetio/fake-packet-io.js';

const GATEWAY = 0x0a140001;
const PROBE = 0x0a1400fd;
const VIP = 0x0a140064;
const HOST = 0x0a140002;
const OURS = 0x02420a140001n;
const CARD = 0x020000000202n;
const OTHER = 0x020000000299n;
const segment: NeighbourSegment = {
  id: 2,
  mac: OURS,
  source: PROBE,
  subnets: [{ address: 0x0a140000, length: 24 }],
  own: [GATEWAY, PROBE, VIP],
};

let clock: FakeClock;
let io: FakePacketIo;
let table: NeighbourTable;
let changes: NeighbourChange[];
let batches: number;
let events: NeighbourEvent[];
/** Who answers for HOST, and on which port. */
let hosts: { mac: bigint; port: number; address?: number }[];

beforeEach(() => {
  clock = new FakeClock();
  io = new FakePacketIo();
  table = new NeighbourTable({ io, clock, random: seeded(7), settings: { idleMs: 60_000 } });
  changes = [];
  batches = 0;
  events = [];
  hosts = [];
  table.onChange((batch) => {
    changes.push(...batch);
    batches++;
  });
  table.onEvent((event) => events.push(event));
  table.setSegments(1, [segment]);
  io.onSent = ({ packet }) => {
    if (packet.kind !== 'arp' || packet.arp.operation !== ARP_REQUEST) return;
    const { eth, arp } = packet;
    for (const host of hosts) {
      if (arp.targetAddress !== (host.address ?? HOST)) continue;
      if (eth.dst === BROADCAST_MAC || eth.dst === host.mac)
        clock.setTimeout(() => reply(host.mac, { inPort: host.port }, arp.targetAddress), 1);
    }
  };
});

function reply(mac: bigint, context: Partial<PacketContext> = {}, address = HOST): void {
  const arp = {
    operation: ARP_REPLY,
    senderMac: mac,
    senderAddress: address,
    targetMac: OURS,
    targetAddress: PROBE,
  };
  io.punt('arp', context, buildArp(OURS, mac, arp));
}
function gratuitous(mac: bigint, port: number, operation: number = ARP_REQUEST): void {
  const arp = { operation, senderMac: mac, senderAddress: HOST, targetMac: 0n, targetAddress: HOST };
  io.punt('arp', { inPort: port }, buildArp(BROADCAST_MAC, mac, arp));
}
const requests = () =>
  io
    .take()
    .flatMap((s) => (s.packet.kind === 'arp' ? [s.packet.eth.dst === BROADCAST_MAC ? 'all' : 'one'] : []));
const entry = () => table.lookup(1, 2, HOST)!;
const target = () => table.setTargets(1, [{ segment: 2, address: HOST }]);

/** A target that is REACHABLE at CARD on port 10, long enough that nothing is fresh. */
function settled(): void {
  hosts = [{ mac: CARD, port: 10 }];
  target();
  clock.advance(3000);
  expect(entry().state).toBe('REACHABLE');
  io.take();
  changes.length = 0;
  events.length = 0;
}

describe('resolution', () => {
  it('asks everybody in the segment, from the probe address and the MAC of the segment', () => {
    target();
    clock.advance(10);
    const [sent] = io.take();
    expect(sent!.how).toEqual({ kind: 'segment', tenant: 1, segment: 2 });
    expect(sent!.packet).toMatchObject({
      eth: { dst: BROADCAST_MAC, src: OURS },
      arp: { operation: 1, senderMac: OURS, senderAddress: PROBE, targetAddress: HOST },
    });
  });

  it('three questions a second apart, failed, a pause, and on again for a target', () => {
    target();
    clock.advance(2500);
    expect(requests()).toEqual(['all', 'all', 'all']);
    expect(entry().state).toBe('INCOMPLETE');
    clock.advance(600);
    expect(entry().state).toBe('FAILED');
    clock.advance(1000);
    expect(entry().state).toBe('INCOMPLETE');
    expect(requests()).toEqual(['all']);
    hosts = [{ mac: CARD, port: 10 }];
    clock.advance(1100);
    expect(entry()).toMatchObject({ state: 'REACHABLE', mac: CARD });
  });

  it('tells the change with the place, once', () => {
    target();
    clock.advance(10);
    reply(CARD, { inPort: 12, tunId: 5001n, tunSrc: 0xc0a80001 });
    clock.advance(10);
    const at = {
      tenant: 1,
      segment: 2,
      address: HOST,
      mac: CARD,
      ofport: 12,
      tunId: 5001,
      tunDst: 0xc0a80001,
    };
    expect(changes).toEqual([at]);
    expect(events).toMatchObject([{ type: 'resolved', mac: CARD }]);
    expect(table.snapshot()).toMatchObject([{ state: 'REACHABLE', source: 'target', mac: CARD }]);
  });

  it('a crowd of targets is asked over a while, and told in few batches', () => {
    const addresses = Array.from({ length: 200 }, (_, n) => 0x0a140100 + n);
    hosts = addresses.map((address, n) => ({ mac: CARD + BigInt(n), port: 1, address }));
    table.setTargets(
      1,
      addresses.map((address) => ({ segment: 2, address })),
    );
    clock.advance(1);
    expect(requests().length).toBeLessThan(40);
    clock.advance(100);
    expect(changes).toHaveLength(200);
    expect(batches).toBeLessThan(15);
  });

  it('without a switch nothing is concluded', () => {
    io.link = 0;
    target();
    clock.advance(20_000);
    expect(entry().state).toBe('INCOMPLETE');
    settledAfterReconnect();
    function settledAfterReconnect() {
      io.link = 2;
      hosts = [{ mac: CARD, port: 10 }];
      clock.advance(1100);
      expect(entry().state).toBe('REACHABLE');
    }
  });
});

describe('what is never believed', () => {
  const cases: [string, () => void][] = [
    ['an unasked reply', () => reply(CARD)],
    ['a gratuitous request', () => gratuitous(CARD, 10)],
    ['a gratuitous reply', () => gratuitous(CARD, 10, ARP_REPLY)],
  ];
  it.each(cases)('%s does not make an entry', (_, send) => {
    send();
    clock.advance(100);
    expect(table.snapshot()).toEqual([]);
    expect(io.take()).toEqual([]);
  });

  it('a sender that is not the frame`s source, a group address, another segment or tenant', () => {
    target();
    clock.advance(10);
    const arp = {
      operation: ARP_REPLY,
      senderMac: CARD,
      senderAddress: HOST,
      targetMac: OURS,
      targetAddress: PROBE,
    };
    io.punt('arp', {}, buildArp(OURS, OTHER, arp));
    io.punt('arp', {}, buildArp(OURS, BROADCAST_MAC, { ...arp, senderMac: BROADCAST_MAC }));
    io.punt('arp', {}, buildArp(OURS, 0n, { ...arp, senderMac: 0n }));
    reply(CARD, { segment: 3 });
    reply(CARD, { tenant: 2 });
    io.punt('arp', {}, buildArp(OURS, CARD, arp).subarray(0, 30));
    expect(entry().state).toBe('INCOMPLETE');
    expect(table.counters.ignored).toEqual({
      'bad-sender': 3,
      'unknown-segment': 2,
      'bad-frame': 1,
      'unknown-address': 0,
      'own-address': 0,
    });
  });

  it('our own addresses, whoever claims them; reported once', () => {
    table.setTargets(1, [{ segment: 2, address: VIP }]);
    clock.advance(10);
    for (let n = 0; n < 100; n++) reply(OTHER, {}, VIP);
    reply(OURS, {}, GATEWAY);
    expect(table.snapshot()).toEqual([]);
    expect(events).toEqual([
      { type: 'own-address-claimed', tenant: 1, segment: 2, address: VIP, mac: OTHER },
    ]);
  });

  it('identical addresses of two tenants are two neighbours', () => {
    table.setSegments(9, [segment]);
    target();
    table.setTargets(9, [{ segment: 2, address: HOST }]);
    clock.advance(10);
    reply(CARD, { tenant: 1 });
    reply(OTHER, { tenant: 9 });
    expect(table.lookup(1, 2, HOST)!.mac).toBe(CARD);
    expect(table.lookup(9, 2, HOST)!.mac).toBe(OTHER);
  });
});

describe('freshness', () => {
  it('a target goes STALE, DELAY, PROBE and, answered there, REACHABLE again without a change', () => {
    settled();
    const states = new Set<string>();
    for (let n = 0; n < 60_000; n += 500) {
      clock.advance(500);
      states.add(entry().state);
    }
    expect(states).toContain('DELAY');
    expect(requests()).toContain('one');
    expect(entry().mac).toBe(CARD);
    expect(changes).toEqual([]);
  });

  it('confirmation from above makes questions unnecessary', () => {
    settled();
    for (let n = 0; n < 200; n++) {
      clock.advance(1000);
      table.confirm(1, 2, HOST);
    }
    expect(requests()).toEqual([]);
    expect(entry().state).toBe('REACHABLE');
  });

  it('a silent target gets its unicast and broadcast questions, then it is gone', () => {
    settled();
    hosts = [];
    clock.advance(45_000 + 5000 + 6500);
    expect(requests().slice(0, 6)).toEqual(['one', 'one', 'one', 'all', 'all', 'all']);
    expect(changes).toEqual([{ tenant: 1, segment: 2, address: HOST }]);
    expect(events).toMatchObject([{ type: 'failed' }]);
  });

  it('a host that is no target ages out when nobody uses it', () => {
    settled();
    table.setTargets(1, []);
    clock.advance(100_000);
    table.use(1, 2, HOST);
    clock.advance(40_000);
    expect(table.snapshot()).toEqual([]);
    expect(changes).toEqual([{ tenant: 1, segment: 2, address: HOST }]);
    expect(clock.pending).toBe(0);
  });
});

describe('verification', () => {
  it('gratuitous ARP of a replaced card: found within a second', () => {
    settled();
    hosts = [{ mac: OTHER, port: 11 }];
    gratuitous(OTHER, 11);
    expect(entry()).toMatchObject({ state: 'PROBE', mac: CARD });
    clock.advance(800);
    expect(entry()).toMatchObject({ state: 'REACHABLE', mac: OTHER });
    expect(changes).toMatchObject([{ mac: OTHER, ofport: 11 }]);
    expect(events).toMatchObject([{ type: 'moved', mac: OTHER, from: CARD, ofport: 11 }]);
  });

  it('the same without any word of the card, once its silence is noticed', () => {
    settled();
    hosts = [{ mac: OTHER, port: 11 }];
    table.suspect(1, 2, HOST);
    clock.advance(800);
    expect(entry()).toMatchObject({ state: 'REACHABLE', mac: OTHER });
  });

  it('the same from an IP packet', () => {
    settled();
    hosts = [{ mac: OTHER, port: 11 }];
    table.observe({ tenant: 1, segment: 2, inPort: 11, nextHop: 0 }, HOST, OTHER);
    clock.advance(800);
    expect(entry().mac).toBe(OTHER);
  });

  it('a liar that doesn`t answer questions changes nothing', () => {
    settled();
    for (let n = 0; n < 300; n++) {
      gratuitous(OTHER, 66);
      reply(OTHER, { inPort: 66 });
      clock.advance(100);
    }
    expect(entry().mac).toBe(CARD);
    expect(changes).toEqual([]);
    expect(requests().length).toBeLessThan(90);
  });

  it('an unasked reply is no answer, even where the known host is silent', () => {
    settled();
    hosts = [];
    reply(OTHER, { inPort: 66 });
    clock.advance(10_000);
    expect(entry().mac).toBe(0n);
    expect(events).toMatchObject([{ type: 'failed' }]);
  });

  it('unasked replies in the known name do not keep a neighbour fresh', () => {
    settled();
    hosts = [];
    const states = new Set<string>();
    for (let n = 0; n < 46; n++) {
      reply(CARD);
      clock.advance(1000);
      states.add(entry().state);
    }
    expect(states).toContain('DELAY');
  });

  it('two that answer: the first is kept, the other reported, and no storm of questions', () => {
    settled();
    hosts = [
      { mac: OTHER, port: 66 },
      { mac: CARD, port: 10 },
    ];
    gratuitous(OTHER, 66);
    clock.advance(60_000);
    expect(entry().mac).toBe(CARD);
    expect(events).toMatchObject([{ type: 'duplicate-address', mac: CARD, other: OTHER }]);
    expect(requests().length).toBeLessThan(20);
  });

  it('two that answer the very first question: the faster one is kept, the other reported', () => {
    hosts = [
      { mac: CARD, port: 10 },
      { mac: OTHER, port: 66 },
    ];
    target();
    clock.advance(100);
    expect(entry().mac).toBe(CARD);
    expect(events).toMatchObject([{ type: 'resolved' }, { type: 'duplicate-address', other: OTHER }]);
  });

  it('a claim right after a proof is looked into when the proof is a second old', () => {
    settled();
    table.confirm(1, 2, HOST);
    hosts = [{ mac: OTHER, port: 11 }];
    gratuitous(OTHER, 11);
    expect(entry().state).toBe('REACHABLE');
    clock.advance(1900);
    expect(entry().mac).toBe(OTHER);
  });

  it('the same card on another port', () => {
    settled();
    hosts = [{ mac: CARD, port: 15 }];
    gratuitous(CARD, 15);
    clock.advance(50);
    expect(changes).toMatchObject([{ mac: CARD, ofport: 15 }]);
    table.portChanged(15);
    expect(entry().state).toBe('PROBE');
  });

  it('suspicion costs a few questions a second at most, and a host that answers stays', () => {
    settled();
    for (let n = 0; n < 100; n++) {
      table.suspect(1, 2, HOST);
      clock.advance(100);
    }
    expect(requests().length).toBeLessThanOrEqual(22);
    expect(entry()).toMatchObject({ state: 'REACHABLE', mac: CARD });
  });

  it('too many moves are damped', () => {
    settled();
    for (let n = 0; n < 20; n++) {
      const mac = n % 2 ? CARD : OTHER;
      hosts = [{ mac, port: 10 + (n % 2) }];
      gratuitous(mac, 10 + (n % 2));
      clock.advance(1500);
    }
    const moved = events.filter((e) => e.type === 'moved').length;
    expect(events.filter((e) => e.type === 'damped')).toHaveLength(1);
    expect(moved).toBe(6);
  });

  it('a failed target that speaks up is asked at once', () => {
    target();
    clock.advance(3100);
    expect(entry().state).toBe('FAILED');
    hosts = [{ mac: CARD, port: 10 }];
    gratuitous(CARD, 10);
    clock.advance(10);
    expect(entry().state).toBe('REACHABLE');
  });
});

describe('packets to unresolved next hops', () => {
  const frame = (n = 0) =>
    buildUdp({ dstMac: OURS, srcMac: OURS, src: 1, dst: HOST, srcPort: n, dstPort: 9, ttl: 63 });
  const miss = (nextHop = HOST, context: Partial<PacketContext> = {}) =>
    io.punt('nextHop', { nextHop, ...context }, frame(nextHop & 0xffff));

  it('at most four wait, and go on in order to the MAC that answers', () => {
    for (let n = 0; n < 6; n++) io.punt('nextHop', { nextHop: HOST }, frame(n));
    expect(table.counters).toMatchObject({ queued: 4, dropped: { full: 2 } });
    hosts = [{ mac: CARD, port: 10 }];
    clock.advance(1100);
    const sent = io.take().filter((s) => s.packet.kind === 'udp');
    expect(sent.map((s) => s.how.kind)).toEqual(Array(4).fill('segment'));
    expect(sent.map((s) => s.packet)).toMatchObject(
      [0, 1, 2, 3].map((n) => ({ eth: { dst: CARD }, ip: { ttl: 63 }, udp: { srcPort: n } })),
    );
    expect(table.snapshot()).toMatchObject([{ source: 'host' }]);
    io.punt('nextHop', { nextHop: HOST }, frame(7));
    expect(parsePacket(io.take()[0]!.frame)).toMatchObject({ eth: { dst: CARD }, udp: { srcPort: 7 } });
  });

  it('one that doesn`t answer is remembered for a second, then forgotten', () => {
    miss();
    clock.advance(3100);
    io.take();
    miss();
    clock.advance(100);
    expect(io.take()).toEqual([]);
    expect(table.counters.dropped.unresolved).toBe(2);
    clock.advance(1000);
    expect(table.snapshot()).toEqual([]);
    miss();
    clock.advance(1);
    expect(requests()).toEqual(['all']);
  });

  it('addresses that can`t be neighbours are not looked for', () => {
    for (const address of [VIP, GATEWAY, 0x0a140000, 0x0a1400ff, 0x0b000001, 0]) miss(address);
    miss(HOST, { tenant: 5 });
    miss(HOST, { segment: 5 });
    expect(table.counters.dropped['not-a-neighbour']).toBe(8);
    expect(table.snapshot()).toEqual([]);
  });

  it('a scan of a subnet is bounded in questions and memory, and does not touch targets', () => {
    table.setSegments(1, [{ ...segment, subnets: [{ address: 0x0a000000, length: 8 }] }]);
    settled();
    for (let n = 0; n < 50_000; n++) {
      miss(0x0a200001 + n);
      if (n % 50 === 0) clock.advance(1);
    }
    expect(table.snapshot().length).toBeLessThan(1026);
    expect(requests().length).toBeLessThan(1000);
    expect(entry().state).toBe('REACHABLE');
    clock.advance(10_000);
    expect(table.snapshot()).toHaveLength(1);
  });

  it('a shortened packet starts the search but is not sent on', () => {
    miss(HOST, { truncated: true });
    hosts = [{ mac: CARD, port: 10 }];
    clock.advance(1100);
    expect(table.counters).toMatchObject({ queued: 0, forwarded: 0, dropped: { truncated: 1 } });
    expect(entry().state).toBe('REACHABLE');
  });
});

describe('adoption of what the switch uses', () => {
  const adopted = [{ address: HOST, mac: CARD, ofport: 10 }];

  it('is used at once, verified, and told as no change', () => {
    hosts = [{ mac: CARD, port: 10 }];
    target();
    table.adopt(1, 2, adopted);
    expect(entry()).toMatchObject({ mac: CARD, state: 'PROBE' });
    clock.advance(1000);
    expect(entry().state).toBe('REACHABLE');
    expect(changes).toEqual([]);
  });

  it('is dropped where nobody answers, replaced where somebody else does', () => {
    table.adopt(1, 2, [...adopted, { address: HOST + 1, mac: CARD, ofport: 10 }]);
    hosts = [{ mac: OTHER, port: 12, address: HOST + 1 }];
    clock.advance(8000);
    expect(changes).toEqual([
      { tenant: 1, segment: 2, address: HOST + 1, mac: OTHER, ofport: 12 },
      { tenant: 1, segment: 2, address: HOST },
    ]);
  });
});

describe('reload', () => {
  it('the same again asks and tells nothing', () => {
    settled();
    table.setSegments(1, [segment]);
    target();
    clock.advance(500);
    expect(io.take()).toEqual([]);
    expect(changes).toEqual([]);
  });

  it('a segment or tenant that goes takes its neighbours along', () => {
    settled();
    table.setSegments(1, []);
    clock.advance(10);
    expect(changes).toEqual([{ tenant: 1, segment: 2, address: HOST }]);
    expect(table.snapshot()).toEqual([]);
    expect(clock.pending).toBe(0);
  });

  it('an address that becomes ours is forgotten', () => {
    settled();
    table.setSegments(1, [{ ...segment, own: [...segment.own, HOST] }]);
    expect(table.lookup(1, 2, HOST)).toBeUndefined();
  });
});
