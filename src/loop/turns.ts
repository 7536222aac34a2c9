/**
 * Long work gives the event loop its turns. All of it shares one budget per turn: two loops that each took their own
 * slice would make the turn as long as both.
 */

/** ms of computing in one turn of the event loop, of all that use {@link slicer} together. */
const BUDGET_MS = 3;

let waiting: (() => void)[] = [];
let scheduled = false;
/** When the work of this turn began; undefined: none was done yet. */
let started: number | undefined;

/** Resolves in a later turn of the event loop, after input was handled; who waits longest goes first. */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => {
    waiting.push(resolve);
    schedule();
  });
}

/** A function to await in loops: gives the event loop its turn once the budget of this one is used. */
export function slicer(): () => Promise<void> {
  return () => (turnIsUsed() ? nextTurn() : DONE);
}
const DONE = Promise.resolve();

/** Whether this turn has done its share of work: then await {@link nextTurn}. */
export function turnIsUsed(): boolean {
  const now = performance.now();
  if (started === undefined) {
    started = now;
    schedule();
  }
  return now - started >= BUDGET_MS;
}

function schedule(): void {
  if (scheduled) return;
  scheduled = true;
  setImmediate(beginTurn);
}

function beginTurn(): void {
  scheduled = false;
  started = undefined;
  if (waiting.length === 0) return;
  started = performance.now();
  const now = waiting;
  waiting = [];
  resumeOne(now, 0);
}

function resumeOne(batch: (() => void)[], at: number): void {
  if (at === batch.length) {
    // Whoever waits for the next turn has it scheduled; else the loop may sleep, which is no work.
    if (!scheduled) started = undefined;
    return;
  }
  if (at > 0 && turnIsUsed()) {
    waiting = [...batch.slice(at), ...waiting];
    schedule();
    return;
  }
  batch[at]!();
  // A tick that is asked for by a microtask runs when all microtasks have: the one that was resumed has done its part.
  queueMicrotask(() => process.nextTick(resumeOne, batch, at + 1));
}
