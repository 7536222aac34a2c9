import { beforeEach, describe, expect, it } from 'vitest';
import { BROADCAST_MAC } from '../../../src/packetio/frames/address.js';
import { ARP_REPLY, buildArp } from '../../../src/packetio/frames/arp.js';
import { CARD, GATEWAY, HOST, OTHER, OURS, PROBE, segment, VIP, World } from './world.js';

let w: World;
beforeEach(() => {
  w = new World();
});

describe('what is never believed', () => {
  const cases: [string, () => void][] = [
    ['an unasked reply', () => w.reply(CARD)],
    ['a gratuitous request', () => w.gratuitous(CARD, 10)],
    ['a gratuitous reply', () => w.gratuitous(CARD, 10, ARP_REPLY)],
  ];
  it.each(cases)('%s does not make an entry', (_, send) => {
    send();
    w.clock.advance(100);
    expect(w.table.snapshot()).toEqual([]);
    expect(w.io.take()).toEqual([]);
  });

  it('a sender that is not the frame`s source, a group address, another segment or tenant', () => {
    w.target();
    w.clock.advance(10);
    const arp = {
      operation: ARP_REPLY,
      senderMac: CARD,
      senderAddress: HOST,
      targetMac: OURS,
      targetAddress: PROBE,
    };
    w.io.punt('arp', {}, buildArp(OURS, OTHER, arp));
    w.io.punt('arp', {}, buildArp(OURS, BROADCAST_MAC, { ...arp, senderMac: BROADCAST_MAC }));
    w.io.punt('arp', {}, buildArp(OURS, 0n, { ...arp, senderMac: 0n }));
    w.reply(CARD, { segment: 3 });
    w.reply(CARD, { tenant: 2 });
    w.io.punt('arp', {}, buildArp(OURS, CARD, arp).subarray(0, 30));
    expect(w.entry().state).toBe('INCOMPLETE');
    expect(w.table.counters.ignored).toEqual({
      'bad-sender': 3,
      'unknown-segment': 2,
      'bad-frame': 1,
      'unknown-address': 0,
      'own-address': 0,
    });
  });

  it('our own addresses, whoever claims them; reported once', () => {
    w.table.setTargets(1, [{ segment: 2, address: VIP }]);
    w.clock.advance(10);
    for (let n = 0; n < 100; n++) w.reply(OTHER, {}, VIP);
    w.reply(OURS, {}, GATEWAY);
    expect(w.table.snapshot()).toEqual([]);
    expect(w.events).toEqual([
      { type: 'own-address-claimed', tenant: 1, segment: 2, address: VIP, mac: OTHER },
    ]);
  });

  it('identical addresses of two tenants are two neighbours', () => {
    w.table.setSegments(9, [segment]);
    w.target();
    w.table.setTargets(9, [{ segment: 2, address: HOST }]);
    w.clock.advance(10);
    w.reply(CARD, { tenant: 1 });
    w.reply(OTHER, { tenant: 9 });
    expect(w.table.lookup(1, 2, HOST)!.mac).toBe(CARD);
    expect(w.table.lookup(9, 2, HOST)!.mac).toBe(OTHER);
  });
});
