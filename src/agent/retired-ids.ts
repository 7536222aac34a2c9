import {
  type IdAllocator,
  PROVIDER_NAME,
  PROVIDER_TENANT,
  type Quarantined,
  type Waiting,
} from '../model/index.js';
import type { SwitchConnection } from '../ofp/channel/index.js';
import { type Message, OFPTT_ALL } from '../ofp/index.js';
import { cookieOf, KIND, type Kind, type Owner } from '../pipeline/index.js';
import type { Synchronizer } from '../sync/index.js';
import type { ConntrackFlushes } from './conntrack-flushes.js';
import type { Logger } from './logging.js';

export interface RetiredIdsOptions {
  readonly ids: IdAllocator;
  readonly sync: Synchronizer;
  readonly flushes: ConntrackFlushes;
  readonly log: Logger;
  /** Tenants that wait for an id. */
  readonly waiting: () => readonly Waiting[];
  /** An id that a tenant waits for is free now. */
  readonly compileAgain: () => void;
}

const KINDS = { listener: KIND.listener, pool: KIND.pool, endpoint: KIND.endpoint } as const;
const ALL_BITS = 0xffff_ffff_ffff_ffffn;

/**
 * Gives numbers free once the switch has confirmed that nothing of their old owner is left: neither its flows nor
 * what those have learned. A tenant's number is that of its conntrack zone, too, and stays reserved until another
 * tenant asks for it: only then is the zone worth flushing, because that stops forwarding for a while.
 */
export class RetiredIds {
  private reviewing: Promise<void> | undefined;
  private again = false;

  constructor(private readonly options: RetiredIdsOptions) {}

  /** To be called after every change, and when a switch was read back. */
  review(): Promise<void> {
    if (this.reviewing) {
      this.again = true;
      return this.reviewing;
    }
    this.reviewing = this.rounds();
    return this.reviewing;
  }

  private async rounds(): Promise<void> {
    do {
      this.again = false;
      await this.options.sync.settled();
      await this.round().catch((error: Error) =>
        this.options.log.warn({ err: error }, 'numbers were not given free'),
      );
    } while (this.again);
    this.reviewing = undefined;
  }

  private async round(): Promise<void> {
    const { ids, sync, log } = this.options;
    const resting = ids.quarantined();
    if (resting.length === 0) return;
    const holders = sync.holders();
    const { connection } = sync;
    if (holders === undefined || connection === undefined) return;
    const free = goneFrom(holders, resting, ids);
    await forgetLearned(connection, free);
    const tenants = this.wanted(resting, new Set(holders.map((owner) => owner.tenant)));
    for (const { id } of tenants) await this.options.flushes.add({ zone: id });
    if (!connection.open || sync.connection !== connection) return;
    for (const { space, id } of [...free.map((f) => f.number), ...tenants]) ids.confirmFree(space, id);
    await ids.save();
    if (tenants.length === 0) return;
    log.info({ ids: tenants.map((t) => t.id) }, 'tenant ids are free again');
    this.options.compileAgain();
  }

  /** Resting tenant numbers that somebody waits for and nobody has flows of. */
  private wanted(resting: readonly Quarantined[], holding: ReadonlySet<number>): Quarantined[] {
    const idle = resting.filter(({ space, id }) => space === 'tenant' && !holding.has(id));
    const waiting = this.options.waiting();
    const named = new Set(waiting.flatMap(({ id }) => (id === undefined ? [] : [id])));
    const any = waiting.filter(({ id }) => id === undefined).length;
    return [
      ...idle.filter(({ id }) => named.has(id)),
      ...idle.filter(({ id }) => !named.has(id)).slice(0, any),
    ];
  }
}

/** A number that no owner has, and the cookies of what was learned under it. */
interface Gone {
  readonly number: Quarantined;
  readonly learned: readonly bigint[];
}

function goneFrom(holders: readonly Owner[], resting: readonly Quarantined[], ids: IdAllocator): Gone[] {
  const held = new Set(holders.map(({ kind, object }) => `${kind}/${object}`));
  const heldSegments = new Set(
    holders
      .filter(({ kind }) => kind === KIND.segment || kind === KIND.neighbours)
      .map(({ tenant, object }) => `${tenant}/${object}`),
  );
  const tenantOf = (name: string): number | undefined =>
    name === PROVIDER_NAME
      ? PROVIDER_TENANT
      : (ids.find('tenant', name) ?? resting.find((q) => q.space === 'tenant' && q.key === name)?.id);
  return resting.flatMap((number): Gone[] => {
    const { space, id, key } = number;
    if (space === 'tenant') return [];
    if (space.startsWith('segment/')) {
      const tenant = tenantOf(space.slice('segment/'.length));
      if (tenant === undefined) return [{ number, learned: [] }];
      if (heldSegments.has(`${tenant}/${id}`)) return [];
      return [{ number, learned: cookies(tenant, id, [KIND.learnedFdb, KIND.learnedAdjacency]) }];
    }
    if (held.has(`${KINDS[space as keyof typeof KINDS]}/${id}`)) return [];
    const tenant = tenantOf(key.slice(0, key.indexOf('/')));
    if (space !== 'endpoint' || tenant === undefined) return [{ number, learned: [] }];
    return [{ number, learned: cookies(tenant, id, [KIND.learnedHairpin]) }];
  });
}

function cookies(tenant: number, object: number, kinds: readonly Kind[]): bigint[] {
  return kinds.map((kind) => cookieOf({ tenant, kind, object }));
}

async function forgetLearned(connection: SwitchConnection<Message>, gone: readonly Gone[]): Promise<void> {
  const mods = gone.flatMap(({ learned }) =>
    learned.map(
      (cookie): Message => ({
        type: 'flow_mod',
        command: 'delete',
        table: OFPTT_ALL,
        priority: 0,
        cookie,
        cookieMask: ALL_BITS,
        match: [],
        instructions: [],
      }),
    ),
  );
  if (mods.length === 0) return;
  const outcome = await connection.batch(mods);
  if (!outcome.ok) throw new Error(`learned flows: ${outcome.refusals.map((r) => r.error).join(', ')}`);
}
