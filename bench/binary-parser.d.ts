// The package ships types that its exports map hides from ESM importers.
declare module 'binary-parser' {
  export class Parser {
    endianness(e: 'big' | 'little'): this;
    uint8(name: string): this;
    uint16(name: string): this;
    uint32(name: string): this;
    uint64(name: string): this;
    seek(bytes: number): this;
    buffer(name: string, options: { length: string }): this;
    nest(name: string, options: { type: Parser }): this;
    array(name: string, options: { type: Parser; length: number }): this;
    choice(name: string, options: { tag: string; choices: Record<number, Parser> }): this;
    parse(bytes: Uint8Array): unknown;
  }
}
