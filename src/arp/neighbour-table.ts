import { BROADCAST_MAC, isGroupMac, type Mac } from '../packetio/frames/address.js';
import { buildArpRequest } from '../packetio/frames/arp.js';
import { TimerQueue } from '../packetio/timer-queue.js';
import type { Clock, PacketContext, PacketIo, Random } from '../packetio/types.js';
import { ArpIntake } from './arp-intake.js';
import { newCounters } from './counters.js';
import { Entry, stationOf } from './entry.js';
import { NextHopQueue } from './next-hop-queue.js';
import { Segments } from './segments.js';
import { NeighbourStateMachine } from './state-machine.js';
import {
  type AdoptedNeighbour,
  DEFAULT_SETTINGS,
  type NeighbourChange,
  type NeighbourEvent,
  type NeighbourKey,
  type NeighbourRow,
  type NeighbourSegment,
  type NeighbourSettings,
  type NeighbourTarget,
} from './types.js';

/** Changes are told together after so many milliseconds. */
const BATCH_MS = 5;
/** The first questions about many targets are spread: milliseconds per target, and at most. */
const SPREAD_MS = 0.1;
const SPREAD_MAX_MS = 500;
/** Neighbours of all tenants. The only source of addresses is the answer to a question of ours. */
export class NeighbourTable {
  readonly counters = newCounters();
  private readonly io: PacketIo;
  private readonly clock: Clock;
  private readonly random: Random;
  private readonly settings: NeighbourSettings;
  private readonly segments = new Segments();
  private readonly timers: TimerQueue<Entry>;
  private readonly machine: NeighbourStateMachine;
  private readonly nextHops: NextHopQueue;
  /** Targets set within a short time. */
  private crowd = { since: Number.NEGATIVE_INFINITY, count: 0 };
  private changes = new Map<Entry, NeighbourChange>();
  private readonly changeHandlers: ((changes: readonly NeighbourChange[]) => void)[] = [];
  private readonly eventHandlers: ((event: NeighbourEvent) => void)[] = [];
  private readonly usableHandlers: ((key: NeighbourKey) => void)[] = [];

  constructor(options: {
    readonly io: PacketIo;
    readonly clock: Clock;
    readonly random: Random;
    readonly settings?: Partial<NeighbourSettings>;
  }) {
    this.io = options.io;
    this.clock = options.clock;
    this.random = options.random;
    this.settings = { ...DEFAULT_SETTINGS, ...options.settings };
    this.timers = new TimerQueue(this.clock, (entry) => this.machine.onTime(entry));
    this.machine = new NeighbourStateMachine({
      settings: this.settings,
      random: this.random,
      now: () => this.clock.now(),
      delaySince: (since) => this.io.delaySince(since),
      schedule: (entry, at) => this.timers.schedule(entry, at),
      solicit: (entry, unicast) => this.solicit(entry, unicast),
      changed: (entry) => this.changed(entry),
      usable: (entry) => this.usable(entry),
      abandon: (entry) => {
        this.counters.dropped.unresolved += this.nextHops.discard(entry);
      },
      remove: (entry) => this.remove(entry),
      report: (event, entry) => this.report({ ...keyOf(entry), ...event } as NeighbourEvent),
    });
    const { io, segments, machine, counters, settings } = this;
    const now = () => this.clock.now();
    this.nextHops = new NextHopQueue({ io, segments, machine, counters, settings, now });
    const report = (event: NeighbourEvent) => this.report(event);
    const intake = new ArpIntake({ segments, machine, counters, now, report });
    io.onPunt('arp', (context, frame) => intake.onArp(context, frame));
    io.onPunt('nextHop', (context, frame) => this.nextHops.onPacket(context, frame));
  }

