import type { Outcome, SwitchConnection } from '../../src/ofp/channel/types.js';
import { type Message, OFP15 } from '../../src/ofp/index.js';
import type { FlowMod, GroupMod, MeterMod } from '../../src/ofp/types/message.js';
import { type Entry, Refused, Tables } from './tables.js';

type Mod = FlowMod | GroupMod | MeterMod;

/** What somebody asked for, in order. */
export interface Asked {
  readonly kind: 'bundle' | 'batch' | 'multipart';
  readonly messages: readonly Message[];
  /** `now` of the switch. */
  readonly at: number;
}

/** The far end of connections: tables that outlive them. */
export class MemorySwitch {
  readonly tables = new Tables();
  readonly asked: Asked[] = [];
  now: () => number = () => 0;
  /** Port name → number. */
  readonly ports = new Map<string, number>();
  /** A refusal by its OpenFlow name, or undefined. */
  refuses: (mod: Mod) => string | undefined = () => undefined;
  /** Called where a wire may break: before each message, before and after each commit. */
  step: (connection: MemoryConnection) => void = () => undefined;

  connect(): MemoryConnection {
    return new MemoryConnection(this);
  }

  /** Changes that were asked for since the last call. */
  takeMods(): Mod[] {
    return this.asked
      .splice(0)
      .flatMap(({ kind, messages }) => (kind === 'multipart' ? [] : (messages as Mod[])));
  }

  ask(kind: Asked['kind'], messages: readonly Message[]): void {
    this.asked.push({ kind, messages, at: this.now() });
  }

  apply(mod: Message): void {
    if (mod.type !== 'flow_mod' && mod.type !== 'group_mod' && mod.type !== 'meter_mod') return;
    const why = this.refuses(mod);
    if (why !== undefined) throw new Refused(why);
    this.tables.apply(mod);
  }
}

/** An OpenFlow connection without bytes. */
export class MemoryConnection implements SwitchConnection<Message> {
  readonly datapathId = 1n;
  readonly version = OFP15;
  readonly peer = 'memory';
  open = true;
  private readonly closed: ((reason: string) => void)[] = [];

  constructor(private readonly far: MemorySwitch) {}

  async bundle(messages: Iterable<Message>): Promise<Outcome> {
    const list = [...messages];
    this.far.ask('bundle', list);
    await turn();
    for (const _ of list) if (!this.step()) return CLOSED;
    if (!this.step()) return CLOSED;
    const restore = this.far.tables.save();
    for (const [index, message] of list.entries()) {
      try {
        this.far.apply(message);
      } catch (error) {
        restore();
        if (!(error instanceof Refused)) throw error;
        return { ok: false, refusals: [{ error: error.message, index }] };
      }
    }
    return this.step() ? { ok: true } : CLOSED;
  }

  async batch(messages: Iterable<Message>): Promise<Outcome> {
    const list = [...messages];
    this.far.ask('batch', list);
    await turn();
    const refusals = [];
    for (const [index, message] of list.entries()) {
      if (!this.step()) return CLOSED;
      try {
        this.far.apply(message);
      } catch (error) {
        if (!(error instanceof Refused)) throw error;
        refusals.push({ error: error.message, index });
      }
    }
    if (!this.step()) return CLOSED;
    return refusals.length > 0 ? { ok: false, refusals } : { ok: true };
  }

  async *multipart(request: Message): AsyncGenerator<Message> {
    this.far.ask('multipart', [request]);
    await turn();
    if (!this.step()) throw new Error('closed');
    const { tables, ports } = this.far;
    if (request.type === 'flow_stats_request' || request.type === 'aggregate_request') {
      const mask = request.cookieMask ?? 0n;
      const found = tables.flows().filter((e) => ((e.cookie ^ (request.cookie ?? 0n)) & mask) === 0n);
      if (request.type === 'aggregate_request')
        yield { type: 'aggregate_reply', packetCount: 0n, byteCount: 0n, flowCount: found.length };
      else
        for (let at = 0; at === 0 || at < found.length; at += 100)
          yield { type: 'flow_stats_reply', entries: found.slice(at, at + 100).map(stats) };
    } else if (request.type === 'group_desc_request') {
      const entries = [...tables.groups.values()].map(({ groupId, groupType, buckets }) => ({
        groupId,
        groupType,
        buckets,
      }));
      yield { type: 'group_desc_reply', entries };
    } else if (request.type === 'meter_config_request') {
      const entries = [...tables.meters.values()].map(({ meterId, flags, bands }) => ({
        meterId,
        flags,
        bands,
      }));
      yield { type: 'meter_config_reply', entries };
    } else if (request.type === 'port_desc_request') {
      yield {
        type: 'port_desc_reply',
        entries: [...ports].map(([name, portNo]) => ({ ...PORT, name, portNo })),
      };
    } else throw new Error(`${request.type} is not known here`);
  }

  send(): number {
    return 0;
  }
  request(): Promise<Message> {
    return Promise.reject(new Error('not known here'));
  }
  async barrier(): Promise<void> {}
  async drained(): Promise<void> {}
  onPacketIn(): void {}
  onMessage(): void {}
  onClose(handler: (reason: string) => void): void {
    this.closed.push(handler);
  }
  close(reason: string): void {
    if (!this.open) return;
    this.open = false;
    for (const handler of this.closed) handler(reason);
  }

  /** Whether the wire is whole. */
  private step(): boolean {
    if (this.open) this.far.step(this);
    return this.open;
  }
}

const CLOSED: Outcome = { ok: false, refusals: [{ error: 'closed' }] };

const PORT = {
  hwAddr: 0n,
  config: 0,
  state: 0,
};

function stats({ table, priority, cookie, match, instructions, idleTimeout }: Entry) {
  return {
    table,
    priority,
    cookie,
    match,
    instructions,
    idleTimeout: idleTimeout ?? 0,
    hardTimeout: 0,
    durationSec: 0,
    durationNsec: 0,
    packetCount: 0n,
    byteCount: 0n,
    flags: 0,
    importance: 0,
  };
}

function turn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
