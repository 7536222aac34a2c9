import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { MemorySwitch } from '../../fake-switch/connection.js';
import { seeded } from '../../unit/packetio/fake-clock.js';
import { Process, steps, Truth, textOf } from './node.js';

const POINTS = 200;

describe('a process that dies', () => {
  it(`at ${POINTS} random messages leaves a switch that the next one brings to exactly what is wanted`, async () => {
    const random = seeded(11);
    const far = new MemorySwitch();
    const truth = new Truth();
    const cuts = { reading: 0, sending: 0, quiet: 0 };
    const sequences = fc.sample(fc.array(steps, { minLength: 2, maxLength: 6 }), {
      seed: 7,
      numRuns: POINTS,
    });
    for (const sequence of sequences) {
      let left = 1 + Math.floor(random() * 60);
      far.step = (connection) => {
        if (--left === 0) connection.close('killed');
      };
      const doomed = new Process(far, truth);
      let alive = await doomed.connect();
      if (!alive) cuts[doomed.sync.counters.reconciles === 0 ? 'reading' : 'sending']++;
      else {
        for (const step of sequence) if (step.type !== 'reconnect') await doomed.step(step);
        await doomed.settle();
        alive = doomed.sync.connection !== undefined;
        cuts[alive ? 'quiet' : 'sending']++;
      }
      // Nothing of the process is left; what it would still have sent is not sent.
      doomed.sync.detach();
      far.step = () => undefined;
      const next = new Process(far, truth);
      await next.connect();
      await next.settle();
      next.sync.detach();
      expect(next.sync.failures()).toEqual([]);
      expect(textOf(far.tables)).toEqual(truth.held());
    }
    // The points were where they should be.
    expect(cuts.sending).toBeGreaterThan(POINTS / 4);
    expect(cuts.reading).toBeGreaterThan(POINTS / 10);
  });
});
