/** The words of ovs-ofctl's syntax: `key`, `key=value`, `key:value` and `key(value)->suffix`, with their columns. */

/** A text that cannot be parsed. `column` counts from 1. */
export class TextError extends Error {
  override readonly name = 'TextError';
  constructor(
    readonly column: number,
    readonly detail: string,
  ) {
    super(`column ${column}: ${detail}`);
  }
}

export interface Word {
  readonly key: string;
  /** What follows `=` or `:`, or stands in the parentheses; undefined where there is neither. */
  readonly value: string | undefined;
  /** What follows the closing parenthesis: `->NXM_NX_REG0[0]`. */
  readonly suffix: string;
  /** `=`, `:`, `(` or nothing. */
  readonly delimiter: string;
  /** 0-based offsets in the whole text. */
  readonly at: number;
  readonly valueAt: number;
  /** One past the word. */
  readonly end: number;
}

const SEPARATOR = /[\s,]/;

/** Splits `text`, which starts at offset `base` of the whole. Parentheses and brackets nest. */
export function words(text: string, base = 0): Word[] {
  const list: Word[] = [];
  let at = 0;
  for (;;) {
    while (at < text.length && SEPARATOR.test(text[at]!)) at++;
    if (at >= text.length) return list;
    const word = wordAt(text, at, base);
    list.push(word);
    at = word.end - base;
  }
}

function wordAt(text: string, at: number, base: number): Word {
  let i = at;
  while (i < text.length && !/[\s,=:(]/.test(text[i]!)) i++;
  const key = text.slice(at, i);
  const delimiter = i < text.length && !SEPARATOR.test(text[i]!) ? text[i]! : '';
  if (key === '') throw new TextError(base + at + 1, `a word expected before "${text[at]}"`);
  if (delimiter === '')
    return { key, value: undefined, suffix: '', delimiter, at: base + at, valueAt: base + i, end: base + i };
  const valueAt = base + i + 1;
  if (delimiter === '(') {
    const close = closing(text, i, base);
    const end = valueEnd(text, close + 1, base);
    const suffix = text.slice(close + 1, end);
    return {
      key,
      value: text.slice(i + 1, close),
      suffix,
      delimiter,
      at: base + at,
      valueAt,
      end: base + end,
    };
  }
  const end = valueEnd(text, i + 1, base);
  return {
    key,
    value: text.slice(i + 1, end),
    suffix: '',
    delimiter,
    at: base + at,
    valueAt,
    end: base + end,
  };
}

/** Offset of the parenthesis that closes the one at `open`. */
function closing(text: string, open: number, base: number): number {
  let depth = 0;
  for (let i = open; i < text.length; i++) {
    if (text[i] === '(') depth++;
    else if (text[i] === ')' && --depth === 0) return i;
  }
  throw new TextError(base + open + 1, 'this parenthesis is not closed');
}

/** Where a value ends: at the next separator outside of parentheses. */
function valueEnd(text: string, from: number, base: number): number {
  let i = from;
  while (i < text.length && !SEPARATOR.test(text[i]!)) {
    if (text[i] === '(') i = closing(text, i, base);
    i++;
  }
  return i;
}

/** The value of a word that must have one. */
export function required(word: Word): string {
  if (word.value === undefined) throw new TextError(word.at + 1, `${word.key} needs a value`);
  return word.value;
}

/** An unsigned integer, decimal or 0x…, at most `max`. */
export function integer(
  text: string,
  at: number,
  max: bigint | number = 0xffffffff,
  what = 'number',
): bigint {
  if (!/^(0x[0-9a-f]+|\d+)$/i.test(text)) throw new TextError(at + 1, `"${text}" is not a ${what}`);
  const v = BigInt(text);
  if (v > BigInt(max)) throw new TextError(at + 1, `${what} ${text} is above ${max}`);
  return v;
}

/** Like {@link integer}, for values below 2^53. */
export function small(text: string, at: number, max = 0xffffffff, what = 'number'): number {
  return Number(integer(text, at, max, what));
}
