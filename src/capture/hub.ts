import type { Tap } from '../ofp/channel/types.js';
import { CaptureSession, type SessionOptions } from './session.js';

/** Captures at a time: each costs a copy of what it wants. */
const MAX_SESSIONS = 4;

/** There are as many captures as may be. */
export class CaptureBusyError extends Error {
  override readonly name = 'CaptureBusyError';
}

/**
 * Hands the messages of all connections to the captures that run. While none runs the connections have no tap, so
 * nothing is looked at and nothing copied.
 */
export class CaptureHub {
  private readonly sessions = new Set<CaptureSession>();

  /** @param setTap sets the tap of all connections, also of later ones; undefined takes it away */
  constructor(private readonly setTap: (tap: Tap | undefined) => void) {}

  get running(): number {
    return this.sessions.size;
  }

  /** @throws CaptureBusyError */
  open(options: SessionOptions): CaptureSession {
    if (this.sessions.size >= MAX_SESSIONS)
      throw new CaptureBusyError(`there are ${MAX_SESSIONS} captures already`);
    const session = new CaptureSession(options, () => this.closed(session));
    this.sessions.add(session);
    if (this.sessions.size === 1)
      this.setTap((direction, bytes, connection) => this.see(direction, bytes, connection));
    return session;
  }

  private closed(session: CaptureSession): void {
    if (this.sessions.delete(session) && this.sessions.size === 0) this.setTap(undefined);
  }

  /** Bytes are whole messages: one that came in, or a batch that goes out. */
  private see(direction: 'in' | 'out', bytes: Uint8Array, connection: { readonly peer: string }): void {
    for (let at = 0; at + 8 <= bytes.length; ) {
      const length = (bytes[at + 2]! << 8) | bytes[at + 3]!;
      if (length < 8) return;
      const message = bytes.subarray(at, at + length);
      for (const session of this.sessions) session.offer(direction, message, connection);
      at += length;
    }
  }
}
