import { existsSync, readFileSync, writeFileSync } from 'node:fs';

/** Columns of which only the heading is the same each time. */
const VOLATILE = new Set([
  'PACKETS',
  'BYTES',
  'DROPPED',
  'RX',
  'TX',
  'RX DROPPED',
  'TX DROPPED',
  'AGE',
  'IDLE',
  'SINCE',
  'EXPIRES',
  'RTT MS',
  'RISE',
  'FLOWS',
]);

/** Whether it is known differs, too: a busy switch may be late to say it. */
const MAYBE = 'CONNECTIONS';

/**
 * What a command printed without what differs from run to run: ages, counters, ephemeral ports, process ids, paths
 * of the lab, and widths of columns, which follow from them.
 */
export function normalise(text: string, labDir: string): string {
  let volatile: readonly (boolean | 'maybe')[] = [];
  const lines = text
    .replaceAll(labDir, 'LAB')
    .replace(/\bpid \d+/g, 'pid N')
    .replace(/\bdpid [0-9a-f]{16}(, echo [\d.]+ ms)?/g, 'dpid N')
    .replace(/\b(up|for|loaded) \d+(s|min|h)\b/g, '$1 N')
    .replace(/:(3[2-9]\d{3}|[4-6]\d{4})\b/g, ':EPHEMERAL')
    .replace(/\b(duration|n_packets|n_bytes|idle_age)=[\d.]+s?/g, '$1=N')
    .replace(/\b(REACHABLE|STALE|DELAY|PROBE)\b/g, 'KNOWN')
    .replace(/\(\d+ ms\)/g, '(N ms)')
    // How many flows it takes is the pipeline's own business.
    .replace(/\b(flows +)(\d+)( of |\/)\2\b/g, '$1N$3N')
    .replace(/^equal: \d+ compared/gm, 'equal: N compared')
    .split('\n');
  return lines
    .map((line) => {
      const cells = line.trimStart().split(/ {2,}/);
      if (cells.length > 1 && cells.every((cell) => /^[A-Z][A-Z ]*$/.test(cell)))
        volatile = cells.map((cell) => (cell === MAYBE ? 'maybe' : VOLATILE.has(cell)));
      else if (cells.length === volatile.length)
        return cells.map((cell, i) => cellOf(cell, volatile[i]!)).join('  ');
      return line.startsWith(' ') && cells.length > 1 ? cells.join('  ') : line.replace(/(\S) {2,}/g, '$1  ');
    })
    .join('\n');
}

/** Of a pair like `8/2` only the first number differs. */
function cellOf(cell: string, volatile: boolean | 'maybe'): string {
  if (volatile === 'maybe') return 'N';
  return volatile ? cell.replace(/^[^-/][^/]*/, 'N') : cell;
}

/** A file with the outputs of commands, each below its command line. `UPDATE_GOLDEN=1` writes it anew. */
export class GoldenFile {
  private readonly expected = new Map<string, string>();
  private readonly seen = new Map<string, string>();

  constructor(private readonly url: URL) {
    const text = existsSync(url) ? readFileSync(url, 'utf8') : '';
    for (const part of text.split(/^(?=\$ )/m)) {
      const end = part.indexOf('\n');
      if (end > 0) this.expected.set(part.slice(2, end), part.slice(end + 1));
    }
  }

  /** What the command should have printed. */
  expect(command: string, actual: string): string {
    this.seen.set(command, `${actual}\n`);
    if (process.env.UPDATE_GOLDEN === '1') return actual;
    return (this.expected.get(command) ?? 'nothing: the golden file has no such command').replace(/\n$/, '');
  }

  /** Commands that the file has and nobody ran. */
  close(): string[] {
    if (process.env.UPDATE_GOLDEN === '1') {
      writeFileSync(this.url, [...this.seen].map(([command, text]) => `$ ${command}\n${text}`).join(''));
      return [];
    }
    return [...this.expected.keys()].filter((command) => !this.seen.has(command));
  }
}
