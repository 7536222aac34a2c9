import type { Duplex } from 'node:stream';

/** ms that what was written has to leave. */
const LINGER = 1_000;

/** Lets what was written leave, but not for long: the peer may not read. What still comes is dropped. */
export function endSocket(socket: Duplex): void {
  socket.removeAllListeners('data');
  socket.resume();
  socket.end();
  const timer = setTimeout(() => socket.destroy(), LINGER);
  socket.once('finish', () => socket.destroy());
  socket.once('close', () => clearTimeout(timer));
}
