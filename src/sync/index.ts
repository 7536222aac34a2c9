export { DriftCheck } from './drift-check.js';
export { meterKey } from './mods.js';
export { flowKey, groupKey, OwnerEntry } from './owner-entry.js';
export { type OwnerKey, ownerKey } from './owner-key.js';
export { readOwner } from './read-back.js';
export { Synchronizer, type SyncOptions } from './synchronizer.js';
export type {
  InstalledFlow,
  Mod,
  OwnerFailure,
  PlannedChange,
  SyncCounters,
  SyncObserver,
  SyncSummary,
} from './types.js';
export { describeFailure, describeMod } from './words.js';
