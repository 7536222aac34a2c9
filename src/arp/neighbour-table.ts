import { BROADCAST_MAC, isGroupMac, type Mac, viewOf, writeMac } from '../packetio/frames/address.js';
import { ARP_REPLY, ARP_REQUEST, buildArpRequest } from '../packetio/frames/arp.js';
import { parsePacket } from '../packetio/frames/packet.js';
import { TimerQueue } from '../packetio/timer-queue.js';
import { TokenBucket } from '../packetio/token-bucket.js';
import type { Clock, PacketContext, PacketIo, Random } from '../packetio/types.js';
import { Entry } from './entry.js';
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
  type Station,
} from './types.js';

/** Frames kept per destination, and per tenant, until the address is resolved. */
const FRAMES_PER_ADDRESS = 4;
const FRAMES_PER_TENANT = 512;
/** Addresses that the traffic of one tenant may make us look for, per second. */
const LOOKUPS_PER_SECOND = 100;
/** Changes are told together after so many milliseconds. */
const BATCH_MS = 5;
/** The first questions about many targets are spread: milliseconds per target, and at most. */
const SPREAD_MS = 0.1;
const SPREAD_MAX_MS = 500;
/** A host that uses an address of ours is reported so often. */
const OWN_CLAIM_MS = 60_000;

export interface NeighbourCounters {
  solicitations: number;
  /** Replies to questions of ours. */
  answers: number;
  /** Unasked statements about an address that we know. */
  claims: number;
  /** ARP frames of which nothing was believed, by reason. */
  ignored: Record<'bad-frame' | 'bad-sender' | 'unknown-segment' | 'unknown-address' | 'own-address', number>;
  /** Packets to unresolved addresses: kept, sent on later, dropped. */
  queued: number;
  forwarded: number;
  dropped: Record<'full' | 'truncated' | 'not-a-neighbour' | 'too-many' | 'unresolved', number>;
  duplicates: number;
  moves: number;
  damped: number;
}

interface Segment {
  config: NeighbourSegment;
  own: ReadonlySet<number>;
  readonly entries: Map<number, Entry>;
  /** When the last claim of each of our own addresses was reported. */
  readonly claimedAt: Map<number, number>;
}
interface Tenant {
  readonly segments: Map<number, Segment>;
  readonly lookups: TokenBucket;
  /** Entries that are no target, and frames that wait. */
  hosts: number;
  frames: number;
}

