import { beforeEach, describe, expect, it } from 'vitest';
import { nxm } from '../../../src/nx-extensions/fields.js';
import type { SwitchConnection } from '../../../src/ofp/channel/types.js';
import { oxm } from '../../../src/ofp/fields/basic.js';
import type { Match } from '../../../src/ofp/types/field.js';
import type { Message, PacketIn, PacketOut } from '../../../src/ofp/types/message.js';
import { SwitchPacketIo } from '../../../src/packetio/switch-packet-io.js';
import { type PacketContext, PUNT } from '../../../src/packetio/types.js';
import { FakeClock } from './fake-clock.js';

const F = { ...oxm, ...nxm };

class FakeConnection {
  open = true;
  sent: PacketOut[] = [];
  punt: (packet: PacketIn) => void = () => {};
  closed: (reason: string) => void = () => {};
  drain: (() => void)[] = [];
  send(message: Message) {
    this.sent.push(message as PacketOut);
    return this.sent.length;
  }
  drained() {
    return new Promise<void>((resolve) => this.drain.push(resolve));
  }
  echoes: (() => void)[] = [];
  request(): Promise<unknown> {
    return new Promise<void>((resolve) => this.echoes.push(resolve));
  }
  onPacketIn(handler: (packet: PacketIn) => void) {
    this.punt = handler;
  }
  onClose(handler: (reason: string) => void) {
    this.closed = handler;
  }
  get asConnection() {
    return this as unknown as SwitchConnection<Message>;
  }
}

const frame = Uint8Array.from({ length: 60 }, (_, n) => n);
function packetIn(cls: number, tenant: number, extra: Partial<PacketIn> = {}): PacketIn {
  return {
    type: 'packet_in',
    totalLen: frame.length,
    reason: 'apply_action',
    table: 2,
    cookie: 0n,
    match: [{ field: F.reg3, value: tenant }],
    userdata: Uint8Array.of(cls),
    data: frame,
    ...extra,
  };
}

