import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import '../../../src/nx-extensions/index.js';
import { OFP13, OFP15, type OfpVersion } from '../../../src/ofp/index.js';
import { instructionsKey } from '../../../src/ofp/keys.js';
import { adoptNeighbours, adoptServing, KIND, type OwnerState } from '../../../src/pipeline/index.js';
import { flowKey } from '../../../src/sync/owner-entry.js';
import { FEATURES, renderFeature } from '../../golden/pipeline/features.js';
import { World } from './world.js';

let world: World;
beforeAll(async () => {
  world = await World.create();
});
afterAll(() => world.close());

/** What the switch makes of our flows is what we asked for: nothing would be sent a second time. */
describe.each([
  ['OpenFlow 1.3', OFP13],
  ['OpenFlow 1.5', OFP15],
] as [string, OfpVersion][])('%s reads back what was rendered', (_, version) => {
  beforeAll(() => world.connect(version));

  it.each(Object.entries(FEATURES))('%s', async (_name, feature) => {
    const states = renderFeature(feature);
    await world.clear();
    await world.apply(states);
    const held = await world.held();
    const wanted = states.flatMap((s) => s.flows);
    const key = (f: (typeof wanted)[number]) =>
      `${flowKey(f)} → ${instructionsKey(f.instructions)} ${f.cookie}`;
    expect(held.map(key).sort()).toEqual(wanted.map(key).sort());
    for (const state of states) adopted(state, held);
  });
});

function adopted({ owner, flows }: OwnerState, held: OwnerState['flows']): void {
  const cookie = flows[0]?.cookie;
  const own = held.filter((f) => f.cookie === cookie);
  if (owner.kind === KIND.pool)
    expect(adoptServing(own.map((f) => f.instructions))).toEqual(
      adoptServing(flows.map((f) => f.instructions)),
    );
  if (owner.kind === KIND.neighbours && flows.length > 0)
    expect(adoptNeighbours(own)).toEqual(adoptNeighbours(flows));
}
