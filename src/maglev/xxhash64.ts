/**
 * xxHash64 on pairs of 32-bit words: a member's hashes are taken in a loop over whole configurations, where
 * BigInt would be the slowest part. https://github.com/Cyan4973/xxHash/blob/dev/doc/xxhash_spec.md
 */

/** An unsigned 64-bit integer as two unsigned 32-bit words. */
export interface U64 {
  readonly hi: number;
  readonly lo: number;
}

const P1: U64 = { hi: 0x9e3779b1, lo: 0x85ebca87 };
const P2: U64 = { hi: 0xc2b2ae3d, lo: 0x27d4eb4f };
const P3: U64 = { hi: 0x165667b1, lo: 0x9e3779f9 };
const P4: U64 = { hi: 0x85ebca77, lo: 0xc2b2ae63 };
const P5: U64 = { hi: 0x27d4eb2f, lo: 0x165667c5 };

/**
 * The 64-bit xxHash of `bytes`.
 * @param seed up to 32 bits
 */
export function xxhash64(bytes: Uint8Array, seed = 0): U64 {
  const seed64: U64 = { hi: 0, lo: seed >>> 0 };
  let at = 0;
  let hash: U64;
  if (bytes.length >= 32) {
    let v1 = add(add(seed64, P1), P2);
    let v2 = add(seed64, P2);
    let v3 = seed64;
    let v4 = add(seed64, negate(P1));
    for (; at + 32 <= bytes.length; at += 32) {
      v1 = round(v1, word64(bytes, at));
      v2 = round(v2, word64(bytes, at + 8));
      v3 = round(v3, word64(bytes, at + 16));
      v4 = round(v4, word64(bytes, at + 24));
    }
    hash = add(add(rotate(v1, 1), rotate(v2, 7)), add(rotate(v3, 12), rotate(v4, 18)));
    for (const v of [v1, v2, v3, v4]) hash = add(multiply(xor(hash, round(ZERO, v)), P1), P4);
  } else {
    hash = add(seed64, P5);
  }
  hash = add(hash, { hi: 0, lo: bytes.length });
  for (; at + 8 <= bytes.length; at += 8)
    hash = add(multiply(rotate(xor(hash, round(ZERO, word64(bytes, at))), 27), P1), P4);
  if (at + 4 <= bytes.length) {
    hash = add(multiply(rotate(xor(hash, multiply({ hi: 0, lo: word32(bytes, at) }, P1)), 23), P2), P3);
    at += 4;
  }
  for (; at < bytes.length; at++)
    hash = multiply(rotate(xor(hash, multiply({ hi: 0, lo: bytes[at]! }, P5)), 11), P1);
  hash = multiply(xor(hash, shiftRight(hash, 33)), P2);
  hash = multiply(xor(hash, shiftRight(hash, 29)), P3);
  return xor(hash, shiftRight(hash, 32));
}

/** `value mod m`, m up to 2^20. */
export function modulo(value: U64, m: number): number {
  return ((value.hi % m) * 0x1_0000_0000 + value.lo) % m;
}

/** Sixteen hexadecimal digits. */
export function toHex(value: U64): string {
  return value.hi.toString(16).padStart(8, '0') + value.lo.toString(16).padStart(8, '0');
}

const ZERO: U64 = { hi: 0, lo: 0 };

function round(accumulator: U64, lane: U64): U64 {
  return multiply(rotate(add(accumulator, multiply(lane, P2)), 31), P1);
}

function word32(bytes: Uint8Array, at: number): number {
  return (bytes[at]! | (bytes[at + 1]! << 8) | (bytes[at + 2]! << 16) | (bytes[at + 3]! << 24)) >>> 0;
}

function word64(bytes: Uint8Array, at: number): U64 {
  return { hi: word32(bytes, at + 4), lo: word32(bytes, at) };
}

function add(a: U64, b: U64): U64 {
  const lo = a.lo + b.lo;
  return { hi: (a.hi + b.hi + (lo > 0xffffffff ? 1 : 0)) >>> 0, lo: lo >>> 0 };
}

function negate(a: U64): U64 {
  return add({ hi: ~a.hi >>> 0, lo: ~a.lo >>> 0 }, { hi: 0, lo: 1 });
}

function xor(a: U64, b: U64): U64 {
  return { hi: (a.hi ^ b.hi) >>> 0, lo: (a.lo ^ b.lo) >>> 0 };
}

/** @param n 1..31 */
function rotate(a: U64, n: number): U64 {
  return {
    hi: ((a.hi << n) | (a.lo >>> (32 - n))) >>> 0,
    lo: ((a.lo << n) | (a.hi >>> (32 - n))) >>> 0,
  };
}

function shiftRight(a: U64, n: number): U64 {
  if (n >= 32) return { hi: 0, lo: a.hi >>> (n - 32) };
  return { hi: a.hi >>> n, lo: ((a.lo >>> n) | (a.hi << (32 - n))) >>> 0 };
}

function multiply(a: U64, b: U64): U64 {
  // Of the full product of the low words, in halves of 16 bits, the carry into the high word is needed.
  const aLow = a.lo & 0xffff;
  const aHigh = a.lo >>> 16;
  const bLow = b.lo & 0xffff;
  const bHigh = b.lo >>> 16;
  const low = aLow * bLow;
  const middle = aHigh * bLow + (low >>> 16);
  const middle2 = aLow * bHigh + (middle & 0xffff);
  const carry = aHigh * bHigh + Math.floor(middle / 0x10000) + Math.floor(middle2 / 0x10000);
  return {
    hi: (carry + Math.imul(a.hi, b.lo) + Math.imul(a.lo, b.hi)) >>> 0,
    lo: Math.imul(a.lo, b.lo) >>> 0,
  };
}
