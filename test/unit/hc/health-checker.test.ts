import { beforeEach, describe, expect, it } from 'vitest';
import type { Monitor } from '../../../src/hc/index.js';
import type { MonitorIntent } from '../../../src/model/types.js';
import { TCP } from '../../../src/packetio/frames/tcp.js';
import type { Sent } from '../packetio/fake-packet-io.js';
import { check, MEMBER, monitor, TENANT, World } from './world.js';

let world: World;
/** What the members do: by address, `true` accepts, `false` refuses, undefined is silent. */
let behaviour: (address: number, n: number) => boolean | undefined;
let syns: Sent[];

function build(limits = {}): void {
  world = new World(limits);
  behaviour = () => true;
  syns = [];
  const counts = new Map<number, number>();
  world.io.onSent = (sent) => {
    if (sent.packet.kind !== 'tcp' || sent.packet.tcp.flags !== TCP.syn) return;
    syns.push(sent);
    const { ip, tcp } = sent.packet;
    const n = (counts.get(ip.dst) ?? 0) + 1;
    counts.set(ip.dst, n);
    const does = behaviour(ip.dst, n);
    if (does === undefined) return;
    const flags = does ? TCP.syn | TCP.ack : TCP.rst | TCP.ack;
    world.answer(sent, { seq: 1, ack: (tcp.seq + 1) >>> 0, flags });
  };
}
beforeEach(() => build());

it('the configuration`s monitor is the checker`s', () => {
  const intent: MonitorIntent = monitor;
  const back: Monitor = intent;
  expect(back).toBe(monitor);
});

describe('verdicts', () => {
  /** Results of consecutive probes as letters, and the status after each. */
  function play(results: string): string[] {
    behaviour = (_, n) => results[n - 1] === 'S';
    world.hc.setChecks(TENANT, [check({ monitor: { ...monitor, delayMs: 1000 } })]);
    const statuses: string[] = [];
    world.clock.advance(500);
    for (let n = 0; n < results.length; n++) {
      statuses.push(world.row().status);
      while (syns.length === n + 1) world.clock.advance(10);
      world.clock.advance(10);
    }
    return statuses;
  }
  const ON = 'ONLINE';
  it('a new member rises at its first success', () => {
    expect(play('FFS')).toEqual(['OFFLINE', 'OFFLINE', ON]);
  });
  it('falls after three failures in a row, not after three in all', () => {
    expect(play('SFFSFFF')).toEqual([ON, ON, ON, ON, ON, ON, 'ERROR']);
  });
  it('rises after two successes in a row', () => {
    expect(play('FFFSFSS')).toEqual(['OFFLINE', 'OFFLINE', 'ERROR', 'ERROR', 'ERROR', 'ERROR', ON]);
  });
  it('tells transitions with the reason', () => {
    play('SFFFF');
    expect(world.transitions).toMatchObject([
      { tenant: TENANT, poolId: 1, endpointId: 1, from: 'OFFLINE', to: 'ONLINE', reason: 'connected' },
      { from: 'ONLINE', to: 'ERROR', reason: 'connect refused' },
    ]);
    expect(world.row().sinceMs).toBeLessThan(2500);
  });
});

