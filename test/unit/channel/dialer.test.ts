import { expect, test } from 'vitest';
import { until } from '../../../lab/until.js';
import { backoff } from '../../../src/ofp/channel/backoff.js';
import { Dialer } from '../../../src/ofp/channel/dialer.js';
import { FakeClock, options } from './fake.js';

test('waits double from 250 ms to 8 s, spread over their upper half', () => {
  expect([1, 2, 3, 4, 5, 6, 7, 100].map((n) => backoff(n, 1))).toEqual([
    250, 500, 1000, 2000, 4000, 8000, 8000, 8000,
  ]);
  expect(backoff(4, 0)).toBe(1000);
  expect(backoff(4, 0.5)).toBe(1500);
});

test('a switch that stays away is tried with growing waits, told once in full, and no more after close', async () => {
  const clock = new FakeClock();
  const told: { level: string; at: number; wait: number }[] = [];
  const log = (level: string) => (data: object) => {
    told.push({ level, at: clock.now(), wait: (data as { retry_ms: number }).retry_ms });
  };
  const dialer = new Dialer(
    { kind: 'unix', path: '/nonexistent/br0.mgmt' },
    {
      ...options({ clock, logger: { debug: log('debug'), info: log('info'), warn: log('warn') } }),
      onConnection: () => expect.unreachable('nobody listens'),
    },
  );
  for (let tries = 1; tries <= 8; tries++) {
    await until(() => told.length >= tries, { interval: 1 });
    // One timer: the wait for the next try. Nothing is tried before its time.
    expect(clock.pending).toBe(1);
    const due = told[tries - 1]!.at + told[tries - 1]!.wait;
    await clock.pass(due - clock.now() - 1);
    expect(told).toHaveLength(tries);
    await clock.pass(2);
  }
  await until(() => told.length === 9, { interval: 1 });
  told.forEach(({ level, wait }, i) => {
    const full = Math.min(8000, 250 * 2 ** i);
    expect(level).toBe(i === 0 ? 'info' : 'debug');
    expect(wait).toBeGreaterThanOrEqual(full / 2);
    expect(wait).toBeLessThanOrEqual(full);
  });
  dialer.close();
  expect(clock.pending).toBe(0);
});
