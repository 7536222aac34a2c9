import { F } from '../../../src/nx-extensions/fields.js';
import { cookieOf, type Flow, KIND, type Kind, type Owner } from '../../../src/pipeline/index.js';
import type { OwnerState } from '../../../src/pipeline/types.js';
import { Synchronizer, type SyncOptions } from '../../../src/sync/index.js';
import { MemorySwitch } from '../../fake-switch/connection.js';
import { FakeClock } from '../packetio/fake-clock.js';

export interface Line {
  readonly level: string;
  readonly text: string;
}

/** Milliseconds between two bundles of one owner. */
export const WINDOW = 20;

/** A synchronizer on fake time, and a switch that it can be connected to. */
export class World {
  readonly clock = new FakeClock();
  readonly far = new MemorySwitch();
  readonly lines: Line[] = [];
  readonly sync: Synchronizer;

  constructor(options: Partial<SyncOptions> = {}) {
    const line = (level: string) => (_: object, text: string) => void this.lines.push({ level, text });
    this.sync = new Synchronizer({
      clock: this.clock,
      log: { debug: line('debug'), info: line('info'), warn: line('warn') },
      isOurGroup: (id) => id < 1000,
      isOurMeter: (id) => id < 1000,
      window: WINDOW,
      ...options,
    });
    this.far.now = () => this.clock.now();
  }

  /** Connects, reads back and sends the difference, and lets a window pass; returns how many messages that takes. */
  async connect(): Promise<number> {
    const connection = this.far.connect();
    connection.onClose(() => this.sync.detach());
    await this.sync.readBack(connection);
    const differences = await this.sync.resume();
    await this.rest();
    await this.pass(WINDOW);
    return differences;
  }

  /** Lets everything happen that needs no time to pass. */
  async rest(): Promise<void> {
    for (let was = -1; was !== this.far.asked.length; ) {
      was = this.far.asked.length;
      await turns(8);
    }
  }

  /** Lets fake time pass in steps, and what falls due happen. */
  async pass(ms: number, step = 5): Promise<void> {
    for (let t = 0; t < ms; t += step) {
      this.clock.advance(Math.min(step, ms - t));
      await this.rest();
    }
  }

  /** Text of all flows with their cookies, and groups and meters. */
  held(): string[] {
    const { tables } = this.far;
    return [
      ...tables
        .flows()
        .map((f) => plain({ c: f.cookie, t: f.table, p: f.priority, m: f.match, i: f.instructions })),
      ...[...tables.groups.values()].map((g) => plain({ g: g.groupId, y: g.groupType, b: g.buckets })),
      ...[...tables.meters.values()].map((m) => plain({ m: m.meterId, f: m.flags, b: m.bands })),
    ].sort();
  }
}

export async function turns(n: number): Promise<void> {
  for (let i = 0; i < n; i++) await new Promise((resolve) => setImmediate(resolve));
}

export function plain(value: unknown): string {
  return JSON.stringify(value, (key, v) => (key === 'field' ? v.name : typeof v === 'bigint' ? `${v}n` : v));
}

export function owner(tenant: number, kind: Kind = KIND.pool, object = 1): Owner {
  return { tenant, kind, object };
}

/** A flow of the owner in table 11: register 4 is its object, register 1 is `slot`; register 2 becomes `value`. */
export function flow(of: Owner, slot: number, value: number): Flow {
  return {
    table: 11,
    priority: 100,
    cookie: cookieOf(of),
    match: [
      { field: F.reg3, value: of.tenant },
      { field: F.reg4, value: of.object },
      { field: F.reg1, value: slot },
    ],
    instructions: [
      { type: 'apply_actions', actions: [{ type: 'set_field', field: F.reg2, value }] },
      { type: 'goto_table', table: 12 },
    ],
  };
}

/** What an owner wants: slots 0, 1, … with these values. */
export function slots(of: Owner, ...values: number[]): OwnerState {
  return { owner: of, flows: values.map((value, slot) => flow(of, slot, value)), groups: [], meters: [] };
}
