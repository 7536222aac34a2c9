import { expect, it } from 'vitest';
import { renderPool } from '../../../src/pipeline/index.js';
import { member, pool, tenant } from '../../golden/pipeline/intents.js';

it('renders 102,400 slots of 100 pools quickly', () => {
  const t = tenant(1, {});
  const pools = Array.from({ length: 100 }, (_, p) =>
    pool(
      p + 1,
      Array.from({ length: 10 }, (_, i) => member(p * 10 + i + 1, `10.0.${p}.${i + 1}:80`)),
      { slots: 1024 },
    ),
  );
  const all = new Set(Array.from({ length: 1000 }, (_, i) => i + 1));
  const render = () => pools.reduce((n, p) => n + renderPool(t, p, all).flows.length, 0);
  render();
  const start = performance.now();
  expect(render()).toBe(102_400 + 100);
  const ms = performance.now() - start;
  // 40 ms on the slowest machine seen; the bound only has to tell sharing from building each flow anew.
  expect(ms).toBeLessThan(400);
});
