import type { FlowMod, GroupMod, MeterMod } from '../ofp/types/message.js';
import type { Flow, Owner } from '../pipeline/types.js';

/** A message that changes the switch's tables, with the owner it serves. */
export type Mod = FlowMod | GroupMod | MeterMod;

export type OwnerHealth = 'applied' | 'pending' | 'failed';

/** Why the switch does not hold what an owner wants. */
export interface OwnerFailure {
  readonly owner: Owner;
  /** The switch's error, by OVS's name. */
  readonly error: string;
  /** The refused message, where the switch named it. */
  readonly refused?: Mod;
  /** Milliseconds of the clock. */
  readonly since: number;
  readonly attempts: number;
  readonly retryAt: number;
}

export interface SyncCounters {
  /** By `flow add`, `group delete` …: messages that the switch confirmed. */
  readonly mods: Map<string, number>;
  bundles: number;
  bundlesRefused: number;
  reconciles: number;
  /** Of them, those that found no difference. */
  reconcilesEqual: number;
  /** Differences found by the last reconcile, before anything was sent. */
  reconcileDifferences: number;
  /** Owners that a drift check found changed by somebody else. */
  drifted: number;
  /** By tenant: flows that a drift check found missing, added or different, all since the start. */
  readonly driftedFlows: Map<number, number>;
  /** Milliseconds from sending a bundle to its commit. */
  lastBundleMs: number;
}

export interface SyncSummary {
  readonly desiredFlows: number;
  readonly installedFlows: number;
  readonly owners: number;
  readonly pending: number;
  readonly failed: number;
}

/** What would be sent for one owner, in the order of sending. */
export interface PlannedChange {
  readonly owner: Owner;
  readonly mods: readonly Mod[];
}

export interface InstalledFlow {
  flow: Flow;
  /** It has a time-out, which none of ours has. */
  readonly timed: boolean;
  /** The last comparison that found it wanted. */
  look: number;
}

/** What sync says to logs; the agent's logger fits. */
export interface SyncLog {
  debug(data: object, text: string): void;
  info(data: object, text: string): void;
  warn(data: object, text: string): void;
}

/** Observers of commits, for metrics and events. */
export interface SyncObserver {
  bundleCommitted?(tenants: readonly number[], mods: number, ms: number): void;
  ownerFailed?(failure: OwnerFailure): void;
}
