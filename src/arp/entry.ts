import type { Ipv4, Mac } from '../packetio/frames/address.js';
import type { Timed } from '../packetio/timer-queue.js';
import type { PacketContext } from '../packetio/types.js';
import type { NeighbourKey, NeighbourState, Station } from './types.js';

/** An assertion that an address is somewhere else than we know; believed only when the known one is silent. */
export interface Claim {
  readonly mac: Mac;
  readonly station: Station;
  /** It answered a question of ours. */
  readonly answered: boolean;
}

const NOWHERE: Station = { ofport: 0 };

/** One address and what is known of it. `mac` 0: nothing. */
export class Entry implements Timed, NeighbourKey {
  due = 0;
  heapIndex = -1;
  state: NeighbourState = 'INCOMPLETE';
  mac: Mac = 0n;
  station: Station = NOWHERE;
  target = false;
  /** Solicitations of the present state. */
  attempts = 0;
  /** PROBE at the pace of a verification: the known and everybody are asked, a few times within a second. */
  fast = false;
  /** Moments on the clock: last solicitation, last proof from the known station, last use, last suspicion. */
  askedAt = Number.NEGATIVE_INFINITY;
  verifiedAt = Number.NEGATIVE_INFINITY;
  usedAt = 0;
  suspectedAt = Number.NEGATIVE_INFINITY;
  reachableUntil = 0;
  claim: Claim | undefined;
  /** Moments of recent moves, and until when claims are ignored. */
  moves: number[] = [];
  dampedUntil = Number.NEGATIVE_INFINITY;
  duplicateAt = Number.NEGATIVE_INFINITY;
  /** Frames that wait for the address. */
  waiting: Uint8Array[] | undefined;

  constructor(
    readonly tenant: number,
    readonly segment: number,
    readonly address: Ipv4,
  ) {}

  isAt(mac: Mac, station: Station): boolean {
    return this.mac === mac && sameStation(this.station, station);
  }
}

export function sameStation(a: Station, b: Station): boolean {
  return a.ofport === b.ofport && a.vlan === b.vlan && a.tunId === b.tunId && a.tunDst === b.tunDst;
}

/** Where a punted frame came in; `tag`: the VLAN of the frame, where the pipeline has not taken it off. */
export function stationOf(context: PacketContext, tag?: number): Station {
  const vlan = context.vlan ?? tag;
  return {
    ofport: context.inPort,
    ...(vlan === undefined ? {} : { vlan }),
    ...(context.tunId === undefined ? {} : { tunId: Number(context.tunId) }),
    ...(context.tunSrc === undefined ? {} : { tunDst: context.tunSrc }),
  };
}
