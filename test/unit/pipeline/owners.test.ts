import { describe, expect, it } from 'vitest';
import { ownersOfNode, ownersOfTenant } from '../../../src/pipeline/index.js';
import { FEATURES, renderFeature } from '../../golden/pipeline/features.js';

describe('owners', () => {
  it.each(Object.entries(FEATURES))('are known without rendering: %s', (_, feature) => {
    expect([...ownersOfNode(feature.provider), ...feature.tenants.flatMap(ownersOfTenant)]).toEqual(
      renderFeature(feature).map((state) => state.owner),
    );
  });
});
