export { type ApiLog, buildApp } from './app.js';
export { type ApiOptions, ApiStartError, type ListenAddress, type RunningApi, startApi } from './listen.js';
export type * from './types.js';
