import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseDocument } from 'yaml';
import { formatIpv4, must, parseIpv4, parsePrefix4 } from '../../../src/model/index.js';
import { checkForm } from '../../../src/model/issues.js';
import { editDistance, nearest } from '../../../src/model/nearest.js';
import { parseSource, sourceOf } from '../../../src/model/source.js';
import { tenantSchema } from '../../../src/model/tenant-schema.js';
import { ACME } from '../../golden/model/wrong-configs.js';

const SPECIALS = [
  '\t',
  '\n',
  '[',
  '{',
  '- ',
  ': ',
  '"',
  "'",
  '&a ',
  '*a ',
  '!!x ',
  '|',
  '>',
  '#',
  '%',
  '---\n',
  '\u0000',
  '\ud800',
  '10.0.0.1/8',
];

/** A file that is right, but for what was cut out and put in at one place. */
const damaged = fc
  .tuple(fc.nat(ACME.length), fc.nat(30), fc.array(fc.constantFrom(...SPECIALS), { maxLength: 4 }))
  .map(([at, cut, put]) => ACME.slice(0, at) + put.join('') + ACME.slice(at + cut));

describe('any damage to a file', () => {
  it('gives problems with a place inside it, or none; never an exception', () => {
    fc.assert(
      fc.property(damaged, (text) => {
        const { source, problems } = parseSource('t.yaml', text);
        const all = source === undefined ? problems : checkForm(tenantSchema, source).problems;
        if (source === undefined) expect(problems.length).toBeGreaterThan(0);
        const lines = text.split('\n').length;
        for (const problem of all) {
          expect(problem.line).toBeGreaterThanOrEqual(1);
          expect(problem.line).toBeLessThanOrEqual(lines);
          expect(problem.message).not.toBe('');
          expect(problem.message).not.toMatch(/undefined|\[object|NaN/);
        }
      }),
      { numRuns: 500 },
    );
  });

  it('is read as the library reads the whole text at once', () => {
    fc.assert(
      fc.property(damaged, (text) => {
        const { source, problems } = parseSource('t.yaml', text);
        const whole = parseDocument(text, { prettyErrors: false, logLevel: 'error' });
        if (whole.errors.length > 0) expect(problems).toHaveLength(Math.min(10, whole.errors.length));
        else if (source !== undefined) expect(source.data).toEqual(whole.toJS());
        else expect(() => whole.toJS()).toThrow();
      }),
      { numRuns: 300 },
    );
  });

  it('and places are the same in a source that is parsed only when one is asked for', () => {
    fc.assert(
      fc.property(damaged, (text) => {
        const { source } = parseSource('t.yaml', text);
        if (source === undefined) return;
        const lazy = sourceOf('t.yaml', text, source.data);
        for (const path of [[], ['tenant'], ['pools', 0, 'members', 1, 'address'], ['segments', 9]]) {
          expect(lazy.place(path)).toEqual(source.place(path));
          expect(lazy.placeOfKey(path)).toEqual(source.placeOfKey(path));
        }
      }),
      { numRuns: 200 },
    );
  });
});

describe('addresses', () => {
  it('survive writing and reading', () => {
    fc.assert(fc.property(fc.nat(0xffffffff), (address) => must(parseIpv4(formatIpv4(address))) === address));
  });
  it('a prefix with any host bit set names the network it lies in', () => {
    fc.assert(
      fc.property(fc.nat(0xffffffff), fc.integer({ min: 0, max: 31 }), (address, length) => {
        const parsed = parsePrefix4(`${formatIpv4(address)}/${length}`);
        if (parsed.ok) return true;
        const suggested = /network is (\S+)$/.exec(parsed.why)![1]!;
        return parsePrefix4(suggested).ok;
      }),
    );
  });
});

describe('nearest word', () => {
  it('is a distance: zero for the same, symmetric, one for a swap', () => {
    expect(editDistance('slots', 'sltos')).toBe(1);
    fc.assert(
      fc.property(fc.string({ maxLength: 12 }), fc.string({ maxLength: 12 }), (a, b) => {
        expect(editDistance(a, b)).toBe(editDistance(b, a));
        expect(editDistance(a, a)).toBe(0);
      }),
    );
  });
  it('suggests nothing far-fetched', () => {
    expect(nearest('xyz', ['slots', 'members'])).toBeUndefined();
    expect(nearest('healthmonitor', ['health_monitor', 'members'])).toBe('health_monitor');
  });
});
