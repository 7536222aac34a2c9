/**
 * Numbers for names. They are in the switch's flows and in the marks of live connections, so they are remembered,
 * don't depend on the order of files, and are given to somebody else only when the agent says that nothing of the
 * old owner remains.
 */
import { formatIpv4 } from './address.js';
import { readState, StateFileError, writeState } from './state-file.js';
import { MAX_TENANT_ID } from './tenant-schema.js';
import type { Ipv4 } from './types.js';

/** Where numbers are unique: tenant, listener, pool, endpoint on the node; segment/TENANT in a tenant. */
export type Space = 'tenant' | 'listener' | 'pool' | 'endpoint' | `segment/${string}`;

export interface Quarantined {
  readonly space: Space;
  readonly id: number;
  /** The name that had it. */
  readonly key: string;
}

/** No number can be given. */
export class IdError extends Error {
  override readonly name = 'IdError';
  constructor(
    readonly code: 'taken' | 'quarantined' | 'exhausted',
    message: string,
  ) {
    super(message);
  }
}

interface Numbers {
  readonly byKey: Map<string, number>;
  readonly owner: Map<number, string>;
  /** id → key that had it. */
  readonly quarantine: Map<number, string>;
  next: number;
}

const FORMAT = 'hpnn-ids-1';
const LIMIT = {
  tenant: MAX_TENANT_ID,
  listener: 0xffff,
  pool: 0xffffff,
  endpoint: 0xffffff,
  segment: 0xffff,
} as const;

export class IdAllocator {
  private readonly spaces = new Map<Space, Numbers>();
  /** Tenant → its names, as `space key`, so that a round costs only what changed. */
  private readonly held = new Map<string, Set<string>>();
  private used = new Set<string>();
  private retained = new Set<string>();
  private released: Quarantined[] = [];
  private dirty = false;
  private saving: Promise<void> = Promise.resolve();

  /** `file` absent: nothing is remembered (for `config check`, tests). */
  private constructor(
    private readonly file: string | undefined,
    /** Of a fork: what it was made from. */
    readonly origin?: IdAllocator,
  ) {}

  /** Throws StateFileError where the file is damaged: giving out other numbers would cut connections. */
  static async open(file: string): Promise<IdAllocator> {
    const ids = new IdAllocator(file);
    ids.load(file, await readState(file));
    return ids;
  }

  static inMemory(): IdAllocator {
    return new IdAllocator(undefined);
  }

  /** A copy that forgets: for plans, which must change nothing. */
  fork(): IdAllocator {
    const copy = new IdAllocator(undefined, this);
    for (const [space, numbers] of this.spaces) {
      copy.spaces.set(space, {
        byKey: new Map(numbers.byKey),
        owner: new Map(numbers.owner),
        quarantine: new Map(numbers.quarantine),
        next: numbers.next,
      });
    }
    for (const [tenant, held] of this.held) copy.held.set(tenant, new Set(held));
    return copy;
  }

  /** @param wanted the number written in the configuration */
  tenant(name: string, wanted?: number): number {
    return this.give('tenant', name, LIMIT.tenant, wanted);
  }
  segment(tenant: string, name: string): number {
    return this.give(`segment/${tenant}`, name, LIMIT.segment);
  }
  listener(tenant: string, loadBalancer: string, name: string): number {
    return this.give('listener', `${tenant}/${loadBalancer}/${name}`, LIMIT.listener);
  }
  pool(tenant: string, name: string): number {
    return this.give('pool', `${tenant}/${name}`, LIMIT.pool);
  }
  endpoint(tenant: string, address: Ipv4, port: number): number {
    return this.give('endpoint', `${tenant}/${formatIpv4(address)}:${port}`, LIMIT.endpoint);
  }

  /** The number of a name without giving one. */
  find(space: Space, key: string): number | undefined {
    return this.spaces.get(space)?.byKey.get(key);
  }

  /** Who has, or had, a number: for naming what the switch still holds. */
  nameOf(space: Space, id: number): string | undefined {
    const numbers = this.spaces.get(space);
    return numbers?.owner.get(id) ?? numbers?.quarantine.get(id);
  }

  /**
   * Starts a round: what isn't asked for until `sweep` is no longer configured. Tenants that aren't `present` give up
   * what they have at once, so that nobody is told that a number belongs to somebody who is gone.
   */
  beginRound(present?: ReadonlySet<string>): void {
    this.used = new Set();
    this.retained = new Set();
    this.released = [];
    if (present === undefined) return;
    for (const [tenant, held] of this.held) if (!present.has(tenant)) this.releaseUnused(tenant, held);
  }

  /** Counts as asked for: all that a tenant has that didn't change, or can't be compiled now and runs on. */
  retainTenant(tenant: string): void {
    this.retained.add(tenant);
  }

  /** Puts numbers nobody asked for in this round into quarantine, and returns all that this round put there. */
  sweep(): Quarantined[] {
    for (const [tenant, held] of this.held) if (!this.retained.has(tenant)) this.releaseUnused(tenant, held);
    return this.released;
  }

  quarantined(): Quarantined[] {
    return [...this.spaces].flatMap(([space, numbers]) =>
      [...numbers.quarantine].map(([id, key]) => ({ space, id, key })),
    );
  }

  /** The switch holds nothing of the old owner any more, neither flows nor connections: the number is free. */
  confirmFree(space: Space, id: number): void {
    const numbers = this.spaces.get(space);
    if (numbers?.quarantine.delete(id)) {
      this.dirty = true;
      if (numbers.byKey.size === 0 && numbers.quarantine.size === 0 && space.startsWith('segment/'))
        this.spaces.delete(space);
    }
  }