describe('time', () => {
  const crowd = (count: number, m: Monitor = monitor) =>
    Array.from({ length: count }, (_, n) => check({ endpointId: n + 1, address: MEMBER + n, monitor: m }));

  it('few checks start at once', () => {
    world.hc.setChecks(TENANT, crowd(10));
    world.clock.advance(25);
    expect(syns).toHaveLength(10);
  });

  it('5,000 checks started at once are even over the first interval, and stay so', () => {
    world.hc.setChecks(TENANT, crowd(5000));
    const perTenth: number[] = [];
    for (let n = 0; n < 20; n++) {
      const before = syns.length;
      world.clock.advance(200);
      perTenth.push(syns.length - before);
      if (n === 9) expect(new Set(syns.map((s) => ('ip' in s.packet ? s.packet.ip.dst : 0))).size).toBe(5000);
    }
    for (const count of perTenth) {
      expect(count).toBeGreaterThan(350);
      expect(count).toBeLessThan(650);
    }
  });

  it('the interval is kept on the average', () => {
    world.hc.setChecks(TENANT, [check()]);
    world.clock.advance(400_000);
    expect(syns.length).toBeGreaterThan(195);
    expect(syns.length).toBeLessThan(206);
  });

  it('no more probes start than the limit allows; all have their turn', () => {
    build({ probesPerSecond: 100 });
    world.hc.setChecks(TENANT, crowd(300));
    world.clock.advance(10_000);
    expect(syns.length).toBeGreaterThan(950);
    expect(syns.length).toBeLessThan(1010);
    const addresses = syns.map((s) => ('ip' in s.packet ? s.packet.ip.dst : 0));
    expect(new Set(addresses).size).toBe(300);
    const counts = new Map<number, number>();
    for (const a of addresses) counts.set(a, (counts.get(a) ?? 0) + 1);
    expect(Math.max(...counts.values()) - Math.min(...counts.values())).toBeLessThanOrEqual(2);
    expect(world.hc.lateness.quantile(0.9)).toBeGreaterThan(250);
  });

  it('a loop that was deaf for more than half the time-out condemns nobody', () => {
    world.hc.setChecks(TENANT, [check({ monitor: { ...monitor, maxRetriesDown: 1 } })]);
    world.clock.advance(1000);
    behaviour = () => undefined;
    while (syns.length < 2) world.clock.advance(10);
    world.clock.block(800);
    world.clock.advance(500);
    expect(world.row()).toMatchObject({ status: 'ONLINE', fall: 0, reason: expect.stringContaining('busy') });
    expect(world.hc.counters.suspended).toBe(1);
    world.clock.advance(4000);
    expect(world.row().status).toBe('ERROR');
  });

  it('a switch that answers late condemns nobody: none is judged by silence, and no check is started', () => {
    world.hc.setChecks(TENANT, [check({ monitor: { ...monitor, maxRetriesDown: 1 } })]);
    world.clock.advance(1000);
    behaviour = () => undefined;
    while (syns.length < 2) world.clock.advance(10);
    world.io.delayMs = 600;
    world.clock.advance(10_000);
    // The check that was under way had planned to say its SYN again.
    expect(syns.length).toBe(3);
    expect(world.row()).toMatchObject({
      status: 'ONLINE',
      fall: 0,
      reason: 'not judged: the switch was busy for 600 ms',
    });
    world.io.delayMs = 0;
    world.clock.advance(4000);
    expect(world.row()).toMatchObject({ status: 'ERROR', reason: 'connect timed out' });
  });

  it('after congestion checks start slowly, more with each turn; all have theirs', () => {
    const m = { ...monitor, delayMs: 60_000, timeoutMs: 1000 };
    world.io.delayMs = 200;
    world.hc.setChecks(TENANT, crowd(800, m));
    world.clock.advance(60_000);
    expect(syns.length).toBe(0);
    world.io.delayMs = 0;
    world.clock.advance(100);
    expect(syns.length).toBeGreaterThan(16);
    expect(syns.length).toBeLessThan(300);
    world.clock.advance(1000);
    expect(new Set(syns.map((s) => ('ip' in s.packet ? s.packet.ip.dst : 0))).size).toBe(800);
  });

  it('a short stall does not excuse', () => {
    world.hc.setChecks(TENANT, [check({ monitor: { ...monitor, maxRetriesDown: 1 } })]);
    world.clock.advance(1000);
    behaviour = () => undefined;
    while (syns.length < 2) world.clock.advance(10);
    world.clock.block(300);
    world.clock.advance(1500);
    expect(world.row().status).toBe('ERROR');
  });

  it('an answer that waited in the socket while the loop was busy is heard before the time-out is', () => {
    behaviour = () => undefined;
    world.hc.setChecks(TENANT, [check()]);
    world.clock.advance(980);
    world.clock.block(60);
    world.answer(syns[0]!, { seq: 1, ack: (tcpSeq(syns[0]!) + 1) >>> 0, flags: TCP.syn | TCP.ack }, 2);
    world.clock.advance(100);
    expect(world.row()).toMatchObject({ status: 'ONLINE', fall: 0 });
  });

  it('without a switch nothing is sent and nobody falls; then it goes on', () => {
    world.hc.setChecks(TENANT, [check()]);
    world.clock.advance(1000);
    world.io.link = 0;
    const before = syns.length;
    world.clock.advance(60_000);
    expect(syns).toHaveLength(before);
    expect(world.row()).toMatchObject({
      status: 'ONLINE',
      fall: 0,
      reason: expect.stringContaining('no switch'),
    });
    world.io.link = 2;
    world.clock.advance(2500);
    expect(world.row()).toMatchObject({ status: 'ONLINE', reason: 'connected' });
  });
});

describe('neighbours', () => {
  it('a probe waits for its neighbour, and goes when it is there', () => {
    world.macs.set(`${TENANT}/${MEMBER}`, 0n);
    world.hc.setChecks(TENANT, [check()]);
    world.clock.advance(500);
    expect(syns).toHaveLength(0);
    world.resolve(MEMBER, 0x020000000202n);
    world.clock.advance(10);
    expect(world.row()).toMatchObject({ status: 'ONLINE' });
  });

  it('a neighbour that is not found is the reason, in words', () => {
    world.macs.set(`${TENANT}/${MEMBER}`, 0n);
    world.hc.setChecks(TENANT, [check()]);
    world.clock.advance(5500);
    expect(world.row()).toMatchObject({ status: 'ERROR', reason: 'no ARP answer from 10.20.0.2 on acme/p2' });
    expect(world.hc.counters.failed['no-neighbour']).toBe(3);
  });

  it('identical members of two tenants are two members', () => {
    behaviour = () => undefined;
    const other = { ...check({ poolId: 2, endpointId: 2 }) };
    world.hc.setChecks(TENANT, [check()]);
    world.hc.setChecks(9, [other]);
    world.io.onSent = (sent) => {
      if (sent.packet.kind === 'tcp' && sent.how.tenant === 9)
        world.answer(sent, { seq: 1, ack: (tcpSeq(sent) + 1) >>> 0, flags: TCP.syn | TCP.ack });
    };
    world.clock.advance(10_000);
    expect(world.row(1).status).toBe('ERROR');
    expect(world.row(2).status).toBe('ONLINE');
  });
});