describe('SwitchPacketIo', () => {
  let clock: FakeClock;
  let connection: FakeConnection;
  let io: SwitchPacketIo;
  let seen: [string, PacketContext][];
  beforeEach(() => {
    clock = new FakeClock();
    connection = new FakeConnection();
    io = new SwitchPacketIo({ clock, limits: { perTenant: 100, packetsPerSecond: 1000 } });
    io.attach(connection.asConnection);
    seen = [];
    for (const cls of ['arp', 'probe', 'nextHop'] as const)
      io.onPunt(cls, (context) => seen.push([cls, context]));
  });

  it('puts a frame into the tables of the tenant', () => {
    expect(io.inject({ kind: 'adjacency', tenant: 7, segment: 2, nextHop: 0x0a140002 }, frame)).toBe(true);
    io.inject({ kind: 'route', tenant: 7, segment: 3 }, frame);
    io.inject({ kind: 'segment', tenant: 7, segment: 3 }, frame);
    const registers = (n: number) =>
      connection.sent[n]!.actions.map((a) => (a.type === 'set_field' ? `${a.field.name}=${a.value}` : a));
    expect(registers(0)).toEqual([
      'reg3=7',
      'reg0=2',
      'reg6=169082882',
      { type: 'resubmit_table', table: 21 },
    ]);
    expect(registers(1)).toEqual(['reg3=7', 'reg0=3', { type: 'resubmit_table', table: 20 }]);
    expect(registers(2)).toEqual(['reg3=7', 'reg0=3', { type: 'resubmit_table', table: 25 }]);
    expect(connection.sent[0]!.data).toBe(frame);
  });

  it('tells classes by userdata, and the context by registers in either form', () => {
    const single: Match = [
      { field: F.in_port, value: 12 },
      { field: F.reg0, value: 2 },
      { field: F.reg3, value: 7 },
      { field: F.reg6, value: 0xfe140002 },
      { field: F.tun_id, value: 5001n },
    ];
    const pairs: Match = [
      { field: F.in_port, value: 12 },
      { field: F.xreg0, value: 0x0000000200000009n },
      { field: F.xreg1, value: 0x0000000500000007n },
      { field: F.xreg3, value: 0xfe14000200000001n },
      { field: F.tun_id, value: 5001n },
    ];
    connection.punt(packetIn(PUNT.nextHop, 0, { match: single }));
    connection.punt(packetIn(PUNT.nextHop, 0, { match: pairs, totalLen: 9000 }));
    clock.advance(0);
    const expected = { tenant: 7, segment: 2, inPort: 12, nextHop: 0xfe140002, tunId: 5001n };
    expect(seen).toEqual([
      ['nextHop', expected],
      ['nextHop', { ...expected, truncated: true }],
    ]);
  });

  it('counts packets of nobody', () => {
    connection.punt(packetIn(99, 1));
    connection.punt(packetIn(PUNT.arp, 1, { userdata: new Uint8Array() }));
    clock.advance(0);
    expect(io.counters.unknown).toBe(2);
    expect(seen).toEqual([]);
  });

  it('a flood of one tenant and class delays others by a few packets, and is dropped beyond its share', () => {
    for (let n = 0; n < 5000; n++) connection.punt(packetIn(PUNT.nextHop, 1));
    for (let n = 0; n < 5000; n++) connection.punt(packetIn(PUNT.probe, 1));
    connection.punt(packetIn(PUNT.probe, 2));
    connection.punt(packetIn(PUNT.arp, 2));
    clock.advance(0);
    const at = seen.findIndex(([cls, c]) => cls === 'probe' && c.tenant === 2);
    expect(at).toBeGreaterThanOrEqual(0);
    expect(at).toBeLessThan(4);
    expect(seen.findIndex(([cls]) => cls === 'arp')).toBeLessThan(20);
    expect(io.counters.classes.probe).toMatchObject({ received: 5001, dropped: 4900 });
  });

  it('never handles more than the rate', () => {
    for (let ms = 0; ms < 3000; ms++) {
      for (let n = 0; n < 5; n++) connection.punt(packetIn(PUNT.probe, 1));
      clock.advance(1);
    }
    expect(seen.length).toBeGreaterThan(2900);
    expect(seen.length).toBeLessThanOrEqual(3000 + 100);
  });

  it('drops, visibly, without a connection or when the switch does not read', async () => {
    const big = new Uint8Array(60_000);
    let accepted = 0;
    while (io.inject({ kind: 'route', tenant: 1, segment: 1 }, big)) accepted++;
    expect(accepted * big.length).toBeLessThan(5 * 1024 * 1024);
    expect(io.counters.injectDropped).toBe(1);
    for (const done of connection.drain) done();
    await Promise.resolve();
    expect(io.inject({ kind: 'route', tenant: 1, segment: 1 }, big)).toBe(true);
    io.detach();
    expect(io.inject({ kind: 'route', tenant: 1, segment: 1 }, big)).toBe(false);
  });

  it('a new connection is another link; what the old one still says is not heard', () => {
    const first = io.link;
    connection.punt(packetIn(PUNT.arp, 1));
    connection.closed('gone');
    expect(io.link).toBe(0);
    const other = new FakeConnection();
    io.attach(other.asConnection);
    expect(io.link).not.toBe(first);
    connection.punt(packetIn(PUNT.arp, 2));
    other.punt(packetIn(PUNT.arp, 3));
    clock.advance(0);
    expect(seen.map(([, c]) => c.tenant)).toEqual([3]);
  });

  it('a handler that throws is reported, and costs only its packet', () => {
    const failures: unknown[] = [];
    io.onFailure = (e) => failures.push(e);
    io.onPunt('arp', () => {
      throw new Error('defect');
    });
    connection.punt(packetIn(PUNT.arp, 1));
    connection.punt(packetIn(PUNT.probe, 1));
    clock.advance(0);
    expect(failures).toHaveLength(1);
    expect(seen).toHaveLength(1);
    expect(io.counters.classes.arp).toMatchObject({ handled: 0, failed: 1 });
  });
});
