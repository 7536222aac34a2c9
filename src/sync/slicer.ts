/** Milliseconds of computing after which the event loop gets its turn. */
const SLICE_MS = 8;

export function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

/** A function to await in loops: gives the event loop its turn once `SLICE_MS` have been used. */
export function slicer(): () => Promise<void> {
  let started = performance.now();
  return async () => {
    if (performance.now() - started < SLICE_MS) return;
    await nextTurn();
    started = performance.now();
  };
}
