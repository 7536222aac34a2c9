export { HealthChecker, type HealthCounters, type Neighbours } from './health-checker.js';
export { Histogram } from './histogram.js';
export * from './serving.js';
export * from './types.js';
