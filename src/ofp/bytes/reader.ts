import { type DecodeErrorCode, OfpDecodeError } from './errors.js';

/** Nesting of actions, properties and messages in messages that a decoder follows. */
export const MAX_DEPTH = 16;

/** Bounds-checked reading of network-order integers. A sub-reader never sees beyond its slice. */
export class Reader {
  readonly view: DataView;
  pos: number;

  /** Names and indices of the structures around the position; -1: no index. */
  private readonly names: string[] = [];
  private readonly indices: number[] = [];
  private level = 0;

  /**
   * @param buf the bytes; not copied
   * @param pos where to start
   * @param end one past the last readable byte; narrowed by `enter`
   * @param base what to subtract from positions in errors: the start of the message
   * @param traced whether errors say where they are in words. Noting every structure that is entered costs a
   *   fifth of a decode, so `decodeMessage` does without and decodes again what fails.
   */
  constructor(
    readonly buf: Uint8Array,
    pos = 0,
    public end = buf.length,
    readonly base = 0,
    private readonly prefix = '',
    private depth = 0,
    view?: DataView,
    private readonly traced = true,
  ) {
    this.pos = pos;
    this.view = view ?? new DataView(buf.buffer, buf.byteOffset, buf.byteLength);
  }

  get left(): number {
    return this.end - this.pos;
  }

  /** Where we are, in words: `instructions[1].actions[0]`. */
  get path(): string {
    let path = this.prefix;
    for (let i = 0; i < this.level; i++) {
      const index = this.indices[i]!;
      const step = index < 0 ? this.names[i]! : `${this.names[i]}[${index}]`;
      path = path ? `${path}.${step}` : step;
    }
    return path;
  }

  /**
   * Narrows the reader to the next `n` bytes until `leave`. Returns what `leave` needs.
   * Cheaper than `sub` for the many small structures of a message.
   */
  enter(n: number, name: string, index = -1): number {
    const end = this.pos + n;
    const outer = this.end;
    if (end > outer || n < 0)
      throw this.fail('bad-length', `${n} bytes claimed, ${this.left} left`, this.pos, name);
    this.end = end;
    if (this.traced) this.note(name, index);
    return outer;
  }

  private note(name: string, index: number): void {
    this.names[this.level] = name;
    this.indices[this.level] = index;
    this.level++;
  }

  /** Ends what `enter` began; goes to its last byte. */
  leave(outer: number): void {
    this.pos = this.end;
    this.end = outer;
    if (this.traced) this.level--;
  }

  /** Counts nesting of structures that may contain themselves; to be undone with `ascend`. */
  descend(name: string): void {
    if (++this.depth > MAX_DEPTH)
      throw this.fail('too-deep', `more than ${MAX_DEPTH} levels`, this.pos, name);
  }
  ascend(): void {
    this.depth--;
  }

  fail(code: DecodeErrorCode, detail: string, at = this.pos, name = ''): OfpDecodeError {
    const around = this.path;
    const path = name ? (around ? `${around}.${name}` : name) : around;
    return new OfpDecodeError(code, at - this.base, path, detail);
  }

  need(n: number, name = ''): void {
    if (this.pos + n > this.end) throw this.truncated(n, name);
  }

  /** Where the next `n` bytes begin, which are skipped: one check for many fields, to be read through `view`. */
  block(n: number, name: string): number {
    const at = this.pos;
    if (at + n > this.end) throw this.truncated(n, name);
    this.pos = at + n;
    return at;
  }

  private truncated(n: number, name: string): OfpDecodeError {
    return this.fail('truncated', `${n} bytes needed, ${this.left} left`, this.pos, name);
  }

  u8(name = ''): number {
    this.need(1, name);
    return this.buf[this.pos++]!;
  }

  u16(name = ''): number {
    return this.view.getUint16(this.block(2, name));
  }

  u32(name = ''): number {
    const at = this.pos;
    if (at + 4 > this.end) throw this.truncated(4, name);
    this.pos = at + 4;
    return this.view.getUint32(at);
  }

  u64(name = ''): bigint {
    return this.view.getBigUint64(this.block(8, name));
  }

  /** An unsigned integer of `size` bytes: a number up to 4 bytes, else a bigint. */
  uint(size: number, name = ''): number | bigint {
    this.need(size, name);
    const at = this.pos;
    this.pos += size;
    switch (size) {
      case 1:
        return this.buf[at]!;
      case 2:
        return this.view.getUint16(at);
      case 3:
        return (this.buf[at]! << 16) | this.view.getUint16(at + 1);
      case 4:
        return this.view.getUint32(at);
      case 6:
        return (BigInt(this.view.getUint16(at)) << 32n) | BigInt(this.view.getUint32(at + 2));
      case 8:
        return this.view.getBigUint64(at);
      default: {
        let v = 0n;
        for (let i = 0; i < size; i++) v = (v << 8n) | BigInt(this.buf[at + i]!);
        return v;
      }
    }
  }

  /** A copy of the next `n` bytes. */
  bytes(n: number, name = ''): Uint8Array {
    this.need(n, name);
    // Not slice(): a Buffer's gives a view of the same memory.
    const b = new Uint8Array(n);
    b.set(this.buf.subarray(this.pos, this.pos + n));
    this.pos += n;
    return b;
  }

  /** All bytes that are left, copied. */
  rest(): Uint8Array {
    return this.bytes(this.left);
  }

  skip(n: number, name = ''): void {
    this.need(n, name);
    this.pos += n;
  }

  /** Padding that must be zero. */
  zero(n: number, name = 'pad'): void {
    const at = this.block(n, name);
    if (n === 4 && this.view.getInt32(at) === 0) return;
    this.zeroAt(at, n, name);
  }

  /** Padding within a `block`. */
  zeroAt(at: number, n: number, name = 'pad'): void {
    for (let i = at; i < at + n; i++) {
      if (this.buf[i] !== 0) throw this.fail('bad-padding', 'padding is not zero', i, name);
    }
  }

  /** A NUL-padded string of `size` bytes, each byte one character. */
  fixedString(size: number, name = ''): string {
    this.need(size, name);
    let s = '';
    for (let i = this.pos; i < this.pos + size && this.buf[i] !== 0; i++)
      s += String.fromCharCode(this.buf[i]!);
    this.pos += size;
    return s;
  }

  /** A reader of the next `n` bytes, which this one skips. `path` is appended for errors; `deeper` counts nesting. */
  sub(n: number, path: string, deeper = false): Reader {
    this.need(n, path);
    const depth = this.depth + (deeper ? 1 : 0);
    if (depth > MAX_DEPTH) throw this.fail('too-deep', `more than ${MAX_DEPTH} levels`, this.pos, path);
    const around = this.path;
    const r = new Reader(
      this.buf,
      this.pos,
      this.pos + n,
      this.base,
      around ? `${around}.${path}` : path,
      depth,
      this.view,
      this.traced,
    );
    this.pos += n;
    return r;
  }
}
