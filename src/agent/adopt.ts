import { slicer } from '../loop/turns.js';
import { canonicalInstructions, canonicalMatch } from '../ofp/canonical.js';
import { adoptNeighbours, adoptServing, KIND } from '../pipeline/index.js';
import type { OwnerEntry } from '../sync/index.js';
import { type FactsStore, segmentKey } from './facts-store.js';

/** Takes over what the switch's own flows say about members that serve and neighbours that were resolved. */
export async function adoptFacts(
  installed: ReadonlyMap<number, OwnerEntry>,
  facts: FactsStore,
): Promise<void> {
  const pause = slicer();
  for (const { owner, flows } of installed.values()) {
    if (owner.kind === KIND.pool) facts.serving.set(owner.object, servingOf(flows));
    else if (owner.kind === KIND.neighbours) {
      const neighbours = adoptNeighbours(
        [...flows.values()].map(({ flow }) => ({
          ...flow,
          match: canonicalMatch(flow.match),
          instructions: canonicalInstructions(flow.instructions),
        })),
      );
      if (neighbours.length > 0) facts.neighbours.set(segmentKey(owner.tenant, owner.object), neighbours);
    }
    await pause();
  }
}

function servingOf(flows: OwnerEntry['flows']): Set<number> {
  // The slots of one member share their instructions.
  const lists = new Set([...flows.values()].map(({ flow }) => flow.instructions));
  return adoptServing([...lists].map(canonicalInstructions));
}
