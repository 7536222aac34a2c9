import { isDeepStrictEqual } from 'node:util';
import { slicer } from '../loop/turns.js';
import {
  type Compiled,
  compile,
  formatProblem,
  type IdAllocator,
  type LastGood,
  type LoadedConfig,
  loadConfig,
  type NodeConfig,
  type Problem,
  type ProviderIntent,
  type RawTenant,
  type TenantIntent,
  type Waiting,
} from '../model/index.js';
import type { Logger } from './logging.js';

/** What a reload changed. */
export interface IntentChange {
  readonly tenants: readonly TenantIntent[];
  readonly removed: readonly TenantIntent[];
  readonly provider: boolean;
  /** Node settings that take effect only at the next start. */
  readonly restartNeeded: readonly string[];
}

const NO_PROVIDER: ProviderIntent = { networks: [] };

/** The configuration that is in force: the last right form of every file. */
export class Intents {
  private loaded: LoadedConfig | undefined;
  private compiled: Compiled | undefined;
  private inForce: ReadonlyMap<string, TenantIntent> = new Map();
  /** By id. */
  private names: ReadonlyMap<number, string> = new Map();
  /** By name; made when somebody asks. */
  private sources: ReadonlyMap<string, RawTenant> | undefined;
  /** Names of tenants whose new form is right but can't be had now. */
  private held: readonly string[] = [];
  private readonly generations = new Map<string, number>();
  /** Counts reloads. */
  generation = 0;
  loadedAt = new Date();

  constructor(
    readonly dir: string,
    private readonly ids: IdAllocator,
    private readonly log: Logger,
    /** The directory as it was just read: taken by the first `reload` instead of reading again. */
    private first: LoadedConfig | undefined = undefined,
  ) {}

  get node(): NodeConfig | undefined {
    return this.loaded?.node;
  }

  get provider(): ProviderIntent {
    return this.compiled?.provider ?? NO_PROVIDER;
  }

  /** By name. */
  get tenants(): ReadonlyMap<string, TenantIntent> {
    return this.inForce;
  }

  get problems(): readonly Problem[] {
    return [...(this.loaded?.problems ?? []), ...(this.compiled?.problems ?? [])];
  }

  /** Names of tenants that run in an earlier form because their file is wrong now, or waits for an id. */
  get kept(): readonly string[] {
    return [...(this.loaded?.kept ?? []), ...this.held];
  }

  /** Tenants that can be compiled once their id is free. */
  get waiting(): readonly Waiting[] {
    return this.compiled?.waiting ?? [];
  }

  /** The reload that last changed the tenant; 0: there is no such tenant. */
  generationOf(name: string): number {
    return this.generations.get(name) ?? 0;
  }

  byId(id: number): TenantIntent | undefined {
    const name = this.names.get(id);
    return name === undefined ? undefined : this.tenants.get(name);
  }

  /** What a tenant was compiled from, and where that is written. */
  sourceOf(name: string): RawTenant | undefined {
    this.sources ??= new Map(this.loaded?.tenants.map((tenant) => [tenant.name, tenant]));
    return this.sources.get(name);
  }

  /** Files that give no tenant at all. */
  get refusedFiles(): readonly string[] {
    return this.loaded?.refused ?? [];
  }

  /** Reads the directory and compiles what is right. Ids are durable when this resolves. */
  async reload(): Promise<IntentChange> {
    const before = { tenants: this.inForce, provider: this.provider, node: this.node };
    const said = this.problems;
    const loaded = this.first ?? (await loadConfig(this.dir, { previous: this.loaded }));
    this.first = undefined;
    const pause = slicer();
    const compiled = await compile(loaded, this.ids, pause);
    await this.ids.save();
    const after = new Map(compiled.tenants);
    const held = compiled.problems.flatMap(({ tenant = '' }) => {
      const running = after.has(tenant) ? undefined : before.tenants.get(tenant);
      if (running === undefined) return [];
      after.set(tenant, running);
      return [tenant];
    });
    this.loaded = loaded;
    this.compiled = compiled;
    this.held = held;
    this.inForce = after;
    this.names = new Map([...after.values()].map((tenant) => [tenant.id, tenant.name]));
    this.sources = undefined;
    this.generation++;
    this.loadedAt = new Date();
    this.logNew(said);
    const changed: TenantIntent[] = [];
    for (const tenant of after.values()) {
      const old = before.tenants.get(tenant.name);
      if (old === tenant) continue;
      await pause();
      if (isDeepStrictEqual(old, tenant)) continue;
      changed.push(tenant);
      this.generations.set(tenant.name, this.generation);
    }
    for (const name of before.tenants.keys()) if (!after.has(name)) this.generations.delete(name);
    return {
      tenants: changed,
      removed: [...before.tenants.values()].filter((t) => !this.names.has(t.id)),
      provider: !isDeepStrictEqual(before.provider, compiled.provider),
      restartNeeded: before.node && loaded.node ? restartNeeded(before.node, loaded.node) : [],
    };
  }

  /** A problem is told when it comes, not again at every reload for as long as it stays. */
  private logNew(said: readonly Problem[]): void {
    const same = new Set(said);
    const unknown = this.problems.filter((problem) => !same.has(problem));
    if (unknown.length === 0) return;
    const texts = new Set(said.map(formatProblem));
    for (const problem of unknown) {
      const text = formatProblem(problem);
      if (!texts.has(text)) this.log[problem.severity === 'warning' ? 'warn' : 'error'](text);
    }
  }

  /** Keeps the right form of every file for a start at which it is wrong. Rejects with StateFileError. */
  async writeDown(lastGood: LastGood): Promise<void> {
    if (this.loaded !== undefined) await lastGood.save(this.loaded, this.kept);
  }

  /** What the directory would give, without applying it. */
  async preview(dir = this.dir): Promise<{ loaded: LoadedConfig; compiled: Compiled }> {
    const loaded = await loadConfig(dir, { previous: this.loaded });
    return { loaded, compiled: await compile(loaded, this.ids.fork(), slicer()) };
  }
}

/** Settings that differ and take effect only at the next start. */
export function restartNeeded(before: NodeConfig, after: NodeConfig): string[] {
  if (before === after) return [];
  const keys = ['bridge', 'openflow', 'ovs', 'api', 'stateDir', 'limits', 'neighbours'] as const;
  return keys.filter((key) => !isDeepStrictEqual(before[key], after[key]));
}
