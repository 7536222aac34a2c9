/** Long work gives the event loop its turn now and then. */
import { setImmediate } from 'node:timers/promises';

/** Computing between two turns of the event loop. */
const SLICE_MS = 5;

export function nextTurn(): Promise<void> {
  return setImmediate();
}

/** Says whether a slice of time is over: then await `nextTurn`. Costs less than awaiting in every round of a loop. */
export function slices(): () => boolean {
  let started = performance.now();
  return () => {
    const now = performance.now();
    if (now - started < SLICE_MS) return false;
    started = now;
    return true;
  };
}
