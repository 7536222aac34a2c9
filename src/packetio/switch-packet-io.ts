import type { SwitchConnection } from '../ofp/channel/types.js';
import { type Message, OFPP, type PacketIn } from '../ofp/types/message.js';
import { contextOf } from './context.js';
import { FairQueue } from './fair-queue.js';
import { InjectionActions } from './injection-actions.js';
import { PathWatch } from './path-watch.js';
import { TokenBucket } from './token-bucket.js';
import {
  type Clock,
  defer,
  type Injection,
  type PacketContext,
  type PacketIo,
  PUNT,
  type PuntClass,
} from './types.js';

/** Bounds of what the agent takes from the network; all optional, with the defaults below. */
export interface PacketIoLimits {
  /** Packets handled per second, all classes together. */
  readonly packetsPerSecond?: number;
  /** Packets waiting per class, and of one tenant in a class. */
  readonly perClass?: number;
  readonly perTenant?: number;
  /** What one turn of the event loop may take: packets, and milliseconds. */
  readonly packetsPerTurn?: number;
  readonly msPerTurn?: number;
}
const DEFAULTS: Required<PacketIoLimits> = {
  packetsPerSecond: 20_000,
  perClass: 8192,
  perTenant: 1024,
  packetsPerTurn: 512,
  msPerTurn: 5,
};

/** Packets of a class served in one round: probe answers are what verdicts hang on. */
const ROUND: Record<PuntClass, number> = { probe: 8, arp: 4, nd: 4, nextHop: 2 };
const CLASSES = Object.keys(PUNT) as PuntClass[];
const CLASS_OF = new Map<number, PuntClass>(CLASSES.map((cls) => [PUNT[cls], cls]));

/** Bytes given to a connection before it must say that they left. */
const WINDOW = 4 * 1024 * 1024;
const CHUNK = 256 * 1024;
const NOTHING = new Uint8Array(0);

export interface PuntCounters {
  received: number;
  handled: number;
  /** Dropped because the class's or the tenant's queue was full. */
  dropped: number;
  /** Handlers that threw: a defect of ours, seen by `onFailure`. */
  failed: number;
}
export interface PacketIoCounters {
  readonly classes: Readonly<Record<PuntClass, PuntCounters>>;
  /** Packet-ins that name no class of ours. */
  unknown: number;
  injected: number;
  /** Of them, by the way they took. */
  readonly injectedBy: Record<Injection['kind'], number>;
  injectedBytes: number;
  /** Not sent: no connection, or congested. */
  injectDropped: number;
}

interface Waiting {
  readonly context: PacketContext;
  readonly frame: Uint8Array;
}
type Handler = (context: PacketContext, frame: Uint8Array) => void;

/** PacketIo over the connection of one switch, which may go and come back. */
export class SwitchPacketIo implements PacketIo {
  readonly counters: PacketIoCounters = {
    classes: { arp: counters(), nd: counters(), probe: counters(), nextHop: counters() },
    unknown: 0,
    injected: 0,
    injectedBy: { route: 0, adjacency: 0, segment: 0 },
    injectedBytes: 0,
    injectDropped: 0,
  };
  /** Told of exceptions in handlers. */
  onFailure: (error: unknown) => void = () => {};

  private readonly limits: Required<PacketIoLimits>;
  private readonly clock: Clock;
  private readonly queues: Record<PuntClass, FairQueue<Waiting>>;
  private readonly handlers = new Map<PuntClass, Handler>();
  private readonly actions = new InjectionActions();
  private readonly budget: TokenBucket;
  private readonly path: PathWatch;
  private connection: SwitchConnection<Message> | undefined;
  private lastLink = 0;
  private scheduled = false;
  /** Bytes sent since the connection last said that they left; and since it was last asked. */
  private outstanding = 0;
  private unasked = 0;

  constructor(options: { readonly clock: Clock; readonly limits?: PacketIoLimits }) {
    this.clock = options.clock;
    this.limits = { ...DEFAULTS, ...options.limits };
    this.path = new PathWatch(this.clock);
    const { perTenant, perClass, packetsPerSecond } = this.limits;
    const queue = () => new FairQueue<Waiting>(perTenant, perClass);
    this.queues = { arp: queue(), nd: queue(), probe: queue(), nextHop: queue() };
    this.budget = new TokenBucket(packetsPerSecond, Math.max(1, packetsPerSecond / 10), this.clock.now());
  }

