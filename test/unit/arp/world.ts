import { expect } from 'vitest';
import { NeighbourTable } from '../../../src/arp/neighbour-table.js';
import type { NeighbourChange, NeighbourEvent, NeighbourSegment } from '../../../src/arp/types.js';
import { BROADCAST_MAC } from '../../../src/packetio/frames/address.js';
import { ARP_REPLY, ARP_REQUEST, buildArp } from '../../../src/packetio/frames/arp.js';
import type { PacketContext } from '../../../src/packetio/types.js';
import { FakeClock, seeded } from '../packetio/fake-clock.js';
import { FakePacketIo } from '../packetio/fake-packet-io.js';

export const GATEWAY = 0x0a140001;
export const PROBE = 0x0a1400fd;
export const VIP = 0x0a140064;
export const HOST = 0x0a140002;
export const OURS = 0x02420a140001n;
export const CARD = 0x020000000202n;
export const OTHER = 0x020000000299n;
export const segment: NeighbourSegment = {
  id: 2,
  mac: OURS,
  source: PROBE,
  subnets: [{ address: 0x0a140000, length: 24 }],
  own: [GATEWAY, PROBE, VIP],
};

/** A table in a network of scripted hosts. */
export class World {
  readonly clock = new FakeClock();
  readonly io = new FakePacketIo();
  readonly table: NeighbourTable;
  readonly changes: NeighbourChange[] = [];
  readonly events: NeighbourEvent[] = [];
  batches = 0;
  /** Who answers for HOST, and on which port. */
  hosts: { mac: bigint; port: number; address?: number }[] = [];

  constructor() {
    const { clock, io } = this;
    this.table = new NeighbourTable({ io, clock, random: seeded(7), settings: { idleMs: 60_000 } });
    this.table.onChange((batch) => {
      this.changes.push(...batch);
      this.batches++;
    });
    this.table.onEvent((event) => this.events.push(event));
    this.table.setSegments(1, [segment]);
    io.onSent = ({ packet }) => {
      if (packet.kind !== 'arp' || packet.arp.operation !== ARP_REQUEST) return;
      const { eth, arp } = packet;
      for (const host of this.hosts) {
        if (arp.targetAddress !== (host.address ?? HOST)) continue;
        if (eth.dst === BROADCAST_MAC || eth.dst === host.mac)
          clock.setTimeout(() => this.reply(host.mac, { inPort: host.port }, arp.targetAddress), 1);
      }
    };
  }

  reply(mac: bigint, context: Partial<PacketContext> = {}, address = HOST): void {
    const arp = {
      operation: ARP_REPLY,
      senderMac: mac,
      senderAddress: address,
      targetMac: OURS,
      targetAddress: PROBE,
    };
    this.io.punt('arp', context, buildArp(OURS, mac, arp));
  }

  gratuitous(mac: bigint, port: number, operation: number = ARP_REQUEST): void {
    const arp = { operation, senderMac: mac, senderAddress: HOST, targetMac: 0n, targetAddress: HOST };
    this.io.punt('arp', { inPort: port }, buildArp(BROADCAST_MAC, mac, arp));
  }

  requests(): string[] {
    return this.io
      .take()
      .flatMap((s) => (s.packet.kind === 'arp' ? [s.packet.eth.dst === BROADCAST_MAC ? 'all' : 'one'] : []));
  }

  entry() {
    return this.table.lookup(1, 2, HOST)!;
  }

  target(): void {
    this.table.setTargets(1, [{ segment: 2, address: HOST }]);
  }

  /** A target that is REACHABLE at CARD on port 10, long enough that nothing is fresh. */
  settled(): void {
    this.hosts = [{ mac: CARD, port: 10 }];
    this.target();
    this.clock.advance(3000);
    expect(this.entry().state).toBe('REACHABLE');
    this.io.take();
    this.changes.length = 0;
    this.events.length = 0;
  }
}
