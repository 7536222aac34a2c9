import { beforeEach, expect, it } from 'vitest';
import { PathWatch } from '../../../src/packetio/path-watch.js';
import { FakeClock } from './fake-clock.js';

let clock: FakeClock;
let watch: PathWatch;
let replies: { resolve: () => void; reject: (error: Error) => void }[];
const echo = () =>
  new Promise<void>((resolve, reject) => {
    replies.push({ resolve, reject });
  });
const settle = () => new Promise((resolve) => setImmediate(resolve));

beforeEach(() => {
  clock = new FakeClock();
  watch = new PathWatch(clock);
  replies = [];
  watch.start(echo);
});

it('an echo that is not back yet counts with its age, and as the last one until the next is back', async () => {
  clock.advance(300);
  expect(watch.current()).toBe(300);
  expect(watch.worstSince(clock.now())).toBe(300);
  replies[0]!.resolve();
  await settle();
  clock.advance(50);
  expect(watch.current()).toBe(300);
  clock.advance(50);
  expect(replies).toHaveLength(2);
  replies[1]!.resolve();
  await settle();
  expect(watch.current()).toBe(0);
});

it('tells the worst since a moment, and forgets what ended before it', async () => {
  clock.advance(700);
  replies[0]!.resolve();
  await settle();
  const then = clock.now() + 1;
  expect(watch.worstSince(0)).toBe(700);
  clock.advance(200);
  replies[1]!.resolve();
  await settle();
  expect(watch.worstSince(0)).toBe(700);
  expect(watch.worstSince(then)).toBe(100);
});

it('no reply at all counts until then; it goes on asking', async () => {
  clock.advance(30_000);
  replies[0]!.reject(new Error('timeout'));
  await settle();
  expect(watch.current()).toBe(30_000);
  clock.advance(100);
  expect(replies).toHaveLength(2);
});

it('an echo of an earlier connection says nothing of this one', async () => {
  clock.advance(500);
  watch.start(echo);
  replies[0]!.resolve();
  await settle();
  expect(watch.current()).toBe(0);
  expect(watch.worstSince(0)).toBe(0);
  watch.stop();
  expect(clock.pending).toBe(0);
});
