import { type Ipv4, PROVIDER_TENANT, type Protocol } from '../model/index.js';
import type { SwitchConnection } from '../ofp/channel/index.js';
import type { Message } from '../ofp/index.js';
import type { Logger } from './logging.js';

const IPPROTO = { TCP: 6, UDP: 17 } as const;

/** Connections of one zone that shall end: those with a member, or all. */
export interface Flush {
  readonly zone: number;
  /** Absent: the whole zone. */
  readonly member?: { readonly protocol: Protocol; readonly address: Ipv4; readonly port: number };
}

export interface ConntrackFlushesOptions {
  readonly log: Logger;
  /** The switch, while it can be told something. */
  readonly connection: () => SwitchConnection<Message> | undefined;
}

/**
 * Ends connections in the switch, one request after the other: each one walks the table of connections while
 * forwarding waits. What the switch didn't confirm stays in line for the next connection.
 */
export class ConntrackFlushes {
  private readonly waiting = new Map<string, { flush: Flush; done: (() => void)[] }>();
  private running = false;
  /** Confirmed so far. */
  flushed = 0;

  constructor(private readonly options: ConntrackFlushesOptions) {}

  /** Resolves when the switch has confirmed it. Never all zones: 0 and the provider's are refused. */
  add(flush: Flush): Promise<void> {
    if (flush.zone <= 0 || flush.zone >= PROVIDER_TENANT) throw new RangeError(`zone ${flush.zone}`);
    const key = JSON.stringify(flush);
    return new Promise((done) => {
      const same = this.waiting.get(key);
      if (same) same.done.push(done);
      else this.waiting.set(key, { flush, done: [done] });
      this.resume();
    });
  }

  /** To be called when the switch can be told something again. */
  resume(): void {
    if (this.running) return;
    this.running = true;
    void this.run();
  }

  private async run(): Promise<void> {
    try {
      for (let next = this.next(); next !== undefined; next = this.next()) await this.send(next);
    } finally {
      // In the same turn as the last look at what waits: nothing is added in between.
      this.running = false;
    }
  }

  private next(): string | undefined {
    return this.options.connection()?.open ? this.waiting.keys().next().value : undefined;
  }

  private async send(key: string): Promise<void> {
    const connection = this.options.connection()!;
    const { flush, done } = this.waiting.get(key)!;
    // Who asks from now on means connections made since: those take another flush.
    this.waiting.delete(key);
    const outcome = await connection.batch([message(flush)]);
    if (!outcome.ok && !connection.open) {
      const same = this.waiting.get(key);
      this.waiting.set(key, { flush, done: [...done, ...(same?.done ?? [])] });
      return;
    }
    if (outcome.ok) this.flushed++;
    else this.options.log.warn({ ...flush, refusals: outcome.refusals }, 'connections not flushed');
    for (const resolve of done) resolve();
  }
}

function message({ zone, member }: Flush): Message {
  if (member === undefined) return { type: 'nx_ct_flush_zone', zone };
  const { protocol, address, port } = member;
  return {
    type: 'nx_ct_flush',
    protocol: IPPROTO[protocol],
    zone,
    reply: { src: address, srcPort: port },
  };
}
