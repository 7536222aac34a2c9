import { expect, it } from 'vitest';
import { FairQueue } from '../../../src/packetio/fair-queue.js';

it('serves a quiet key as soon as a flooded one, in order within each', () => {
  const queue = new FairQueue<string>(100, 1000);
  for (let n = 0; n < 200; n++) queue.push(1, `flood ${n}`);
  queue.push(2, 'a');
  queue.push(2, 'b');
  expect(Array.from({ length: 5 }, () => queue.shift())).toEqual(['flood 0', 'a', 'flood 1', 'b', 'flood 2']);
  expect(queue.size).toBe(97);
});

it('bounds a key, and the total; a key with nothing waiting always gets one in', () => {
  const queue = new FairQueue<number>(3, 4);
  expect([1, 2, 3, 4].map((n) => queue.push(1, n))).toEqual([true, true, true, false]);
  expect([queue.push(2, 1), queue.push(2, 2), queue.push(3, 1), queue.push(3, 2)]).toEqual([
    true,
    false,
    true,
    false,
  ]);
});

it('keeps every item of every key over many turns', () => {
  const queue = new FairQueue<number>(1000, 100_000);
  const got = new Map<number, number[]>();
  let next = 0;
  for (let round = 0; round < 300; round++) {
    for (let key = 0; key < 1 + (round % 7); key++) queue.push(key, next++);
    for (let n = 0; n < 3; n++) take();
  }
  while (queue.size > 0) take();
  function take() {
    const item = queue.shift();
    if (item !== undefined) got.set(0, [...(got.get(0) ?? []), item]);
  }
  expect([...got.get(0)!].sort((a, b) => a - b)).toEqual(Array.from({ length: next }, (_, n) => n));
  expect(queue.shift()).toBeUndefined();
});
