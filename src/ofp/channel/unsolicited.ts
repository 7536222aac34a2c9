import { decodeMessage } from '../index.js';
import type { Message, PacketIn } from '../types/message.js';
import type { Logger } from './types.js';
import { typeName, typeOf } from './wire.js';

/** Hands messages that nobody asked for to their handlers. Neither one that can't be decoded nor a handler that throws costs the connection. */
export class Unsolicited {
  packetIn: ((packet: PacketIn) => void) | undefined;
  other: ((message: Message) => void) | undefined;
  /** Messages dropped because they could not be decoded. */
  undecodable = 0;
  private failures = 0;

  constructor(
    private readonly logger: Logger,
    private readonly peer: string,
  ) {}

  deliver(message: Uint8Array): void {
    let decoded: Message;
    try {
      decoded = decodeMessage(message).message;
    } catch (error) {
      this.warn(++this.undecodable, message, error, 'a message could not be decoded and was dropped');
      return;
    }
    try {
      if (decoded.type === 'packet_in') this.packetIn?.(decoded);
      else this.other?.(decoded);
    } catch (error) {
      this.warn(++this.failures, message, error, 'a message could not be handled');
    }
  }

  /** Logs the first, second, fourth, eighth …: a switch that sends nothing else must not fill the log. */
  private warn(count: number, message: Uint8Array, error: unknown, text: string): void {
    if ((count & (count - 1)) !== 0) return;
    const stack = error instanceof Error ? error.stack : String(error);
    this.logger.warn({ peer: this.peer, type: typeName(typeOf(message)), count, error: stack }, text);
  }
}
