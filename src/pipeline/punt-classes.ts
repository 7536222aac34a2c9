/** First byte of the userdata of punted packets; the same numbers as in `packetio`, which this room can't import. */
export const PUNT = { arp: 1, nd: 2, probe: 3, nextHop: 4 } as const;
export type PuntClass = keyof typeof PUNT;