  /** All segments of a tenant; entries of others, and of addresses that are ours now, go. */
  setSegments(tenantId: number, segments: readonly NeighbourSegment[]): void {
    const tenant = this.segments.tenantOrNew(tenantId, this.clock.now());
    const wanted = new Map(segments.map((s) => [s.id, s]));
    for (const [id, segment] of tenant.segments) {
      if (wanted.has(id)) continue;
      for (const entry of [...segment.entries.values()]) this.remove(entry);
      tenant.segments.delete(id);
    }
    for (const config of segments) {
      const own = new Set(config.own);
      const segment = tenant.segments.get(config.id);
      if (segment) {
        segment.config = config;
        segment.own = own;
        for (const entry of [...segment.entries.values()]) if (own.has(entry.address)) this.remove(entry);
      } else tenant.segments.set(config.id, { config, own, entries: new Map(), claimedAt: new Map() });
    }
    if (segments.length === 0) this.segments.removeTenant(tenantId);
  }

  /** All targets of a tenant. One that is no longer a target ages out like any host. Segments come first. */
  setTargets(tenantId: number, targets: readonly NeighbourTarget[]): void {
    const tenant = this.segments.tenant(tenantId);
    if (tenant === undefined) return;
    const wanted = new Set<Entry>();
    const spread = this.spreadOf(targets.length);
    for (const { segment: id, address } of targets) {
      const segment = tenant.segments.get(id);
      if (segment === undefined || segment.own.has(address)) continue;
      let entry = segment.entries.get(address);
      if (entry === undefined) {
        entry = new Entry(tenantId, id, address);
        entry.target = true;
        segment.entries.set(address, entry);
        this.machine.resolve(entry, this.random() * spread);
      } else if (!entry.target) {
        entry.target = true;
        tenant.hosts--;
        // A host that idled: from now on it is kept fresh.
        this.machine.use(entry);
      }
      wanted.add(entry);
    }
    for (const segment of tenant.segments.values()) {
      for (const entry of segment.entries.values()) {
        if (!entry.target || wanted.has(entry)) continue;
        entry.target = false;
        entry.usedAt = this.clock.now();
        tenant.hosts++;
      }
    }
  }

  /**
   * Takes over what the switch already uses, of which the table knows nothing yet: used at once, verified soon, told as
   * a change only if it turns out to be wrong.
   */
  adopt(tenantId: number, segmentId: number, neighbours: readonly AdoptedNeighbour[]): void {
    const tenant = this.segments.tenant(tenantId);
    const segment = tenant?.segments.get(segmentId);
    if (tenant === undefined || segment === undefined) return;
    const spread = this.spreadOf(neighbours.length);
    for (const { address, mac, ...station } of neighbours) {
      if (segment.own.has(address)) continue;
      let entry = segment.entries.get(address);
      if (entry === undefined) {
        if (tenant.hosts >= this.settings.maxPerTenant) continue;
        entry = new Entry(tenantId, segmentId, address);
        entry.usedAt = this.clock.now();
        segment.entries.set(address, entry);
        tenant.hosts++;
      }
      if (entry.mac === 0n) this.machine.assume(entry, mac, station, this.random() * spread);
    }
  }

  /** What is known of an address; undefined where nobody asked for it. */
  lookup(tenant: number, segment: number, address: number): Readonly<Entry> | undefined {
    return this.segments.entry(tenant, segment, address);
  }

  /** Proof from above (RFC 4861 §7.3.1): the neighbour forwards or answers. */
  confirm(tenant: number, segment: number, address: number): void {
    const entry = this.segments.entry(tenant, segment, address);
    if (entry) this.machine.confirm(entry);
  }

  /** Something sent to the neighbour wasn't answered: verify it at once. At most once a second per neighbour. */
  suspect(tenant: number, segment: number, address: number): void {
    const entry = this.segments.entry(tenant, segment, address);
    if (entry) this.machine.suspect(entry);
  }

  /** A frame of the address was seen from `mac`; starts verification where that is news. */
  observe(context: PacketContext, address: number, mac: Mac): void {
    const entry = this.segments.entry(context.tenant, context.segment, address);
    if (entry === undefined || isGroupMac(mac)) return;
    this.counters.claims++;
    this.machine.onClaim(entry, mac, stationOf(context));
  }

