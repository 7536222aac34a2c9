import { OfpEncodeError } from './errors.js';

/**
 * One growable buffer for a whole batch of messages. All integers are unsigned and written in network byte order;
 * those that do not fit, fractions and NaN throw `out-of-range`, whose path the caller knows.
 */
export class Writer {
  private buf: Uint8Array;
  private view: DataView;
  /** Position of the next byte. */
  pos = 0;

  constructor(capacity = 4096) {
    this.buf = new Uint8Array(capacity);
    this.view = new DataView(this.buf.buffer);
  }

  private grow(n: number): void {
    const next = new Uint8Array(Math.max(this.buf.length * 2, this.pos + n));
    next.set(this.buf.subarray(0, this.pos));
    this.buf = next;
    this.view = new DataView(next.buffer);
  }

  /** Where the next `n` bytes begin: one check for many fields, each to be written with `patch…`. */
  block(n: number): number {
    const at = this.pos;
    if (at + n > this.buf.length) this.grow(n);
    this.pos = at + n;
    return at;
  }

  u8(v: number): void {
    if ((v & 0xff) !== v) throw outOfRange(v, 8, this.pos);
    const at = this.block(1);
    this.buf[at] = v;
  }

  u16(v: number): void {
    if ((v & 0xffff) !== v) throw outOfRange(v, 16, this.pos);
    const at = this.block(2);
    this.view.setUint16(at, v);
  }

  u32(v: number): void {
    if (v >>> 0 !== v) throw outOfRange(v, 32, this.pos);
    const at = this.block(4);
    this.view.setUint32(at, v);
  }

  /** 32 bits put together by shifting, signed or not. */
  word(v: number): void {
    const at = this.block(4);
    this.view.setInt32(at, v);
  }

  u64(v: bigint): void {
    if (BigInt.asUintN(64, v) !== v) throw outOfRange(v, 64, this.pos);
    const at = this.block(8);
    this.view.setBigUint64(at, v);
  }

  /** An unsigned integer of `size` bytes, at most 128. */
  uint(v: number | bigint, size: number): void {
    if (size <= 4 && typeof v === 'number') {
      if (v >>> 0 !== v || (size < 4 && v >>> (8 * size) !== 0)) throw outOfRange(v, 8 * size, this.pos);
      const at = this.block(size);
      for (let i = size - 1, rest = v; i >= 0; i--) {
        this.buf[at + i] = rest & 0xff;
        rest >>>= 8;
      }
      return;
    }
    let rest = BigInt(v);
    if (rest < 0n || rest >> BigInt(8 * size) !== 0n) throw outOfRange(v, 8 * size, this.pos);
    const at = this.block(size);
    for (let i = size - 1; i >= 0; i--) {
      this.buf[at + i] = Number(rest & 0xffn);
      rest >>= 8n;
    }
  }

  bytes(b: Uint8Array): void {
    const at = this.block(b.length);
    this.buf.set(b, at);
  }

  /** `n` zero bytes. */
  zero(n: number): void {
    const at = this.block(n);
    // A call of fill() costs more than a few bytes do.
    if (n > 16) this.buf.fill(0, at, at + n);
    else for (let i = 0; i < n; i++) this.buf[at + i] = 0;
  }

  /** Zero bytes up to a multiple of 8 counted from `start`. */
  align8(start: number): void {
    const over = (this.pos - start) & 7;
    if (over !== 0) this.zero(8 - over);
  }

  /** A NUL-padded string of exactly `size` bytes, each character one byte; the last byte stays NUL. */
  fixedString(s: string, size: number, path: string): void {
    if (s.length >= size)
      throw new OfpEncodeError('too-long', path, `"${s}" is longer than ${size - 1} bytes`);
    const at = this.block(size);
    for (let i = 0; i < size; i++) {
      const c = i < s.length ? s.charCodeAt(i) : 0;
      if (c > 0xff) throw new OfpEncodeError('out-of-range', path, `"${s}" has characters beyond one byte`);
      this.buf[at + i] = c;
    }
  }

  /** What was written at `at`. */
  peekU16(at: number): number {
    return this.view.getUint16(at);
  }

  patchU8(at: number, v: number): void {
    if ((v & 0xff) !== v) throw outOfRange(v, 8, at);
    this.buf[at] = v;
  }

  patchU16(at: number, v: number): void {
    if ((v & 0xffff) !== v) throw outOfRange(v, 16, at);
    this.view.setUint16(at, v);
  }

  patchU32(at: number, v: number): void {
    if (v >>> 0 !== v) throw outOfRange(v, 32, at);
    this.view.setUint32(at, v);
  }

  patchU64(at: number, v: bigint): void {
    if (BigInt.asUintN(64, v) !== v) throw outOfRange(v, 64, at);
    this.view.setBigUint64(at, v);
  }

  /** Writes at `at` the number of bytes since `start`. Throws when it does not fit 16 bits. */
  patchLength16(at: number, start: number, path: string): void {
    const n = this.pos - start;
    if (n > 0xffff) throw new OfpEncodeError('too-long', path, `${n} bytes, at most 65535 fit`);
    this.view.setUint16(at, n);
  }

  /** The bytes written since `start`; a view that the next write or `reset` may overwrite. */
  view8(start = 0): Uint8Array {
    return this.buf.subarray(start, this.pos);
  }

  /** A copy of the bytes written since `start`. */
  take(start = 0): Uint8Array {
    return this.buf.slice(start, this.pos);
  }

  /** Forgets what was written; keeps the buffer. */
  reset(): void {
    this.pos = 0;
  }
}

function outOfRange(v: number | bigint, bits: number, at: number): OfpEncodeError {
  return new OfpEncodeError('out-of-range', '', `${v} does not fit ${bits} bits`, at);
}
