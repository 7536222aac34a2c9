/** Building blocks of the schemas: each checks one kind of value and says in words what would be right. */
import { z } from 'zod';
import { type Parsed, parseIpv4, parseMac, parsePrefix4 } from './address.js';

const NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,62}$/;

/** A text checked by a parser; the parser's reason becomes the message. */
export function textOf(parse: (text: string) => Parsed<unknown>, about: Record<string, unknown>) {
  return z
    .string()
    .check((ctx) => {
      const result = parse(ctx.value);
      if (!result.ok) ctx.issues.push({ code: 'custom', message: result.why, input: ctx.value });
    })
    .meta(about);
}

/** A text or a number (YAML reads `200` and `64000` as numbers) checked by a parser. */
export function scalarOf(parse: (value: string | number) => Parsed<unknown>, about: Record<string, unknown>) {
  return z
    .union([z.string(), z.number()])
    .check((ctx) => {
      const result = parse(ctx.value);
      if (!result.ok) ctx.issues.push({ code: 'custom', message: result.why, input: ctx.value });
    })
    .meta(about);
}

export function pattern(expression: RegExp, right: string, about: Record<string, unknown>) {
  const parse = (text: string): Parsed<string> =>
    expression.test(text)
      ? { ok: true, value: text }
      : { ok: false, why: `"${text.length > 60 ? `${text.slice(0, 57)}…` : text}" won't do; ${right}` };
  return textOf(parse, { pattern: expression.source, ...about });
}

export function name(description: string) {
  return pattern(
    NAME,
    'a name has 1 to 63 letters, digits, dots, dashes or underscores and begins with a letter or digit',
    {
      description,
    },
  );
}

export function ipv4(description: string, example = '10.20.0.1') {
  return textOf(parseIpv4, { description, examples: [example] });
}

export function prefix4(description: string, example = '10.20.0.0/24') {
  return textOf(parsePrefix4, { description, examples: [example] });
}

export function mac(description: string) {
  return textOf(parseMac, { description, examples: ['02:42:0a:14:00:01'] });
}

/** A whole number; the one message names both bounds. */
export function whole(min: number, max: number, description: string) {
  return bounded(min, max, description, true);
}

/** Seconds, fractions allowed. */
export function seconds(min: number, max: number, description: string) {
  return bounded(min, max, `${description} (seconds)`, false);
}

export function flag(description: string) {
  return z.boolean().meta({ description });
}

/** An absolute path. */
export function path(description: string) {
  return pattern(/^\/[^\0]*$/, 'an absolute path is needed, like /var/lib/hpnn', { description });
}

/** What a list may hold at most: bounds the work a file can cause. */
export function listOf<T extends z.ZodType>(element: T, max: number, description: string) {
  return z
    .array(element)
    .max(max, { error: `has too many entries; at most ${max} are possible` })
    .meta({ description });
}

function bounded(min: number, max: number, description: string, integer: boolean) {
  const right = `${integer ? 'a whole number' : 'a number'} from ${min} to ${max}`;
  return z
    .number({ error: (issue) => (issue.input === undefined ? undefined : `expected ${right}`) })
    .check((ctx) => {
      const fits = ctx.value >= min && ctx.value <= max && (!integer || Number.isInteger(ctx.value));
      if (!fits) {
        ctx.issues.push({
          code: 'custom',
          message: `${ctx.value} won't do; it must be ${right}`,
          input: ctx.value,
        });
      }
    })
    .meta({ description, ...(integer ? { type: 'integer' } : {}), minimum: min, maximum: max });
}
