import { describe, expect, it } from 'vitest';
import { nextTurn, slicer, turnIsUsed } from '../../../src/loop/turns.js';

/** More than the budget of a turn. */
function work(ms = 6): void {
  for (const end = performance.now() + ms; performance.now() < end; );
}

/** Turns of the event loop until `done`, as something sees them that wants one each. */
async function turnsUntil(done: Promise<unknown>): Promise<number> {
  let turns = 0;
  let over = false;
  void done.then(() => {
    over = true;
  });
  while (!over) {
    await new Promise((resolve) => setImmediate(resolve));
    turns++;
  }
  return turns;
}

describe('turns of the event loop', () => {
  it('are shared: two loops of long steps take a turn for each step', async () => {
    const loop = async () => {
      const pause = slicer();
      for (let i = 0; i < 10; i++) {
        work();
        await pause();
      }
    };
    expect(await turnsUntil(Promise.all([loop(), loop()]))).toBeGreaterThanOrEqual(18);
  });

  it('are given to those that wait in their order, and none is left out', async () => {
    const seen: string[] = [];
    const loop = async (name: string) => {
      for (let i = 0; i < 3; i++) {
        await nextTurn();
        seen.push(name);
        work();
      }
    };
    await Promise.all([loop('a'), loop('b'), loop('c')]);
    expect(seen.join('')).toBe('abcabcabc');
  });

  it('hold many short steps', async () => {
    const seen: number[] = [];
    const short = async (n: number) => {
      await nextTurn();
      seen.push(n);
    };
    const all = Promise.all(Array.from({ length: 100 }, (_, n) => short(n)));
    expect(await turnsUntil(all)).toBeLessThan(50);
    expect(seen).toEqual([...Array(100).keys()]);
  });

  it('begin anew after the loop has slept', async () => {
    turnIsUsed();
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(turnIsUsed()).toBe(false);
    work();
    expect(turnIsUsed()).toBe(true);
  });

  it('are later ones: who asks again while it is resumed waits for the one after', async () => {
    let turn = 0;
    const count = () => {
      turn++;
      setImmediate(count).unref();
    };
    setImmediate(count);
    await nextTurn();
    const first = turn;
    await nextTurn();
    expect(turn).toBeGreaterThan(first);
  });
});
