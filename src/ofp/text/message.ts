/** Whole messages as `ovs-ofctl ofp-print` writes them. */
import { type Decoded, decodeMessage } from '../codec.js';
import type { Message } from '../types/message.js';
import { type MessageContext, messageTextOf } from './message-registry.js';
import './messages/controller.js';
import './messages/multipart.js';
import './messages/session.js';
import './messages/switch.js';
import { hexDump, toHex } from './values.js';

const VERSIONS = ['', 'OF1.0', 'OF1.1', 'OF1.2', 'OF1.3', 'OF1.4', 'OF1.5'];

/** `OFPT_FLOW_MOD (OF1.3) (xid=0x2): ADD …`; several lines where there is more to say, without a newline at the end. */
export function formatMessage(decoded: Decoded): string {
  return print(decoded.message, decoded.version, decoded.xid, 0).replace(/\n+$/, '');
}

/** Messages in messages that are printed; what is deeper is told by its length. */
const MAX_DEPTH = 4;

function print(message: Message, version: number, xid: number, depth: number): string {
  const label = `(${VERSIONS[version] || `OF 0x${version.toString(16).padStart(2, '0')}`}) (xid=0x${xid.toString(16)}):`;
  const text = messageTextOf(message.type);
  if (text === undefined) return `${unknownName(message)} ${label}\n${unknownBody(message)}`;
  const more = 'more' in message && message.more ? ' flags=[more]' : '';
  return `${text.name(message, version)} ${label}${more}${text.body(message, context(version, depth))}`;
}

function context(version: number, depth: number): MessageContext {
  return {
    version,
    nested: (message, v, xid) => (depth >= MAX_DEPTH ? '…\n' : print(message, v, xid, depth + 1)),
    nestedBytes: (bytes) => nestedBytes(bytes, depth + 1),
  };
}

function nestedBytes(bytes: Uint8Array, depth: number): string {
  if (bytes.length < 8) return `OpenFlow packet too short (only ${bytes.length} bytes):\n${hexDump(bytes)}`;
  const length = (bytes[2]! << 8) | bytes[3]!;
  if (length > bytes.length)
    return `(***truncated to ${bytes.length} bytes from ${length}***)\n${hexDump(bytes)}`;
  try {
    const { message, version, xid } = decodeMessage(bytes, 0, length);
    return depth > MAX_DEPTH ? '…\n' : print(message, version, xid, depth);
  } catch (error) {
    return `***${error instanceof Error ? error.message : String(error)}***\n${hexDump(bytes)}`;
  }
}

function unknownName(message: Message): string {
  switch (message.type) {
    case 'experimenter':
      return `experimenter 0x${message.experimenter.toString(16)} type ${message.expType}`;
    case 'raw':
      return `message type ${message.messageType}`;
    case 'raw_multipart':
      return `multipart ${message.direction} type ${message.multipartType}`;
    default:
      return message.type;
  }
}

function unknownBody(message: Message): string {
  return 'data' in message && message.data instanceof Uint8Array ? hexDump(message.data) : dataText(message);
}

/** For types without a text: nothing is lost. */
function dataText(message: Message): string {
  return `${JSON.stringify(message, (_, v) => (typeof v === 'bigint' ? `0x${v.toString(16)}` : v instanceof Uint8Array ? toHex(v) : v))}\n`;
}
