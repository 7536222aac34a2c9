export * from './conntrack.js';
export { findSocket, type Unixctl, UnixctlError, type UnixctlOptions, unixctl } from './unixctl.js';
