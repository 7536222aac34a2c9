/** OpenFlow connections: remotes, listening and connecting, the handshake, and what goes over it. */
export { backoff } from './backoff.js';
export { Channel, type ChannelOptions } from './channel.js';
export { systemClock } from './clock.js';
export { Connection, type ConnectionOptions } from './connection.js';
export type { ConnectionCounters } from './counters.js';
export { Dialer, type DialerOptions } from './dialer.js';
export { ChannelError, type ChannelErrorCode, ListenError } from './errors.js';
export { Framer, FramingError, type FramingErrorCode } from './framing.js';
export { Listener, type ListenerOptions } from './listener.js';
export { formatRemote, OPENFLOW_PORT, parseRemote, RemoteSyntaxError } from './remote.js';
export type * from './types.js';
