import { readFileSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { FEATURES, renderFeature } from './features.js';
import { textOf } from './text.js';

/** `UPDATE_GOLDEN=1` writes the files anew; their difference is what a reviewer reads. */
describe('golden flows', () => {
  const base = textOf(renderFeature(FEATURES['empty-node']!));
  it.each(Object.entries(FEATURES))('%s', (name, feature) => {
    const file = new URL(`${name}.txt`, import.meta.url);
    const all = textOf(renderFeature(feature));
    // The node's own rules are the same everywhere, and kept once.
    const text = name === 'empty-node' ? all : all.replace(base, '').trimStart();
    if (process.env['UPDATE_GOLDEN']) writeFileSync(file, text);
    expect(text).toBe(readFileSync(file, 'utf8'));
  });
});
