/** `capture`: the OpenFlow channel, live. */
import { open } from 'node:fs/promises';
import type { CaptureRequest } from '../../api/types.js';
import type { Context } from '../context.js';
import { CliError, EXIT, type Io } from '../io.js';

export interface CaptureOptions {
  readonly output?: string;
  readonly class?: readonly string[];
  readonly frames: boolean;
  /** Seconds. */
  readonly duration?: number;
  /** Messages per second. */
  readonly rate?: number;
  /** MiB. */
  readonly maxSize?: number;
}

/** Until Ctrl-C or a limit. A file is pcapng; standard output gets text, or pcapng with `-o -`. */
export async function capture(context: Context, options: CaptureOptions): Promise<void> {
  const { io } = context;
  const chunks = context.client.stream('POST', '/capture', requestOf(context, options), io.interrupted);
  if (options.output === undefined || options.output === '-') {
    for await (const chunk of chunks) await writeOut(io, chunk);
    return;
  }
  let bytes = 0;
  const file = await open(options.output, 'w').catch((error: NodeJS.ErrnoException) => {
    throw new CliError(EXIT.usage, `can't write ${options.output}: ${error.code ?? error.message}`);
  });
  try {
    for await (const chunk of chunks) {
      await file.write(chunk);
      bytes += chunk.length;
    }
  } finally {
    await file.close();
  }
  io.stderr.write(`lbctl: ${bytes} bytes written to ${options.output}\n`);
}

function requestOf({ filter }: Context, options: CaptureOptions): CaptureRequest {
  const { output, class: classes, frames, duration, rate, maxSize } = options;
  return {
    format: output === undefined ? 'text' : 'pcapng',
    frames,
    ...(filter.tenant === undefined ? {} : { tenant: filter.tenant }),
    ...(classes === undefined ? {} : { classes }),
    ...(duration === undefined ? {} : { durationSeconds: duration }),
    ...(rate === undefined ? {} : { rate }),
    ...(maxSize === undefined ? {} : { maxBytes: Math.round(maxSize * 2 ** 20) }),
  };
}

/** Waits while the reader of standard output is slow: then the agent drops messages and says how many. */
async function writeOut(io: Io, chunk: Uint8Array): Promise<void> {
  const { stdout } = io;
  if (stdout.write(chunk) !== false || stdout.once === undefined) return;
  await new Promise<void>((resolve) => {
    stdout.once!('drain', resolve);
    io.interrupted.addEventListener('abort', () => resolve(), { once: true });
  });
}
