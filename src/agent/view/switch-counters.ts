import { slicer } from '../../loop/turns.js';
import type { SwitchConnection } from '../../ofp/channel/types.js';
import { type Message, matchKey } from '../../ofp/index.js';
import { getLimits } from '../../ovs/index.js';
import { cookieOf, type DropReason, dropOf, KIND, meterSubject, TABLES } from '../../pipeline/index.js';
import type { OwnerEntry } from '../../sync/index.js';
import type { AgentParts } from '../parts.js';

/** However often somebody scrapes. */
const MIN_INTERVAL_MS = 2000;
/** Requests on their way at once. */
const WINDOW = 16;
const ALL_BITS = 0xffff_ffff_ffff_ffffn;

export type Limit = 'connections' | 'connection_rate' | 'bandwidth' | 'punt';

/** Counts by tenant id, then by what. */
export type TenantCounts<T extends string> = ReadonlyMap<number, ReadonlyMap<T, number>>;

type Entry = Pick<OwnerEntry, 'owner' | 'flows' | 'meters' | 'revision'>;
type Parts = Pick<AgentParts, 'sync' | 'vswitchd' | 'facts'>;

/**
 * What the switch counts: packets that rules and meters drop, and connections. Read owner by owner, which the switch
 * finds by its cookie index, and only those that have a dropping rule; of pools those only that are, or were, empty.
 * Counts go on where a rule was replaced and began at zero again.
 */
export class SwitchCounters {
  private readonly drops = new Map<number, Map<DropReason, number>>();
  private readonly limits = new Map<number, Map<Limit, number>>();
  private connectionCounts: ReadonlyMap<number, number> = new Map();
  /** Last reading per rule and meter of an owner; goes with the owner. */
  private readonly last = new WeakMap<Entry, Map<string, bigint>>();
  private readonly dropping = new WeakMap<Entry, { readonly revision: number; readonly drops: boolean }>();
  /** Pools that were empty since their counter was read. */
  private readonly wereEmpty = new Set<number>();
  private reading: Promise<void> | undefined;
  private readAt = Number.NEGATIVE_INFINITY;

  constructor(
    private readonly parts: Parts,
    private readonly now: () => number = () => performance.now(),
    private readonly onFailure: (error: unknown) => void = () => {},
  ) {}

  /** Resolves when the counts are at most `MIN_INTERVAL_MS` old, or couldn't be read. */
  refresh(): Promise<void> {
    if (this.reading) return this.reading;
    if (this.now() - this.readAt < MIN_INTERVAL_MS) return Promise.resolve();
    this.reading = this.read().finally(() => {
      this.readAt = this.now();
      this.reading = undefined;
    });
    return this.reading;
  }

  /** A pool lost its last member: what it drops from now on is to be read, even when it is over before. */
  poolEmpty(poolId: number): void {
    this.wereEmpty.add(poolId);
  }

  /** Packets dropped by rules; tenant 0 is the node. */
  get droppedPackets(): TenantCounts<DropReason> {
    return this.drops;
  }

  /** Packets dropped because a limit was reached. */
  get limitHits(): TenantCounts<Limit> {
    return this.limits;
  }

  /** By tenant id; empty where vswitchd can't be asked. */
  get connections(): ReadonlyMap<number, number> {
    return this.connectionCounts;
  }

  /** Forgets tenants that are no more. */
  retain(tenants: Pick<ReadonlySet<number>, 'has'>): void {
    for (const map of [this.drops, this.limits])
      for (const id of map.keys()) if (!tenants.has(id)) map.delete(id);
  }

  private async read(): Promise<void> {
    const connection = this.parts.sync.connection;
    const counts = getLimits(this.parts.vswitchd).then(
      ({ zones }) => {
        this.connectionCounts = new Map([...zones].map(([zone, { count }]) => [zone, count]));
      },
      (error: unknown) => {
        this.connectionCounts = new Map();
        this.onFailure(error);
      },
    );
    if (connection !== undefined) {
      await this.readAll(connection).catch(this.onFailure);
    }
    await counts;
  }

