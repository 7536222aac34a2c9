export interface NeighbourCounters {
  solicitations: number;
  /** Replies to questions of ours. */
  answers: number;
  /** Unasked statements about an address that we know. */
  claims: number;
  /** ARP frames of which nothing was believed, by reason. */
  ignored: Record<'bad-frame' | 'bad-sender' | 'unknown-segment' | 'unknown-address' | 'own-address', number>;
  /** Packets to unresolved addresses: kept, sent on later, dropped. */
  queued: number;
  forwarded: number;
  dropped: Record<'full' | 'truncated' | 'not-a-neighbour' | 'too-many' | 'unresolved', number>;
  duplicates: number;
  moves: number;
  damped: number;
}

export function newCounters(): NeighbourCounters {
  return {
    solicitations: 0,
    answers: 0,
    claims: 0,
    ignored: {
      'bad-frame': 0,
      'bad-sender': 0,
      'unknown-segment': 0,
      'unknown-address': 0,
      'own-address': 0,
    },
    queued: 0,
    forwarded: 0,
    dropped: { full: 0, truncated: 0, 'not-a-neighbour': 0, 'too-many': 0, unresolved: 0 },
    duplicates: 0,
    moves: 0,
    damped: 0,
  };
}
