import type { Mac } from '../model/types.js';
import type { Instruction } from '../ofp/types/action.js';
import type { Match } from '../ofp/types/field.js';
import type { Bucket, GroupType, MeterBand } from '../ofp/types/message.js';

/** What the pipeline wants in the switch. No timeouts: only learned flows age. */
export interface Flow {
  readonly table: number;
  readonly priority: number;
  readonly cookie: bigint;
  readonly match: Match;
  readonly instructions: readonly Instruction[];
}

export interface Group {
  readonly groupId: number;
  readonly groupType: GroupType;
  readonly buckets: readonly Bucket[];
}

export interface Meter {
  readonly meterId: number;
  readonly flags: readonly ('kbps' | 'pktps' | 'burst' | 'stats')[];
  readonly bands: readonly MeterBand[];
}

/**
 * Kind of an owner: 8 bits of the cookie. The numbers are in the switch: never reuse one for another meaning.
 * Kinds 8 to 15 are those of learned flows: bit 3 of the kind tells them from all others.
 */
export const KIND = {
  node: 1, // tenant 0: table misses and rules without a tenant
  tenant: 2, // what belongs to no smaller owner
  segment: 3, // ingress, flooding, gateway; object = segment id
  listener: 4, // object = listener id
  pool: 5, // slots; object = pool id
  endpoint: 6, // member rules of tables 12, 15, 24; object = endpoint id
  neighbours: 7, // resolved adjacencies of a segment; object = segment id
  learnedFdb: 8, // flows made by learn(); never touched by reconcile
  learnedAdjacency: 9,
  learnedHairpin: 10, // answers of a member to itself; object = endpoint id
} as const;
export type Kind = (typeof KIND)[keyof typeof KIND];

/** Every flow, group and meter has exactly one; all that an owner has is changed in one bundle. */
export interface Owner {
  readonly tenant: number;
  readonly kind: Kind;
  readonly object: number;
}

export interface OwnerState {
  readonly owner: Owner;
  readonly flows: readonly Flow[];
  readonly groups: readonly Group[];
  readonly meters: readonly Meter[];
}

/** A next hop whose MAC was verified by the resolver. */
export interface ResolvedNeighbour {
  readonly address: number;
  readonly mac: Mac;
  /** OpenFlow port it was seen on; `vlan`, `tunId`, `tunDst` of the segment's port there. */
  readonly ofport: number;
  readonly vlan?: number;
  readonly tunId?: number;
  readonly tunDst?: number;
}

/** What was found out, as opposed to configured. */
export interface Facts {
  /** OVS port name → OpenFlow port number, of ports that exist now. */
  readonly ports: ReadonlyMap<string, number>;
  /** By `${tenantId}/${segmentId}`. */
  readonly neighbours: ReadonlyMap<string, readonly ResolvedNeighbour[]>;
  /** Pool id → endpoint ids of members that may serve now; absent: none. */
  readonly serving: ReadonlyMap<number, ReadonlySet<number>>;
}
