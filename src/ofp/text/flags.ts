/** Fields of flags: `+trk+est-new`, `syn|ack`. */
import { integer, TextError } from './scanner.js';

export const CT_STATE = ['new', 'est', 'rel', 'rpl', 'inv', 'trk', 'snat', 'dnat'] as const;
export const TCP_FLAGS = ['fin', 'syn', 'rst', 'psh', 'ack', 'urg', 'ece', 'cwr', 'ns'] as const;
export const TUNNEL_FLAGS = ['oam'] as const;

/** `a|b`; unknown bits as `[200]`; nothing set: `0`. */
export function formatSet(names: readonly string[], value: bigint): string {
  const out: string[] = [];
  for (let bit = 0; value >> BigInt(bit) !== 0n; bit++)
    if ((value >> BigInt(bit)) & 1n) out.push(names[bit] ?? `[${(1 << bit).toString(16)}]`);
  return out.length === 0 ? '0' : out.join('|');
}

/** `+a-b`, the bits of `mask` from the lowest. */
export function formatSigned(names: readonly string[], value: bigint, mask: bigint): string {
  let out = '';
  for (let bit = 0; mask >> BigInt(bit) !== 0n; bit++) {
    const b = 1n << BigInt(bit);
    if (mask & b) out += `${value & b ? '+' : '-'}${names[bit] ?? `[${b}]`}`;
  }
  return out;
}

/** `+a-b`, `a|b`, `value` or `value/mask`. An exact value: mask undefined. */
export function parseFlags(
  names: readonly string[],
  text: string,
  at: number,
): { value: bigint; mask?: bigint } {
  if (/^[+-]/.test(text)) return parseSigned(names, text, at);
  if (/^\d/.test(text)) {
    const [value, mask] = text.split('/');
    const v = integer(value!, at, 0xffffffffn);
    return mask === undefined ? { value: v } : { value: v, mask: integer(mask, at + value!.length + 1) };
  }
  let value = 0n;
  for (const name of text.split('|')) value |= bitOf(names, name, at);
  return { value };
}

function parseSigned(names: readonly string[], text: string, at: number): { value: bigint; mask: bigint } {
  let value = 0n;
  let mask = 0n;
  for (const { 0: whole, index } of text.matchAll(/[+-][^+-]*/g)) {
    const bit = bitOf(names, whole.slice(1), at + index + 1);
    if (mask & bit) throw new TextError(at + index + 1, `${whole.slice(1)} is there twice`);
    mask |= bit;
    if (whole[0] === '+') value |= bit;
  }
  return { value, mask };
}

function bitOf(names: readonly string[], name: string, at: number): bigint {
  const unnamed = /^\[([0-9a-f]{1,8})\]$/.exec(name);
  if (unnamed) return BigInt(`0x${unnamed[1]}`);
  const bit = names.indexOf(name);
  if (bit < 0) throw new TextError(at + 1, `unknown flag "${name}", known are ${names.join(' ')}`);
  return 1n << BigInt(bit);
}
