import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { MemorySwitch } from '../../fake-switch/connection.js';
import { Process, steps, Truth, textOf } from './node.js';

describe('whatever happens in whatever order', () => {
  it('the switch ends with what a full render gives, and a new process finds nothing to change', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(steps, { minLength: 1, maxLength: 14 }), async (sequence) => {
        const far = new MemorySwitch();
        const truth = new Truth();
        const node = new Process(far, truth);
        await node.connect();
        for (const step of sequence) await node.step(step);
        await node.settle();
        expect(node.sync.failures()).toEqual([]);
        expect(textOf(far.tables)).toEqual(truth.held());
        far.asked.length = 0;
        await new Process(far, truth).connect();
        expect(far.asked.filter((a) => a.kind !== 'multipart')).toEqual([]);
      }),
      { seed: 5, numRuns: 60, interruptAfterTimeLimit: 5000 },
    );
  });
});
