import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { compile, formatProblem, IdAllocator, loadConfig } from '../../../src/model/index.js';

const dir = new URL('../../../docs/examples', import.meta.url).pathname;

describe('the example configuration', () => {
  it('is right, without a warning', async () => {
    const config = await loadConfig(dir);
    expect(config.problems.map(formatProblem)).toEqual([]);
    const { tenants, problems } = await compile(config, IdAllocator.inMemory());
    expect(problems).toEqual([]);
    expect(tenants.get('acme')?.listeners.map((listener) => listener.name)).toEqual(['http', 'dns']);
  });

  it.each([
    ['node.yaml', '../schema/node.schema.json'],
    ['tenants.d/acme.yaml', '../../schema/tenant.schema.json'],
  ])('%s names the schema for editors', (file, schema) => {
    const first = readFileSync(`${dir}/${file}`, 'utf8').split('\n', 1)[0]!;
    expect(first).toBe(`# yaml-language-server: $schema=${schema}`);
    const url = new URL(schema, `file://${dir}/${file}`);
    expect(JSON.parse(readFileSync(url, 'utf8')).$schema).toContain('json-schema.org');
  });
});
