import type { Ipv4, Mac } from '../packetio/frames/address.js';

export type MonitorType = 'TCP' | 'HTTP' | 'UDP-CONNECT' | 'PING';

/** How a member is checked; the configuration's monitor fits. */
export interface Monitor {
  readonly type: MonitorType;
  readonly delayMs: number;
  /** For the whole check, whatever arrives meanwhile. */
  readonly timeoutMs: number;
  /** Consecutive successes to rise, failures to fall. */
  readonly maxRetries: number;
  readonly maxRetriesDown: number;
  readonly httpMethod: string;
  readonly urlPath: string;
  readonly httpVersion: '1.0' | '1.1';
  /** Inclusive. */
  readonly expectedCodes: readonly (readonly [number, number])[];
  readonly domainName?: string;
  readonly tcpClose: 'rst' | 'fin';
  readonly udpSilence: 'up' | 'down';
}

/** A member of a pool, and the way to it. */
export interface Check {
  readonly poolId: number;
  readonly endpointId: number;
  readonly address: Ipv4;
  readonly port: number;
  /** Egress: its segment, how people call it ("acme/p2"), and the neighbour there that packets go to. */
  readonly segment: number;
  readonly segmentName: string;
  readonly nextHop: Ipv4;
  /** Our address and MAC in that segment. */
  readonly source: Ipv4;
  readonly sourceMac: Mac;
  /** Absent: NO_MONITOR. */
  readonly monitor?: Monitor;
  /** For a check that is new to the agent, not to the switch: it served before the agent started. */
  readonly assumeOnline?: boolean;
}

/**
 * What probes say of a member, in Octavia's words. OFFLINE: no verdict yet. The administrative state is laid over it
 * by serving.ts.
 */
export type ProbeStatus = 'ONLINE' | 'OFFLINE' | 'ERROR' | 'NO_MONITOR';

export type FailureKind =
  | 'timeout'
  | 'refused'
  | 'reset'
  | 'unreachable'
  | 'closed'
  | 'bad-status'
  | 'malformed'
  | 'no-neighbour';

/** How one probe ended. */
export interface Outcome {
  readonly ok: boolean;
  /** In words, for people. */
  readonly reason: string;
  /** Absent on success. */
  readonly kind?: FailureKind;
  /** A success of which nothing was heard. */
  readonly assumed?: boolean;
}

export interface CheckStatus {
  readonly tenant: number;
  readonly poolId: number;
  readonly endpointId: number;
  readonly address: Ipv4;
  readonly port: number;
  readonly type?: MonitorType;
  readonly status: ProbeStatus;
  /** Of the last probe: "connected", "HTTP 503, expected 200", "no ARP answer from 10.20.0.2 on acme/p2". */
  readonly reason: string;
  /** Milliseconds since the status changed, and since the last probe ended. */
  readonly sinceMs: number;
  readonly lastProbeMs?: number;
  /** Consecutive successes and failures. */
  readonly rise: number;
  readonly fall: number;
  /** Of the last answer, milliseconds. */
  readonly rttMs?: number;
}

export interface Transition {
  readonly tenant: number;
  readonly poolId: number;
  readonly endpointId: number;
  readonly from: ProbeStatus;
  readonly to: ProbeStatus;
  readonly reason: string;
  /** On the clock. */
  readonly at: number;
}

export interface HealthLimits {
  readonly probesPerSecond: number;
  /** Debouncing of transitions of a pool: quiet time, and at most so late. */
  readonly quietMs: number;
  readonly latestMs: number;
}
export const DEFAULT_LIMITS: HealthLimits = { probesPerSecond: 5000, quietMs: 20, latestMs: 200 };
