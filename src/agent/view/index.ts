import type { AgentParts } from '../parts.js';
import { type ReadModel, RefusedError } from '../read-model.js';
import { setDrained } from './admin.js';
import { healthOf, neighboursOf, slotsOf } from './members.js';
import { metricsOf } from './metrics.js';
import { configProblems, namesOf, ready, statusOf } from './status.js';
import { traceOf } from './trace.js';

function notYet(what: string): RefusedError {
  return new RefusedError('unavailable', `${what} is not in this version; see docs/limits.md`);
}

/** What the API shows and does, over the parts of a running agent. */
export function createReadModel(parts: AgentParts): ReadModel {
  return {
    names: () => namesOf(parts),
    status: async (filter) => statusOf(parts, filter),
    ready: () => ready(parts),
    health: async (filter) => healthOf(parts, filter),
    slots: async (filter) => slotsOf(parts, filter),
    neighbours: async (filter) => neighboursOf(parts, filter),
    fdb: () => Promise.reject(notYet('fdb')),
    connections: () => Promise.reject(notYet('conns')),
    // biome-ignore lint/correctness/useYield: it refuses before the first row
    flows: async function* () {
      throw notYet('flows');
    },
    ports: () => Promise.reject(notYet('ports')),
    groups: () => Promise.reject(notYet('groups')),
    meters: () => Promise.reject(notYet('meters')),
    diffFlows: () => Promise.reject(notYet('diff-flows')),
    drain: (member) => setDrained(parts, member, true),
    enable: (member) => setDrained(parts, member, false),
    trace: (request) => traceOf(parts, request),
    // biome-ignore lint/correctness/useYield: it refuses before the first byte
    capture: async function* () {
      throw notYet('capture');
    },
    configCheck: async () => {
      const { loaded, compiled } = await parts.intents.preview();
      return { problems: configProblems([...loaded.problems, ...compiled.problems]) };
    },
    configPlan: () => Promise.reject(notYet('config plan')),
    configApply: async (waitMs) => {
      const started = performance.now();
      const before = flowMods(parts);
      await parts.reload();
      const settled = parts.sync.settled().then(() => true);
      const late = new Promise<boolean>((resolve) => setTimeout(resolve, waitMs ?? 0, false).unref());
      const confirmed = await Promise.race([settled, late]);
      const failed = new Map<string, string[]>();
      for (const f of parts.sync.failures()) {
        const tenant = parts.intents.byId(f.owner.tenant)?.name ?? 'node';
        failed.set(tenant, [...(failed.get(tenant) ?? []), f.error]);
      }
      return {
        generation: parts.intents.generation,
        problems: configProblems(parts.intents.problems),
        confirmed,
        failed: [...failed].map(([tenant, errors]) => ({ tenant, errors })),
        flowMods: flowMods(parts) - before,
        elapsedMs: Math.round(performance.now() - started),
      };
    },
    configShow: () => Promise.reject(notYet('config show')),
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

function flowMods(parts: AgentParts): number {
  let sum = 0;
  for (const [name, count] of parts.sync.counters.mods) if (name.startsWith('flow ')) sum += count;
  return sum;
}
