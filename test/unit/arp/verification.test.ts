import { beforeEach, describe, expect, it } from 'vitest';
import { CARD, HOST, OTHER, World } from './world.js';

let w: World;
beforeEach(() => {
  w = new World();
});

describe('verification', () => {
  it('gratuitous ARP of a replaced card: found within a second', () => {
    w.settled();
    w.hosts = [{ mac: OTHER, port: 11 }];
    w.gratuitous(OTHER, 11);
    expect(w.entry()).toMatchObject({ state: 'PROBE', mac: CARD });
    w.clock.advance(800);
    expect(w.entry()).toMatchObject({ state: 'REACHABLE', mac: OTHER });
    expect(w.changes).toMatchObject([{ mac: OTHER, ofport: 11 }]);
    expect(w.events).toMatchObject([{ type: 'moved', mac: OTHER, from: CARD, ofport: 11 }]);
  });

  it('the same without any word of the card, once its silence is noticed', () => {
    w.settled();
    w.hosts = [{ mac: OTHER, port: 11 }];
    w.table.suspect(1, 2, HOST);
    w.clock.advance(800);
    expect(w.entry()).toMatchObject({ state: 'REACHABLE', mac: OTHER });
  });

  it('the same from an IP packet', () => {
    w.settled();
    w.hosts = [{ mac: OTHER, port: 11 }];
    w.table.observe({ tenant: 1, segment: 2, inPort: 11, nextHop: 0 }, HOST, OTHER);
    w.clock.advance(800);
    expect(w.entry().mac).toBe(OTHER);
  });

  it('a liar that doesn`t answer questions changes nothing', () => {
    w.settled();
    for (let n = 0; n < 300; n++) {
      w.gratuitous(OTHER, 66);
      w.reply(OTHER, { inPort: 66 });
      w.clock.advance(100);
    }
    expect(w.entry().mac).toBe(CARD);
    expect(w.changes).toEqual([]);
    expect(w.requests().length).toBeLessThan(90);
  });

  it('an unasked reply is no answer, even where the known host is silent', () => {
    w.settled();
    w.hosts = [];
    w.reply(OTHER, { inPort: 66 });
    w.clock.advance(10_000);
    expect(w.entry().mac).toBe(0n);
    expect(w.events).toMatchObject([{ type: 'failed' }]);
  });

  it('unasked replies in the known name do not keep a neighbour fresh', () => {
    w.settled();
    w.hosts = [];
    const states = new Set<string>();
    for (let n = 0; n < 46; n++) {
      w.reply(CARD);
      w.clock.advance(1000);
      states.add(w.entry().state);
    }
    expect(states).toContain('DELAY');
  });

  it('two that answer: the first is kept, the other reported, and no storm of questions', () => {
    w.settled();
    w.hosts = [
      { mac: OTHER, port: 66 },
      { mac: CARD, port: 10 },
    ];
    w.gratuitous(OTHER, 66);
    w.clock.advance(60_000);
    expect(w.entry().mac).toBe(CARD);
    expect(w.events).toMatchObject([{ type: 'duplicate-address', mac: CARD, other: OTHER }]);
    expect(w.requests().length).toBeLessThan(20);
  });

  it('two that answer the very first question: the faster one is kept, the other reported', () => {
    w.hosts = [
      { mac: CARD, port: 10 },
      { mac: OTHER, port: 66 },
    ];
    w.target();
    w.clock.advance(100);
    expect(w.entry().mac).toBe(CARD);
    expect(w.events).toMatchObject([{ type: 'resolved' }, { type: 'duplicate-address', other: OTHER }]);
  });

  it('a claim right after a proof is looked into when the proof is a second old', () => {
    w.settled();
    w.table.confirm(1, 2, HOST);
    w.hosts = [{ mac: OTHER, port: 11 }];
    w.gratuitous(OTHER, 11);
    expect(w.entry().state).toBe('REACHABLE');
    w.clock.advance(1900);
    expect(w.entry().mac).toBe(OTHER);
  });

  it('the same card on another port', () => {
    w.settled();
    w.hosts = [{ mac: CARD, port: 15 }];
    w.gratuitous(CARD, 15);
    w.clock.advance(50);
    expect(w.changes).toMatchObject([{ mac: CARD, ofport: 15 }]);
    w.table.portChanged(15);
    expect(w.entry().state).toBe('PROBE');
  });

  it('suspicion costs a few questions a second at most, and a host that answers stays', () => {
    w.settled();
    for (let n = 0; n < 100; n++) {
      w.table.suspect(1, 2, HOST);
      w.clock.advance(100);
    }
    expect(w.requests().length).toBeLessThanOrEqual(22);
    expect(w.entry()).toMatchObject({ state: 'REACHABLE', mac: CARD });
  });

  it('too many moves are damped', () => {
    w.settled();
    for (let n = 0; n < 20; n++) {
      const mac = n % 2 ? CARD : OTHER;
      w.hosts = [{ mac, port: 10 + (n % 2) }];
      w.gratuitous(mac, 10 + (n % 2));
      w.clock.advance(1500);
    }
    const moved = w.events.filter((e) => e.type === 'moved').length;
    expect(w.events.filter((e) => e.type === 'damped')).toHaveLength(1);
    expect(moved).toBe(6);
  });

  it('a failed target that speaks up is asked at once', () => {
    w.target();
    w.clock.advance(3100);
    expect(w.entry().state).toBe('FAILED');
    w.hosts = [{ mac: CARD, port: 10 }];
    w.gratuitous(CARD, 10);
    w.clock.advance(10);
    expect(w.entry().state).toBe('REACHABLE');
  });
});
