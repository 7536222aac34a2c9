export type { NeighbourCounters } from './counters.js';
export { NeighbourTable } from './neighbour-table.js';
export * from './types.js';
