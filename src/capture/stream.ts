import { nextTurn, turnIsUsed } from '../loop/turns.js';
import { type Decoded, decodeMessage } from '../ofp/index.js';
import { classOf } from './classes.js';
import { Exchanges } from './exchange.js';
import { FileForm } from './file.js';
import type { Captured, CaptureSession } from './session.js';
import { type CaptureNames, TextForm } from './text.js';

export interface CaptureStreamOptions {
  readonly format: 'text' | 'pcapng';
  /** Only messages about this tenant. */
  readonly tenant?: number;
  /** Also the frames themselves, on an interface of their own; pcapng. */
  readonly frames: boolean;
  /** Ends the capture. */
  readonly maxBytes: number;
  readonly durationMs: number;
  readonly names: CaptureNames;
  /** `hpnn-agent 0.1.0 on lb-1`. */
  readonly about: string;
}

/** Bytes given to the reader at a time. */
const CHUNK = 64 * 1024;

/** The capture as bytes, until `signal` aborts or a limit is reached; closes the session. */
export async function* captureStream(
  session: CaptureSession,
  options: CaptureStreamOptions,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array> {
  const writer = new Writer(options);
  const end = performance.now() + options.durationMs;
  let written = 0;
  let why = 'the time is over';
  try {
    const head = writer.begin();
    written += head.length;
    yield head;
    for (let left = options.durationMs; left > 0 && !signal.aborted; left = end - performance.now()) {
      for await (const chunk of writer.write(await session.take(left, signal), options.maxBytes - written)) {
        written += chunk.length;
        yield chunk;
      }
      if (written < options.maxBytes) continue;
      why = `${options.maxBytes} bytes are reached`;
      break;
    }
    const tail = writer.end(why, session.dropped);
    if (tail.length > 0 && !signal.aborted) yield tail;
  } finally {
    session.close();
  }
}

class Writer {
  private readonly exchanges = new Exchanges();
  private readonly text: TextForm | undefined;
  private readonly file: FileForm | undefined;

  constructor(private readonly options: CaptureStreamOptions) {
    const { format, names, frames } = options;
    if (format === 'text') this.text = new TextForm(names);
    else this.file = new FileForm(names, frames);
  }

  begin(): Uint8Array {
    const { about } = this.options;
    return this.text ? Buffer.from(this.text.begin(about)) : Buffer.concat(this.file!.begin(about));
  }

  end(why: string, dropped: number): Uint8Array {
    return this.text ? Buffer.from(this.text.end(why, dropped)) : Buffer.alloc(0);
  }

  /** Chunks of at most about `left` bytes in all; lets other work in between. */
  async *write(messages: readonly Captured[], left: number): AsyncGenerator<Uint8Array> {
    let parts: Uint8Array[] = [];
    let size = 0;
    let total = 0;
    for (const captured of messages) {
      for (const part of this.one(captured)) {
        parts.push(part);
        size += part.length;
        total += part.length;
      }
      const late = turnIsUsed();
      if (size >= CHUNK || (late && size > 0)) {
        yield Buffer.concat(parts);
        parts = [];
        size = 0;
      }
      if (total >= left) break;
      if (!late) continue;
      await nextTurn();
    }
    if (size > 0) yield Buffer.concat(parts);
  }

  private one(captured: Captured): Uint8Array[] {
    const { tenant, frames } = this.options;
    const isFrame = frames && ['packet_in', 'packet_out'].includes(classOf(captured.bytes));
    // In a file names are comments; the bytes alone need no decoding.
    const decoded = this.text || tenant !== undefined || isFrame ? decode(captured.bytes) : undefined;
    const message = decoded instanceof Error ? undefined : decoded?.message;
    const exchange = this.exchanges.take(captured, message);
    if (tenant !== undefined && exchange.subject?.tenant !== tenant) return [];
    return this.text
      ? [Buffer.from(this.text.message(captured, decoded!, exchange))]
      : this.file!.message(captured, message, exchange);
  }
}

function decode(bytes: Uint8Array): Decoded | Error {
  try {
    return decodeMessage(bytes);
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error));
  }
}
