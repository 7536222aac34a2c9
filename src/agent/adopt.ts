import { canonicalInstructions, canonicalMatch } from '../ofp/canonical.js';
import { adoptNeighbours, adoptServing, KIND } from '../pipeline/index.js';
import type { OwnerEntry } from '../sync/index.js';
import { type FactsStore, segmentKey } from './facts-store.js';

/** Takes over what the switch's own flows say about members that serve and neighbours that were resolved. */
export function adoptFacts(installed: ReadonlyMap<number, OwnerEntry>, facts: FactsStore): void {
  for (const { owner, flows } of installed.values()) {
    if (owner.kind !== KIND.pool && owner.kind !== KIND.neighbours) continue;
    const held = [...flows.values()].map(({ flow }) => ({
      ...flow,
      match: canonicalMatch(flow.match),
      instructions: canonicalInstructions(flow.instructions),
    }));
    if (owner.kind === KIND.pool) facts.serving.set(owner.object, adoptServing(held));
    else {
      const neighbours = adoptNeighbours(held);
      if (neighbours.length > 0) facts.neighbours.set(segmentKey(owner.tenant, owner.object), neighbours);
    }
  }
}
