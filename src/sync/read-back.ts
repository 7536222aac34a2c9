import { slicer } from '../loop/turns.js';
import type { SwitchConnection } from '../ofp/channel/types.js';
import type { FlowStats, Message } from '../ofp/index.js';
import { instructionsKey } from '../ofp/keys.js';
import { cookieOf, LEARNED_KIND_BIT, ownerOfCookie, SIGNATURE, SIGNATURE_MASK } from '../pipeline/cookies.js';
import type { Owner } from '../pipeline/types.js';
import { meterKey } from './mods.js';
import { flowKey, groupKey, type OwnerEntry } from './owner-entry.js';
import type { InstalledFlow } from './types.js';

/** Requests on their way at once; the switch answers one after the other. */
const WINDOW = 48;
const ALL_BITS = 0xffff_ffff_ffff_ffffn;
/** Slices of a sweep over everything that is ours, by the low bits of the object. */
const SWEEP_BITS = 5n;
const OBJECT_SHIFT = 16n;

/** Whose groups and meters are whose. */
export interface Ownership {
  readonly isOurGroup: (groupId: number) => boolean;
  readonly isOurMeter: (meterId: number) => boolean;
  /** The owner whose group or meter this is; undefined where no owner wants it. */
  readonly ownerOfGroup: (groupId: number) => Owner | undefined;
  readonly ownerOfMeter: (meterId: number) => Owner | undefined;
}

/**
 * Fills the installed state of `known` owners, and of those nobody knew, with their flows. They are read owner by
 * owner, which the switch finds by its cookie index without walking its tables; only where their number doesn't add up to what
 * carries our signature are the tables swept for owners that we don't know. Learned flows are never read.
 */
export async function readFlows(
  conn: SwitchConnection<Message>,
  known: readonly OwnerEntry[],
  entryOf: (owner: Owner) => OwnerEntry,
): Promise<void> {
  const pause = slicer();
  for (const entry of known) entry.forgetInstalled();
  let counted = 0;
  await pooled(known, async (entry) => {
    const flows = await readOwner(conn, entry.owner, pause);
    must(conn);
    entry.replaceFlows(flows);
    counted += flows.size;
  });
  if ((await countOurs(conn)) !== counted) await sweep(conn, entryOf, pause);
}

/** Adds the groups and meters of ours that the switch holds to their owners' entries. */
export async function readGroupsAndMeters(
  conn: SwitchConnection<Message>,
  entryOf: (owner: Owner) => OwnerEntry,
  options: Ownership,
): Promise<void> {
  await readGroups(conn, entryOf, options);
  await readMeters(conn, entryOf, options);
}

/** The flows of one owner, by flowKey. */
export async function readOwner(
  conn: SwitchConnection<Message>,
  owner: Owner,
  pause: () => Promise<void>,
): Promise<Map<string, InstalledFlow>> {
  const flows = new Map<string, InstalledFlow>();
  const request = { type: 'flow_stats_request', cookie: cookieOf(owner), cookieMask: ALL_BITS } as const;
  for await (const part of conn.multipart(request)) {
    if (part.type !== 'flow_stats_reply') continue;
    for (const stats of part.entries) flows.set(...installed(stats));
    await pause();
  }
  return flows;
}

function installed(stats: FlowStats): [string, InstalledFlow] {
  const flow = {
    table: stats.table,
    priority: stats.priority,
    cookie: stats.cookie,
    match: stats.match,
    instructions: stats.instructions,
  };
  // A flow of ours that somebody gave a time-out would vanish: as different as one with other actions.
  const timed = stats.idleTimeout !== 0 || stats.hardTimeout !== 0;
  return [
    flowKey(flow),
    { flow, instructions: timed ? 'timed' : instructionsKey(stats.instructions), look: 0 },
  ];
}

/** What a connection said that has been lost meanwhile must not be mixed with what its successor says. */
function must(conn: SwitchConnection<Message>): void {
  if (!conn.open) throw new Error('the connection was lost while the switch was read');
}

const OUR_FLOWS = SIGNATURE_MASK | LEARNED_KIND_BIT;

async function countOurs(conn: SwitchConnection<Message>): Promise<number> {
  let n = 0;
  for await (const part of conn.multipart({
    type: 'aggregate_request',
    cookie: SIGNATURE,
    cookieMask: OUR_FLOWS,
  })) {
    if (part.type === 'aggregate_reply') n += part.flowCount;
  }
  return n;
}

async function sweep(
  conn: SwitchConnection<Message>,
  entryOf: (owner: Owner) => OwnerEntry,
  pause: () => Promise<void>,
): Promise<void> {
  const bits = (1n << SWEEP_BITS) - 1n;
  for (let slice = 0n; slice <= bits; slice++) {
    const request = {
      type: 'flow_stats_request',
      cookie: SIGNATURE | (slice << OBJECT_SHIFT),
      cookieMask: OUR_FLOWS | (bits << OBJECT_SHIFT),
    } as const;
    for await (const part of conn.multipart(request)) {
      if (part.type !== 'flow_stats_reply') continue;
      must(conn);
      for (const stats of part.entries) {
        const owner = ownerOfCookie(stats.cookie);
        if (owner) entryOf(owner).flows.set(...installed(stats));
      }
      await pause();
    }
  }
}

/** Groups and meters carry no cookie: those of ours that no owner wants belong to the node and are removed. */
const NOBODY: Owner = { tenant: 0, kind: 1, object: 0xffffff };

async function readGroups(
  conn: SwitchConnection<Message>,
  entryOf: (owner: Owner) => OwnerEntry,
  options: Ownership,
): Promise<void> {
  for await (const part of conn.multipart({ type: 'group_desc_request' })) {
    if (part.type !== 'group_desc_reply') continue;
    must(conn);
    for (const group of part.entries) {
      if (!options.isOurGroup(group.groupId)) continue;
      entryOf(options.ownerOfGroup(group.groupId) ?? NOBODY).groups.set(group.groupId, groupKey(group));
    }
  }
}

async function readMeters(
  conn: SwitchConnection<Message>,
  entryOf: (owner: Owner) => OwnerEntry,
  options: Ownership,
): Promise<void> {
  for await (const part of conn.multipart({ type: 'meter_config_request' })) {
    if (part.type !== 'meter_config_reply') continue;
    must(conn);
    for (const meter of part.entries) {
      if (!options.isOurMeter(meter.meterId)) continue;
      entryOf(options.ownerOfMeter(meter.meterId) ?? NOBODY).meters.set(meter.meterId, meterKey(meter));
    }
  }
}

/** Runs `work` over all items, `WINDOW` at a time. */
async function pooled<T>(items: readonly T[], work: (item: T) => Promise<void>): Promise<void> {
  let next = 0;
  const worker = async () => {
    while (next < items.length) await work(items[next++]!);
  };
  await Promise.all(Array.from({ length: Math.min(WINDOW, items.length) }, worker));
}
