/** What operators told the agent about members (`lbctl drain`, `enable`), kept across restarts. */
import { readState, StateFileError, writeState } from './state-file.js';

export interface MemberKey {
  readonly tenant: string;
  readonly pool: string;
  readonly member: string;
}

export interface Drained extends MemberKey {
  /** When draining was asked for, ms since 1970. */
  readonly since: number;
}

const FORMAT = 'hpnn-admin-1';

export class AdminState {
  private readonly drained = new Map<string, Drained>();
  private saving: Promise<void> = Promise.resolve();

  private constructor(private readonly file: string | undefined) {}

  /** Throws StateFileError where the file is damaged. */
  static async open(file: string): Promise<AdminState> {
    const state = new AdminState(file);
    const content = (await readState(file)) as { format?: unknown; drained?: unknown } | null | undefined;
    if (content === undefined) return state;
    if (content?.format !== FORMAT || !Array.isArray(content.drained)) {
      throw new StateFileError(
        file,
        `is damaged (it isn't of format ${FORMAT}); remove it, and drain again what should be`,
      );
    }
    for (const entry of content.drained as Partial<Drained>[]) {
      const { tenant, pool, member, since } = entry ?? {};
      if (
        typeof tenant !== 'string' ||
        typeof pool !== 'string' ||
        typeof member !== 'string' ||
        typeof since !== 'number'
      ) {
        throw new StateFileError(
          file,
          'is damaged (an entry is incomplete); remove it, and drain again what should be',
        );
      }
      state.drained.set(keyOf({ tenant, pool, member }), { tenant, pool, member, since });
    }
    return state;
  }

  static inMemory(): AdminState {
    return new AdminState(undefined);
  }

  /** When draining was asked for, ms since 1970; undefined: the member isn't drained. */
  drainedSince(key: MemberKey): number | undefined {
    return this.drained.get(keyOf(key))?.since;
  }

  /** Returns false where it was drained already. Durable when `save` has resolved. */
  drain(key: MemberKey, now: number): boolean {
    if (this.drained.has(keyOf(key))) return false;
    this.drained.set(keyOf(key), { tenant: key.tenant, pool: key.pool, member: key.member, since: now });
    return true;
  }

  /** Returns false where it wasn't drained. */
  enable(key: MemberKey): boolean {
    return this.drained.delete(keyOf(key));
  }

  entries(): Drained[] {
    return [...this.drained.values()];
  }

  /** Forgets members that are configured no more: one of the same name later starts afresh. */
  retain(exists: (key: MemberKey) => boolean): Drained[] {
    const gone = this.entries().filter((entry) => !exists(entry));
    for (const entry of gone) this.drained.delete(keyOf(entry));
    return gone;
  }

  async save(): Promise<void> {
    if (this.file === undefined) return;
    const file = this.file;
    const content = { format: FORMAT, drained: this.entries() };
    this.saving = this.saving.catch(() => undefined).then(() => writeState(file, content));
    await this.saving;
  }
}

const keyOf = (key: MemberKey): string => `${key.tenant}/${key.pool}/${key.member}`;
