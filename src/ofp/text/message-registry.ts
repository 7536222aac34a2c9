/** How messages are printed, by type; extensions add theirs. */
import type { Message, MessageOf, MessageType } from '../types/message.js';

export interface MessageContext {
  /** Wire version of the message. */
  readonly version: number;
  /** Prints a message that is inside another. */
  nested(message: Message, version: number, xid: number): string;
  /** Prints bytes that should be a message. */
  nestedBytes(bytes: Uint8Array): string;
}

export interface MessageText<K extends MessageType> {
  /** As ovs-ofctl calls it: `OFPT_FLOW_MOD`, `OFPST_FLOW reply`. */
  name(message: MessageOf<K>, version: number): string;
  /** What follows the colon; lines end in a newline, the last one may be without. */
  body(message: MessageOf<K>, context: MessageContext): string;
}

interface AnyText {
  name(message: Message, version: number): string;
  body(message: Message, context: MessageContext): string;
}
const texts = new Map<string, AnyText>();

/** Throws on a type that is taken. */
export function registerMessageText<K extends MessageType>(
  type: K,
  name: string | MessageText<K>['name'],
  body: MessageText<K>['body'] = () => '',
): void {
  if (texts.has(type)) throw new Error(`text of message ${type} defined twice`);
  const named = typeof name === 'string' ? () => name : name;
  texts.set(type, { name: named, body } as unknown as AnyText);
}

export function messageTextOf(type: string): AnyText | undefined {
  return texts.get(type);
}
