import { beforeEach, describe, expect, it } from 'vitest';
import { CARD, HOST, World } from './world.js';

let w: World;
beforeEach(() => {
  w = new World();
});

describe('freshness', () => {
  it('a target goes STALE, DELAY, PROBE and, answered there, REACHABLE again without a change', () => {
    w.settled();
    const states = new Set<string>();
    for (let n = 0; n < 60_000; n += 500) {
      w.clock.advance(500);
      states.add(w.entry().state);
    }
    expect(states).toContain('DELAY');
    expect(w.requests()).toContain('one');
    expect(w.entry().mac).toBe(CARD);
    expect(w.changes).toEqual([]);
  });

  it('confirmation from above makes questions unnecessary', () => {
    w.settled();
    for (let n = 0; n < 200; n++) {
      w.clock.advance(1000);
      w.table.confirm(1, 2, HOST);
    }
    expect(w.requests()).toEqual([]);
    expect(w.entry().state).toBe('REACHABLE');
  });

  it('a silent target gets its unicast and broadcast questions, then it is gone', () => {
    w.settled();
    w.hosts = [];
    w.clock.advance(45_000 + 5000 + 6500);
    expect(w.requests().slice(0, 6)).toEqual(['one', 'one', 'one', 'all', 'all', 'all']);
    expect(w.changes).toEqual([{ tenant: 1, segment: 2, address: HOST }]);
    expect(w.events).toMatchObject([{ type: 'failed' }]);
  });

  it('a switch that answers late costs no neighbour', () => {
    w.settled();
    w.hosts = [];
    w.io.delayMs = 800;
    w.clock.advance(120_000);
    expect(w.entry()).toMatchObject({ mac: CARD, state: 'PROBE' });
    expect(w.requests().length).toBeLessThan(120);
    w.io.delayMs = 10;
    w.clock.advance(7000);
    expect(w.entry().mac).toBe(0n);
  });

  it('a host that is no target ages out when nobody uses it', () => {
    w.settled();
    w.table.setTargets(1, []);
    w.clock.advance(100_000);
    w.table.use(1, 2, HOST);
    w.clock.advance(40_000);
    expect(w.table.snapshot()).toEqual([]);
    expect(w.changes).toEqual([{ tenant: 1, segment: 2, address: HOST }]);
    expect(w.clock.pending).toBe(0);
  });
});
