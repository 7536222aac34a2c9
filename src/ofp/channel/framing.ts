import { OFP15 } from '../types/field.js';
import { lastType, OFPT } from './wire.js';

/** Size of ofp_header, OpenFlow 1.3 §7.1. */
export const HEADER_SIZE = 8;

/** Why a stream cannot be cut into messages any more. */
export type FramingErrorCode =
  | 'bad-length' // a message that claims to be shorter than its header
  | 'bad-version' // not the version the connection agreed on
  | 'bad-type'; // a type that the version does not have

/** Bytes that are no OpenFlow message: what follows has no known start, so the connection must end. */
export class FramingError extends Error {
  override readonly name = 'FramingError';
  constructor(
    readonly code: FramingErrorCode,
    /** Bytes of the stream before the broken message. */
    readonly offset: number,
    detail: string,
  ) {
    super(`broken stream: ${detail} at byte ${offset}`);
  }
}

/**
 * Cuts a byte stream into whole messages. A message that lies within one chunk is handed out as a slice of
 * it; only one that straddles chunks is copied, once, into a merge buffer that grows with the bytes that came,
 * never by what a length field claims.
 *
 * A switch whose packet-in outgrew its 16-bit length leaves the stream without known message starts; the
 * version, type and length of each header are checked so that this shows within a few messages.
 */
export class Framer {
  private chunk: Uint8Array = EMPTY;
  private pos = 0;
  private merge: Uint8Array = new Uint8Array(4096);
  private merged = 0;
  private passed = 0;
  private version = 0;

  /** After negotiation: only this version's messages pass, but for hello, error and echo, which may differ. */
  expect(version: number): void {
    this.version = version;
  }

  /** Bytes that wait: of an incomplete message, and of the current chunk. */
  get buffered(): number {
    return this.merged + (this.chunk.length - this.pos);
  }

  /** The chunk is used up: `push` may follow. */
  get done(): boolean {
    return this.pos >= this.chunk.length;
  }

  /** Gives the next bytes of the stream. The previous chunk must be used up: `next()` returned undefined. */
  push(chunk: Uint8Array): void {
    if (this.pos < this.chunk.length) throw new Error('Framer.push before next() used up the last chunk');
    // Not as a Buffer, whose slice() is no copy: a decoder's copies would be views of the receive buffer.
    this.chunk = new Uint8Array(chunk.buffer, chunk.byteOffset, chunk.length);
    this.pos = 0;
  }

  /**
   * The next whole message, or undefined where more bytes are needed. It is a view, valid until the next call
   * of `next` or `push`: copy what outlives that.
   *
   * @throws FramingError where the bytes are no OpenFlow message
   */
  next(): Uint8Array | undefined {
    if (this.merged > 0) return this.nextMerged();
    const left = this.chunk.length - this.pos;
    if (left < HEADER_SIZE) return this.keep(left);
    const length = this.check(this.chunk, this.pos);
    if (left < length) return this.keep(left);
    const message = this.chunk.subarray(this.pos, this.pos + length);
    this.pos += length;
    this.passed += length;
    return message;
  }

  private nextMerged(): Uint8Array | undefined {
    if (!this.fill(HEADER_SIZE)) return undefined;
    const length = this.check(this.merge, 0);
    if (!this.fill(length)) return undefined;
    this.merged = 0;
    this.passed += length;
    return this.merge.subarray(0, length);
  }

  /** Moves bytes of the chunk into the merge buffer until it holds `size`; false where the chunk ends before. */
  private fill(size: number): boolean {
    if (this.merged >= size) return true;
    this.keep(Math.min(size - this.merged, this.chunk.length - this.pos));
    return this.merged >= size;
  }

  private keep(n: number): undefined {
    if (n === 0) return;
    const need = this.merged + n;
    if (need > this.merge.length) {
      const grown = new Uint8Array(Math.max(need, this.merge.length * 2));
      grown.set(this.merge.subarray(0, this.merged));
      this.merge = grown;
    }
    this.merge.set(this.chunk.subarray(this.pos, this.pos + n), this.merged);
    this.merged = need;
    this.pos += n;
  }

  /** Checks the header at `at` and returns the message's length in bytes. */
  private check(bytes: Uint8Array, at: number): number {
    const version = bytes[at]!;
    const type = bytes[at + 1]!;
    const length = (bytes[at + 2]! << 8) | bytes[at + 3]!;
    if (length < HEADER_SIZE)
      throw new FramingError('bad-length', this.passed, `a message of ${length} bytes`);
    if (this.version === 0) {
      // Before negotiation a hello or error of any version may come; nothing speaks version 0 or 0x80 and up.
      if (version === 0x16 && type === 3)
        throw new FramingError('bad-version', this.passed, 'TLS, where plain OpenFlow is spoken,');
      if (version === 0 || version >= 0x80)
        throw new FramingError('bad-version', this.passed, `version 0x${hex(version)}`);
      if (type > lastType(OFP15)) throw new FramingError('bad-type', this.passed, `message type ${type}`);
      return length;
    }
    if (version !== this.version && type > OFPT.ECHO_REPLY)
      throw new FramingError(
        'bad-version',
        this.passed,
        `version 0x${hex(version)} where 0x${hex(this.version)} was agreed`,
      );
    if (type > lastType(this.version))
      throw new FramingError('bad-type', this.passed, `message type ${type}`);
    return length;
  }
}

const EMPTY = new Uint8Array(0);

function hex(n: number): string {
  return n.toString(16).padStart(2, '0');
}
