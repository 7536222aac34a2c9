import { beforeEach, describe, expect, it } from 'vitest';
import type { Monitor } from '../../../src/hc/index.js';
import { check, monitor, TENANT, World } from './world.js';

const udp: Monitor = { ...monitor, type: 'UDP-CONNECT' };
const ping: Monitor = { ...monitor, type: 'PING' };
let world: World;
beforeEach(() => {
  world = new World();
});
const start = (m: Monitor, ms = 1100) => {
  world.hc.setChecks(TENANT, [check({ monitor: m })]);
  world.clock.advance(ms);
};

describe('UDP-CONNECT', () => {
  it('a reply is success', () => {
    world.io.onSent = (sent) => world.udp(sent);
    start(udp, 500);
    expect(world.row()).toMatchObject({ status: 'ONLINE', reason: 'replied' });
    expect(world.io.take()).toHaveLength(1);
  });
  it('silence is what the monitor says, after the time-out', () => {
    start(udp, 900);
    expect(world.row().status).toBe('OFFLINE');
    world.clock.advance(200);
    expect(world.row()).toMatchObject({ status: 'ONLINE', reason: 'no answer, which counts as up' });
    world = new World();
    start({ ...udp, udpSilence: 'down' });
    expect(world.row()).toMatchObject({ fall: 1, reason: 'no answer' });
  });
  it('ICMP unreachable about our datagram is failure, about another one it is nothing', () => {
    world.io.onSent = (sent) => world.unreachable(sent, 3);
    start(udp, 500);
    expect(world.row()).toMatchObject({ fall: 1, reason: 'ICMP port unreachable from 10.20.0.2' });
    world = new World();
    world.io.onSent = (sent) => world.unreachable(sent, 3, (q) => (q[21]! ^= 1));
    start(udp, 900);
    expect(world.row()).toMatchObject({ fall: 0 });
    expect(world.hc.counters.unmatched).toBe(2);
  });
  it('"fragmentation needed" is not unreachable', () => {
    world.io.onSent = (sent) => world.unreachable(sent, 4);
    start(udp, 900);
    expect(world.row()).toMatchObject({ fall: 0 });
  });
  it('silence while the switch was away is no success', () => {
    start(udp, 300);
    world.io.link = 0;
    world.clock.advance(300);
    world.io.link = 2;
    world.clock.advance(600);
    expect(world.row()).toMatchObject({ status: 'OFFLINE', rise: 0 });
    expect(world.hc.counters.suspended).toBe(1);
  });
});

describe('PING', () => {
  const echo = (change: { id?: number; seq?: number } = {}, type = 0) => {
    world.io.onSent = (sent) => {
      if (sent.packet.kind !== 'icmp') return;
      const { id, seq } = sent.packet.icmp;
      world.icmp(sent, type, 0, { id, seq, ...change });
    };
  };
  it('an echo reply with our identifier and sequence number is success', () => {
    echo();
    start(ping, 400);
    expect(world.row()).toMatchObject({ status: 'ONLINE', reason: 'replied' });
  });
  it.each([
    ['another identifier', { id: 3 }, 0],
    ['another sequence number', { seq: 3 }, 0],
    ['a request instead', {}, 8],
  ])('%s is nothing', (_, change, type) => {
    echo(change, type);
    start(ping);
    expect(world.row()).toMatchObject({ status: 'OFFLINE', fall: 1, reason: 'no echo reply' });
  });
  it('one lost packet is no failure', () => {
    let n = 0;
    world.io.onSent = (sent) => {
      if (sent.packet.kind === 'icmp' && ++n === 2) {
        const { id, seq } = sent.packet.icmp;
        world.icmp(sent, 0, 0, { id, seq });
      }
    };
    start(ping, 900);
    expect(world.row()).toMatchObject({ status: 'ONLINE' });
  });
  it('a router`s word that the member can`t be reached', () => {
    world.io.onSent = (sent) => world.icmp(sent, 3, 13, { payload: sent.frame.slice(14), src: 0x0a140001 });
    start(ping, 400);
    expect(world.row()).toMatchObject({ fall: 1, reason: 'ICMP administratively prohibited from 10.20.0.1' });
  });
});
