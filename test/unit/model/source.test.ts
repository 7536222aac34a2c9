import { describe, expect, it } from 'vitest';
import { MAX_FILE_BYTES, parseSource } from '../../../src/model/source.js';

const message = (text: string): string => {
  const { problems } = parseSource('t.yaml', text);
  expect(problems).toHaveLength(1);
  return `${problems[0]!.line}:${problems[0]!.column} ${problems[0]!.message}`;
};

describe('places', () => {
  it('names the place of values, keys, list entries and what lies behind an alias', () => {
    const { source } = parseSource('t.yaml', 'a: &x\n  b: [1, 2]\nc: *x\n');
    expect(source!.place(['a', 'b', 1])).toEqual({ line: 2, column: 10 });
    expect(source!.placeOfKey(['a', 'b'])).toEqual({ line: 2, column: 3 });
    expect(source!.place(['c', 'b', 0])).toEqual({ line: 2, column: 7 });
    expect(source!.place(['a', 'missing', 'deeper'])).toEqual({ line: 2, column: 3 });
  });
});

describe('hostile and broken files', () => {
  it('expands aliases only so far', () => {
    const rows = Array.from({ length: 9 }, (_, i) =>
      i === 0
        ? 'a0: &a0 [x]'
        : `a${i}: &a${i} [${Array(10)
            .fill(`*a${i - 1}`)
            .join(',')}]`,
    );
    expect(message(rows.join('\n'))).toContain('aliases expand too far');
  });
  it.each([
    ['flow lists', '['.repeat(100_000)],
    ['flow mappings', '{a: '.repeat(50_000)],
    ['dashes', '- '.repeat(100_000)],
    ['question marks', '? '.repeat(100_000)],
    ['indentation', Array.from({ length: 600 }, (_, i) => `${' '.repeat(i)}a:`).join('\n')],
  ])('refuses depth by %s before the parser recurses', (_, text) => {
    expect(message(text)).toContain('nested more than');
  });
  it('does not count brackets in comments and texts, nor list entries beside each other', () => {
    const text = `# ${'['.repeat(99)}\na: "${'{'.repeat(99)}"\nb:\n${'  - c: [1]\n'.repeat(99)}`;
    expect(parseSource('t.yaml', text).problems).toEqual([]);
  });
  it('refuses files of unreasonable size', () => {
    expect(message(`a: ${'x'.repeat(MAX_FILE_BYTES)}`)).toContain('more than 262144 bytes');
  });
  it.each([
    ['a: 1\n\tb: 2\n', 'tab'],
    ['a: [1\n', '2:1 the indentation'],
    ['a: 1\n---\nb: 2\n', 'several documents'],
    ['a: "x\n', 'quote'],
    ['a: *nowhere\n', 'alias'],
  ])('%j is reported with its place', (text, part) => {
    const { problems } = parseSource('t.yaml', text);
    expect(problems.map((p) => `${p.line}:${p.column} ${p.message}`.toLowerCase()).join('\n')).toContain(
      part,
    );
  });
});
