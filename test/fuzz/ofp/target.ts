/** What must hold of the decoder whatever it is given. */
import {
  decodeMessage,
  encodeMessage,
  OfpDecodeError,
  OfpEncodeError,
  type OfpVersion,
  Writer,
} from '../../../src/ofp/index.js';

/** Bytes of memory per byte of input at most: an unknown TLV of 4 bytes becomes an object with its own copy. */
const PER_BYTE = 64;
/** Beside that, for the message itself. */
const FIXED = 4096;

const OBJECT = 24;
const SLOT = 8;
const TYPED_ARRAY = 160;

/** Bytes that a decoded value occupies, about; fields are shared descriptors and cost their pointer only. */
export function footprint(value: unknown): number {
  switch (typeof value) {
    case 'bigint':
      return 16 + value.toString(16).length / 2;
    case 'string':
      return 16 + value.length;
    case 'number':
      return 16;
    case 'object':
      break;
    default:
      return 0;
  }
  if (value === null) return 0;
  if (value instanceof Uint8Array) return TYPED_ARRAY + value.buffer.byteLength;
  if (Array.isArray(value)) return value.reduce((n: number, v) => n + SLOT + footprint(v), OBJECT);
  if ('wire' in value) return 0;
  return Object.values(value).reduce((n: number, v) => n + SLOT + footprint(v), OBJECT);
}

export type Verdict = 'decoded' | 'refused';

/**
 * Decodes. Throws where the decoder does anything but give a message of bounded size or a typed error with an
 * offset inside the input, and where what it gave can't be encoded, or to bytes that read differently.
 */
export function attempt(bytes: Uint8Array): Verdict {
  let decoded: ReturnType<typeof decodeMessage>;
  try {
    decoded = decodeMessage(bytes);
  } catch (e) {
    if (!(e instanceof OfpDecodeError)) throw e;
    if (!(e.offset >= 0 && e.offset <= bytes.length))
      throw new Error(`offset ${e.offset} of ${bytes.length}`);
    return 'refused';
  }
  const size = footprint(decoded.message);
  if (size > FIXED + PER_BYTE * bytes.length) throw new Error(`${size} bytes made of ${bytes.length}`);
  return 'decoded';
}

/** What was decoded is said again: the same bytes once more give the same bytes. */
export function sayAgain(bytes: Uint8Array): void {
  const once = encoded(bytes);
  if (once === undefined) return;
  const twice = encoded(once);
  if (twice === undefined || Buffer.compare(once, twice) !== 0)
    throw new Error('encodes differently the second time');
}

function encoded(bytes: Uint8Array): Uint8Array | undefined {
  const { version, xid, message } = decodeMessage(bytes);
  const w = new Writer();
  try {
    encodeMessage(w, version as OfpVersion, xid, message);
  } catch (e) {
    // A value that the bytes can hold and the model refuses, with its reason.
    if (e instanceof OfpEncodeError) return undefined;
    throw e;
  }
  return w.take();
}
