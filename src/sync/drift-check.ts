import { nextTurn } from '../loop/turns.js';
import type { Clock } from '../packetio/types.js';
import { isHeld, type OwnerEntry } from './owner-entry.js';
import { readOwner } from './read-back.js';
import type { Synchronizer } from './synchronizer.js';
import type { InstalledFlow, SyncLog } from './types.js';

export interface DriftCheckOptions {
  readonly clock: Clock;
  readonly log: SyncLog;
  /** Owners looked at per second: each is one small filtered dump. */
  readonly ownersPerSecond: number;
}

/**
 * Looks at one owner after the other and compares what the switch holds with what it confirmed. What somebody
 * changed by hand is repaired by the owner's next bundle.
 */
export class DriftCheck {
  private stopped = false;
  private queue: OwnerEntry[] = [];
  private handle: { cancel(): void } | undefined;

  constructor(
    private readonly sync: Synchronizer,
    private readonly options: DriftCheckOptions,
  ) {}

  start(): void {
    this.arm();
  }

  stop(): void {
    this.stopped = true;
    this.handle?.cancel();
  }

  private arm(): void {
    if (this.stopped) return;
    this.handle = this.options.clock.setTimeout(() => {
      void this.step()
        .catch((error: unknown) => this.options.log.debug({ err: error }, 'drift check interrupted'))
        .finally(() => this.arm());
    }, 1000 / this.options.ownersPerSecond);
  }

  private async step(): Promise<void> {
    if (this.queue.length === 0) this.queue = this.sync.driftCandidates();
    const entry = this.queue.pop();
    if (entry !== undefined) await this.check(entry);
  }

  private async check(entry: OwnerEntry): Promise<boolean> {
    const conn = this.sync.connection;
    if (conn === undefined || entry.dirty || entry.inFlight) return false;
    const revision = entry.revision;
    const found = await readOwner(conn, entry.owner, nextTurn);
    // A change of ours that was made meanwhile makes the comparison meaningless.
    if (entry.dirty || entry.inFlight || entry.revision !== revision || this.sync.connection !== conn)
      return false;
    const differences = countDifferences(entry.flows, found);
    if (differences === 0) return false;
    this.options.log.warn({ owner: entry.owner }, 'flows were changed by somebody else; repairing');
    entry.replaceFlows(found);
    this.sync.drifted(entry, differences);
    return true;
  }
}

/** Flows that are gone, new, or do something else. */
function countDifferences(
  installed: ReadonlyMap<string, InstalledFlow>,
  found: ReadonlyMap<string, InstalledFlow>,
): number {
  let n = 0;
  for (const [key, { flow }] of installed) {
    const now = found.get(key);
    if (now === undefined || !isHeld(now, flow)) n++;
  }
  for (const key of found.keys()) if (!installed.has(key)) n++;
  return n;
}
