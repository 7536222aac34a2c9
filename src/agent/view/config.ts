import type { ConfigApplied, ConfigShown, Filter } from '../../api/types.js';
import { PROVIDER_TENANT, type TenantIntent } from '../../model/index.js';
import { describeFailure } from '../../sync/index.js';
import type { AgentParts } from '../parts.js';
import { RefusedError } from '../read-model.js';
import { nodeInWords, tenantInWords } from './config-words.js';
import { tenantsOf } from './names.js';
import { configProblems } from './status.js';

/** What runs, in the words of the files. */
export function showConfig(parts: AgentParts, filter: Filter): ConfigShown {
  const { intents, node } = parts;
  return {
    dir: intents.dir,
    generation: intents.generation,
    node: nodeInWords(intents.node ?? node),
    tenants: tenantsOf(parts, filter).map((tenant) => {
      const source = intents.sourceOf(tenant.name);
      return {
        tenant: tenant.name,
        ...(source === undefined ? {} : { file: source.file }),
        config: tenantInWords(tenant, intents.provider.networks, source?.value.limits),
        ids: idsOf(tenant),
      };
    }),
  };
}

function idsOf(tenant: TenantIntent): ConfigShown['tenants'][number]['ids'] {
  const numbers = (pairs: readonly (readonly [string, number])[]) => Object.fromEntries(pairs);
  return {
    tenant: tenant.id,
    segments: numbers(tenant.segments.map((s) => [s.name, s.id])),
    listeners: numbers(tenant.listeners.map((l) => [`${l.loadBalancer}/${l.name}`, l.id])),
    pools: numbers(tenant.pools.map((p) => [p.name, p.id])),
    members: numbers(
      tenant.pools.flatMap((p) => p.members.map((m) => [`${p.name}/${m.name}`, m.endpointId] as const)),
    ),
  };
}

/** Reads the directory again. With `waitMs` resolves when the switch confirmed or refused what that brought. */
export async function applyConfig(
  parts: AgentParts,
  waitMs: number | undefined,
  tenantName: string | undefined,
): Promise<ConfigApplied> {
  const { intents, sync } = parts;
  const started = performance.now();
  const before = flowMods(parts);
  await parts.reload();
  const tenant = tenantName === undefined ? undefined : intents.tenants.get(tenantName);
  const problems = configProblems(intents.problems).filter(
    (p) => tenantName === undefined || p.tenant === undefined || p.tenant === tenantName,
  );
  if (tenantName !== undefined && tenant === undefined && problems.length === 0)
    throw new RefusedError('not-found', `There is no tenant "${tenantName}".`);
  const confirmed = await inTime(sync.settled(tenant?.id), waitMs ?? 0);
  const failed = new Map<string, string[]>();
  for (const failure of sync.failures(tenant?.id)) {
    const { tenant: id } = failure.owner;
    const name = id === 0 || id === PROVIDER_TENANT ? '(node)' : (intents.byId(id)?.name ?? String(id));
    failed.set(name, [...(failed.get(name) ?? []), describeFailure(failure)]);
  }
  return {
    generation: tenantName === undefined ? intents.generation : intents.generationOf(tenantName),
    problems,
    confirmed,
    failed: [...failed].map(([name, errors]) => ({ tenant: name, errors })),
    flowMods: flowMods(parts) - before,
    elapsedMs: Math.round(performance.now() - started),
  };
}

async function inTime(promise: Promise<void>, ms: number): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<boolean>((resolve) => {
    timer = setTimeout(resolve, ms, false);
  });
  return Promise.race([promise.then(() => true), late]).finally(() => clearTimeout(timer));
}

function flowMods({ sync }: AgentParts): number {
  let sum = 0;
  for (const [name, count] of sync.counters.mods) if (name.startsWith('flow ')) sum += count;
  return sum;
}
