import { beforeEach, describe, expect, it } from 'vitest';
import { TCP } from '../../../src/packetio/frames/tcp.js';
import type { Sent } from '../packetio/fake-packet-io.js';
import { check, MEMBER, monitor, OUR_MAC, OURS, SEGMENT, TENANT, World } from './world.js';

const SYN_ACK = TCP.syn | TCP.ack;
let world: World;
beforeEach(() => {
  world = new World();
});

const tcpOf = (sent: Sent) => (sent.packet.kind === 'tcp' ? sent.packet.tcp : undefined)!;
/** Answers every SYN by what `reply` says of it. */
function onSyn(reply: (sent: Sent, n: number) => void): void {
  let n = 0;
  world.io.onSent = (sent) => {
    if (sent.packet.kind === 'tcp' && sent.packet.tcp.flags === TCP.syn) reply(sent, ++n);
  };
}
const accept = (sent: Sent) =>
  world.answer(sent, { seq: 77, ack: (tcpOf(sent).seq + 1) >>> 0, flags: SYN_ACK, mss: 1460 });

describe('TCP check', () => {
  it('SYN into the tenant`s routes; SYN-ACK: up, and one bare RST at the right number', () => {
    onSyn(accept);
    world.hc.setChecks(TENANT, [check()]);
    world.clock.advance(500);
    const [syn, rst, ...more] = world.io.take();
    expect(more).toEqual([]);
    expect(syn!.how).toEqual({ kind: 'route', tenant: TENANT, segment: SEGMENT });
    expect(syn!.packet).toMatchObject({
      eth: { src: OUR_MAC },
      ip: { src: OURS, dst: MEMBER, ttl: 64 },
      tcp: { dstPort: 8080, flags: TCP.syn, mss: 1360 },
    });
    expect(rst!.packet).toMatchObject({
      tcp: { flags: TCP.rst, seq: (tcpOf(syn!).seq + 1) >>> 0, srcPort: tcpOf(syn!).srcPort },
    });
    expect(world.row()).toMatchObject({ status: 'ONLINE', reason: 'connected', rise: 1 });
    expect(world.row().rttMs).toBeCloseTo(1);
    expect(world.confirmed).toEqual([MEMBER]);
    expect(world.hc.gauges().inFlight).toBe(0);
  });

  it('a refused connection is a failure at once', () => {
    onSyn((sent) => world.answer(sent, { ack: (tcpOf(sent).seq + 1) >>> 0, flags: TCP.rst | TCP.ack }));
    world.hc.setChecks(TENANT, [check()]);
    world.clock.advance(100);
    expect(world.row()).toMatchObject({ reason: 'connect refused', fall: 1 });
  });

  it('one lost SYN is no failure; the neighbour is doubted meanwhile', () => {
    onSyn((sent, n) => n > 1 && accept(sent));
    world.hc.setChecks(TENANT, [check()]);
    world.clock.advance(500);
    expect(world.row()).toMatchObject({ status: 'ONLINE' });
    const [first, second] = world.io.take();
    expect(tcpOf(second!)).toEqual(tcpOf(first!));
    expect(world.suspected).toEqual([MEMBER]);
  });

  it('silence is a failure when the time-out is over, not before', () => {
    world.hc.setChecks(TENANT, [check()]);
    world.clock.advance(995);
    expect(world.row()).toMatchObject({ fall: 0 });
    world.clock.advance(20);
    expect(world.row()).toMatchObject({ fall: 1, reason: 'connect timed out' });
    expect(world.hc.gauges().inFlight).toBe(0);
  });

  it('an ICMP error counts when it quotes our SYN with its sequence number', () => {
    onSyn((sent, n) => {
      world.unreachable(sent, 1, (q) => {
        if (n === 1) q[25]! ^= 1;
      });
    });
    world.hc.setChecks(TENANT, [check()]);
    world.clock.advance(200);
    expect(world.row().fall).toBe(0);
    world.clock.advance(100);
    expect(world.row()).toMatchObject({ fall: 1, reason: 'ICMP host unreachable from 10.20.0.2' });
  });

  it.each([
    ['another acknowledgement', { ack: 5 }],
    ['another port of the member', { srcPort: 81 }],
    ['another port of ours', { dstPort: 50001 }],
    ['another address', { src: MEMBER + 1 }],
    ['to another address of ours', { dst: OURS + 1 }],
    ['another card', { srcMac: 0x0666n }],
    ['no SYN', { flags: TCP.ack }],
    ['a RST that acknowledges nothing', { flags: TCP.rst }],
    ['a RST that acknowledges something else', { flags: TCP.rst | TCP.ack, ack: 1 }],
  ])('%s changes nothing', (_, forged) => {
    onSyn((sent, n) => {
      world.answer(sent, { seq: 77, ack: (tcpOf(sent).seq + 1) >>> 0, flags: SYN_ACK, ...forged });
      if (n === 2) accept(sent);
    });
    world.hc.setChecks(TENANT, [check()]);
    world.clock.advance(240);
    expect(world.row()).toMatchObject({ status: 'OFFLINE', rise: 0, fall: 0 });
    world.clock.advance(100);
    expect(world.row()).toMatchObject({ status: 'ONLINE' });
  });

  it.each([
    ['tenant', { tenant: 9 }],
    ['segment', { segment: 9 }],
  ])('an answer from another %s changes nothing', (_, context) => {
    onSyn((sent) => {
      world.answer(sent, { seq: 1, ack: (tcpOf(sent).seq + 1) >>> 0, flags: SYN_ACK }, 1, context);
    });
    world.hc.setChecks(TENANT, [check()]);
    world.clock.advance(900);
    expect(world.row()).toMatchObject({ status: 'OFFLINE', rise: 0 });
    expect(world.hc.counters.unmatched).toBeGreaterThan(0);
  });

  it('a card that is not the neighbour`s is told to the neighbour table', () => {
    onSyn((sent) =>
      world.answer(sent, { ack: (tcpOf(sent).seq + 1) >>> 0, flags: SYN_ACK, srcMac: 0x0666n }),
    );
    world.hc.setChecks(TENANT, [check()]);
    world.clock.advance(100);
    expect(world.observed).toEqual([0x0666n]);
    expect(world.hc.counters.wrongMac).toBe(1);
    world.clock.advance(1000);
    expect(world.row().reason).toBe('connect timed out: answers came from 00:00:00:00:06:66');
  });

  it('behind a router, answers may come from any card', () => {
    onSyn((sent) =>
      world.answer(sent, { ack: (tcpOf(sent).seq + 1) >>> 0, flags: SYN_ACK, srcMac: 0x0666n }),
    );
    world.hc.setChecks(TENANT, [check({ nextHop: 0x0a1400fe })]);
    world.clock.advance(100);
    expect(world.row()).toMatchObject({ status: 'ONLINE' });
    expect(world.confirmed).toEqual([0x0a1400fe]);
  });

  it('a SYN-ACK that comes again, or too late, is ended by RST; from strangers it is not', () => {
    let syn: Sent | undefined;
    onSyn((sent) => {
      syn ??= sent;
      accept(sent);
    });
    world.hc.setChecks(TENANT, [check()]);
    world.clock.advance(100);
    world.io.take();
    const again = { seq: 77, ack: (tcpOf(syn!).seq + 1) >>> 0, flags: SYN_ACK };
    world.answer(syn!, again);
    world.answer(syn!, { ...again, src: MEMBER + 9 });
    world.answer(syn!, { ...again, flags: TCP.ack });
    world.clock.advance(10);
    const sent = world.io.take();
    expect(sent).toHaveLength(1);
    expect(tcpOf(sent[0]!)).toMatchObject({ flags: TCP.rst, seq: again.ack, dstPort: 8080 });
    expect(world.row()).toMatchObject({ rise: 1 });
  });

  it('tcp_close fin: a full close on both sides', () => {
    const isn = 500;
    world.io.onSent = (sent) => {
      if (sent.packet.kind !== 'tcp') return;
      const { flags, seq } = sent.packet.tcp;
      if (flags & TCP.syn) world.answer(sent, { seq: isn, ack: (seq + 1) >>> 0, flags: SYN_ACK });
      else if (flags & TCP.fin)
        world.answer(sent, { seq: isn + 1, ack: (seq + 1) >>> 0, flags: TCP.fin | TCP.ack });
    };
    world.hc.setChecks(TENANT, [check({ monitor: { ...monitor, tcpClose: 'fin' } })]);
    world.clock.advance(100);
    const sent = world.io.take().map(tcpOf);
    expect(sent.map((t) => t.flags)).toEqual([TCP.syn, TCP.fin | TCP.ack, TCP.ack]);
    expect(sent[2]).toMatchObject({ seq: (sent[0]!.seq + 2) >>> 0, ack: isn + 2 });
    expect(world.row()).toMatchObject({ status: 'ONLINE' });
    world.clock.advance(1000);
    expect(world.hc.gauges().inFlight).toBe(0);
    expect(world.io.take()).toEqual([]);
  });

  it('tcp_close fin: a FIN that comes again within the time-out is acknowledged again, not reset', () => {
    const isn = 500;
    world.io.onSent = (sent) => {
      if (sent.packet.kind !== 'tcp') return;
      const { flags, seq } = sent.packet.tcp;
      if (flags & TCP.syn) world.answer(sent, { seq: isn, ack: (seq + 1) >>> 0, flags: SYN_ACK });
      if ((flags & TCP.fin) === 0) return;
      const fin = { seq: isn + 1, ack: (seq + 1) >>> 0, flags: TCP.fin | TCP.ack };
      for (const ms of [1, 200, 600]) world.answer(sent, fin, ms);
    };
    world.hc.setChecks(TENANT, [check({ monitor: { ...monitor, tcpClose: 'fin' } })]);
    world.clock.advance(1100);
    const flags = world.io.take().map((s) => tcpOf(s).flags);
    expect(flags).toEqual([TCP.syn, TCP.fin | TCP.ack, TCP.ack, TCP.ack, TCP.ack]);
    expect(world.hc.counters.strays).toBe(0);
    expect(world.hc.gauges().inFlight).toBe(0);
  });

  it('tcp_close fin: a peer that never closes is reset at the time-out, and stays up', () => {
    onSyn(accept);
    world.hc.setChecks(TENANT, [check({ monitor: { ...monitor, tcpClose: 'fin' } })]);
    world.clock.advance(1100);
    const flags = world.io.take().map((s) => tcpOf(s).flags);
    expect(flags.at(-1)).toBe(TCP.rst | TCP.ack);
    expect(world.row()).toMatchObject({ status: 'ONLINE', fall: 0 });
    expect(world.hc.gauges().inFlight).toBe(0);
  });

  it('source ports and sequence numbers differ from probe to probe', () => {
    onSyn(accept);
    world.hc.setChecks(TENANT, [check()]);
    world.clock.advance(200_000);
    const syns = world.io
      .take()
      .map(tcpOf)
      .filter((t) => t.flags === TCP.syn);
    expect(syns.length).toBeGreaterThan(90);
    expect(new Set(syns.map((t) => t.srcPort)).size).toBe(syns.length);
    expect(new Set(syns.map((t) => t.seq)).size).toBe(syns.length);
    expect(Math.min(...syns.map((t) => t.srcPort))).toBeGreaterThanOrEqual(49152);
  });
});
