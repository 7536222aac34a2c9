import { expect, it } from 'vitest';
import { renderPool } from '../../../src/pipeline/index.js';
import { member, pool, tenant } from '../../golden/pipeline/intents.js';

it('slots share what they do: one object per member, so that a node with 100,000 slots stays small', () => {
  const members = Array.from({ length: 10 }, (_, i) => member(i + 1, `10.0.0.${i + 1}:80`));
  const { flows } = renderPool(
    tenant(1, {}),
    pool(1, members, { slots: 1024 }),
    new Set(members.map((_, i) => i + 1)),
  );
  const slots = flows.filter(({ priority }) => priority > 1);
  expect(slots).toHaveLength(1024);
  expect(new Set(slots.map(({ instructions }) => instructions)).size).toBe(members.length);
});
