/** A small seeded generator: equal seeds give equal values on every machine. */
export class Random {
  constructor(private state: number) {}

  /** Unsigned, below 2^bits, bits at most 32. */
  bits(n: number): number {
    this.state = (this.state + 0x6d2b79f5) | 0;
    let t = this.state;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) >>> (32 - n);
  }
  u8 = (): number => this.bits(8);
  u16 = (): number => this.bits(16);
  u32 = (): number => this.bits(32);
  u64 = (): bigint => (BigInt(this.u32()) << 32n) | BigInt(this.u32());
  below(n: number): number {
    return this.u32() % n;
  }
  bool = (): boolean => this.bits(1) === 1;
  pick<T>(from: readonly T[]): T {
    return from[this.below(from.length)]!;
  }
  bytes(n: number): Uint8Array {
    return Uint8Array.from({ length: n }, () => this.u8());
  }
  wide(bits: number): bigint {
    let v = 0n;
    for (let left = bits; left > 0; left -= 32) v = (v << 32n) | BigInt(this.bits(32));
    return v & ((1n << BigInt(bits)) - 1n);
  }
  list<T>(max: number, make: () => T): T[] {
    return Array.from({ length: this.below(max + 1) }, make);
  }
  text(max: number): string {
    let s = '';
    for (let n = this.below(max + 1); n > 0; n--) s += String.fromCharCode(97 + this.below(26));
    return s;
  }
  maybe<T extends object>(part: () => T): T | Record<never, never> {
    return this.bool() ? part() : {};
  }
}
