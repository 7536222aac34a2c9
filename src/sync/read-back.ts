import { slicer } from '../loop/turns.js';
import type { SwitchConnection } from '../ofp/channel/types.js';
import type { FlowStats, Message } from '../ofp/index.js';
import { cookieOf, LEARNED_KIND_BIT, ownerOfCookie, SIGNATURE, SIGNATURE_MASK } from '../pipeline/cookies.js';
import type { Owner } from '../pipeline/types.js';
import type { Ledger } from './ledger.js';
import { meterKey } from './mods.js';
import { flowKey, groupKey, type OwnerEntry } from './owner-entry.js';
import type { InstalledFlow } from './types.js';

/** Requests on their way at once; the switch answers one after the other. */
const WINDOW = 48;
const ALL_BITS = 0xffff_ffff_ffff_ffffn;
/** Slices of a sweep over everything that is ours, by the low bits of the object. */
const SWEEP_BITS = 5n;
const OBJECT_SHIFT = 16n;

/** Groups and meters that the pipeline gives out; others belong to somebody else. */
export interface OurIds {
  readonly isOurGroup: (groupId: number) => boolean;
  readonly isOurMeter: (meterId: number) => boolean;
}

/**
 * Fills the installed state of all entries with what the switch holds. Flows are read owner by owner, which the
 * switch finds by its cookie index without walking its tables; only where their number doesn't add up to what
 * carries our signature are the tables swept for owners that we don't know. Learned flows are never read.
 * @param onRead told of each owner, also of those that nobody knew, when all that it holds is there
 */
export async function readInstalled(
  conn: SwitchConnection<Message>,
  ledger: Ledger,
  ids: OurIds,
  onRead: (entry: OwnerEntry) => void,
): Promise<void> {
  const pause = slicer();
  for (const entry of ledger.all()) entry.forgetInstalled();
  const [all] = await Promise.all([
    countOurs(conn),
    readGroups(conn, ledger, ids),
    readMeters(conn, ledger, ids),
  ]);
  const known = new Set(ledger.all());
  let counted = 0;
  const read = async (entry: OwnerEntry): Promise<void> => {
    const flows = await readOwner(conn, entry.owner, pause);
    must(conn);
    entry.replaceFlows(flows);
    counted += flows.size;
  };
  await pooled([...known], async (entry) => {
    if (all > 0) await read(entry);
    onRead(entry);
    await pause();
  });
  if (all === counted) return;
  for (const entry of await sweep(conn, ledger, known, pause)) {
    onRead(entry);
    await pause();
  }
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
  return [flowKey(flow), { flow, timed: stats.idleTimeout !== 0 || stats.hardTimeout !== 0, look: 0 }];
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

/** Reads the flows of owners that aren't among `known`; returns these owners. */
async function sweep(
  conn: SwitchConnection<Message>,
  ledger: Ledger,
  known: ReadonlySet<OwnerEntry>,
  pause: () => Promise<void>,
): Promise<ReadonlySet<OwnerEntry>> {
  const found = new Set<OwnerEntry>();
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
        const entry = owner && ledger.entryOf(owner);
        if (entry === undefined || known.has(entry)) continue;
        entry.flows.set(...installed(stats));
        found.add(entry);
      }
      await pause();
    }
  }
  return found;
}

/** Groups and meters carry no cookie: those of ours that no owner wants belong to the node and are removed. */
const NOBODY: Owner = { tenant: 0, kind: 1, object: 0xffffff };

async function readGroups(conn: SwitchConnection<Message>, ledger: Ledger, ids: OurIds): Promise<void> {
  const owners = new Map<number, OwnerEntry>();
  for (const entry of ledger.all())
    for (const group of entry.desired?.groups ?? []) owners.set(group.groupId, entry);
  for await (const part of conn.multipart({ type: 'group_desc_request' })) {
    if (part.type !== 'group_desc_reply') continue;
    must(conn);
    for (const group of part.entries) {
      if (!ids.isOurGroup(group.groupId)) continue;
      const entry = owners.get(group.groupId) ?? ledger.entryOf(NOBODY);
      entry.groups.set(group.groupId, groupKey(group));
    }
  }
}

async function readMeters(conn: SwitchConnection<Message>, ledger: Ledger, ids: OurIds): Promise<void> {
  const owners = new Map<number, OwnerEntry>();
  for (const entry of ledger.all())
    for (const meter of entry.desired?.meters ?? []) owners.set(meter.meterId, entry);
  for await (const part of conn.multipart({ type: 'meter_config_request' })) {
    if (part.type !== 'meter_config_reply') continue;
    must(conn);
    for (const meter of part.entries) {
      if (!ids.isOurMeter(meter.meterId)) continue;
      const entry = owners.get(meter.meterId) ?? ledger.entryOf(NOBODY);
      entry.meters.set(meter.meterId, meterKey(meter));
    }
  }
}

/**
 * Runs `work` over all items, at most `WINDOW` at a time. New ones begin together when half of them are done: one
 * write to the switch instead of one for each. Rejects with the first failure.
 */
function pooled<T>(items: readonly T[], work: (item: T) => Promise<void>): Promise<void> {
  return new Promise((resolve, reject) => {
    let next = 0;
    let running = 0;
    const done = () => {
      running--;
      if (running <= WINDOW / 2) begin();
    };
    const begin = () => {
      for (; running < WINDOW && next < items.length; next++) {
        running++;
        work(items[next]!).then(done, reject);
      }
      if (running === 0) resolve();
    };
    begin();
  });
}