/** Neighbours of all tenants. The only source of addresses is the answer to a question of ours. */
export class NeighbourTable {
  readonly counters: NeighbourCounters = {
    solicitations: 0,
    answers: 0,
    claims: 0,
    ignored: {
      'bad-frame': 0,
      'bad-sender': 0,
      'unknown-segment': 0,
      'unknown-address': 0,
      'own-address': 0,
    },
    queued: 0,
    forwarded: 0,
    dropped: { full: 0, truncated: 0, 'not-a-neighbour': 0, 'too-many': 0, unresolved: 0 },
    duplicates: 0,
    moves: 0,
    damped: 0,
  };
  private readonly io: PacketIo;
  private readonly clock: Clock;
  private readonly random: Random;
  private readonly settings: NeighbourSettings;
  private readonly tenants = new Map<number, Tenant>();
  private readonly timers: TimerQueue<Entry>;
  private readonly machine: NeighbourStateMachine;
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
      schedule: (entry, at) => this.timers.schedule(entry, at),
      solicit: (entry, unicast) => this.solicit(entry, unicast),
      changed: (entry) => this.changed(entry),
      usable: (entry) => this.usable(entry),
      abandon: (entry) => {
        this.counters.dropped.unresolved += this.takeWaiting(entry).length;
      },
      remove: (entry) => this.remove(entry),
      report: (event, entry) => this.report({ ...keyOf(entry), ...event } as NeighbourEvent),
    });
    this.io.onPunt('arp', (context, frame) => this.onArp(context, frame));
    this.io.onPunt('nextHop', (context, frame) => this.onNextHop(context, frame));
  }

  /** All segments of a tenant; entries of others, and of addresses that are ours now, go. */
  setSegments(tenantId: number, segments: readonly NeighbourSegment[]): void {
    const tenant = this.tenant(tenantId);
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
    if (segments.length === 0) this.tenants.delete(tenantId);
  }

  /** All targets of a tenant. One that is no longer a target ages out like any host. Segments come first. */
  setTargets(tenantId: number, targets: readonly NeighbourTarget[]): void {
    const tenant = this.tenants.get(tenantId);
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
    const tenant = this.tenants.get(tenantId);
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
    return this.tenants.get(tenant)?.segments.get(segment)?.entries.get(address);
  }

  /** Proof from above (RFC 4861 §7.3.1): the neighbour forwards or answers. */
  confirm(tenant: number, segment: number, address: number): void {
    const entry = this.entry(tenant, segment, address);
    if (entry) this.machine.confirm(entry);
  }

  /** Something sent to the neighbour wasn't answered: verify it at once. At most once a second per neighbour. */
  suspect(tenant: number, segment: number, address: number): void {
    const entry = this.entry(tenant, segment, address);
    if (entry) this.machine.suspect(entry);
  }

  /** A frame of the address was seen from `mac`; starts verification where that is news. */
  observe(context: PacketContext, address: number, mac: Mac): void {
    const entry = this.entry(context.tenant, context.segment, address);
    if (entry === undefined || isGroupMac(mac)) return;
    this.counters.claims++;
    this.machine.onClaim(entry, mac, stationOf(context));
  }

  /** Packets to the address were seen: keeps a host from aging out. */
  use(tenant: number, segment: number, address: number): void {
    const entry = this.entry(tenant, segment, address);
    if (entry) this.machine.use(entry);
  }

  /** A port is gone or came back: whoever was behind it is verified. */
  portChanged(ofport: number): void {
    for (const entry of this.all())
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
    return [...this.all()].map((entry) => ({
      ...changeOf(entry),
      state: entry.state,
      source: entry.target ? 'target' : 'host',
      ...(entry.mac === 0n ? {} : { ageMs: now - entry.verifiedAt }),
    }));
  }

  private onArp(context: PacketContext, frame: Uint8Array): void {
    const packet = parsePacket(frame);
    const { ignored } = this.counters;
    if (packet.kind !== 'arp') {
      ignored['bad-frame']++;
      return;
    }
    const { eth, arp } = packet;
    const mac = arp.senderMac;
    if (eth.src !== mac || isGroupMac(mac) || mac === 0n || arp.senderAddress === 0) {
      ignored['bad-sender']++;
      return;
    }
    const segment = this.tenants.get(context.tenant)?.segments.get(context.segment);
    if (segment === undefined) {
      ignored['unknown-segment']++;
      return;
    }
    if (segment.own.has(arp.senderAddress)) {
      ignored['own-address']++;
      if (mac !== segment.config.mac) this.ownClaimed(context, segment, arp.senderAddress, mac);
      return;
    }
    const entry = segment.entries.get(arp.senderAddress);
    if (entry === undefined || (arp.operation !== ARP_REPLY && arp.operation !== ARP_REQUEST)) {
      ignored['unknown-address']++;
      return;
    }
    const { config } = segment;
    const station = stationOf(context, eth.vlans[0]);
    const toUs =
      arp.operation === ARP_REPLY &&
      arp.targetAddress === config.source &&
      arp.targetMac === config.mac &&
      eth.dst === config.mac;
    if (toUs && this.machine.onReply(entry, mac, station)) this.counters.answers++;
    else {
      this.counters.claims++;
      if (!toUs) this.machine.onClaim(entry, mac, station);
    }
  }

  private ownClaimed(context: PacketContext, segment: Segment, address: number, mac: Mac): void {
    const now = this.clock.now();
    if (now - (segment.claimedAt.get(address) ?? Number.NEGATIVE_INFINITY) < OWN_CLAIM_MS) return;
    segment.claimedAt.set(address, now);
    this.report({
      type: 'own-address-claimed',
      tenant: context.tenant,
      segment: context.segment,
      address,
      mac,
    });
  }

  private onNextHop(context: PacketContext, frame: Uint8Array): void {
    const { dropped } = this.counters;
    const { tenant: tenantId, segment: segmentId, nextHop } = context;
    const tenant = this.tenants.get(tenantId);
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
      if (tenant.hosts >= this.settings.maxPerTenant || !tenant.lookups.take(this.clock.now())) {
        dropped['too-many']++;
        return;
      }
      entry = new Entry(tenantId, segmentId, nextHop);
      segment.entries.set(nextHop, entry);
      tenant.hosts++;
      this.machine.resolve(entry);
    }
    this.machine.use(entry);
    if (context.truncated || frame.length < 14) dropped.truncated++;
    else if (entry.mac !== 0n) this.forward(entry, frame);
    else if (entry.state === 'FAILED') dropped.unresolved++;
    else this.keep(tenant, entry, frame);
  }

  private keep(tenant: Tenant, entry: Entry, frame: Uint8Array): void {
    entry.waiting ??= [];
    if (entry.waiting.length >= FRAMES_PER_ADDRESS || tenant.frames >= FRAMES_PER_TENANT) {
      this.counters.dropped.full++;
      return;
    }
    entry.waiting.push(frame);
    tenant.frames++;
    this.counters.queued++;
  }

  /** Straight into the segment: the flow of the adjacency may not be there yet. */
  private forward(entry: Entry, frame: Uint8Array): void {
    writeMac(viewOf(frame), 0, entry.mac);
    if (this.io.inject({ kind: 'segment', tenant: entry.tenant, segment: entry.segment }, frame))
      this.counters.forwarded++;
  }

  private solicit(entry: Entry, unicast: boolean): boolean {
    const segment = this.tenants.get(entry.tenant)?.segments.get(entry.segment);
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
    for (const frame of this.takeWaiting(entry)) this.forward(entry, frame);
    for (const handler of this.usableHandlers) handler(entry);
  }

  private takeWaiting(entry: Entry): readonly Uint8Array[] {
    const { waiting } = entry;
    if (waiting === undefined) return [];
    entry.waiting = undefined;
    const tenant = this.tenants.get(entry.tenant);
    if (tenant) tenant.frames -= waiting.length;
    return waiting;
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
    const tenant = this.tenants.get(entry.tenant);
    const segment = tenant?.segments.get(entry.segment);
    this.timers.cancel(entry);
    if (tenant === undefined || segment?.entries.get(entry.address) !== entry) return;
    segment.entries.delete(entry.address);
    if (!entry.target) tenant.hosts--;
    this.takeWaiting(entry);
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

  private tenant(id: number): Tenant {
    let tenant = this.tenants.get(id);
    if (tenant === undefined) {
      const lookups = new TokenBucket(LOOKUPS_PER_SECOND, LOOKUPS_PER_SECOND, this.clock.now());
      tenant = { segments: new Map(), lookups, hosts: 0, frames: 0 };
      this.tenants.set(id, tenant);
    }
    return tenant;
  }

  private entry(tenant: number, segment: number, address: number): Entry | undefined {
    return this.tenants.get(tenant)?.segments.get(segment)?.entries.get(address);
  }

  /** Milliseconds over which first questions are spread: tenants that come together share the time. */
  private spreadOf(count: number): number {
    const now = this.clock.now();
    if (now - this.crowd.since > SPREAD_MAX_MS) this.crowd = { since: now, count: 0 };
    this.crowd.count += count;
    return Math.min(SPREAD_MAX_MS, this.crowd.count * SPREAD_MS);
  }

  private *all(): Iterable<Entry> {
    for (const tenant of this.tenants.values())
      for (const segment of tenant.segments.values()) yield* segment.entries.values();
  }
}

function keyOf({ tenant, segment, address }: NeighbourKey): NeighbourKey {
  return { tenant, segment, address };
}

function changeOf(entry: Entry): NeighbourChange {
  return entry.mac === 0n ? keyOf(entry) : { ...keyOf(entry), mac: entry.mac, ...entry.station };
}

function stationOf(context: PacketContext, tag?: number): Station {
  const vlan = context.vlan ?? tag;
  return {
    ofport: context.inPort,
    ...(vlan === undefined ? {} : { vlan }),
    ...(context.tunId === undefined ? {} : { tunId: Number(context.tunId) }),
    ...(context.tunSrc === undefined ? {} : { tunDst: context.tunSrc }),
  };
}

/** An address inside a subnet of the segment that isn't the subnet's own nor its broadcast address. */
function isHostOf(config: NeighbourSegment, address: number): boolean {
  return config.subnets.some(({ address: net, length }) => {
    const host = length >= 32 ? 0 : 0xffffffff >>> length;
    if (((address ^ net) & ~host) !== 0) return false;
    return length >= 31 || ((address & host) !== 0 && (address & host) !== host >>> 0);
  });
}
