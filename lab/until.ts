export interface UntilOptions {
  /** Milliseconds, 15,000 by default. */
  readonly timeout?: number;
  /** Milliseconds between looks, 50 by default. */
  readonly interval?: number;
  /** What is awaited, for the error message. */
  readonly what?: string;
}

/**
 * Awaits a condition: calls `look` until it returns something truthy, and returns that.
 * A `look` that throws counts as not yet; the last error is told when time is up.
 */
export async function until<T>(
  look: () => T | Promise<T>,
  options: UntilOptions = {},
): Promise<Exclude<T, false | null | undefined | 0 | ''>> {
  const { timeout = 15_000, interval = 50, what = 'the condition' } = options;
  const end = Date.now() + timeout;
  let last: unknown;
  for (;;) {
    try {
      last = await look();
      if (last) return last as Exclude<T, false | null | undefined | 0 | ''>;
    } catch (error) {
      last = error;
    }
    if (Date.now() >= end) throw new Error(`gave up on ${what} after ${timeout} ms; last: ${shown(last)}`);
    await pause(interval);
  }
}

/** For observing a time span; to await something use {@link until}. */
export function pause(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}

function shown(value: unknown): string {
  if (value instanceof Error) return value.message;
  return String(JSON.stringify(value)).slice(0, 2000);
}
