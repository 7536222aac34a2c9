import type { Agent } from '../agent.js';
import type { TwoTenants } from '../two-tenants.js';
import { failure } from './failure.js';
import { lookAround } from './look-around.js';
import { requests } from './requests.js';
import { restart } from './restart.js';
import { startUp } from './start-up.js';

/** What the chapters of the demo share. */
export interface Stage {
  readonly world: TwoTenants;
  /** From the first chapter on. */
  agent: Agent | undefined;
  readonly once: boolean;
}

export const stages: readonly ((stage: Stage) => Promise<void>)[] = [
  startUp,
  requests,
  failure,
  restart,
  lookAround,
];

/** The agent of a stage on which it is running. */
export function running(stage: Stage): Agent {
  if (stage.agent === undefined) throw new Error('the agent is not running');
  return stage.agent;
}
