import { expect, it } from 'vitest';
import { puntMeters } from '../../../src/pipeline/punt.js';
import { member, pool } from '../../golden/pipeline/intents.js';

const MONITOR = {
  type: 'HTTP',
  delayMs: 500,
  timeoutMs: 400,
  maxRetries: 2,
  maxRetriesDown: 3,
  httpMethod: 'GET',
  urlPath: '/',
  httpVersion: '1.1',
  expectedCodes: [[200, 200]],
  tcpClose: 'rst',
  udpSilence: 'up',
} as const;

it("answers to a tenant's own checks fit its probe meter, however many members it has", () => {
  const members = Array.from({ length: 1000 }, (_, i) => member(i + 1, `10.0.${i >> 8}.${i & 255}:80`));
  const rates = (pools: Parameters<typeof puntMeters>[1]) =>
    puntMeters(1, pools).map(({ bands }) => (bands[0] as { rate: number }).rate);
  const base = rates([]);
  expect(base).toContain(2000);
  expect(rates([pool(1, members)])).toEqual(base);
  // 2,000 checks a second of five packets each, and room.
  const [most] = rates([pool(1, members, { monitor: MONITOR })]).sort((a, b) => b - a);
  expect(most).toBe(40_000);
});
