/** Whole messages: the header and what tells messages apart; bodies are registered. OpenFlow 1.3.5 §7.1, §7.3.5. */
import { OfpDecodeError, OfpEncodeError } from './bytes/errors.js';
import { Reader } from './bytes/reader.js';
import type { Writer } from './bytes/writer.js';
import { type AnyMessageForm, messageById, messageFormFor, standardMessage, VERSIONS } from './registry.js';
import type { OfpVersion } from './types/field.js';
import { OFP13 } from './types/field.js';
import type { Message } from './types/message.js';

export const OFPT_HELLO = 0;
export const OFPT_ERROR = 1;
export const OFPT_EXPERIMENTER = 4;
export const OFPT_MULTIPART_REQUEST = 18;
export const OFPT_MULTIPART_REPLY = 19;
const MULTIPART_EXPERIMENTER = 0xffff;
const OFPMPF_MORE = 1;
/** Bytes of struct ofp_header. */
export const HEADER_SIZE = 8;

/** A decoded message. `version` is an OfpVersion except for hello and error, which decode in any. */
export interface Decoded {
  readonly version: number;
  readonly xid: number;
  readonly message: Message;
}

/**
 * Appends one message to `w`. Throws `OfpEncodeError`: `unsupported` where the version can't say it,
 * `out-of-range`, `too-long` above 65,535 bytes; nothing is left behind in `w` then.
 */
export function encodeMessage(w: Writer, version: OfpVersion, xid: number, message: Message): void {
  const start = w.pos;
  try {
    encode(w, version, xid, message, start);
  } catch (e) {
    w.pos = start;
    if (e instanceof OfpEncodeError && e.at !== undefined)
      throw new OfpEncodeError(e.code, message.type, `${e.detail} at byte ${e.at - start}`);
    throw e;
  }
}

function encode(w: Writer, version: OfpVersion, xid: number, message: Message, start: number): void {
  switch (message.type) {
    case 'raw':
      header(w, version, message.messageType, xid);
      w.bytes(message.data);
      break;
    case 'experimenter':
      header(w, version, OFPT_EXPERIMENTER, xid);
      w.u32(message.experimenter);
      w.u32(message.expType);
      w.bytes(message.data);
      break;
    case 'raw_multipart':
      header(
        w,
        version,
        message.direction === 'request' ? OFPT_MULTIPART_REQUEST : OFPT_MULTIPART_REPLY,
        xid,
      );
      w.u16(message.multipartType);
      w.u16(message.more ? OFPMPF_MORE : 0);
      w.zero(4);
      w.bytes(message.data);
      break;
    default: {
      const form = messageFormFor(message, version);
      identify(w, form, version, xid, message);
      form.encode(w, message, version, xid);
    }
  }
  w.patchLength16(start + 2, start, message.type);
}

function header(w: Writer, version: number, type: number, xid: number): void {
  w.word((version << 24) | (type << 16));
  w.u32(xid);
}

function identify(w: Writer, form: AnyMessageForm, version: OfpVersion, xid: number, message: Message): void {
  const id = form.id;
  if ('standard' in id) {
    header(w, version, id.standard, xid);
    return;
  }
  if ('multipart' in id) {
    header(w, version, id.direction === 'request' ? OFPT_MULTIPART_REQUEST : OFPT_MULTIPART_REPLY, xid);
    w.u16(id.multipart);
    w.u16('more' in message && message.more ? OFPMPF_MORE : 0);
    w.zero(4);
  } else header(w, version, OFPT_EXPERIMENTER, xid);
  if ('experimenter' in id) {
    w.u32(id.experimenter);
    w.u32(id.subtype);
  }
}

/**
 * Decodes the one message in `bytes[start..end)`. What outlives the call is copied, so the buffer may be
 * reused. Unknown types come back as `raw`, `experimenter` or `raw_multipart`. Throws `OfpDecodeError`.
 */
export function decodeMessage(bytes: Uint8Array, start = 0, end = bytes.length): Decoded {
  const untraced = new Reader(bytes, start, end, start, '', 0, undefined, false);
  try {
    return decodeFrom(untraced);
  } catch (e) {
    // Once more, for the path of the error.
    if (e instanceof OfpDecodeError) return decodeFrom(new Reader(bytes, start, end, start));
    throw e;
  }
}

/** Decodes one message that fills `r`; counts as one level of nesting. */
export function decodeFrom(r: Reader): Decoded {
  r.descend('message');
  const start = r.pos;
  const version = r.u8('version');
  const type = r.u8('type');
  const length = r.u16('length');
  const xid = r.u32('xid');
  if (length !== r.end - start)
    throw r.fail('bad-length', `length ${length}, ${r.end - start} bytes given`, start + 2, 'length');
  const known = VERSIONS.includes(version as OfpVersion);
  if (!known && type !== OFPT_HELLO && type !== OFPT_ERROR)
    throw r.fail('unsupported-version', `version ${version}`, start, 'version');
  const message = decodeBody(r, known ? (version as OfpVersion) : OFP13, type, xid);
  r.ascend();
  return { version, xid, message };
}

function decodeBody(r: Reader, version: OfpVersion, type: number, xid: number): Message {
  const start = r.pos;
  switch (type) {
    case OFPT_EXPERIMENTER: {
      const experimenter = r.u32('experimenter');
      const expType = r.u32('exp_type');
      const form = messageById({ experimenter, subtype: expType }, version);
      const message = form && finish(r, form, form.decode(r, version, xid));
      if (message) return message;
      r.pos = start + 8;
      return { type: 'experimenter', experimenter, expType, data: r.rest() };
    }
    case OFPT_MULTIPART_REQUEST:
    case OFPT_MULTIPART_REPLY:
      return decodeMultipart(r, version, type === OFPT_MULTIPART_REQUEST ? 'request' : 'reply', xid);
    default: {
      const form = standardMessage(type, version);
      const message = form && finish(r, form, form.decode(r, version, xid));
      if (message) return message;
      r.pos = start;
      return { type: 'raw', messageType: type, data: r.rest() };
    }
  }
}

function decodeMultipart(
  r: Reader,
  version: OfpVersion,
  direction: 'request' | 'reply',
  xid: number,
): Message {
  const multipart = r.u16('multipart.type');
  const more = (r.u16('multipart.flags') & OFPMPF_MORE) !== 0;
  r.zero(4);
  const body = r.pos;
  let form: AnyMessageForm | undefined;
  if (multipart === MULTIPART_EXPERIMENTER) {
    const experimenter = r.u32('experimenter');
    const subtype = r.u32('exp_type');
    form = messageById({ multipart, direction, experimenter, subtype }, version);
  } else form = messageById({ multipart, direction }, version);
  const message = form && finish(r, form, form.decode(r, version, xid));
  if (message) return more ? ({ ...message, more } as Message) : message;
  r.pos = body;
  const raw = { type: 'raw_multipart', direction, multipartType: multipart, data: r.rest() } as const;
  return more ? { ...raw, more } : raw;
}

function finish(r: Reader, form: AnyMessageForm, message: Message | undefined): Message | undefined {
  if (message !== undefined && r.pos !== r.end)
    throw r.fail('bad-length', `${r.left} bytes after ${form.name}`);
  return message;
}
