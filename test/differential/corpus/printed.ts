import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { run } from '../../../lab/process.js';

const OFPT_BARRIER_REQUEST = 20;
const MARK = 0xfa000000;

/**
 * The text that `ovs-ofctl ofp-print` gives for each message, from one process: between the messages stand barrier
 * requests whose transaction id is the message's index.
 */
export async function printedByOfctl(
  messages: readonly Uint8Array[],
  options: readonly string[] = [],
): Promise<string[]> {
  const directory = mkdtempSync(join(tmpdir(), 'printed-'));
  try {
    const file = join(directory, 'messages');
    writeFileSync(
      file,
      Buffer.concat(messages.flatMap((message, i) => [message, separator(message[0]!, i)])),
    );
    const { stdout } = await run(['ovs-ofctl', '--no-names', ...options, 'ofp-parse', file]);
    const texts: string[] = [];
    let at = 0;
    for (let i = 0; i < messages.length; i++) {
      const mark = `(xid=0x${(MARK + i).toString(16)}):\n`;
      const end = stdout.indexOf(mark, at);
      if (end < 0) throw new Error(`ovs-ofctl ofp-parse stopped at message ${i}`);
      const start = stdout.lastIndexOf('OFPT_BARRIER_REQUEST', end);
      texts.push(stdout.slice(at, start).replace(/\n+$/, ''));
      at = end + mark.length;
    }
    return texts;
  } finally {
    rmSync(directory, { recursive: true });
  }
}

function separator(version: number, index: number): Buffer {
  const barrier = Buffer.alloc(8);
  barrier[0] = version;
  barrier[1] = OFPT_BARRIER_REQUEST;
  barrier.writeUInt16BE(8, 2);
  barrier.writeUInt32BE(MARK + index, 4);
  return barrier;
}
