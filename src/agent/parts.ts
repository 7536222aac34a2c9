import type { NeighbourTable } from '../arp/index.js';
import type { CaptureHub } from '../capture/index.js';
import type { HealthChecker, Histogram } from '../hc/index.js';
import type { AdminState, IdAllocator, NodeConfig } from '../model/index.js';
import type { Unixctl } from '../ovs/index.js';
import type { SwitchPacketIo } from '../packetio/index.js';
import type { DriftCheck, Synchronizer } from '../sync/index.js';
import type { ConntrackFlushes } from './conntrack-flushes.js';
import type { Desired } from './desired.js';
import type { EventLog } from './event-log.js';
import type { FactsStore } from './facts-store.js';
import type { Generations } from './generations.js';
import type { Intents } from './intents.js';
import type { Loggers } from './logging.js';
import type { LoopLag } from './loop-lag.js';
import type { SwitchSession } from './switch-session.js';

/** What a running agent consists of; read by the read model. */
export interface AgentParts {
  readonly startedAt: Date;
  readonly node: NodeConfig;
  readonly intents: Intents;
  readonly ids: IdAllocator;
  readonly admin: AdminState;
  readonly facts: FactsStore;
  readonly desired: Desired;
  readonly sync: Synchronizer;
  readonly drift: DriftCheck;
  readonly generations: Generations;
  readonly flushes: ConntrackFlushes;
  readonly session: SwitchSession;
  readonly packetIo: SwitchPacketIo;
  readonly neighbours: NeighbourTable;
  readonly health: HealthChecker;
  readonly vswitchd: Unixctl;
  readonly captures: CaptureHub;
  /** Milliseconds from sending a bundle to its commit. */
  readonly bundleMs: Histogram;
  readonly events: EventLog;
  readonly lag: LoopLag;
  readonly loggers: Loggers;
  /** Members' administrative state was changed: slots follow. */
  readonly adminChanged: (tenantId: number, poolId: number) => void;
  /** Reads the configuration directory and applies what is right. */
  readonly reload: () => Promise<void>;
}
