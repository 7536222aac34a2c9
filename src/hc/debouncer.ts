import { type Timed, TimerQueue } from '../packetio/timer-queue.js';
import type { Clock } from '../packetio/types.js';

class Window<T> implements Timed {
  due = 0;
  heapIndex = -1;
  readonly items: T[] = [];
  constructor(
    readonly key: number,
    readonly latest: number,
  ) {}
}

/** Collects items by key until the key was quiet for a while, but never longer than a limit. */
export class Debouncer<T> {
  private readonly windows = new Map<number, Window<T>>();
  private readonly timers: TimerQueue<Window<T>>;
  private out: T[] = [];

  /** `deliver` gets what is due at one moment together; the items of one key are in order. */
  constructor(
    private readonly clock: Clock,
    private readonly quietMs: number,
    private readonly latestMs: number,
    private readonly deliver: (items: readonly T[]) => void,
  ) {
    this.timers = new TimerQueue(clock, (window) => this.close(window));
  }

  add(key: number, item: T): void {
    const now = this.clock.now();
    let window = this.windows.get(key);
    if (window === undefined) {
      window = new Window(key, now + this.latestMs);
      this.windows.set(key, window);
    }
    window.items.push(item);
    this.timers.schedule(window, Math.min(now + this.quietMs, window.latest));
  }

  private close(window: Window<T>): void {
    this.windows.delete(window.key);
    if (this.out.length === 0) this.clock.setTimeout(() => this.flush(), 0);
    this.out.push(...window.items);
  }

  private flush(): void {
    const items = this.out;
    this.out = [];
    this.deliver(items);
  }
}
