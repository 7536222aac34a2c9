/** Bytes of one status line, and of everything before the final one. */
const MAX_LINE = 8192;
const MAX_PREAMBLE = 65_536;
const LF = 10;
/** `HTTP/1.x NNN`, and what must follow: a space or the end of the line. */
const FORM = /^HTTP\/1\.[0-9] ([1-9][0-9]{2})(?: .*)?$/;
/** What is kept of a line: enough for the form, not the reason phrase. */
const KEPT = 64;

/**
 * The status line of a response (RFC 9112 §4) out of any pieces; interim responses (1xx, but 101) are stepped over.
 * Keeps at most 64 bytes.
 */
export class StatusLineReader {
  private line = '';
  private lineLength = 0;
  private seen = 0;
  private inHeaders = false;
  /** The final status code; 0: none yet. */
  status = 0;
  /** Why this is no HTTP response; '' so far. */
  error = '';

  /** Takes bytes until it knows; false where more are needed. */
  push(bytes: Uint8Array): boolean {
    for (let at = 0; at < bytes.length; at++) {
      const byte = bytes[at]!;
      if (++this.seen > MAX_PREAMBLE) return this.fail('answers 1xx without end');
      if (byte === LF) {
        if (this.endOfLine()) return true;
        continue;
      }
      if (++this.lineLength > MAX_LINE) return this.fail('too long a line');
      if (this.line.length < KEPT) this.line += String.fromCharCode(byte);
      if (!this.inHeaders && this.line.length === 5 && this.line !== 'HTTP/') return this.fail('not HTTP');
    }
    return false;
  }

  private endOfLine(): boolean {
    const length = this.lineLength;
    const line = length <= KEPT ? this.line.replace(/\r$/, '') : this.line;
    this.line = '';
    this.lineLength = 0;
    if (this.inHeaders) {
      this.inHeaders = line !== '';
      return false;
    }
    const status = Number(FORM.exec(line)?.[1] ?? 0);
    if (status === 0) return this.fail('malformed status line');
    if (status >= 200 || status === 101) {
      this.status = status;
      return true;
    }
    this.inHeaders = true;
    return false;
  }

  private fail(why: string): true {
    this.error = why;
    return true;
  }
}

/** `200,202,204-206` */
export function formatCodes(codes: readonly (readonly [number, number])[]): string {
  return codes.map(([low, high]) => (low === high ? `${low}` : `${low}-${high}`)).join(',');
}

export function isExpected(status: number, codes: readonly (readonly [number, number])[]): boolean {
  return codes.some(([low, high]) => status >= low && status <= high);
}
