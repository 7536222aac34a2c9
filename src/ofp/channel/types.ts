import type { OfpVersion } from '../types/field.js';
import type { PacketIn } from '../types/message.js';

/** OVS remote syntax, parsed: `ptcp:6653:127.0.0.1`, `pssl:…`, `punix:/path`, `tcp:host:port`, `ssl:…`, `unix:/path`. */
export type Remote =
  | { readonly kind: 'ptcp' | 'pssl'; readonly port: number; readonly host: string }
  | { readonly kind: 'tcp' | 'ssl'; readonly host: string; readonly port: number }
  | { readonly kind: 'punix' | 'unix'; readonly path: string };

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
  /** Queues one message; returns its xid. Order is kept. */
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
  /** Resolves when the send queue is below its low-water mark. */
  drained(): Promise<void>;
  close(reason: string): void;
  onPacketIn(handler: (packet: PacketIn) => void): void;
  /** Port status, flow removed, role status and every other unsolicited message. */
  onMessage(handler: (message: Message) => void): void;
  onClose(handler: (reason: string) => void): void;
}
