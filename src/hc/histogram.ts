/** Counts of values up to each bound, as Prometheus wants them: cumulative only when read. */
export class Histogram {
  readonly counts: number[];
  sum = 0;
  count = 0;

  constructor(readonly bounds: readonly number[]) {
    this.counts = new Array<number>(bounds.length + 1).fill(0);
  }

  observe(value: number): void {
    const { bounds } = this;
    let n = 0;
    while (n < bounds.length && value > bounds[n]!) n++;
    this.counts[n]!++;
    this.sum += value;
    this.count++;
  }

  /** The bound below which a share of the values lies; Infinity beyond the last. */
  quantile(share: number): number {
    let left = this.count * share;
    for (let n = 0; n < this.bounds.length; n++) {
      left -= this.counts[n]!;
      if (left <= 0) return this.bounds[n]!;
    }
    return this.count === 0 ? 0 : Number.POSITIVE_INFINITY;
  }
}
