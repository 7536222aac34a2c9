/** Small files that survive crashes. */
import { mkdir, open, readFile, rename, unlink } from 'node:fs/promises';
import { dirname } from 'node:path';

/** A state file can't be used; the message says which and what to do. */
export class StateFileError extends Error {
  override readonly name = 'StateFileError';
  constructor(
    readonly file: string,
    message: string,
  ) {
    super(`${file}: ${message}`);
  }
}

/** The parsed content, or undefined where the file doesn't exist yet. Throws StateFileError. */
export async function readState(file: string): Promise<unknown> {
  let text: string;
  try {
    text = await readFile(file, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw new StateFileError(file, `can't be read: ${(error as NodeJS.ErrnoException).code ?? error}`);
  }
  try {
    return JSON.parse(text);
  } catch {
    throw new StateFileError(
      file,
      'is damaged (not valid JSON). Restore it from a backup; or remove it, after which ids are given out anew and connections may be cut once',
    );
  }
}

/** JSON, written as `writeDurably` does. */
export function writeState(file: string, content: unknown): Promise<void> {
  return writeDurably(file, `${JSON.stringify(content, undefined, 1)}\n`);
}

/** Writes so that at any moment either the old or the new text is on the disk: temporary file, fsync, rename. */
export async function writeDurably(file: string, text: string): Promise<void> {
  const temporary = `${file}.new`;
  try {
    await mkdir(dirname(file), { recursive: true, mode: 0o750 });
    const handle = await open(temporary, 'w', 0o640);
    try {
      await handle.writeFile(text);
      await handle.sync();
    } finally {
      await handle.close();
    }
    await rename(temporary, file);
    const folder = await open(dirname(file), 'r');
    await folder.sync().finally(() => folder.close());
  } catch (error) {
    await unlink(temporary).catch(() => undefined);
    throw new StateFileError(file, `can't be written: ${(error as NodeJS.ErrnoException).code ?? error}`);
  }
}
