/** Entry of `lbctl`. */
import { readFileSync } from 'node:fs';
import { CommanderError } from 'commander';
import { CliError, EXIT, type Io } from './io.js';
import { createProgram } from './program.js';

/** @param args without interpreter and script. Returns the exit status; never throws. */
export async function lbctl(args: readonly string[], io: Io, now: () => number = Date.now): Promise<number> {
  const program = createProgram(io, readVersion(), now);
  const configure = (command: typeof program.root): void => {
    command.exitOverride().configureOutput({
      writeOut: (text) => void io.stdout.write(text),
      writeErr: (text) => void io.stderr.write(text.replace(/^error: /, 'lbctl: ')),
      getOutHasColors: () => io.isTty,
    });
    for (const child of command.commands) configure(child as typeof program.root);
  };
  configure(program.root);
  try {
    if (args.length === 0) {
      io.stderr.write(program.root.helpInformation());
      return EXIT.usage;
    }
    await program.root.parseAsync([...args], { from: 'user' });
    return program.exitCode();
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.ok : EXIT.usage;
    if (error instanceof CliError) {
      io.stderr.write(`lbctl: ${error.message}\n`);
      return error.exitCode;
    }
    io.stderr.write(`lbctl: ${error instanceof Error ? (error.stack ?? error.message) : error}\n`);
    return EXIT.usage;
  }
}

/** Runs as the process that it is. */
export async function main(): Promise<void> {
  const interrupted = new AbortController();
  process.once('SIGINT', () => interrupted.abort());
  // A pager that was left, or `head` that has enough, is no failure.
  process.stdout.on('error', (error: NodeJS.ErrnoException) => process.exit(error.code === 'EPIPE' ? 0 : 1));
  process.exitCode = await lbctl(process.argv.slice(2), {
    stdout: process.stdout,
    stderr: process.stderr,
    stdin: process.stdin,
    env: process.env,
    isTty: process.stdout.isTTY === true,
    interrupted: interrupted.signal,
  });
}

function readVersion(): string {
  const text = readFileSync(new URL('../../package.json', import.meta.url), 'utf8');
  return (JSON.parse(text) as { version: string }).version;
}
