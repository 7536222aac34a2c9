/** What every benchmark shares: timing, medians, the description of the machine, the file of results. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { cpus, totalmem } from 'node:os';

// A benchmark that is interrupted takes along what it started: everything has an exit handler.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => process.exit(1));

export interface Result {
  readonly metric: string;
  readonly unit: string;
  /** Median of `n` runs. */
  readonly value: number;
  readonly min: number;
  readonly max: number;
  readonly n: number;
  /** Our time divided by the baseline's in the same run: below 1 is faster. */
  readonly ratios?: Readonly<Record<string, number>>;
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2;
}

export function machine(): string {
  const cores = cpus();
  return `${cores.length} × ${cores[0]?.model.trim() ?? 'unknown'}, ${Math.round(totalmem() / 2 ** 30)} GiB, Node ${process.version}`;
}

/** A result from single measurements. */
export function result(
  metric: string,
  unit: string,
  values: readonly number[],
  ratios?: Readonly<Record<string, number>>,
): Result {
  return {
    metric,
    unit,
    value: median(values),
    min: Math.min(...values),
    max: Math.max(...values),
    n: values.length,
    ...(ratios && { ratios }),
  };
}

/**
 * Calls of `fn` per second, several times over, after a warm-up.
 *
 * @param perCall how many operations one call does
 */
export function rates(fn: () => void, perCall = 1, runs = 7, msPerRun = 300): number[] {
  const run = (): number => {
    const start = performance.now();
    let calls = 0;
    let now = start;
    while (now - start < msPerRun) {
      fn();
      calls++;
      now = performance.now();
    }
    return (calls * perCall * 1000) / (now - start);
  };
  run();
  return Array.from({ length: runs }, run);
}

/**
 * As `rates`, but per second of this process's CPU time, all its threads counted: for comparisons of computation
 * with another process's on a machine that does other things as well.
 */
export function cpuRates(fn: () => void, perCall = 1, runs = 7, msPerRun = 300): number[] {
  const run = (): number => {
    const before = process.cpuUsage();
    let calls = 0;
    let spent = 0;
    while (spent < msPerRun * 1000) {
      fn();
      calls++;
      const now = process.cpuUsage(before);
      spent = now.user + now.system;
    }
    return (calls * perCall * 1e6) / spent;
  };
  run();
  return Array.from({ length: runs }, run);
}

/** Writes bench/results/NAME.json and prints a table. */
export function writeResult(name: string, results: readonly Result[]): void {
  const directory = new URL('./results/', import.meta.url);
  mkdirSync(directory, { recursive: true });
  const file = { name, machine: machine(), date: new Date().toISOString(), results };
  writeFileSync(new URL(`${name}.json`, directory), `${JSON.stringify(file, null, 2)}\n`);
  for (const r of results) {
    const ratios = Object.entries(r.ratios ?? {}).map(([k, v]) => `${k} ${v.toPrecision(3)}`);
    console.log(
      `${r.metric.padEnd(40)} ${r.value.toLocaleString('en', { maximumSignificantDigits: 5 }).padStart(14)} ${r.unit}  ${ratios.join(', ')}`,
    );
  }
}
