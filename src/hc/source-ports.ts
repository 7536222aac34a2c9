/** IANA's dynamic ports, RFC 6335 §6: 2^14 of them. */
const FIRST = 0xc000;
const HALF = 7;
const MASK = (1 << HALF) - 1;

/**
 * The `n`-th source port of a target: a permutation of all dynamic ports under a secret key (RFC 6056 in spirit).
 * None comes again before the other 16,383 were used, and nobody without the key can tell the next.
 */
export function sourcePort(key: number, n: number): number {
  let left = (n >>> HALF) & MASK;
  let right = n & MASK;
  for (let round = 0; round < 4; round++) {
    const mixed = left ^ (scramble(key + round * 0x9e3779b9, right) & MASK);
    left = right;
    right = mixed;
  }
  return FIRST | (left << HALF) | right;
}

function scramble(key: number, value: number): number {
  let h = Math.imul(key ^ value, 0x85ebca6b);
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35) ^ Math.imul(value + 1, 0x27d4eb2f);
  return (h ^ (h >>> 16)) >>> 8;
}
