import { typeName } from './wire.js';

/** What went over one connection, as plain data for metrics. Types are named as in the specification. */
export interface ConnectionCounters {
  readonly messagesIn: Readonly<Record<string, number>>;
  readonly messagesOut: Readonly<Record<string, number>>;
  readonly bytesIn: number;
  readonly bytesOut: number;
  /** Error messages of the switch. */
  readonly errors: number;
  /** Messages that could not be decoded, and were dropped. */
  readonly undecodable: number;
  /** Bytes accepted and not yet taken by the kernel. */
  readonly queued: number;
  /** Requests that wait for a reply. */
  readonly pending: number;
  /** ms of the last echo; absent before the first. */
  readonly roundTrip?: number;
}

/** Counts by message type. */
export class TypeCounters {
  private readonly counts = new Float64Array(256);

  add(type: number): void {
    this.counts[type]!++;
  }

  toObject(): Record<string, number> {
    const named: Record<string, number> = {};
    this.counts.forEach((count, type) => {
      if (count > 0) named[typeName(type)] = count;
    });
    return named;
  }
}
