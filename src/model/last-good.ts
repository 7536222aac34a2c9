/** The tenants' files as they were last in force, so that a restart with a wrong file takes nobody's flows away. */
import { readdir, readFile, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { nextTurn } from '../loop/turns.js';
import { inBatches } from './batches.js';
import type { RawTenant } from './check-across.js';
import { type LoadedConfig, loadConfig, parseTenant } from './load.js';
import { forgetRecord, type Records, readRecords, writeRecord } from './parsed-records.js';
import { StateFileError, writeDurably } from './state-file.js';

export class LastGood {
  private saving: Promise<void> = Promise.resolve();
  /** Tenants whose text is written down. */
  private readonly written = new WeakSet<RawTenant>();

  private constructor(
    private readonly dir: string,
    private readonly version: string,
    /** Text by name of the file in tenants.d. */
    private readonly texts: Map<string, string>,
    private readonly records: Records,
  ) {}

  /**
   * Throws StateFileError where the directory is there and can't be read.
   *
   * @param version of the product: what another one noted about a text is not used
   */
  static async open(dir: string, version: string): Promise<LastGood> {
    const texts = new Map<string, string>();
    let names: string[] = [];
    try {
      names = (await readdir(dir)).filter((name) => name.endsWith('.yaml'));
      const read = (name: string) => readFile(join(dir, name), 'utf8');
      for await (const [name, text] of inBatches(names, read)) texts.set(name, text);
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code !== 'ENOENT') throw new StateFileError(dir, `can't be read: ${code ?? error}`);
    }
    return new LastGood(dir, version, texts, await readRecords(dir, names, version));
  }

  /** What a file says whose text is still the one that was last in force; undefined: that isn't known. */
  dataOf(file: string, text: string): unknown {
    return this.records.get(nameOf(file))?.dataOf(text);
  }

  /** `loaded`, and where something in it is wrong, the tenants concerned as they were when it was right. */
  async fallBack(loaded: LoadedConfig): Promise<LoadedConfig> {
    if (this.texts.size === 0 || !loaded.problems.some(({ severity }) => severity === 'error')) return loaded;
    const running: RawTenant[] = [];
    for (const [name, text] of this.texts) {
      const file = join(loaded.dir, 'tenants.d', name);
      const now = loaded.files.get(file);
      if (now?.text !== text) await nextTurn();
      const { tenant } = now?.text === text ? now : parseTenant(file, text, this.dataOf(file, text));
      if (tenant !== undefined) running.push(tenant);
    }
    return loadConfig(loaded.dir, { previous: { ...loaded, tenants: running } });
  }

  /**
   * Writes down what is in force, apart from tenants in an earlier form (`kept`, by name), which is written already;
   * forgets tenants that are gone. Rejects with StateFileError.
   */
  save(loaded: LoadedConfig, kept: readonly string[]): Promise<void> {
    const done = this.saving.then(() => this.write(loaded, new Set(kept)));
    this.saving = done.catch(() => undefined);
    return done;
  }

  private async write(loaded: LoadedConfig, kept: ReadonlySet<string>): Promise<void> {
    const gone = new Set(this.texts.keys());
    for (const tenant of loaded.tenants) {
      const name = nameOf(tenant.file);
      gone.delete(name);
      if (this.written.has(tenant)) continue;
      const text = loaded.files.get(tenant.file)?.text;
      if (kept.has(tenant.name) || text === undefined) continue;
      if (text !== this.texts.get(name)) await writeDurably(join(this.dir, name), text);
      this.texts.set(name, text);
      this.written.add(tenant);
      if (this.dataOf(tenant.file, text) !== undefined) continue;
      await writeRecord(this.dir, name, { version: this.version, text, data: tenant.source.data });
    }
    for (const name of gone) {
      await unlink(join(this.dir, name)).catch(() => undefined);
      await forgetRecord(this.dir, name);
      this.texts.delete(name);
    }
    // Only a start needs them: what is parsed from now on has changed since.
    this.records.clear();
  }
}

const nameOf = (file: string): string => file.slice(file.lastIndexOf('/') + 1);
