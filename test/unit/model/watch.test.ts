import { mkdirSync, renameSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { type WatchDeps, watchConfig } from '../../../src/model/index.js';
import { configDir } from './config-dir.js';

/** A directory whose state and events the test controls, on fake time. */
function fake() {
  let seen: string | undefined;
  let timer: { fn: () => void; ms: number } | undefined;
  const state = { print: 'a', changed: [] as (() => void)[] };
  const deps: WatchDeps = {
    watch: (_, changed) => {
      state.changed.push(changed);
      return () => undefined;
    },
    changed: () => {
      const changed = seen !== undefined && seen !== state.print;
      seen = state.print;
      return Promise.resolve(changed);
    },
    setTimeout: (fn, ms) => {
      const mine = { fn, ms };
      timer = mine;
      return {
        cancel: () => {
          if (timer === mine) timer = undefined;
        },
      };
    },
  };
  const fire = async (): Promise<void> => {
    const due = timer;
    timer = undefined;
    due?.fn();
    await new Promise(setImmediate);
  };
  return { state, deps, fire, wait: () => timer?.ms };
}

describe('watching', () => {
  it('waits for quiet, and says nothing where nothing counts', async () => {
    const { state, deps, fire, wait } = fake();
    const changed = vi.fn();
    const watch = watchConfig('/etc/hpnn', changed, { deps, debounceMs: 200, pollMs: 2000 });
    await new Promise(setImmediate);
    expect(wait()).toBe(2000);
    state.changed[0]!();
    expect(wait()).toBe(200);
    await fire();
    expect(changed).not.toHaveBeenCalled();
    state.print = 'b';
    state.changed[1]!();
    state.changed[0]!();
    await fire();
    expect(changed).toHaveBeenCalledTimes(1);
    watch.close();
    expect(wait()).toBeUndefined();
  });

  it('sees without any event what changed', async () => {
    const { state, deps, fire } = fake();
    const changed = vi.fn();
    const watch = watchConfig('/etc/hpnn', changed, { deps });
    await new Promise(setImmediate);
    state.print = 'b';
    await fire();
    expect(changed).toHaveBeenCalledTimes(1);
    watch.close();
  });

  it.each<[string, (dir: string) => void]>([
    ['a file written in place', (dir) => writeFileSync(join(dir, 'tenants.d/a.yaml'), 'tenant: changed\n')],
    [
      'an atomic rename',
      (dir) => {
        writeFileSync(join(dir, 'tenants.d/.a.new'), 'tenant: a\n');
        renameSync(join(dir, 'tenants.d/.a.new'), join(dir, 'tenants.d/a.yaml'));
      },
    ],
    [
      'a swapped link to the tenants',
      (dir) => {
        mkdirSync(join(dir, 'v2'));
        writeFileSync(join(dir, 'v2/a.yaml'), 'tenant: a\n');
        renameSync(join(dir, 'tenants.d'), join(dir, 'v1'));
        symlinkSync('v2', join(dir, 'new'));
        renameSync(join(dir, 'new'), join(dir, 'tenants.d'));
      },
    ],
  ])('notices %s', async (_, change) => {
    using made = configDir({ 'node.yaml': 'node: x\n', 'tenants.d/a.yaml': 'tenant: a\n' });
    let called = 0;
    const watch = watchConfig(made.dir, () => called++, { debounceMs: 10, pollMs: 25 });
    await watch.ready;
    change(made.dir);
    await expect.poll(() => called, { timeout: 5000, interval: 10 }).toBe(1);
    watch.close();
  });
});
