import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { until } from '../../../lab/until.js';
import { systemClock } from '../../../src/ofp/channel/index.js';
import { OFP13, OFP15, OFPP, type OfpVersion } from '../../../src/ofp/index.js';
import { buildArp, buildArpRequest } from '../../../src/packetio/frames/arp.js';
import { buildIcmp } from '../../../src/packetio/frames/icmp.js';
import {
  PUNT as PACKETIO_PUNT,
  type PacketContext,
  type PuntClass,
  SwitchPacketIo,
} from '../../../src/packetio/index.js';
import { renderNeighbours } from '../../../src/pipeline/index.js';
import { PUNT } from '../../../src/pipeline/punt-classes.js';
import { facts, ip, mac, port, prefix, segment, tenant } from '../../golden/pipeline/intents.js';
import { World } from './world.js';

/** Two tenants with one host each and equal addresses; a gateway on an external network. */
const HOST = mac('02:00:00:00:02:02');
const GATEWAY_MAC = segment(2, '10.20.0.0/24', []).mac;
const EXTERNAL_MAC = mac('02:00:c0:a8:05:01');
const tenants = [1, 2].map((id) =>
  tenant(id, {
    segments: [segment(2, '10.20.0.0/24', [`v-h${id}`])],
    routes: [{ destination: prefix('172.16.0.0/16'), nextHop: ip('10.20.0.2'), segmentId: 2 }],
  }),
);
const provider = {
  networks: [
    segment(1, '192.168.5.0/24', [port('v-gw')], {
      mac: EXTERNAL_MAC,
      probeAddress: ip('192.168.5.1'),
      externalGateway: ip('192.168.5.254'),
    }),
  ],
};
const known = { ...facts({ 'v-h1': 11, 'v-h2': 12, 'v-gw': 13 }, tenants) };

interface Punted {
  readonly cls: PuntClass;
  readonly context: PacketContext;
  readonly frame: Uint8Array;
}

let world: World;
beforeAll(async () => {
  world = await World.create();
  for (const n of [1, 2]) await world.host(`h${n}`, '10.20.0.2', '02:00:00:00:02:02', '10.20.0.1', 10 + n);
  await world.host('gw', '192.168.5.254', '02:00:00:00:05:fe', '192.168.5.1', 13);
}, 60_000);
afterAll(() => world.close());

it('classes are the ones that packetio knows', () => {
  expect(PUNT).toEqual(PACKETIO_PUNT);
});

describe.each([
  ['OpenFlow 1.3', OFP13],
  ['OpenFlow 1.5', OFP15],
] as [string, OfpVersion][])('%s', (_, version) => {
  let io: SwitchPacketIo;
  const punted: Punted[] = [];
  const next = (cls: PuntClass, tenantId: number) =>
    until(() => punted.find((p) => p.cls === cls && p.context.tenant === tenantId), {
      what: `${cls} of ${tenantId}`,
    });

  beforeAll(async () => {
    await world.connect(version);
    // A management connection hears of packets only once it says how much of them it wants.
    world.connection.send({ type: 'set_config', flags: 0, missSendLen: 0xffff });
    world.connection.send({ type: 'nx_set_packet_in_format', format: 'nxt_packet_in2' });
    await world.install(tenants, provider, known);
    io = new SwitchPacketIo({ clock: { ...systemClock, defer: (fn) => setImmediate(fn) } });
    io.attach(world.connection);
    for (const cls of ['arp', 'probe', 'nextHop'] as const)
      io.onPunt(cls, (context, frame) => punted.push({ cls, context, frame: frame.slice() }));
  });

  it('asks by ARP in the segment of each tenant, and hears the answer with its place', async () => {
    for (const t of [1, 2]) {
      punted.length = 0;
      io.inject(
        { kind: 'segment', tenant: t, segment: 2 },
        buildArpRequest(GATEWAY_MAC, ip('10.20.0.253'), ip('10.20.0.2')),
      );
      expect((await next('arp', t)).context).toMatchObject({ tenant: t, segment: 2, inPort: 10 + t });
    }
  });

  it('asks by ARP on an external network, where nothing else is flooded', async () => {
    punted.length = 0;
    const ask = buildArpRequest(EXTERNAL_MAC, ip('192.168.5.1'), ip('192.168.5.254'));
    io.inject({ kind: 'segment', tenant: 65535, segment: 1 }, ask);
    expect((await next('arp', 65535)).context).toMatchObject({ segment: 1, inPort: 13 });
  });

  it('misses the next hop of what it cannot deliver, connected and routed, with the whole frame', async () => {
    for (const [dst, hop] of [
      ['10.20.0.77', '10.20.0.77'],
      ['172.16.3.4', '10.20.0.2'],
    ] as const) {
      punted.length = 0;
      const payload = new Uint8Array(1400);
      io.inject({ kind: 'route', tenant: 2, segment: 2 }, echo(dst, payload));
      const { context, frame } = await next('nextHop', 2);
      expect(context).toMatchObject({ tenant: 2, segment: 2, nextHop: ip(hop) });
      expect(frame.length).toBe(14 + 20 + 8 + 1400);
    }
  });

  it('hears answers to probes sent by a next hop that is known', async () => {
    const resolved = [{ address: ip('10.20.0.2'), mac: HOST, ofport: 11 }];
    await world.apply([renderNeighbours(1, { id: 2 }, resolved)]);
    punted.length = 0;
    io.inject({ kind: 'route', tenant: 1, segment: 2 }, echo('10.20.0.2', Uint8Array.of(1, 2, 3)));
    // The host resolves our address first; the switch answers that.
    expect((await next('probe', 1)).context).toMatchObject({ tenant: 1, segment: 2, inPort: 11 });
  });

  it('limits what a tenant sends to the agent without limiting others', async () => {
    punted.length = 0;
    const flood = buildArp(GATEWAY_MAC, HOST, {
      operation: 2,
      senderMac: HOST,
      senderAddress: ip('10.20.0.9'),
      targetMac: GATEWAY_MAC,
      targetAddress: ip('10.20.0.253'),
    });
    const packetOut = (inPort: number) =>
      ({ type: 'packet_out', inPort, actions: [{ type: 'output', port: OFPP.TABLE }], data: flood }) as const;
    const FLOOD = 6000;
    const started = Date.now();
    for (let i = 0; i < FLOOD; i++) world.connection.send(packetOut(11));
    world.connection.send(packetOut(12));
    await world.connection.barrier();
    await next('arp', 2);
    const seconds = (Date.now() - started) / 1000;
    const heard = punted.filter((p) => p.context.tenant === 1).length;
    // A burst of 500 and 500 a second.
    expect(heard).toBeLessThan(1000 + 500 * seconds);
    expect(heard).toBeGreaterThan(100);
  });
});

function echo(dst: string, payload: Uint8Array): Uint8Array {
  return buildIcmp({
    srcMac: GATEWAY_MAC,
    dstMac: 0n,
    src: ip('10.20.0.253'),
    dst: ip(dst),
    type: 8,
    code: 0,
    id: 1,
    seq: 1,
    payload,
  });
}
