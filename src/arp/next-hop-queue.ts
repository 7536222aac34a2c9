import { viewOf, writeMac } from '../packetio/frames/address.js';
import type { PacketContext, PacketIo } from '../packetio/types.js';
import type { NeighbourCounters } from './counters.js';
import { Entry } from './entry.js';
import type { Segments, Tenant } from './segments.js';
import type { NeighbourStateMachine } from './state-machine.js';
import type { NeighbourSegment, NeighbourSettings } from './types.js';

/** Frames kept per destination, and per tenant, until the address is resolved. */
const FRAMES_PER_ADDRESS = 4;
const FRAMES_PER_TENANT = 512;

export interface NextHopQueueOptions {
  readonly io: PacketIo;
  readonly segments: Segments;
  readonly machine: NeighbourStateMachine;
  readonly counters: NeighbourCounters;
  readonly settings: NeighbourSettings;
  readonly now: () => number;
}

/** Packets that the switch had no neighbour for: the first few wait until theirs is found. */
export class NextHopQueue {
  constructor(private readonly options: NextHopQueueOptions) {}

  onPacket(context: PacketContext, frame: Uint8Array): void {
    const { segments, machine, settings, now } = this.options;
    const { dropped } = this.options.counters;
    const { tenant: tenantId, segment: segmentId, nextHop } = context;
    const tenant = segments.tenant(tenantId);
    const segment = tenant?.segments.get(segmentId);
    if (tenant === undefined || segment === undefined) {
      dropped['not-a-neighbour']++;
      return;
    }
    let entry = segment.entries.get(nextHop);
    if (entry === undefined) {
      if (segment.own.has(nextHop) || !isHostOf(segment.config, nextHop)) {
        dropped['not-a-neighbour']++;
        return;
      }
      if (tenant.hosts >= settings.maxPerTenant || !tenant.lookups.take(now())) {
        dropped['too-many']++;
        return;
      }
      entry = new Entry(tenantId, segmentId, nextHop);
      segment.entries.set(nextHop, entry);
      tenant.hosts++;
      machine.resolve(entry);
    }
    machine.use(entry);
    if (context.truncated || frame.length < 14) dropped.truncated++;
    else if (entry.mac !== 0n) this.forward(entry, frame);
    else if (entry.state === 'FAILED') dropped.unresolved++;
    else this.keep(tenant, entry, frame);
  }

  /** The address has a way: what waited goes. */
  release(entry: Entry): void {
    for (const frame of this.take(entry)) this.forward(entry, frame);
  }

  /** The address has none: what waited is lost; returns how many frames that were. */
  discard(entry: Entry): number {
    return this.take(entry).length;
  }

  private keep(tenant: Tenant, entry: Entry, frame: Uint8Array): void {
    const { counters } = this.options;
    entry.waiting ??= [];
    if (entry.waiting.length >= FRAMES_PER_ADDRESS || tenant.frames >= FRAMES_PER_TENANT) {
      counters.dropped.full++;
      return;
    }
    entry.waiting.push(frame);
    tenant.frames++;
    counters.queued++;
  }

  /** Straight into the segment: the flow of the adjacency may not be there yet. */
  private forward(entry: Entry, frame: Uint8Array): void {
    const { io, counters } = this.options;
    writeMac(viewOf(frame), 0, entry.mac);
    if (io.inject({ kind: 'segment', tenant: entry.tenant, segment: entry.segment }, frame))
      counters.forwarded++;
  }

  private take(entry: Entry): readonly Uint8Array[] {
    const { waiting } = entry;
    if (waiting === undefined) return [];
    entry.waiting = undefined;
    const tenant = this.options.segments.tenant(entry.tenant);
    if (tenant) tenant.frames -= waiting.length;
    return waiting;
  }
}

/** An address inside a subnet of the segment that isn't the subnet's own nor its broadcast address. */
function isHostOf(config: NeighbourSegment, address: number): boolean {
  return config.subnets.some(({ address: net, length }) => {
    const host = length >= 32 ? 0 : 0xffffffff >>> length;
    if (((address ^ net) & ~host) !== 0) return false;
    return length >= 31 || ((address & host) !== 0 && (address & host) !== host >>> 0);
  });
}
