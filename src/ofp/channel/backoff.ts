/** ms of the first wait, and the longest. */
const FIRST = 250;
const LONGEST = 8_000;

/**
 * How long to wait before the next try after `failures` in a row: doubled each time up to a limit, and spread
 * over the upper half of that so that many nodes don't come back in step.
 *
 * @param random from 0 to 1
 */
export function backoff(failures: number, random: number = Math.random()): number {
  const full = Math.min(LONGEST, FIRST * 2 ** Math.min(failures - 1, 16));
  return full * (0.5 + random / 2);
}
