import type { Timed } from '../packetio/timer-queue.js';
import type { Flight } from './flight.js';
import type { Check, Monitor } from './types.js';
import { Verdict } from './verdict.js';
import type { Path } from './wire.js';

/** A member of a pool that a target speaks for. */
export interface Subscriber {
  readonly tenant: number;
  check: Check;
  target: Target | undefined;
}

/**
 * What is probed: an address and port with a monitor in a tenant, once for all pools that ask for it. This is all that
 * is kept of an idle check.
 */
export class Target implements Timed {
  due = 0;
  heapIndex = -1;
  /** Seldom more than one. */
  subscribers: readonly Subscriber[] = [];
  readonly verdict: Verdict;
  /** `ready`: waits for its turn under the rate limit. `resolving`: for its neighbour. */
  phase: 'idle' | 'ready' | 'resolving' | 'flying' = 'idle';
  path: Path;
  nextHop: number;
  segmentName: string;
  flight: Flight | undefined;
  reason: string;
  /** Moments on the clock. */
  since: number;
  lastProbeAt: number | undefined;
  /** When the probe that is due or on its way should have started: intervals count from here. */
  nominal = 0;
  rttMs: number | undefined;
  portCount = 0;
  started = false;
  /** While `resolving`: the neighbour, since when, and the connection of the switch it was asked for by. */
  waitingFor = '';
  waitingSince = 0;
  waitingLink = 0;
  gone = false;

  constructor(
    readonly tenant: number,
    readonly monitorKey: string,
    readonly monitor: Monitor,
    check: Check,
    readonly portKey: number,
    now: number,
    from?: Target,
  ) {
    this.path = pathOf(tenant, check);
    this.nextHop = check.nextHop;
    this.segmentName = check.segmentName;
    this.verdict = new Verdict();
    this.reason = 'not probed yet';
    this.since = now;
    if (from) {
      this.verdict.status = from.verdict.status;
      this.reason = from.reason;
      this.since = from.since;
      this.lastProbeAt = from.lastProbeAt;
      this.rttMs = from.rttMs;
    } else if (check.assumeOnline) {
      this.verdict.status = 'ONLINE';
      this.reason = 'served before the agent started';
    }
  }

  get segment(): number {
    return this.path.injection.segment;
  }

  /** Takes over where the member is reached now; a probe on its way keeps its path. */
  update(check: Check): void {
    if (!isPathOf(this.path, check)) this.path = pathOf(this.tenant, check);
    this.nextHop = check.nextHop;
    this.segmentName = check.segmentName;
  }

  subscribe(member: Subscriber): void {
    if (!this.subscribers.includes(member)) this.subscribers = [...this.subscribers, member];
  }

  unsubscribe(member: Subscriber): void {
    this.subscribers = this.subscribers.filter((s) => s !== member);
  }

  /** Whether answers come from the member's own card. */
  get onLink(): boolean {
    return this.nextHop === this.path.address;
  }
}

function isPathOf(p: Path, c: Check): boolean {
  return p.source === c.source && p.sourceMac === c.sourceMac && p.injection.segment === c.segment;
}

function pathOf(tenant: number, c: Check): Path {
  const { source, sourceMac, address, port, segment } = c;
  return { injection: { kind: 'route', tenant, segment }, source, sourceMac, address, port };
}

const monitorKeys = new WeakMap<Monitor, string>();

/** Equal for monitors that one probe can serve; one string for all members of a pool. */
export function monitorKey(m: Monitor): string {
  let key = monitorKeys.get(m);
  if (key === undefined) {
    const { type, delayMs, timeoutMs, maxRetries, maxRetriesDown, tcpClose, udpSilence } = m;
    const http =
      type === 'HTTP' ? [m.httpMethod, m.urlPath, m.httpVersion, m.domainName, m.expectedCodes] : [];
    key = JSON.stringify([type, delayMs, timeoutMs, maxRetries, maxRetriesDown, tcpClose, udpSilence, http]);
    monitorKeys.set(m, key);
  }
  return key;
}
