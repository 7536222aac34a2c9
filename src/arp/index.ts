export { type NeighbourCounters, NeighbourTable } from './neighbour-table.js';
export * from './types.js';
