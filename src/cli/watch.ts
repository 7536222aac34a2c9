/** `--watch`: the same again, until Ctrl-C. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Context } from './context.js';
import { CliError } from './io.js';

const CLEAR = '\u001b[H\u001b[2J';

/** Goes on when the agent is away for a while: then is when somebody watches. */
export async function repeat(context: Context, title: string, once: () => Promise<void>): Promise<void> {
  const { io, options } = context;
  const seconds = (options.watch as number | true) === true ? 2 : options.watch!;
  for (let round = 0; !io.interrupted.aborted; round++) {
    if (io.isTty)
      context.print(`${CLEAR}every ${seconds} s: ${title}, ${new Date(context.now()).toISOString()}\n\n`);
    else if (round > 0) context.print('\n');
    try {
      await once();
    } catch (error) {
      if (round === 0 || !(error instanceof CliError)) throw error;
      io.stderr.write(`lbctl: ${error.message}\n`);
    }
    await sleep(seconds * 1000, undefined, { signal: io.interrupted }).catch(() => undefined);
  }
}
