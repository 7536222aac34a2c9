import { readFileSync, writeFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { pipelineDocument } from './document.js';

it('docs/PIPELINE.md says what the rules do', () => {
  const file = new URL('../../../docs/PIPELINE.md', import.meta.url);
  const text = pipelineDocument();
  if (process.env['UPDATE_GOLDEN']) writeFileSync(file, text);
  expect(readFileSync(file, 'utf8')).toBe(text);
});
