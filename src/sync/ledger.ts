import type { Owner, OwnerState } from '../pipeline/types.js';
import { OwnerEntry } from './owner-entry.js';
import { type OwnerKey, ownerKey } from './owner-key.js';
import type { SyncSummary } from './types.js';

const NOTHING: SyncSummary = { desiredFlows: 0, installedFlows: 0, owners: 0, pending: 0, failed: 0 };

/** Owners with what they want and what of it the switch has confirmed; and which of them may differ. */
export class Ledger {
  private readonly tenants = new Map<number, Map<OwnerKey, OwnerEntry>>();
  /** Owners whose difference may not be empty, by tenant; the order of tenants is the order of service. */
  readonly dirty = new Map<number, Set<OwnerEntry>>();
  /** Counts changes. */
  revision = 0;

  /** The owner's entry, made where there is none. */
  entryOf(owner: Owner): OwnerEntry {
    const key = ownerKey(owner);
    let ofTenant = this.tenants.get(owner.tenant);
    if (ofTenant === undefined) {
      ofTenant = new Map();
      this.tenants.set(owner.tenant, ofTenant);
    }
    let entry = ofTenant.get(key);
    if (entry === undefined) {
      entry = new OwnerEntry(owner, key);
      ofTenant.set(key, entry);
    }
    return entry;
  }

  find(owner: Owner): OwnerEntry | undefined {
    return this.tenants.get(owner.tenant)?.get(ownerKey(owner));
  }

  *all(): Generator<OwnerEntry> {
    for (const ofTenant of this.tenants.values()) yield* ofTenant.values();
  }

  of(tenant: number): Iterable<OwnerEntry> {
    return this.tenants.get(tenant)?.values() ?? [];
  }

  /** Owners, of a tenant or of all, whose difference may not be empty: failed ones are among them. */
  *unconfirmed(tenant?: number): Generator<OwnerEntry> {
    if (tenant !== undefined) yield* this.dirty.get(tenant) ?? [];
    else for (const entries of this.dirty.values()) yield* entries;
  }

  want(owner: Owner, state: OwnerState | undefined): void {
    const entry = state === undefined ? this.find(owner) : this.entryOf(owner);
    if (entry === undefined || (state === undefined && entry.desired === undefined)) return;
    entry.desired = state;
    this.touch(entry);
  }

  /** The owner's difference has to be looked at again. A failure is forgotten: what is wanted may be another thing. */
  touch(entry: OwnerEntry): void {
    entry.revision = ++this.revision;
    if (!entry.dirty) entry.dirtySince = entry.revision;
    entry.dirty = true;
    entry.failure = undefined;
    const set = this.dirty.get(entry.owner.tenant);
    if (set) set.add(entry);
    else this.dirty.set(entry.owner.tenant, new Set([entry]));
  }

  /** The switch holds what the owner wants. An owner that wants and has nothing is forgotten. */
  settle(entry: OwnerEntry): void {
    const { tenant } = entry.owner;
    entry.dirty = false;
    entry.failure = undefined;
    const set = this.dirty.get(tenant);
    set?.delete(entry);
    if (set?.size === 0) this.dirty.delete(tenant);
    if (entry.desired !== undefined || !entry.empty) return;
    const ofTenant = this.tenants.get(tenant);
    ofTenant?.delete(entry.key);
    if (ofTenant?.size === 0) this.tenants.delete(tenant);
  }

  /** By tenant; 0 is the node. */
  summaries(): Map<number, SyncSummary> {
    return new Map([...this.tenants.keys()].map((tenant) => [tenant, this.summary(tenant)]));
  }

  summary(tenant?: number): SyncSummary {
    let sum = NOTHING;
    for (const entry of tenant === undefined ? this.all() : this.of(tenant)) sum = plus(sum, entry);
    return sum;
  }
}

function plus(sum: SyncSummary, entry: OwnerEntry): SyncSummary {
  const failed = entry.failure !== undefined;
  return {
    desiredFlows: sum.desiredFlows + (entry.desired?.flows.length ?? 0),
    installedFlows: sum.installedFlows + entry.flows.size,
    owners: sum.owners + 1,
    pending: sum.pending + (!failed && (entry.dirty || entry.inFlight) ? 1 : 0),
    failed: sum.failed + (failed ? 1 : 0),
  };
}
