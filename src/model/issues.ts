/** From the schema library's findings to what a person needs to read. */
import type { z } from 'zod';
import { nearest } from './nearest.js';
import { formatPath, type Path, type Problem } from './problems.js';
import { problemAt, type Source } from './source.js';

type Schema = z.core.$ZodType;

/** Checks a document's form. With problems there is no value. */
export function checkForm<T>(schema: z.ZodType<T>, source: Source): { value?: T; problems: Problem[] } {
  const result = schema.safeParse(source.data ?? {});
  if (result.success) return { value: result.data, problems: [] };
  return { problems: result.error.issues.flatMap((issue) => describe(schema, source, issue)) };
}

function describe(schema: Schema, source: Source, issue: z.core.$ZodIssue): Problem[] {
  const path = issue.path.map((step) => (typeof step === 'symbol' ? String(step) : step));
  if (issue.code === 'unrecognized_keys')
    return issue.keys.map((key) => unknownKey(schema, source, path, key));
  const given = valueAt(source.data, path);
  if (given === undefined && path.length > 0) {
    const about = descriptionOf(schemaAt(schema, path));
    return [
      problemAt(source, path, `is missing; it is required${about === undefined ? '' : `: ${lower(about)}`}`),
    ];
  }
  return [problemAt(source, path, messageOf(issue, given))];
}

function unknownKey(schema: Schema, source: Source, parent: Path, key: string): Problem {
  const path = [...parent, key];
  const known = Object.keys(shapeOf(schemaAt(schema, parent)) ?? {});
  const guess = nearest(key, known);
  const hint = guess === undefined ? `known here: ${known.join(', ')}` : `did you mean "${guess}"?`;
  return {
    severity: 'error',
    file: source.file,
    ...source.placeOfKey(path),
    path: formatPath(path),
    message: `unknown key; ${hint}`,
  };
}

function messageOf(issue: z.core.$ZodIssue, given: unknown): string {
  switch (issue.code) {
    case 'invalid_type':
      return issue.message.startsWith('expected')
        ? `${issue.message}, not ${show(given)}`
        : `${EXPECTED[issue.expected] ?? `${issue.expected} is expected`}, not ${show(given)}${quoteHint(issue.expected, given)}`;
    case 'invalid_union':
      return `a text or a number is expected, not ${show(given)}`;
    case 'invalid_value': {
      if (issue.message.startsWith('must')) return `${issue.message}, not ${show(given)}`;
      const words = issue.values.map(String);
      const guess = typeof given === 'string' ? nearest(given, words) : undefined;
      const known =
        words.length === 1 ? `only ${words[0]} is known` : `it must be one of ${words.join(', ')}`;
      return `${show(given)} won't do; ${guess === undefined ? known : `did you mean ${guess}?`}`;
    }
    default:
      return issue.message;
  }
}

const EXPECTED: Readonly<Record<string, string>> = {
  string: 'a text is expected',
  number: 'a number is expected',
  boolean: 'true or false is expected',
  array: 'a list is expected',
  object: 'a mapping (key: value) is expected',
};

function quoteHint(expected: string, given: unknown): string {
  const unquoted = typeof given === 'number' || typeof given === 'boolean';
  return expected === 'string' && unquoted ? `; put it in quotes: "${given}"` : '';
}

function show(value: unknown): string {
  if (value === null) return 'nothing';
  if (typeof value === 'string') return `"${value.length > 60 ? `${value.slice(0, 57)}…` : value}"`;
  if (Array.isArray(value)) return 'a list';
  return typeof value === 'object' ? 'a mapping' : String(value);
}

const lower = (text: string): string => text.charAt(0).toLowerCase() + text.slice(1);

function valueAt(data: unknown, path: Path): unknown {
  let value = data;
  for (const step of path) {
    if (value === null || typeof value !== 'object') return undefined;
    value = (value as Record<string | number, unknown>)[step];
  }
  return value;
}

/** The schema of what stands at a path, without wrappers for defaults and optionality. */
function schemaAt(schema: Schema, path: Path): Schema | undefined {
  let here: Schema | undefined = schema;
  for (const step of path) {
    const inner: Schema | undefined = here === undefined ? undefined : unwrap(here);
    if (typeof step === 'number') here = (inner as { element?: Schema } | undefined)?.element;
    else here = shapeOf(inner)?.[step];
  }
  return here;
}

function unwrap(schema: Schema): Schema {
  let here = schema;
  for (;;) {
    const inner = (here._zod.def as { innerType?: Schema }).innerType;
    if (inner === undefined) return here;
    here = inner;
  }
}

function shapeOf(schema: Schema | undefined): Record<string, Schema> | undefined {
  return schema === undefined ? undefined : (unwrap(schema) as { shape?: Record<string, Schema> }).shape;
}

function descriptionOf(schema: Schema | undefined): string | undefined {
  return schema === undefined ? undefined : (unwrap(schema) as z.ZodType).description;
}
