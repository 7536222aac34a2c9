import { monitorEventLoopDelay } from 'node:perf_hooks';

const RESOLUTION_MS = 10;

/** How late the event loop ran. The histogram is the process's, read and reset by whoever scrapes. */
export class LoopLag {
  private readonly histogram = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  private expected = 0;
  private timer: NodeJS.Timeout | undefined;
  private recent = 0;

  start(): void {
    this.histogram.enable();
    this.expected = performance.now() + RESOLUTION_MS;
    this.timer = setInterval(() => {
      const now = performance.now();
      this.recent = Math.max(0, now - this.expected);
      this.expected = now + RESOLUTION_MS;
    }, RESOLUTION_MS);
    this.timer.unref();
  }

  stop(): void {
    this.histogram.disable();
    clearInterval(this.timer);
  }

  /** Milliseconds that the last tick was late, or that it is late now. */
  current(): number {
    return Math.max(this.recent, performance.now() - this.expected);
  }

  /** Milliseconds over the idle tick, since the last call. */
  take(): { readonly p50: number; readonly p99: number; readonly max: number } {
    const over = (ns: number) => Math.max(0, ns / 1e6 - RESOLUTION_MS);
    const h = this.histogram;
    const result = {
      p50: over(h.percentile(50)),
      p99: over(h.percentile(99)),
      max: h.max > 0 ? over(h.max) : 0,
    };
    h.reset();
    return result;
  }
}
