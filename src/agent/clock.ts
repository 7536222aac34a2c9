import type { Clock } from '../packetio/types.js';

/** The process's monotonic clock. */
export const systemClock: Clock = {
  now: () => performance.now(),
  setTimeout: (fn, ms) => {
    const timer = setTimeout(fn, ms);
    return { cancel: () => clearTimeout(timer) };
  },
  defer: (fn) => {
    setImmediate(fn);
  },
};
