import type { Clock, TimerHandle } from './types.js';

/** Something that has one moment to wait for. The queue alone writes these. */
export interface Timed {
  due: number;
  /** Place in the heap; -1 outside. */
  heapIndex: number;
}

/** Items handled before the loop gets a turn. */
const SLICE = 512;

/** Many moments on one timer of the clock: a binary heap. */
export class TimerQueue<T extends Timed> {
  private readonly heap: T[] = [];
  private timer: TimerHandle | undefined;
  private timerAt = Number.POSITIVE_INFINITY;
  private running = false;

  /** `onDue` gets each item when its time has come; it is out of the queue then, and may be put in again. */
  constructor(
    private readonly clock: Clock,
    private readonly onDue: (item: T, now: number) => void,
  ) {}

  get size(): number {
    return this.heap.length;
  }

  /** (Re)schedules at `at`, on the clock's scale. */
  schedule(item: T, at: number): void {
    const before = item.due;
    item.due = at;
    if (item.heapIndex < 0) {
      item.heapIndex = this.heap.length;
      this.heap.push(item);
      this.up(item);
    } else if (at < before) this.up(item);
    else this.down(item);
    this.arm();
  }

  cancel(item: T): void {
    const at = item.heapIndex;
    if (at < 0) return;
    item.heapIndex = -1;
    const last = this.heap.pop()!;
    if (this.heap.length === 0) this.disarm();
    if (last === item) return;
    last.heapIndex = at;
    this.heap[at] = last;
    this.up(last);
    this.down(last);
  }

  clear(): void {
    for (const item of this.heap) item.heapIndex = -1;
    this.heap.length = 0;
    this.disarm();
  }

  private disarm(): void {
    this.timer?.cancel();
    this.timer = undefined;
    this.timerAt = Number.POSITIVE_INFINITY;
  }

  private arm(): void {
    const first = this.heap[0];
    if (this.running || first === undefined || first.due >= this.timerAt) return;
    this.timer?.cancel();
    this.timerAt = first.due;
    this.timer = this.clock.setTimeout(() => this.run(), Math.max(0, first.due - this.clock.now()));
  }

  private run(): void {
    this.timer = undefined;
    this.timerAt = Number.POSITIVE_INFINITY;
    this.running = true;
    try {
      const now = this.clock.now();
      for (let n = 0; n < SLICE; n++) {
        const first = this.heap[0];
        if (first === undefined || first.due > now) break;
        this.cancel(first);
        this.onDue(first, now);
      }
    } finally {
      this.running = false;
      this.arm();
    }
  }

  private up(item: T): void {
    const heap = this.heap;
    let at = item.heapIndex;
    while (at > 0) {
      const above = (at - 1) >> 1;
      const parent = heap[above]!;
      if (parent.due <= item.due) break;
      heap[at] = parent;
      parent.heapIndex = at;
      at = above;
    }
    heap[at] = item;
    item.heapIndex = at;
  }

  private down(item: T): void {
    const heap = this.heap;
    let at = item.heapIndex;
    for (;;) {
      let below = at * 2 + 1;
      if (below >= heap.length) break;
      if (below + 1 < heap.length && heap[below + 1]!.due < heap[below]!.due) below++;
      const child = heap[below]!;
      if (child.due >= item.due) break;
      heap[at] = child;
      child.heapIndex = at;
      at = below;
    }
    heap[at] = item;
    item.heapIndex = at;
  }
}
