import { beforeEach, describe, expect, it } from 'vitest';
import { BROADCAST_MAC } from '../../../src/packetio/frames/address.js';
import { CARD, HOST, OTHER, OURS, PROBE, segment, World } from './world.js';

let w: World;
beforeEach(() => {
  w = new World();
});

describe('resolution', () => {
  it('asks everybody in the segment, from the probe address and the MAC of the segment', () => {
    w.target();
    w.clock.advance(10);
    const [sent] = w.io.take();
    expect(sent!.how).toEqual({ kind: 'segment', tenant: 1, segment: 2 });
    expect(sent!.packet).toMatchObject({
      eth: { dst: BROADCAST_MAC, src: OURS },
      arp: { operation: 1, senderMac: OURS, senderAddress: PROBE, targetAddress: HOST },
    });
  });

  it('three questions a second apart, failed, a pause, and on again for a target', () => {
    w.target();
    w.clock.advance(2500);
    expect(w.requests()).toEqual(['all', 'all', 'all']);
    expect(w.entry().state).toBe('INCOMPLETE');
    w.clock.advance(600);
    expect(w.entry().state).toBe('FAILED');
    w.clock.advance(1000);
    expect(w.entry().state).toBe('INCOMPLETE');
    expect(w.requests()).toEqual(['all']);
    w.hosts = [{ mac: CARD, port: 10 }];
    w.clock.advance(1100);
    expect(w.entry()).toMatchObject({ state: 'REACHABLE', mac: CARD });
  });

  it('tells the change with the place, once', () => {
    w.target();
    w.clock.advance(10);
    w.reply(CARD, { inPort: 12, tunId: 5001n, tunSrc: 0xc0a80001 });
    w.clock.advance(10);
    const at = {
      tenant: 1,
      segment: 2,
      address: HOST,
      mac: CARD,
      ofport: 12,
      tunId: 5001,
      tunDst: 0xc0a80001,
    };
    expect(w.changes).toEqual([at]);
    expect(w.events).toMatchObject([{ type: 'resolved', mac: CARD }]);
    expect(w.table.snapshot()).toMatchObject([{ state: 'REACHABLE', source: 'target', mac: CARD }]);
  });

  it('a crowd of targets is asked over a while, and told in few batches', () => {
    const addresses = Array.from({ length: 200 }, (_, n) => 0x0a140100 + n);
    w.hosts = addresses.map((address, n) => ({ mac: CARD + BigInt(n), port: 1, address }));
    w.table.setTargets(
      1,
      addresses.map((address) => ({ segment: 2, address })),
    );
    w.clock.advance(1);
    expect(w.requests().length).toBeLessThan(40);
    w.clock.advance(100);
    expect(w.changes).toHaveLength(200);
    expect(w.batches).toBeLessThan(15);
  });

  it('without a switch nothing is concluded', () => {
    w.io.link = 0;
    w.target();
    w.clock.advance(20_000);
    expect(w.entry().state).toBe('INCOMPLETE');
    settledAfterReconnect();
    function settledAfterReconnect() {
      w.io.link = 2;
      w.hosts = [{ mac: CARD, port: 10 }];
      w.clock.advance(1100);
      expect(w.entry().state).toBe('REACHABLE');
    }
  });
});

describe('adoption of what the switch uses', () => {
  const adopted = [{ address: HOST, mac: CARD, ofport: 10 }];

  it('is used at once, verified, and told as no change', () => {
    w.hosts = [{ mac: CARD, port: 10 }];
    w.target();
    w.table.adopt(1, 2, adopted);
    expect(w.entry()).toMatchObject({ mac: CARD, state: 'PROBE' });
    w.clock.advance(1000);
    expect(w.entry().state).toBe('REACHABLE');
    expect(w.changes).toEqual([]);
  });

  it('is dropped where nobody answers, replaced where somebody else does', () => {
    w.table.adopt(1, 2, [...adopted, { address: HOST + 1, mac: CARD, ofport: 10 }]);
    w.hosts = [{ mac: OTHER, port: 12, address: HOST + 1 }];
    w.clock.advance(8000);
    expect(w.changes).toEqual([
      { tenant: 1, segment: 2, address: HOST + 1, mac: OTHER, ofport: 12 },
      { tenant: 1, segment: 2, address: HOST },
    ]);
  });
});

describe('reload', () => {
  it('the same again asks and tells nothing', () => {
    w.settled();
    w.table.setSegments(1, [segment]);
    w.target();
    w.clock.advance(500);
    expect(w.io.take()).toEqual([]);
    expect(w.changes).toEqual([]);
  });

  it('a segment or tenant that goes takes its neighbours along', () => {
    w.settled();
    w.table.setSegments(1, []);
    w.clock.advance(10);
    expect(w.changes).toEqual([{ tenant: 1, segment: 2, address: HOST }]);
    expect(w.table.snapshot()).toEqual([]);
    expect(w.clock.pending).toBe(0);
  });

  it('an address that becomes ours is forgotten', () => {
    w.settled();
    w.table.setSegments(1, [{ ...segment, own: [...segment.own, HOST] }]);
    expect(w.table.lookup(1, 2, HOST)).toBeUndefined();
  });
});
