import type { Ipv4, Mac } from '../packetio/frames/address.js';

/** RFC 4861 §7.3.2. FAILED: nobody answered; asked again later where somebody needs the address. */
export type NeighbourState = 'INCOMPLETE' | 'REACHABLE' | 'STALE' | 'DELAY' | 'PROBE' | 'FAILED';

/** Where a station was seen. */
export interface Station {
  readonly ofport: number;
  readonly vlan?: number;
  readonly tunId?: number;
  /** Far end of the tunnel it came by. */
  readonly tunDst?: Ipv4;
}

/** A layer 2 network in which addresses are looked for. */
export interface NeighbourSegment {
  readonly id: number;
  /** Source of our requests. */
  readonly mac: Mac;
  readonly source: Ipv4;
  readonly subnets: readonly { readonly address: Ipv4; readonly length: number }[];
  /** Gateways, probe addresses, VIPs: never a neighbour's, whoever claims them. */
  readonly own: readonly Ipv4[];
}

/** An address that is always kept resolved: a member, a next hop, the gateway of an external network. */
export interface NeighbourTarget {
  readonly segment: number;
  readonly address: Ipv4;
}

export interface NeighbourKey {
  readonly tenant: number;
  readonly segment: number;
  readonly address: Ipv4;
}

/** A neighbour that the switch had when the agent came. */
export interface AdoptedNeighbour extends Station {
  readonly address: Ipv4;
  readonly mac: Mac;
}

/** A neighbour as packets should reach it now; without `mac`: it can't be reached any more. */
export interface NeighbourChange extends NeighbourKey, Partial<Station> {
  readonly mac?: Mac;
}

export type NeighbourEvent = NeighbourKey &
  (
    | { readonly type: 'resolved'; readonly mac: Mac }
    | { readonly type: 'failed' }
    /** Another card or another port, verified. */
    | { readonly type: 'moved'; readonly mac: Mac; readonly from: Mac; readonly ofport: number }
    /** Both answered; `mac` is kept. */
    | { readonly type: 'duplicate-address'; readonly mac: Mac; readonly other: Mac }
    /** Too many moves: claims are ignored for a while. */
    | { readonly type: 'damped'; readonly mac: Mac }
    /** A host uses an address that is ours. */
    | { readonly type: 'own-address-claimed'; readonly mac: Mac }
  );

export interface NeighbourRow extends NeighbourKey, Partial<Station> {
  readonly state: NeighbourState;
  readonly mac?: Mac;
  /** Milliseconds since the last proof that it answers. */
  readonly ageMs?: number;
  readonly source: 'target' | 'host';
}

/** Milliseconds and counts; RFC 4861 §10 where it has the constant. */
export interface NeighbourSettings {
  readonly reachableMs: number;
  readonly retransmitMs: number;
  readonly delayMs: number;
  readonly multicastSolicitations: number;
  readonly unicastSolicitations: number;
  /** How long a host is kept that is no target and that nobody uses. */
  readonly idleMs: number;
  /** How long an address that didn't answer isn't asked again. */
  readonly negativeMs: number;
  /** Hosts of a tenant beside its targets. */
  readonly maxPerTenant: number;
  readonly maxMovesPerMinute: number;
}

export const DEFAULT_SETTINGS: NeighbourSettings = {
  reachableMs: 30_000,
  retransmitMs: 1000,
  delayMs: 5000,
  multicastSolicitations: 3,
  unicastSolicitations: 3,
  idleMs: 300_000,
  negativeMs: 1000,
  maxPerTenant: 1024,
  maxMovesPerMinute: 5,
};
