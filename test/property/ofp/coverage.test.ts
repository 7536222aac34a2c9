import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { COVERAGE_FILE, coverage } from './coverage.js';

it('docs/openflow-coverage.md says what is registered', () => {
  expect(readFileSync(COVERAGE_FILE, 'utf8')).toBe(coverage());
});