  /** Packets to the address were seen: keeps a host from aging out. */
  use(tenant: number, segment: number, address: number): void {
    const entry = this.segments.entry(tenant, segment, address);
    if (entry) this.machine.use(entry);
  }

  /** A port is gone or came back: whoever was behind it is verified. */
  portChanged(ofport: number): void {
    for (const entry of this.segments.all())
      if (entry.mac !== 0n && entry.station.ofport === ofport) this.machine.suspect(entry);
  }

  /** Ways that appeared, changed or went, some milliseconds' worth together. */
  onChange(handler: (changes: readonly NeighbourChange[]) => void): void {
    this.changeHandlers.push(handler);
  }

  /** At once when an address that had no way has one. */
  onUsable(handler: (key: NeighbourKey) => void): void {
    this.usableHandlers.push(handler);
  }

  onEvent(handler: (event: NeighbourEvent) => void): void {
    this.eventHandlers.push(handler);
  }

  snapshot(): NeighbourRow[] {
    const now = this.clock.now();
    return [...this.segments.all()].map((entry) => ({
      ...changeOf(entry),
      state: entry.state,
      source: entry.target ? 'target' : 'host',
      ...(entry.mac === 0n ? {} : { ageMs: now - entry.verifiedAt }),
    }));
  }

  private solicit(entry: Entry, unicast: boolean): boolean {
    const segment = this.segments.find(entry.tenant, entry.segment);
    if (segment === undefined) return false;
    const { mac, source } = segment.config;
    const to = unicast ? entry.mac : BROADCAST_MAC;
    const frame = buildArpRequest(mac, source, entry.address, to);
    if (!this.io.inject({ kind: 'segment', tenant: entry.tenant, segment: entry.segment }, frame))
      return false;
    entry.askedAt = this.clock.now();
    this.counters.solicitations++;
    return true;
  }

  private usable(entry: Entry): void {
    this.nextHops.release(entry);
    for (const handler of this.usableHandlers) handler(entry);
  }

  private changed(entry: Entry): void {
    if (this.changes.size === 0) this.clock.setTimeout(() => this.tellChanges(), BATCH_MS);
    this.changes.set(entry, changeOf(entry));
  }

  private tellChanges(): void {
    const changes = [...this.changes.values()];
    this.changes = new Map();
    for (const handler of this.changeHandlers) handler(changes);
  }

  private remove(entry: Entry): void {
    const tenant = this.segments.tenant(entry.tenant);
    const segment = tenant?.segments.get(entry.segment);
    this.timers.cancel(entry);
    if (tenant === undefined || segment?.entries.get(entry.address) !== entry) return;
    segment.entries.delete(entry.address);
    if (!entry.target) tenant.hosts--;
    this.nextHops.discard(entry);
    if (entry.mac === 0n) return;
    entry.mac = 0n;
    this.changed(entry);
  }

  private report(event: NeighbourEvent): void {
    if (event.type === 'duplicate-address') this.counters.duplicates++;
    else if (event.type === 'moved') this.counters.moves++;
    else if (event.type === 'damped') this.counters.damped++;
    for (const handler of this.eventHandlers) handler(event);
  }

  /** Milliseconds over which first questions are spread: tenants that come together share the time. */
  private spreadOf(count: number): number {
    const now = this.clock.now();
    if (now - this.crowd.since > SPREAD_MAX_MS) this.crowd = { since: now, count: 0 };
    this.crowd.count += count;
    return Math.min(SPREAD_MAX_MS, this.crowd.count * SPREAD_MS);
  }
}

function keyOf({ tenant, segment, address }: NeighbourKey): NeighbourKey {
  return { tenant, segment, address };
}

function changeOf(entry: Entry): NeighbourChange {
  return entry.mac === 0n ? keyOf(entry) : { ...keyOf(entry), mac: entry.mac, ...entry.station };
}
