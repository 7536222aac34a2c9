import { modulo, xxhash64 } from './xxhash64.js';

/**
 * A member's order of preference over the slots: `offset, offset + step, offset + 2·step …` modulo the number of
 * slots. The step is coprime to that number, so every slot comes up exactly once.
 */
export interface Permutation {
  readonly offset: number;
  readonly step: number;
}

const encoder = new TextEncoder();

/**
 * Maglev's two hashes of a member's key: xxHash64 with seeds 0 and 1. For a prime number of slots the step is
 * `h1 mod (slots − 1) + 1`; for others the next number that is coprime to `slots`.
 */
export function permutation(key: string, slots: number): Permutation {
  const bytes = encoder.encode(key);
  const offset = modulo(xxhash64(bytes, 0), slots);
  if (slots <= 2) return { offset, step: 1 };
  let step = modulo(xxhash64(bytes, 1), slots - 1) + 1;
  while (gcd(step, slots) !== 1) step = (step % (slots - 1)) + 1;
  return { offset, step };
}

/** The position at which a permutation comes to each slot. */
export function ranks({ offset, step }: Permutation, slots: number): Uint16Array {
  const rank = new Uint16Array(slots);
  for (let i = 0, slot = offset; i < slots; i++) {
    rank[slot] = i;
    slot += step;
    if (slot >= slots) slot -= slots;
  }
  return rank;
}

export function gcd(a: number, b: number): number {
  while (b !== 0) [a, b] = [b, a % b];
  return a;
}