describe('reload', () => {
  it('the same again: no packet, nothing lost', () => {
    world.hc.setChecks(TENANT, [check()]);
    world.clock.advance(4500);
    const { sinceMs: _, ...before } = world.row();
    const sent = syns.length;
    world.hc.setChecks(TENANT, [check()]);
    world.clock.advance(1);
    expect(syns).toHaveLength(sent);
    expect(world.row()).toMatchObject({ ...before, lastProbeMs: before.lastProbeMs! + 1 });
  });

  it('in another pool and under another id, the target keeps its verdict', () => {
    world.hc.setChecks(TENANT, [check()]);
    world.clock.advance(500);
    world.hc.setChecks(TENANT, [check({ poolId: 7, endpointId: 70 })]);
    expect(world.row(70)).toMatchObject({ status: 'ONLINE', rise: 1 });
  });

  it('another monitor keeps the verdict and counts anew', () => {
    behaviour = (_, n) => n === 1;
    world.hc.setChecks(TENANT, [check()]);
    world.clock.advance(4500);
    expect(world.row()).toMatchObject({ status: 'ONLINE', fall: 2 });
    world.hc.setChecks(TENANT, [check({ monitor: { ...monitor, timeoutMs: 900 } })]);
    expect(world.row()).toMatchObject({ status: 'ONLINE', fall: 0 });
    world.clock.advance(10_000);
    expect(world.row()).toMatchObject({ status: 'ERROR' });
    expect(world.transitions.map((t) => t.to)).toEqual(['ONLINE', 'ERROR']);
  });

  it('the same target in several pools is probed once and told to each', () => {
    world.hc.setChecks(TENANT, [
      check(),
      check({ poolId: 2 }),
      check({ poolId: 3, monitor: { ...monitor, maxRetries: 9 } }),
    ]);
    world.clock.advance(1000);
    expect(syns).toHaveLength(2);
    expect(world.transitions.map((t) => t.poolId).sort()).toEqual([1, 2, 3]);
    expect(world.hc.poolStatuses(2)).toEqual(new Map([[1, 'ONLINE']]));
  });

  it('a removed check stops, also in mid-flight', () => {
    behaviour = () => undefined;
    world.hc.setChecks(TENANT, [check(), check({ endpointId: 2, address: MEMBER + 1 })]);
    world.clock.advance(500);
    world.hc.setChecks(TENANT, []);
    expect(world.hc.gauges()).toEqual({ targets: 0, ready: 0, inFlight: 0 });
    const sent = world.io.sent.length;
    world.clock.advance(10_000);
    expect(world.io.sent).toHaveLength(sent);
    expect(world.hc.status()).toEqual([]);
    expect(world.hc.poolStatuses(1)).toEqual(new Map());
    expect(world.clock.pending).toBe(0);
  });

  it('no monitor: not probed', () => {
    const { monitor: _, ...bare } = check();
    world.hc.setChecks(TENANT, [bare]);
    world.clock.advance(5000);
    expect(world.row()).toMatchObject({ status: 'NO_MONITOR' });
    expect(syns).toHaveLength(0);
  });

  it('what served before the agent started is up until it fails', () => {
    behaviour = () => false;
    world.hc.setChecks(TENANT, [check({ assumeOnline: true })]);
    expect(world.row().status).toBe('ONLINE');
    world.clock.advance(2500);
    expect(world.row().status).toBe('ONLINE');
    world.clock.advance(3000);
    expect(world.row().status).toBe('ERROR');
  });
});

describe('debounce', () => {
  const pools = (count: number) =>
    Array.from({ length: count }, (_, n) => check({ poolId: n + 1, endpointId: n + 1, address: MEMBER + n }));

  it('transitions of a pool within 20 ms are one batch', () => {
    const members = Array.from({ length: 10 }, (_, n) => check({ endpointId: n + 1, address: MEMBER + n }));
    world.hc.setChecks(TENANT, members);
    world.clock.advance(200);
    expect(world.transitions).toHaveLength(10);
    expect(world.batches).toBe(1);
  });

  it('a trickle is told at the latest 200 ms after its first', () => {
    const members = Array.from({ length: 600 }, (_, n) => check({ endpointId: n + 1, address: MEMBER + n }));
    world.hc.setChecks(TENANT, members);
    let first = 0;
    world.hc.onTransitions((batch) => {
      first ||= world.clock.now() - batch[0]!.at;
    });
    world.clock.advance(2000);
    expect(first).toBeLessThanOrEqual(201);
    expect(world.batches).toBeLessThan(12);
  });

  it('pools do not wait for each other', () => {
    world.hc.setChecks(TENANT, pools(3));
    world.clock.advance(100);
    expect(world.transitions.map((t) => t.poolId).sort()).toEqual([1, 2, 3]);
  });
});

function tcpSeq(sent: Sent): number {
  return sent.packet.kind === 'tcp' ? sent.packet.tcp.seq : 0;
}
