export { DriftCheck } from './drift-check.js';
export type { OwnerEntry } from './owner-entry.js';
export { type OwnerKey, ownerKey } from './owner-key.js';
export { slicer } from './slicer.js';
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
