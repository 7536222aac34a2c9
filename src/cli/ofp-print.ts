/** `lbctl ofp-print`: OpenFlow messages as text or data, without an agent. */
import '../nx-extensions/text/index.js';
import { type Decoded, decodeMessage, encodeMessage, OfpDecodeError, Writer } from '../ofp/index.js';
import { formatMessage } from '../ofp/text/message.js';
import type { OfpVersion } from '../ofp/types/field.js';
import { EXIT, type Io } from './io.js';

const USAGE = 'usage: lbctl ofp-print [--json] [--roundtrip] HEX… | -\n';

/**
 * Prints each message as `ovs-ofctl ofp-print` does. `-`: one message per line of standard input.
 *
 * @returns 0; 1 when something couldn't be decoded, told with its offset and path; 2 when `--roundtrip` found that
 *   a message re-encodes to other bytes (of both, 2)
 */
export async function ofpPrint(args: readonly string[], io: Io): Promise<number> {
  const words = args.filter((a) => !a.startsWith('--'));
  const unknown = args.find((a) => a.startsWith('--') && a !== '--json' && a !== '--roundtrip');
  if (words.length === 0 || unknown !== undefined) {
    io.stderr.write(unknown === undefined ? USAGE : `lbctl: unknown option ${unknown}\n${USAGE}`);
    return EXIT.usage;
  }
  const options = { json: args.includes('--json'), roundtrip: args.includes('--roundtrip') };
  let status: number = EXIT.ok;
  for await (const { where, hex } of messages(words, io)) {
    const one = printOne(hex, where, options, io);
    status = Math.max(status, one);
  }
  return status;
}

interface Options {
  readonly json: boolean;
  readonly roundtrip: boolean;
}

async function* messages(words: readonly string[], io: Io): AsyncGenerator<{ where: string; hex: string }> {
  for (const [i, word] of words.entries()) {
    if (word !== '-') {
      yield { where: words.length === 1 ? '' : `message ${i + 1}: `, hex: word };
      continue;
    }
    let line = 0;
    for await (const text of lines(io.stdin)) {
      line++;
      if (text.trim() !== '' && !text.startsWith('#')) yield { where: `line ${line}: `, hex: text };
    }
  }
}

async function* lines(input: AsyncIterable<Uint8Array | string>): AsyncGenerator<string> {
  const decoder = new TextDecoder('latin1');
  let pending = '';
  for await (const chunk of input) {
    pending += typeof chunk === 'string' ? chunk : decoder.decode(chunk, { stream: true });
    const complete = pending.split('\n');
    pending = complete.pop()!;
    yield* complete;
  }
  if (pending !== '') yield pending;
}

function printOne(hex: string, where: string, options: Options, io: Io): number {
  const bytes = parseHex(hex);
  if (bytes === undefined) {
    io.stderr.write(`lbctl: ${where}not an even number of hexadecimal digits\n`);
    return EXIT.usage;
  }
  let decoded: Decoded;
  try {
    decoded = decodeMessage(bytes);
  } catch (error) {
    if (!(error instanceof OfpDecodeError)) throw error;
    const { code, offset, path } = error;
    if (options.json)
      io.stdout.write(`${JSON.stringify({ error: { code, offset, path, message: error.message } })}\n`);
    io.stderr.write(`lbctl: ${where}${error.message}\n`);
    return EXIT.usage;
  }
  io.stdout.write(options.json ? `${toJson(decoded)}\n` : `${formatMessage(decoded)}\n`);
  return options.roundtrip ? roundtrip(decoded, bytes, where, io) : EXIT.ok;
}

/** Blanks and a leading 0x are allowed. */
function parseHex(text: string): Uint8Array | undefined {
  const digits = text.replace(/\s+/g, '').replace(/^0x/i, '');
  if (digits === '' || digits.length % 2 !== 0 || !/^[0-9a-f]+$/i.test(digits)) return undefined;
  return Uint8Array.from(Buffer.from(digits, 'hex'));
}

function roundtrip(decoded: Decoded, bytes: Uint8Array, where: string, io: Io): number {
  const w = new Writer();
  try {
    encodeMessage(w, decoded.version as OfpVersion, decoded.xid, decoded.message);
  } catch (error) {
    io.stderr.write(
      `lbctl: ${where}can't be encoded again: ${error instanceof Error ? error.message : error}\n`,
    );
    return EXIT.refused;
  }
  const again = w.take();
  const at = firstDifference(bytes, again);
  if (at < 0) return EXIT.ok;
  io.stderr.write(
    `lbctl: ${where}re-encodes differently from byte ${at} on (${bytes.length} bytes, then ${again.length}):\n` +
      `  ${Buffer.from(bytes).toString('hex')}\n  ${Buffer.from(again).toString('hex')}\n`,
  );
  return EXIT.refused;
}

function firstDifference(a: Uint8Array, b: Uint8Array): number {
  const n = Math.max(a.length, b.length);
  for (let i = 0; i < n; i++) if (a[i] !== b[i]) return i;
  return -1;
}

/** Wide integers and bytes as hexadecimal strings, fields by their names. */
function toJson(decoded: Decoded): string {
  return JSON.stringify(decoded, (_, value: unknown) => {
    if (typeof value === 'bigint') return `0x${value.toString(16)}`;
    if (value instanceof Uint8Array) return Buffer.from(value).toString('hex');
    return isField(value) ? value.name : value;
  });
}

function isField(value: unknown): value is { readonly name: string } {
  return typeof value === 'object' && value !== null && 'wire' in value && 'ids' in value && 'name' in value;
}
