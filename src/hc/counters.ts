import type { FailureKind, MonitorType } from './types.js';

export interface HealthCounters {
  readonly sent: Record<MonitorType, number>;
  succeeded: number;
  readonly failed: Record<FailureKind, number>;
  /** Results without a verdict: the loop was deaf, or the switch was away. */
  suspended: number;
  transitions: number;
  /** Packets to our probe addresses that answer no probe; from the wrong card; of which nothing was understood. */
  unmatched: number;
  wrongMac: number;
  badFrames: number;
  /** SYN-ACKs and FINs of members that came too late, answered with RST. */
  strays: number;
}

export function newCounters(): HealthCounters {
  return {
    sent: { TCP: 0, HTTP: 0, 'UDP-CONNECT': 0, PING: 0 },
    succeeded: 0,
    failed: {
      timeout: 0,
      refused: 0,
      reset: 0,
      unreachable: 0,
      closed: 0,
      'bad-status': 0,
      malformed: 0,
      'no-neighbour': 0,
    },
    suspended: 0,
    transitions: 0,
    unmatched: 0,
    wrongMac: 0,
    badFrames: 0,
    strays: 0,
  };
}
