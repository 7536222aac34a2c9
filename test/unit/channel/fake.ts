import { type Duplex, duplexPair } from 'node:stream';
import { Writer } from '../../../src/ofp/bytes/writer.js';
import { Connection, type ConnectionOptions } from '../../../src/ofp/channel/connection.js';
import { Framer } from '../../../src/ofp/channel/framing.js';
import type { Clock } from '../../../src/ofp/channel/types.js';
import { OFP13, OFP14, OFP15 } from '../../../src/ofp/types/field.js';

/** Time that stands still until it is told to go on. */
export class FakeClock implements Clock {
  private time = 0;
  private timers: { at: number; fn: () => void }[] = [];

  now(): number {
    return this.time;
  }

  setTimeout(fn: () => void, ms: number): { cancel(): void } {
    const timer = { at: this.time + ms, fn };
    this.timers.push(timer);
    return {
      cancel: () => {
        this.timers = this.timers.filter((t) => t !== timer);
      },
    };
  }

  get pending(): number {
    return this.timers.length;
  }

  /** Lets time pass, timer by timer; what they cause happens before the next one. */
  async pass(ms: number): Promise<void> {
    const end = this.time + ms;
    for (;;) {
      const next = this.timers.filter((t) => t.at <= end).sort((a, b) => a.at - b.at)[0];
      if (!next) break;
      this.time = next.at;
      this.timers = this.timers.filter((t) => t !== next);
      next.fn();
      await turns();
    }
    this.time = end;
  }
}

/** Lets the event loop turn often enough for bytes to go back and forth. */
export async function turns(n = 8): Promise<void> {
  for (let i = 0; i < n; i++) await new Promise((resolve) => setImmediate(resolve));
}

/** A whole message. */
export function message(
  version: number,
  type: number,
  xid: number,
  body: readonly number[] = [],
): Uint8Array {
  const w = new Writer();
  w.u8(version);
  w.u8(type);
  w.u16(8 + body.length);
  w.u32(xid);
  w.bytes(Uint8Array.from(body));
  return w.take();
}

export interface Received {
  readonly version: number;
  readonly type: number;
  readonly xid: number;
  readonly bytes: Uint8Array;
}

/** The far end of a connection: by default a switch that shakes hands and answers nothing else. */
export class FakeSwitch {
  readonly ours: Duplex;
  readonly socket: Duplex;
  readonly received: Received[] = [];
  closed = false;
  /** Called for each message after the handshake's; set it to answer. */
  answer: (message: Received) => void = () => {};
  private readonly framer = new Framer();

  constructor(readonly options: { version?: number; shakeHands?: boolean } = {}) {
    [this.ours, this.socket] = duplexPair();
    this.socket.on('data', (chunk: Uint8Array) => {
      this.framer.push(chunk);
      for (let m = this.framer.next(); m !== undefined; m = this.framer.next()) this.take(m.slice());
    });
    this.socket.on('error', () => {});
    this.socket.on('end', () => {
      this.closed = true;
    });
    this.ours.on('close', () => {
      this.closed = true;
    });
    if (options.shakeHands !== false) this.write(message(this.version, 0, 1));
  }

  get version(): number {
    return this.options.version ?? OFP15;
  }

  write(bytes: Uint8Array): void {
    if (!this.socket.writableEnded && !this.socket.destroyed) this.socket.write(bytes);
  }

  reply(request: Received, type: number, body: readonly number[] = []): void {
    this.write(message(request.version, type, request.xid, body));
  }

  types(): number[] {
    return this.received.map((m) => m.type);
  }

  private take(bytes: Uint8Array): void {
    const view = new DataView(bytes.buffer);
    const received = { version: bytes[0]!, type: bytes[1]!, xid: view.getUint32(4), bytes };
    this.received.push(received);
    if (this.options.shakeHands !== false && received.type === 5) this.reply(received, 6, FEATURES);
    else this.answer(received);
  }
}

/** Body of a features reply of datapath 0x1122334455667788. */
export const FEATURES = [0x11, 0x22, 0x33, 0x44, 0x55, 0x66, 0x77, 0x88, ...new Array<number>(16).fill(0)];

export interface LogLine {
  readonly level: string;
  readonly text: string;
  readonly data: object;
}

export function options(
  overrides: Partial<ConnectionOptions> = {},
): ConnectionOptions & { clock: FakeClock; logged: LogLine[] } {
  const logged: LogLine[] = [];
  const log = (level: string) => (data: object, text: string) => {
    logged.push({ level, text, data });
  };
  return {
    versions: [OFP13, OFP14, OFP15],
    logger: { debug: log('debug'), info: log('info'), warn: log('warn') },
    logged,
    ...overrides,
    clock: (overrides.clock as FakeClock) ?? new FakeClock(),
  };
}

/** A ready connection to a fake switch. */
export async function connect(
  overrides: Partial<ConnectionOptions> = {},
  peer = new FakeSwitch(),
): Promise<{ connection: Connection; peer: FakeSwitch; clock: FakeClock; logged: LogLine[] }> {
  const o = options(overrides);
  const connection = await Connection.open(peer.ours, 'fake', o);
  return { connection, peer, clock: o.clock, logged: o.logged };
}
