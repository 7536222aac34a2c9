import { describe, expect, it } from 'vitest';
import { formatMac } from '../../../src/model/address.js';
import type { TenantIntent } from '../../../src/model/types.js';
import { type Place, parsePacket, placePacket, type TraceWorld } from '../../../src/trace/index.js';
import { ip, listener, mac, NO_PROVIDER, port, segment, tenant } from '../../golden/pipeline/intents.js';

const acme = tenant(1, {
  name: 'acme',
  segments: [
    segment(2, '10.20.0.0/24', ['v-1', 'v-2', 'gone']),
    segment(3, '10.30.0.0/24', [port('trunk0', { vlan: 101 }), port('trunk0', { vlan: 102 })]),
    segment(4, '10.40.0.0/24', [port('trunk0', { vlan: 104 })]),
  ],
  listeners: [listener(1, '10.20.0.100:80', 2)],
});
const seen = [{ address: ip('10.20.0.10'), mac: mac('02:00:00:00:02:10'), ofport: 12 }];

function place(text: string, from?: string, at?: string, tenantIs: TenantIntent = acme): Promise<Place> {
  const packet = parsePacket(text);
  if (!packet.ok) throw new Error(packet.why);
  const world: TraceWorld = {
    tenant: tenantIs,
    provider: NO_PROVIDER,
    bridge: 'br-lb',
    ports: new Map([
      ['v-1', 11],
      ['v-2', 12],
      ['trunk0', 31],
      ['foreign', 40],
    ]),
    neighbour: async (id, segmentId, address) =>
      id === 1 && segmentId === 2 ? seen.find((n) => n.address === address) : undefined,
  };
  return placePacket(world, packet.value, from, at);
}

describe('where a packet enters', () => {
  it('at the port that its source was seen at', async () => {
    expect(await place('icmp 10.20.0.10 > 10.20.0.1')).toMatchObject({ ofport: 12, notes: [] });
  });

  it('at a port of that name, with its VLAN', async () => {
    expect(await place('icmp 10.40.0.10 > 10.20.0.1', 'trunk0')).toMatchObject({
      ofport: 31,
      port: { vlan: 104 },
      segment: { name: 'p4' },
    });
  });

  it('at the port of a segment', async () => {
    expect(await place('icmp 10.40.0.10 > 10.20.0.1', 'p4')).toMatchObject({ port: { vlan: 104 } });
    expect(await place('icmp 9.9.9.9 > 10.20.0.1', 'trunk0', 'p4')).toMatchObject({ port: { vlan: 104 } });
  });

  it.each([
    ['icmp 10.20.0.77 > 10.20.0.1', undefined, undefined, /at which port 10.20.0.77 is isn't known/],
    ['icmp 10.30.0.7 > 10.20.0.1', 'trunk0', undefined, /at which port/],
    ['icmp 10.20.0.10 > 10.20.0.1', 'gone', undefined, /port gone of segment p2 is not on bridge br-lb/],
    ['icmp 10.20.0.10 > 10.20.0.1', 'v-3', undefined, /v-3 is no port and no segment of tenant acme/],
    ['icmp 10.20.0.10 > 10.20.0.1', 'foreign', undefined, /though bridge br-lb has a port of that name/],
    ['icmp 10.20.0.10 > 10.20.0.1', 'v-1', 'p9', /v-1 has no segment p9/],
  ])('%s from %s %s: refused', async (text, from, at, why) => {
    await expect(place(text, from, at)).rejects.toThrow(why);
  });
});

describe('the Ethernet header', () => {
  const to = async (text: string) => formatMac((await place(text, 'v-1')).destinationMac);

  it.each([
    ['icmp 10.20.0.7 > 10.20.0.1', '02:42:0a:00:00:02'],
    ['tcp 10.20.0.7:1 > 10.20.0.100:80', '02:42:0a:00:00:02'],
    ['tcp 10.20.0.7:1 > 10.30.0.2:80', '02:42:0a:00:00:02'],
    ['tcp 10.20.0.7:1 > 8.8.8.8:53', '02:42:0a:00:00:02'],
    ['tcp 10.20.0.7:1 > 10.20.0.10:22', '02:00:00:00:02:10'],
    ['udp 10.20.0.7:1 > 10.20.0.255:67', 'ff:ff:ff:ff:ff:ff'],
    ['udp 10.20.0.7:1 > 255.255.255.255:67', 'ff:ff:ff:ff:ff:ff'],
    ['udp 10.20.0.7:1 > 224.0.0.251:5353', '01:00:5e:00:00:fb'],
    ['arp 10.20.0.7 > 10.20.0.1', 'ff:ff:ff:ff:ff:ff'],
    ['arp reply 10.20.0.7 > 10.20.0.1', '02:42:0a:00:00:02'],
    ['tcp 10.20.0.7:1 > 10.20.0.1:80 dst_mac=02:00:00:00:00:99', '02:00:00:00:00:99'],
  ])('%s goes to %s', async (text, mac) => expect(await to(text)).toBe(mac));

  it('says what was made up', async () => {
    const { notes } = await place('tcp 10.20.0.7:1 > 10.20.0.9:80', 'v-1');
    expect(notes).toEqual([
      expect.stringContaining('the MAC of 10.20.0.7'),
      expect.stringContaining('the MAC of 10.20.0.9'),
    ]);
  });
});
