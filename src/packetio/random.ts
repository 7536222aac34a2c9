import { randomFillSync } from 'node:crypto';
import type { Random } from './types.js';

const pool = new Uint32Array(1024);
let next = pool.length;

/** From the system's cryptographic generator, 4 KiB at a time. */
export const cryptoRandom: Random = () => {
  if (next === pool.length) {
    randomFillSync(pool);
    next = 0;
  }
  return pool[next++]! / 0x100000000;
};
