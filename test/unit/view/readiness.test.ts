import { beforeEach, expect, it } from 'vitest';
import { Readiness } from '../../../src/agent/view/readiness.js';

let pending: number;
let settle: () => void;
let session: { state: { state: string; reason?: string }; connects: number };
let readiness: Readiness;

beforeEach(() => {
  pending = 3;
  session = { state: { state: 'waiting', reason: 'no switch has connected yet' }, connects: 0 };
  const sync = {
    pending: () => pending,
    settled: () => new Promise<void>((resolve) => (settle = resolve)),
  };
  readiness = new Readiness({ session, sync } as never);
});

const connect = () => {
  session.connects++;
  session.state = { state: 'ready' };
};

it('waits for a switch, for its read-back, and for the first confirmation', async () => {
  expect(readiness.now()).toEqual({
    ready: false,
    reason: 'no switch is connected: no switch has connected yet',
  });
  session.state = { state: 'reading' };
  expect(readiness.now().ready).toBe(false);
  connect();
  expect(readiness.now()).toEqual({ ready: false, reason: 'the switch has yet to confirm 3 changes' });
  settle();
  await Promise.resolve();
  // Other changes are on their way by now.
  expect(readiness.now()).toEqual({ ready: true });
});

it('is not lost by later changes, but by the switch', () => {
  connect();
  pending = 0;
  expect(readiness.now().ready).toBe(true);
  pending = 7;
  expect(readiness.now().ready).toBe(true);
  session.state = { state: 'waiting', reason: 'closed' };
  expect(readiness.now()).toEqual({ ready: false, reason: 'no switch is connected: closed' });
});

it('asks of each connection anew: a switch that restarted has forgotten everything', async () => {
  connect();
  expect(readiness.now().ready).toBe(false);
  const settleFirst = settle;
  connect();
  settleFirst();
  await Promise.resolve();
  expect(readiness.now().ready).toBe(false);
  settle();
  await Promise.resolve();
  expect(readiness.now().ready).toBe(true);
});