  /** Must have resolved before numbers given since the last call reach the switch. Throws StateFileError. */
  async save(): Promise<void> {
    if (this.file === undefined || !this.dirty) return this.saving;
    const file = this.file;
    const content = this.toJson();
    this.dirty = false;
    const written = this.saving.catch(() => undefined).then(() => writeState(file, content));
    this.saving = written;
    try {
      await written;
    } catch (error) {
      this.dirty = true;
      this.saving = Promise.resolve();
      throw error;
    }
  }

  private give(space: Space, key: string, limit: number, wanted?: number): number {
    const numbers = this.numbers(space);
    const has = numbers.byKey.get(key);
    if (has !== undefined && (wanted === undefined || wanted === has)) {
      this.use(space, key);
      return has;
    }
    const id = wanted ?? this.formerOf(numbers, key) ?? this.free(numbers, space, limit);
    const owner = numbers.owner.get(id);
    if (owner !== undefined)
      throw new IdError(
        'taken',
        `id ${id} belongs to tenant "${owner}", which got it without asking; choose another`,
      );
    const former = numbers.quarantine.get(id);
    if (former !== undefined && former !== key) {
      throw new IdError(
        'quarantined',
        `id ${id} was that of tenant "${former}", of which flows or connections may remain in the switch; it is given out when they are gone`,
      );
    }
    if (has !== undefined) this.quarantine(numbers, key, has);
    numbers.quarantine.delete(id);
    numbers.byKey.set(key, id);
    numbers.owner.set(id, key);
    this.hold(space, key);
    this.use(space, key);
    this.dirty = true;
    return id;
  }

  /** A name that comes back gets its old number: what remains in the switch is its own. */
  private formerOf(numbers: Numbers, key: string): number | undefined {
    for (const [id, former] of numbers.quarantine) if (former === key) return id;
    return undefined;
  }

  /** Goes round, so that a number rests as long as possible. */
  private free(numbers: Numbers, space: Space, limit: number): number {
    for (let tried = 0; tried < limit; tried++) {
      const id = numbers.next > limit ? 1 : numbers.next;
      numbers.next = id + 1;
      if (!numbers.owner.has(id) && !numbers.quarantine.has(id)) return id;
    }
    throw new IdError('exhausted', `all ${limit} numbers for ${space.split('/')[0]}s are in use`);
  }

  private releaseUnused(tenant: string, held: Set<string>): void {
    for (const name of held) {
      if (this.used.has(name)) continue;
      const space = name.slice(0, name.indexOf(' ')) as Space;
      const key = name.slice(space.length + 1);
      const numbers = this.numbers(space);
      const id = numbers.byKey.get(key)!;
      this.quarantine(numbers, key, id);
      this.released.push({ space, id, key });
      held.delete(name);
    }
    if (held.size === 0) this.held.delete(tenant);
  }

  private quarantine(numbers: Numbers, key: string, id: number): void {
    numbers.byKey.delete(key);
    numbers.owner.delete(id);
    numbers.quarantine.set(id, key);
    this.dirty = true;
  }

  private use(space: Space, key: string): void {
    this.used.add(`${space} ${key}`);
  }

  private hold(space: Space, key: string): void {
    const tenant = space.startsWith('segment/') ? space.slice('segment/'.length) : key.split('/', 1)[0]!;
    const held = this.held.get(tenant) ?? new Set();
    this.held.set(tenant, held.add(`${space} ${key}`));
  }

  private numbers(space: Space): Numbers {
    let numbers = this.spaces.get(space);
    if (numbers === undefined) {
      numbers = { byKey: new Map(), owner: new Map(), quarantine: new Map(), next: 1 };
      this.spaces.set(space, numbers);
    }
    return numbers;
  }

  private toJson(): unknown {
    const spaces = Object.fromEntries(
      [...this.spaces].map(([space, numbers]) => [
        space,
        { next: numbers.next, ids: Object.fromEntries(numbers.byKey), quarantine: [...numbers.quarantine] },
      ]),
    );
    return { format: FORMAT, spaces };
  }

  private load(file: string, content: unknown): void {
    if (content === undefined) return;
    const damaged = (what: string): StateFileError =>
      new StateFileError(
        file,
        `is damaged (${what}). Restore it from a backup; or remove it, after which ids are given out anew and connections may be cut once`,
      );
    if (!isRecord(content) || content.format !== FORMAT || !isRecord(content.spaces)) {
      throw damaged(`it isn't of format ${FORMAT}`);
    }
    for (const [space, saved] of Object.entries(content.spaces)) {
      const limit = LIMIT[space.split('/')[0] as keyof typeof LIMIT];
      if (limit === undefined || !isRecord(saved) || !isRecord(saved.ids) || !Array.isArray(saved.quarantine))
        throw damaged(`entry "${space}"`);
      const valid = (id: unknown): id is number =>
        Number.isInteger(id) && (id as number) >= 1 && (id as number) <= limit;
      const numbers = this.numbers(space as Space);
      numbers.next = valid(saved.next) ? saved.next : 1;
      for (const [key, id] of Object.entries(saved.ids)) {
        if (!valid(id) || numbers.owner.has(id)) throw damaged(`${space} "${key}"`);
        numbers.byKey.set(key, id);
        numbers.owner.set(id, key);
        this.hold(space as Space, key);
      }
      for (const entry of saved.quarantine as unknown[]) {
        const [id, key] = Array.isArray(entry) ? (entry as unknown[]) : [];
        if (!valid(id) || typeof key !== 'string' || numbers.owner.has(id))
          throw damaged(`quarantine of "${space}"`);
        numbers.quarantine.set(id, key);
      }
    }
  }
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
