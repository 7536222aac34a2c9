import { canonicalInstructions, canonicalMatch } from '../ofp/canonical.js';
import { adoptNeighbours, adoptServing, KIND } from '../pipeline/index.js';
import type { OwnerEntry } from '../sync/index.js';
import type { Desired } from './desired.js';
import { type FactsStore, segmentKey } from './facts-store.js';

/** Takes over what an owner's flows in the switch say about members that serve and neighbours that were resolved. */
export function adoptFacts({ owner, flows }: OwnerEntry, facts: FactsStore, desired: Desired): void {
  const { tenant, kind, object } = owner;
  if (kind === KIND.pool && facts.setServing(object, servingOf(flows)))
    desired.servingChanged(tenant, object);
  if (kind === KIND.neighbours) {
    const key = segmentKey(tenant, object);
    const neighbours = neighboursOf(flows);
    if (neighbours.length === 0 && !facts.neighbours.has(key)) return;
    facts.neighbours.set(key, neighbours);
    desired.neighboursChanged(tenant, object);
  }
}

function servingOf(flows: OwnerEntry['flows']): Set<number> {
  // The slots of one member share their instructions.
  const lists = new Set([...flows.values()].map(({ flow }) => flow.instructions));
  return adoptServing([...lists].map(canonicalInstructions));
}

function neighboursOf(flows: OwnerEntry['flows']) {
  return adoptNeighbours(
    [...flows.values()].map(({ flow }) => ({
      ...flow,
      match: canonicalMatch(flow.match),
      instructions: canonicalInstructions(flow.instructions),
    })),
  );
}
