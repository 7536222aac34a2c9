import '../nx-extensions/text/index.js';
import type { Decoded } from '../ofp/index.js';
import { formatMessage } from '../ofp/text/index.js';
import { classOf, xidOf } from './classes.js';
import type { Exchange } from './exchange.js';
import type { Captured } from './session.js';
import type { Subject } from './subject.js';

/** Entries of a long reply, and lines of a message, that are shown. */
const MAX_ENTRIES = 8;
const MAX_LINES = 12;

/** Words for numbers. */
export interface CaptureNames {
  /** `acme listener web/http`, or `acme` alone. */
  subject(subject: Subject): string;
}

/**
 * A line for each message, and more below it where there is more to say:
 * `08:13:13.123456 < barrier      xid=0x12 acme  after 1.2 ms  OFPT_BARRIER_REPLY`.
 */
export class TextForm {
  private peer = '';

  constructor(private readonly names: CaptureNames) {}

  begin(what: string): string {
    return `-- ${what}; > to the switch, < from it\n`;
  }

  message(captured: Captured, decoded: Decoded | Error, exchange: Exchange): string {
    const { time, direction, bytes, connection, dropped } = captured;
    const peer = connection.peer === this.peer ? '' : `-- connection ${printable(connection.peer)}\n`;
    this.peer = connection.peer;
    const lost = dropped === 0 ? '' : `-- ${dropped} messages dropped\n`;
    const whose = exchange.subject === undefined ? '' : ` ${this.names.subject(exchange.subject)}`;
    const after = exchange.latency === undefined ? '' : ` after ${exchange.latency.toFixed(2)} ms`;
    const head = `${clock(time)} ${direction === 'out' ? '>' : '<'} ${classOf(bytes).padEnd(12)} xid=0x${xidOf(bytes).toString(16)}${whose}${after}`;
    return `${peer}${lost}${head}  ${body(decoded)}\n`;
  }

  end(why: string, dropped: number): string {
    return `-- ${why}${dropped === 0 ? '' : `; ${dropped} messages dropped`}\n`;
  }
}

/** Hours to microseconds, UTC. */
function clock(time: number): string {
  const micros = Math.floor((time % 1000) * 1000);
  return `${new Date(time).toISOString().slice(11, 19)}.${String(micros).padStart(6, '0')}`;
}

function body(decoded: Decoded | Error): string {
  if (decoded instanceof Error) return `can't be decoded: ${printable(decoded.message)}`;
  const { shown, left } = shortened(decoded);
  const lines = formatMessage(shown)
    // Version and xid have been said.
    .replaceAll(/ \(OF\S+\) \(xid=0x[0-9a-f]+\):/g, '')
    .split('\n')
    .map((line) => printable(line));
  // A name alone on its line.
  if (lines.length > 1 && /^\w+$/.test(lines[0]!)) lines.splice(0, 2, `${lines[0]} ${lines[1]!.trim()}`);
  const more = Math.max(0, lines.length - MAX_LINES);
  const kept = lines.slice(0, MAX_LINES).map((line, i) => (i === 0 ? '' : '    ') + line.trim());
  if (left > 0) kept.push(`    … ${left} more entries`);
  else if (more > 0) kept.push(`    … ${more} more lines`);
  return kept.join('\n');
}

/** Long replies are cut before they are written, which is what costs. */
function shortened(decoded: Decoded): { shown: Decoded; left: number } {
  const { message } = decoded;
  if (!('entries' in message) || message.entries.length <= MAX_ENTRIES) return { shown: decoded, left: 0 };
  const cut = { ...message, entries: message.entries.slice(0, MAX_ENTRIES) } as typeof message;
  return { shown: { ...decoded, message: cut }, left: message.entries.length - MAX_ENTRIES };
}

/** Names in messages come from the network; a terminal shall not obey them. */
function printable(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for
  return text.replace(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g, '.');
}
