import { expect, it } from 'vitest';
import { type Timed, TimerQueue } from '../../../src/packetio/timer-queue.js';
import { FakeClock, seeded } from './fake-clock.js';

interface Item extends Timed {
  readonly name: number;
}
const item = (name: number): Item => ({ name, due: 0, heapIndex: -1 });

it('fires in order whatever is scheduled, moved and cancelled', () => {
  const clock = new FakeClock(0);
  const random = seeded(1);
  const fired: Item[] = [];
  const queue = new TimerQueue<Item>(clock, (i, now) => {
    expect(now).toBeGreaterThanOrEqual(i.due);
    fired.push(i);
  });
  const items = Array.from({ length: 2000 }, (_, n) => item(n));
  const due = new Map<Item, number>();
  for (let n = 0; n < 10_000; n++) {
    const i = items[Math.floor(random() * items.length)]!;
    if (random() < 0.3) {
      queue.cancel(i);
      due.delete(i);
    } else {
      const at = Math.floor(random() * 1000);
      queue.schedule(i, at);
      due.set(i, at);
    }
  }
  expect(queue.size).toBe(due.size);
  clock.advance(1000);
  expect(fired.map((i) => i.due)).toEqual([...due.values()].sort((a, b) => a - b));
  expect(new Set(fired)).toEqual(new Set(due.keys()));
  expect(clock.pending).toBe(0);
});

it('an item put in again while it fires waits for its new moment', () => {
  const clock = new FakeClock(0);
  const at: number[] = [];
  const queue = new TimerQueue<Item>(clock, (i, now) => {
    at.push(now);
    if (at.length < 4) queue.schedule(i, now + 10);
  });
  queue.schedule(item(1), 5);
  clock.advance(100);
  expect(at).toEqual([5, 15, 25, 35]);
});

it('a crowd that is due at once leaves the loop turns in between', () => {
  const clock = new FakeClock(0);
  let fired = 0;
  const queue = new TimerQueue<Item>(clock, () => fired++);
  for (let n = 0; n < 2000; n++) queue.schedule(item(n), 10);
  const seen: number[] = [];
  clock.setTimeout(() => seen.push(fired), 10);
  clock.advance(10);
  expect(fired).toBe(2000);
  expect(seen[0]).toBeLessThan(2000);
});
