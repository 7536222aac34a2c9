export type { HealthCounters } from './counters.js';
export { HealthChecker } from './health-checker.js';
export { Histogram } from './histogram.js';
export type { Neighbours } from './neighbours.js';
export * from './serving.js';
export * from './types.js';