  get link(): number {
    return this.connection?.open ? this.lastLink : 0;
  }

  delay(): number {
    return this.path.current();
  }

  delaySince(since: number): number {
    return this.path.worstSince(since);
  }

  /** Uses `connection` from now on; another one is let go. */
  attach(connection: SwitchConnection<Message>): void {
    this.detach();
    this.connection = connection;
    this.lastLink++;
    this.path.start(() => connection.request({ type: 'echo_request', data: NOTHING }));
    connection.onPacketIn((packet) => {
      if (this.connection === connection) this.receive(packet);
    });
    connection.onClose(() => {
      if (this.connection === connection) this.detach();
    });
  }

  /** Drops what waits: it belongs to a switch that may be another one when it is back. */
  detach(): void {
    this.connection = undefined;
    this.path.stop();
    this.outstanding = 0;
    this.unasked = 0;
    for (const cls of CLASSES) this.queues[cls].clear();
  }

  onPunt(cls: PuntClass, handler: Handler): void {
    this.handlers.set(cls, handler);
  }

  /** Packets waiting, by class. */
  waiting(cls: PuntClass): number {
    return this.queues[cls].size;
  }

  inject(how: Injection, frame: Uint8Array): boolean {
    const connection = this.connection;
    if (connection === undefined || !connection.open || this.outstanding >= WINDOW) {
      this.counters.injectDropped++;
      return false;
    }
    const actions = this.actions.of(how);
    connection.send({ type: 'packet_out', inPort: OFPP.CONTROLLER, actions, data: frame });
    this.counters.injected++;
    this.counters.injectedBy[how.kind]++;
    this.counters.injectedBytes += frame.length;
    this.account(connection, frame.length);
    return true;
  }

  private account(connection: SwitchConnection<Message>, bytes: number): void {
    this.outstanding += bytes;
    this.unasked += bytes;
    if (this.unasked < CHUNK) return;
    const asked = this.unasked;
    this.unasked = 0;
    connection.drained().then(() => {
      if (this.connection === connection) this.outstanding -= asked;
    }, this.onFailure);
  }

  private receive(packet: PacketIn): void {
    const cls = CLASS_OF.get(packet.userdata[0] ?? 0);
    if (cls === undefined) {
      this.counters.unknown++;
      return;
    }
    const count = this.counters.classes[cls];
    count.received++;
    const context = contextOf(packet.match, packet.totalLen > packet.data.length);
    if (!this.queues[cls].push(context.tenant, { context, frame: packet.data })) count.dropped++;
    this.schedule();
  }

  private schedule(): void {
    if (this.scheduled) return;
    this.scheduled = true;
    defer(this.clock, () => this.serve());
  }

  /** One turn's share: rounds over the classes, within a class over the tenants. */
  private serve(): void {
    this.scheduled = false;
    const until = this.clock.now() + this.limits.msPerTurn;
    for (let left = this.limits.packetsPerTurn; left > 0; ) {
      const before = left;
      for (const cls of CLASSES) {
        for (let n = ROUND[cls]; n > 0 && left > 0; n--) {
          if (this.queues[cls].size === 0) break;
          const now = this.clock.now();
          if (now >= until) {
            this.schedule();
            return;
          }
          if (!this.budget.take(now)) {
            this.pause(this.budget.wait(now));
            return;
          }
          this.handle(cls, this.queues[cls].shift()!);
          left--;
        }
      }
      if (left === before) return;
    }
    this.schedule();
  }

  private pause(ms: number): void {
    this.scheduled = true;
    this.clock.setTimeout(() => this.serve(), Math.max(1, ms));
  }

  private handle(cls: PuntClass, { context, frame }: Waiting): void {
    const count = this.counters.classes[cls];
    try {
      this.handlers.get(cls)?.(context, frame);
      count.handled++;
    } catch (error) {
      count.failed++;
      this.onFailure(error);
    }
  }
}

function counters(): PuntCounters {
  return { received: 0, handled: 0, dropped: 0, failed: 0 };
}