  private async readAll(conn: SwitchConnection<Message>): Promise<void> {
    const pause = slicer();
    const dropping: Entry[] = [];
    const metered = new Map<number, Entry>();
    for (const entry of this.parts.sync.owners()) {
      if (this.mayHaveDropped(entry)) dropping.push(entry);
      for (const id of entry.meters.keys()) metered.set(id, entry);
      await pause();
    }
    let next = 0;
    const worker = async (): Promise<void> => {
      while (next < dropping.length) {
        await this.readOwner(conn, dropping[next++]!);
        await pause();
      }
    };
    await Promise.all(Array.from({ length: Math.min(WINDOW, dropping.length) }, worker));
    if (metered.size > 0) await this.readMeters(conn, metered);
  }

  private mayHaveDropped(entry: Entry): boolean {
    const { kind, object } = entry.owner;
    if (kind === KIND.pool) {
      const empty = (this.parts.facts.serving.get(object)?.size ?? 0) === 0;
      return this.wereEmpty.delete(object) || empty;
    }
    const known = this.dropping.get(entry);
    if (known?.revision === entry.revision) return known.drops;
    let drops = false;
    for (const { flow } of entry.flows.values()) drops ||= dropOf(flow) !== undefined;
    this.dropping.set(entry, { revision: entry.revision, drops });
    return drops;
  }

  private async readOwner(conn: SwitchConnection<Message>, entry: Entry): Promise<void> {
    const request = {
      type: 'flow_stats_request',
      cookie: cookieOf(entry.owner),
      cookieMask: ALL_BITS,
      ...(entry.owner.kind === KIND.pool ? { table: TABLES.slots.number } : {}),
    } as const;
    for await (const part of conn.multipart(request)) {
      if (part.type !== 'flow_stats_reply') continue;
      for (const stats of part.entries) {
        const drop = dropOf(stats);
        if (drop === undefined || stats.packetCount === undefined) continue;
        const more = this.since(entry, matchKey(stats.table, stats.priority, stats.match), stats.packetCount);
        if (drop.reason === 'connection-limit') add(this.limits, entry.owner.tenant, 'connections', more);
        else add(this.drops, entry.owner.tenant, drop.reason, more);
      }
    }
  }

  private async readMeters(
    conn: SwitchConnection<Message>,
    owners: ReadonlyMap<number, Entry>,
  ): Promise<void> {
    for await (const part of conn.multipart({ type: 'meter_stats_request' })) {
      if (part.type !== 'meter_stats_reply') continue;
      for (const { meterId, bands } of part.entries) {
        const entry = owners.get(meterId);
        if (entry === undefined) continue;
        const dropped = bands.reduce((sum, band) => sum + band.packetCount, 0n);
        const more = this.since(entry, `meter ${meterId}`, dropped);
        add(this.limits, entry.owner.tenant, limitOf(meterId), more);
      }
    }
  }

  /** What a counter of the switch rose by since it was last read; all of it where it began again. */
  private since(entry: Entry, key: string, value: bigint): number {
    let readings = this.last.get(entry);
    if (readings === undefined) {
      readings = new Map();
      this.last.set(entry, readings);
    }
    const before = readings.get(key) ?? 0n;
    readings.set(key, value);
    return Number(value >= before ? value - before : value);
  }
}

function limitOf(meterId: number): Limit {
  const what = meterSubject(meterId)?.what;
  return what === 'punt' ? 'punt' : what === 'connections' ? 'connection_rate' : 'bandwidth';
}

function add<T extends string>(
  counts: Map<number, Map<T, number>>,
  tenant: number,
  what: T,
  more: number,
): void {
  let ofTenant = counts.get(tenant);
  if (ofTenant === undefined) {
    ofTenant = new Map();
    counts.set(tenant, ofTenant);
  }
  ofTenant.set(what, (ofTenant.get(what) ?? 0) + more);
}
