import { describe, expect, it } from 'vitest';
import { jsonSchemas } from '../../../src/model/index.js';

const text = (schema: unknown): string => `${JSON.stringify(schema, undefined, 2)}\n`;

describe('JSON Schemas for editors', () => {
  it('are what the agent checks with', async () => {
    const { node, tenant } = jsonSchemas();
    await expect(text(node)).toMatchFileSnapshot('../../../docs/schema/node.schema.json');
    await expect(text(tenant)).toMatchFileSnapshot('../../../docs/schema/tenant.schema.json');
  });

  it('refuse unknown keys, bound numbers and leave defaults optional', () => {
    const tenant = jsonSchemas().tenant as {
      required: string[];
      additionalProperties: boolean;
      properties: { id: object };
    };
    expect(tenant.required).toEqual(['tenant']);
    expect(tenant.additionalProperties).toBe(false);
    expect(tenant.properties.id).toMatchObject({ type: 'integer', minimum: 1, maximum: 65279 });
  });
});
