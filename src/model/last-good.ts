/** The tenants' files as they were last in force, so that a restart with a wrong file takes nobody's flows away. */
import { readdir, readFile, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import type { RawTenant } from './check-across.js';
import { type LoadedConfig, loadConfig, parseTenant } from './load.js';
import { StateFileError, writeDurably } from './state-file.js';

export class LastGood {
  private saving: Promise<void> = Promise.resolve();
  /** Tenants whose text is written down. */
  private readonly written = new WeakSet<RawTenant>();

  private constructor(
    private readonly dir: string,
    /** Text by name of the file in tenants.d. */
    private readonly texts: Map<string, string>,
  ) {}

  /** Throws StateFileError where the directory is there and can't be read. */
  static async open(dir: string): Promise<LastGood> {
    const texts = new Map<string, string>();
    try {
      for (const name of await readdir(dir)) {
        if (name.endsWith('.yaml')) texts.set(name, await readFile(join(dir, name), 'utf8'));
      }
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code !== 'ENOENT') throw new StateFileError(dir, `can't be read: ${code ?? error}`);
    }
    return new LastGood(dir, texts);
  }

  /** `loaded`, and where something in it is wrong, the tenants concerned as they were when it was right. */
  async fallBack(loaded: LoadedConfig): Promise<LoadedConfig> {
    if (this.texts.size === 0 || !loaded.problems.some(({ severity }) => severity === 'error')) return loaded;
    const running = [...this.texts].flatMap(([name, text]): RawTenant[] => {
      const { tenant } = parseTenant(join(loaded.dir, 'tenants.d', name), text);
      return tenant === undefined ? [] : [tenant];
    });
    return loadConfig(loaded.dir, { ...loaded, tenants: running });
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
      const name = tenant.file.slice(tenant.file.lastIndexOf('/') + 1);
      gone.delete(name);
      if (this.written.has(tenant)) continue;
      const text = loaded.files.get(tenant.file)?.text;
      if (kept.has(tenant.name) || text === undefined) continue;
      if (text !== this.texts.get(name)) await writeDurably(join(this.dir, name), text);
      this.texts.set(name, text);
      this.written.add(tenant);
    }
    for (const name of gone) {
      await unlink(join(this.dir, name)).catch(() => undefined);
      this.texts.delete(name);
    }
  }
}
