import { describe, expect, it } from 'vitest';
import { modulo, toHex, xxhash64 } from '../../../src/maglev/xxhash64.js';

const text = (s: string) => new TextEncoder().encode(s);

/** The buffer of the reference implementation's self test. */
function sanityBuffer(length: number): Uint8Array {
  let generator = 2654435761n;
  return Uint8Array.from({ length }, () => {
    const byte = Number(generator >> 56n);
    generator = BigInt.asUintN(64, generator * 11400714785074694797n);
    return byte;
  });
}

describe('xxhash64', () => {
  it.each([
    ['', 'ef46db3751d8e999'],
    ['a', 'd24ec4f1a98c6e5b'],
    ['abc', '44bc2cf5ad770999'],
    ['The quick brown fox jumps over the lazy dog', '0b242d361fda71bc'],
  ])('hashes %j', (s, hex) => {
    expect(toHex(xxhash64(text(s)))).toBe(hex);
  });

  it.each([
    [0, 0, 'ef46db3751d8e999'],
    [0, 2654435761, 'ac75fda2929b17ef'],
    [1, 0, 'e934a84adb052768'],
    [1, 2654435761, '5014607643a9b4c3'],
    [14, 0, '8282dcc4994e35c8'],
    [14, 2654435761, 'c3bd6bf63deb6df0'],
    [222, 0, 'b641ae8cb691c174'],
    [222, 2654435761, '20cb8ab7ae10c14a'],
  ])('hashes %i bytes of the self test with seed %i', (length, seed, hex) => {
    expect(toHex(xxhash64(sanityBuffer(length), seed))).toBe(hex);
  });

  it('takes a 64-bit value modulo a number of slots without losing bits', () => {
    const value = xxhash64(text('10.0.0.1:80'));
    const big = BigInt(`0x${toHex(value)}`);
    for (const m of [1, 2, 7, 251, 1021, 65521, 65536])
      expect(modulo(value, m)).toBe(Number(big % BigInt(m)));
  });
});
