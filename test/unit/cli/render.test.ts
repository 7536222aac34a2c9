import { describe, expect, it } from 'vitest';
import { ago, type Column, duration, renderRows } from '../../../src/cli/render.js';

interface Row {
  readonly name: string;
  readonly count?: number;
  readonly text?: string;
}
const columns: Column<Row>[] = [
  { title: 'name', get: (r) => r.name },
  { title: 'a count', get: (r) => r.count },
  { title: 'text', get: (r) => r.text },
];
const plain = { headings: true, colors: false } as const;

describe('tables', () => {
  it('align numbers to the right and end no line with spaces', () => {
    const rows: Row[] = [
      { name: 'a', count: 5, text: 'x' },
      { name: 'longer', count: 1234 },
    ];
    expect(renderRows(rows, columns, { ...plain, format: 'table' })).toBe(
      ['NAME    A COUNT  TEXT', 'a             5  x', 'longer     1234  -', ''].join('\n'),
    );
  });
  it('without rows are headings, and nothing without these', () => {
    expect(renderRows([], columns, { ...plain, format: 'table' })).toBe('NAME  A COUNT  TEXT\n');
    expect(renderRows([], columns, { ...plain, format: 'table', headings: false })).toBe('');
  });
  it('do not let foreign text steer the terminal', () => {
    expect(
      renderRows([{ name: 'a\u001b[31m\n' }], columns, { ...plain, format: 'table', headings: false }),
    ).toBe('a?[31m?  -  -\n');
  });
});

describe('CSV', () => {
  it('quotes what needs it, and leaves absent cells empty', () => {
    expect(renderRows([{ name: 'a,"b"\nc' }], columns, { ...plain, format: 'csv' })).toBe(
      'name,a_count,text\n"a,""b""\nc",,\n',
    );
  });
});

describe('JSON', () => {
  it('is what the agent gave, with all that has no column', () => {
    const rows = [{ name: 'a', more: [1] }];
    expect(JSON.parse(renderRows(rows, columns, { ...plain, format: 'json' }))).toEqual(rows);
  });
});

describe('durations', () => {
  it.each([
    [0, '0s'],
    [119, '119s'],
    [120, '2min'],
    [7200, '2h'],
    [172_800, '2d'],
    [-5, '0s'],
  ])('%s seconds', (seconds, text) => expect(duration(seconds)).toBe(text));
  it('of unknown times are unknown', () => {
    expect(ago(undefined, 0)).toBeUndefined();
    expect(ago('rubbish', 0)).toBeUndefined();
  });
});
