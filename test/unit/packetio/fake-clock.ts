import type { Clock, TimerHandle } from '../../../src/packetio/types.js';

interface Entry {
  at: number;
  order: number;
  fn: () => void;
}

/** Time that moves only when told. `advance` runs what falls due, in order, at its own moment. */
export class FakeClock implements Clock {
  private entries: Entry[] = [];
  private deferred: (() => void)[] = [];
  private order = 0;
  constructor(private time = 1000) {}

  now(): number {
    return this.time;
  }

  setTimeout(fn: () => void, ms: number): TimerHandle {
    const entry: Entry = { at: this.time + Math.max(0, ms), order: this.order++, fn };
    this.entries.push(entry);
    return {
      cancel: () => {
        this.entries = this.entries.filter((e) => e !== entry);
      },
    };
  }

  defer(fn: () => void): void {
    this.deferred.push(fn);
  }

  /** Timers that wait. */
  get pending(): number {
    return this.entries.length + this.deferred.length;
  }

  advance(ms: number): void {
    const end = this.time + ms;
    this.settle();
    for (;;) {
      let next: Entry | undefined;
      for (const e of this.entries) {
        if (e.at <= end && (!next || e.at < next.at || (e.at === next.at && e.order < next.order))) next = e;
      }
      if (!next) break;
      const due = next;
      this.entries = this.entries.filter((e) => e !== due);
      this.time = Math.max(this.time, due.at);
      due.fn();
      this.settle();
    }
    this.time = end;
  }

  /** A loop that is blocked: time passes, nothing runs. */
  block(ms: number): void {
    this.time += ms;
  }

  private settle(): void {
    while (this.deferred.length > 0) {
      const batch = this.deferred;
      this.deferred = [];
      for (const fn of batch) fn();
    }
  }
}

/** A reproducible Random (mulberry32). */
export function seeded(seed: number): () => number {
  let a = seed >>> 0;
  return () => {
    a = (a + 0x6d2b79f5) >>> 0;
    let t = a;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 0x100000000;
  };
}
