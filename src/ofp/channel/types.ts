import type { OfpVersion } from '../types/field.js';
import type { PacketIn } from '../types/message.js';

/** OVS remote syntax, parsed: `ptcp:6653:127.0.0.1`, `pssl:…`, `punix:/path`, `tcp:host:port`, `ssl:…`, `unix:/path`. */
export type Remote = PassiveRemote | ActiveRemote;
/** We listen. */
export type PassiveRemote =
  | { readonly kind: 'ptcp' | 'pssl'; readonly port: number; readonly host: string }
  | { readonly kind: 'punix'; readonly path: string };
/** We connect. */
export type ActiveRemote =
  | { readonly kind: 'tcp' | 'ssl'; readonly host: string; readonly port: number }
  | { readonly kind: 'unix'; readonly path: string };

/** A message refused by the switch, or a request that got no answer. */
export interface Refusal {
  /** OFPET_* name, e.g. 'OFPBMC_BAD_FIELD' as OVS prints it; 'timeout', 'closed' where there was no answer. */
  readonly error: string;
  /** Index of the refused message in the bundle or batch, where known. */
  readonly index?: number;
}
export type Outcome = { readonly ok: true } | { readonly ok: false; readonly refusals: readonly Refusal[] };

/** What the agent needs of a handshaken OpenFlow connection. `Message` is the codec's union. */
export interface SwitchConnection<Message = unknown> {
  readonly datapathId: bigint;
  readonly version: OfpVersion;
  readonly peer: string;
  readonly open: boolean;
  /** Queues one message; returns its xid. Order is kept. On a closed connection: does nothing, returns 0. */
  send(message: Message): number;
  /** Sends and resolves with the reply of the same xid; rejects on an error message, deadline or close. */
  request(message: Message, timeoutMs?: number): Promise<Message>;
  /** A multipart request; chunks of entries as the parts arrive, so that the caller can work in slices. */
  multipart(request: Message): AsyncIterable<Message>;
  /** One atomic bundle (OFPBF_ATOMIC|ORDERED): all messages or none. Resolves when the switch committed. */
  bundle(messages: Iterable<Message>): Promise<Outcome>;
  /** Messages that can't be in a bundle (meters), or needn't: pipelined, then one barrier; refusals by index. */
  batch(messages: Iterable<Message>): Promise<Outcome>;
  barrier(): Promise<void>;
  /** Resolves when the send queue is below its low-water mark, or the connection has closed. */
  drained(): Promise<void>;
  close(reason: string): void;
  onPacketIn(handler: (packet: PacketIn) => void): void;
  /** Port status, flow removed, role status and every other unsolicited message. */
  onMessage(handler: (message: Message) => void): void;
  onClose(handler: (reason: string) => void): void;
}

/** Where the connection's log lines go; a pino logger fits. */
export interface Logger {
  debug(data: object, text: string): void;
  info(data: object, text: string): void;
  warn(data: object, text: string): void;
}

/** Monotonic milliseconds and timers; injected so that tests control time. */
export interface Clock {
  now(): number;
  setTimeout(fn: () => void, ms: number): { cancel(): void };
}

/**
 * Sees the bytes of a connection in stream order: one message that came in and is about to be handled, or a batch of
 * whole messages that is written. Must not keep them.
 */
export type Tap = (direction: 'in' | 'out', bytes: Uint8Array, connection: { readonly peer: string }) => void;

/** PEM files for `ssl:` and `pssl:`. The CA decides who may speak to us: both sides must show a certificate of it. */
export interface TlsFiles {
  readonly privateKey: string;
  readonly certificate: string;
  readonly caCertificate: string;
}

/** Limits and times of one connection; each has a default. */
export interface ConnectionLimits {
  /** Silence in ms after which an echo request is sent; as much again without a byte closes. 5,000. */
  readonly probeInterval?: number;
  /** ms from connect to the end of the handshake. 10,000. */
  readonly handshakeTimeout?: number;
  /** ms for a reply, a barrier, a part of a multipart reply. 30,000. */
  readonly replyTimeout?: number;
  /** Bytes queued for a peer that doesn't read, beyond which the connection closes. 64 MiB. */
  readonly maxQueued?: number;
  /** Bytes of a multipart reply kept for a reader that doesn't read, beyond which the reply fails. 256 MiB. */
  readonly maxReply?: number;
}
