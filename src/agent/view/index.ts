import type { AgentParts } from '../parts.js';
import { type ReadModel, RefusedError } from '../read-model.js';
import { setDrained } from './admin.js';
import { captureOf } from './capture.js';
import { applyConfig, showConfig } from './config.js';
import { connectionRows } from './connections.js';
import { diffFlows } from './diff-flows.js';
import { dropRows } from './drops.js';
import { flowRows } from './flows.js';
import { healthOf, slotsOf } from './members.js';
import { metricsOf } from './metrics.js';
import { neighboursOf } from './neighbours.js';
import { planConfig } from './plan.js';
import { Readiness } from './readiness.js';
import { configProblems, namesOf, statusOf } from './status.js';
import { fdbRows, groupRows, meterRows, portRows } from './tables.js';
import { traceOf } from './trace.js';

/** What the API shows and does, over the parts of a running agent. */
export function createReadModel(parts: AgentParts): ReadModel {
  const readiness = new Readiness(parts);
  return {
    names: () => namesOf(parts),
    status: (filter) => statusOf(parts, readiness, filter),
    ready: () => readiness.now(),
    health: async (filter) => healthOf(parts, filter),
    slots: async (filter) => slotsOf(parts, filter),
    neighbours: async (filter) => neighboursOf(parts, filter),
    fdb: (filter) => fdbRows(parts, filter),
    connections: (filter, limit) => connectionRows(parts, filter, limit),
    flows: (filter) => flowRows(parts, filter),
    ports: (filter) => portRows(parts, filter),
    groups: (filter) => groupRows(parts, filter),
    meters: (filter) => meterRows(parts, filter),
    drops: (filter) => dropRows(parts, filter),
    diffFlows: (filter) => diffFlows(parts, filter),
    drain: (member) => setDrained(parts, member, true),
    enable: (member) => setDrained(parts, member, false),
    trace: (request) => traceOf(parts, request),
    capture: (request, signal) => captureOf(parts, request, signal),
    configCheck: async () => {
      const { loaded, compiled } = await parts.intents.preview();
      return { problems: configProblems([...loaded.problems, ...compiled.problems]) };
    },
    configPlan: (filter, dir) => planConfig(parts, filter, dir),
    configApply: (waitMs, tenant) => applyConfig(parts, waitMs, tenant),
    configShow: async (filter) => showConfig(parts, filter),
    logLevels: () => ({ levels: parts.loggers.levels() }),
    setLogLevel: (module, level) => {
      const wrong = parts.loggers.setLevel(module === '*' ? 'any' : module, level);
      if (wrong !== undefined) throw new RefusedError('invalid', wrong);
      return { levels: parts.loggers.levels() };
    },
    onEvent: (handler) => parts.events.subscribe(handler),
    eventsSince: (seq) => parts.events.since(seq),
    metrics: metricsOf(parts),
  };
}
