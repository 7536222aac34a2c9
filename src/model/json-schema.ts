/** JSON Schemas for editors, from the definitions that the agent checks with. */
import { z } from 'zod';
import { nodeSchema } from './node-schema.js';
import { tenantSchema } from './tenant-schema.js';

/** Draft 7: what editors' YAML support understands best. */
export function jsonSchemas(): { readonly node: unknown; readonly tenant: unknown } {
  const generate = (schema: z.ZodType): unknown => z.toJSONSchema(schema, { target: 'draft-7', io: 'input' });
  return { node: generate(nodeSchema), tenant: generate(tenantSchema) };
}
