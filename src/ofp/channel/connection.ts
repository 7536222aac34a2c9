import type { Duplex } from 'node:stream';
import { decodeMessage, encodeMessage, OfpEncodeError, splitRequest } from '../index.js';
import type { OfpVersion } from '../types/field.js';
import type { Message, PacketIn } from '../types/message.js';
import { Bulk } from './bulk.js';
import { type ConnectionCounters, TypeCounters } from './counters.js';
import { endSocket } from './end-socket.js';
import { ChannelError } from './errors.js';
import { expectType, notAReply } from './expected-reply.js';
import { Framer } from './framing.js';
import { Handshake } from './handshake.js';
import { Keepalive } from './keepalive.js';
import { MultipartStream, SOFT_LIMIT } from './multipart-stream.js';
import { Receiver } from './receiver.js';
import { refusalName } from './refusal-name.js';
import { HIGH_WATER, SendQueue } from './send-queue.js';
import { Transactions } from './transactions.js';
import type { Clock, ConnectionLimits, Logger, Outcome, SwitchConnection, Tap } from './types.js';
import { Unsolicited } from './unsolicited.js';
import * as wire from './wire.js';

const { OFPT } = wire;

/** What a connection is made with. */
export interface ConnectionOptions {
  /** In any order; the highest that both sides know is used. */
  readonly versions: readonly OfpVersion[];
  /** Messages to send after the features are known and before the connection is handed out, e.g. packet-in format. */
  readonly setup?: (connection: Connection) => Iterable<Message>;
  readonly logger: Logger;
  readonly clock: Clock;
  readonly limits?: ConnectionLimits;
  readonly tap?: Tap | undefined;
}

/**
 * One OpenFlow connection, from its first byte to its end. States: `hello` (both sides tell their versions) →
 * `features` (the datapath id is asked for) → `setup` (the caller's first messages) → `ready` → `closed`.
 * Every promise that it gave settles at the latest when it closes.
 */
export class Connection implements SwitchConnection<Message> {
  /** Sees every message in both directions; set and unset at any time. */
  tap: Tap | undefined;
  private state: 'handshake' | 'setup' | 'ready' | 'closed' = 'handshake';
  private closeReason = '';
  private readonly framer = new Framer();
  private readonly receiver: Receiver;
  private readonly queue: SendQueue;
  private readonly transactions: Transactions;
  private readonly bulk: Bulk<Message>;
  private readonly keepalive: Keepalive;
  private readonly handshake: Handshake;
  private readonly streams = new Set<MultipartStream<Message>>();
  private readonly replyTimeout: number;
  private readonly typesIn = new TypeCounters();
  private readonly typesOut = new TypeCounters();
  private bytesIn = 0;
  private bytesOut = 0;
  private errors = 0;
  private readonly inbox: Unsolicited;
  private readonly closeHandlers: ((reason: string) => void)[] = [];

  /**
   * Shakes hands over a connected stream; resolves when the connection is ready, rejects with the reason where
   * it closed before. The stream then belongs to the connection.
   *
   * @param peer the remote side, for logs
   */
  static async open(socket: Duplex, peer: string, options: ConnectionOptions): Promise<Connection> {
    const connection = new Connection(socket, peer, options);
    try {
      await connection.handshake.begin();
      connection.state = 'setup';
      await connection.runSetup(options);
    } catch (error) {
      connection.close(error instanceof Error ? error.message : String(error));
    }
    if (connection.state === 'closed') throw new ChannelError('closed', 'closed', connection.closeReason);
    connection.state = 'ready';
    return connection;
  }

  private constructor(
    private readonly socket: Duplex,
    readonly peer: string,
    private readonly options: ConnectionOptions,
  ) {
    const limits = options.limits ?? {};
    this.tap = options.tap;
    this.replyTimeout = limits.replyTimeout ?? 30_000;
    this.inbox = new Unsolicited(options.logger, peer);
    this.transactions = new Transactions(options.clock);
    this.receiver = new Receiver(
      socket,
      this.framer,
      (message) => this.dispatch(message),
      (error) => this.close(error instanceof Error ? error.message : String(error)),
    );
    this.queue = new SendQueue(
      socket,
      (bytes) => {
        this.bytesOut += bytes.length;
        wire.eachType(bytes, (type) => this.typesOut.add(type));
        this.tap?.('out', bytes, this);
      },
      (queued) => this.close(`the peer does not read: ${queued} bytes are queued`),
      limits.maxQueued ?? 64 * 1024 * 1024,
    );
    const probeInterval = limits.probeInterval ?? 5_000;
    this.keepalive = new Keepalive(
      options.clock,
      probeInterval,
      () => this.control(wire.writeEchoRequest),
      () => this.close(`no byte within ${probeInterval} ms of an inactivity probe`),
    );
    this.bulk = new Bulk(this.bulkPort());
    this.handshake = new Handshake({
      versions: options.versions,
      timeout: limits.handshakeTimeout ?? 10_000,
      clock: options.clock,
      writer: this.queue.writer,
      allocate: () => this.transactions.allocate(),
      written: () => this.written(),
      onVersion: (version) => {
        this.framer.expect(version);
        this.keepalive.start();
      },
      fail: (reason) => this.close(reason),
    });
    socket.on('data', (chunk: Uint8Array) => {
      this.bytesIn += chunk.length;
      this.keepalive.heard();
      this.receiver.push(chunk);
    });
    socket.on('error', (error) => this.close(error.message));
    socket.on('end', () => this.close('closed by the peer'));
    socket.on('close', () => this.close('connection lost'));
  }

  get open(): boolean {
    return this.state !== 'closed';
  }

  /** The agreed version; known after the handshake. */
  get version(): OfpVersion {
    return this.handshake.version;
  }

  get datapathId(): bigint {
    return this.handshake.datapathId;
  }

  /** Bytes accepted and not yet taken by the kernel: senders that can do without should look before they send. */
  get queued(): number {
    return this.queue.queued;
  }

  /** @throws OfpEncodeError where this version can't say it; nothing is sent then. */
  send(message: Message): number {
    if (!this.open) return 0;
    const xid = this.transactions.allocate();
    this.write(message, xid);
    return xid;
  }

  /** @throws ChannelError (as rejection), or OfpEncodeError where this version can't say it. */
  async request(message: Message, timeoutMs = this.replyTimeout): Promise<Message> {
    return this.transact(
      (xid) => this.write(message, xid),
      timeoutMs,
      (reply) => {
        if (wire.typeOf(reply) === OFPT.MULTIPART_REPLY && wire.hasMore(reply))
          throw new ChannelError('protocol', 'protocol', 'a reply in several parts: use multipart()');
        return decodeMessage(reply).message;
      },
    );
  }

  /**
   * The parts arrive while the caller works on earlier ones. Leaving the loop early drops the rest. Where the
   * caller is slower than the switch the socket is paused, unless another request waits for its reply.
   *
   * @throws ChannelError while iterating: refused, timeout, closed, overflow; OfpEncodeError at once
   */
  multipart(request: Message): AsyncIterable<Message> {
    const xid = this.transactions.allocate();
    const stream = new MultipartStream<Message>({
      decode: (part) => decodeMessage(part).message,
      limit: this.options.limits?.maxReply ?? 256 * 1024 * 1024,
      onChange: () => this.flowControl(),
    });
    if (!this.open) {
      stream.fail(this.closedError());
      return stream;
    }
    this.write(request, xid);
    this.streams.add(stream);
    this.transactions.add(xid, this.replyTimeout, stream);
    return stream;
  }

  bundle(messages: Iterable<Message>): Promise<Outcome> {
    return this.bulk.bundle(messages);
  }

  batch(messages: Iterable<Message>): Promise<Outcome> {
    return this.bulk.batch(messages);
  }

  /** Covers what was sent before; bundles and batches tell their own end. */
  async barrier(): Promise<void> {
    await this.transact(
      (xid) => this.control(wire.writeBarrierRequest, xid),
      this.replyTimeout,
      expectType(OFPT.BARRIER_REPLY),
    );
  }

  drained(): Promise<void> {
    return this.queue.drained();
  }

  /** Ends the connection: handlers are told and all promises settle before this returns. */
  close(reason: string): void {
    if (this.state === 'closed') return;
    this.state = 'closed';
    this.closeReason = reason;
    this.keepalive.stop();
    this.receiver.stop();
    this.queue.close();
    endSocket(this.socket);
    const error = this.closedError();
    this.handshake.closed(error);
    this.transactions.close(error);
    for (const handler of this.closeHandlers) handler(reason);
  }

  onPacketIn(handler: (packet: PacketIn) => void): void {
    this.inbox.packetIn = handler;
  }

  onMessage(handler: (message: Message) => void): void {
    this.inbox.other = handler;
  }

  /** Called at once where the connection has closed already. */
  onClose(handler: (reason: string) => void): void {
    if (this.open) this.closeHandlers.push(handler);
    else handler(this.closeReason);
  }

  counters(): ConnectionCounters {
    return {
      messagesIn: this.typesIn.toObject(),
      messagesOut: this.typesOut.toObject(),
      bytesIn: this.bytesIn,
      bytesOut: this.bytesOut,
      errors: this.errors,
      undecodable: this.inbox.undecodable,
      queued: this.queue.queued,
      pending: this.transactions.size,
      ...(this.keepalive.roundTrip === undefined ? {} : { roundTrip: this.keepalive.roundTrip }),
    };
  }

  private async runSetup(options: ConnectionOptions): Promise<void> {
    if (!options.setup || !this.open) return;
    const outcome = await this.batch(options.setup(this));
    if (!outcome.ok && this.open)
      throw new Error(`the switch refused the setup: ${outcome.refusals.map((r) => r.error).join(', ')}`);
  }

  private dispatch(message: Uint8Array): void {
    const type = wire.typeOf(message);
    this.typesIn.add(type);
    this.tap?.('in', message, this);
    if (this.state === 'handshake' && this.handshake.take(message)) return;
    const xid = wire.xidOf(message);
    switch (type) {
      case OFPT.HELLO:
        return; // a repeated one has no meaning
      case OFPT.ECHO_REQUEST:
        wire.writeEchoReply(this.queue.writer, message);
        this.written();
        return;
      case OFPT.ECHO_REPLY:
        if (!this.transactions.reply(xid, message)) this.keepalive.echoReply();
        return;
      case OFPT.ERROR:
        this.refused(xid, message);
        return;
      default:
        if (wire.isReply(type) && this.transactions.reply(xid, message)) {
          this.flowControl();
          return;
        }
        this.inbox.deliver(message);
    }
  }

  private refused(xid: number, message: Uint8Array): void {
    this.errors++;
    const name = refusalName(message);
    if (this.transactions.fail(xid, new ChannelError('refused', name))) return;
    if (this.bulk.refused(xid, name)) return;
    this.options.logger.warn({ peer: this.peer, error: name, xid }, 'the switch refused a message');
    this.inbox.deliver(message);
  }

  private write(message: Message, xid: number, bundleId?: number): void {
    const w = this.queue.writer;
    const start = w.pos;
    if (bundleId === undefined) this.writeWhole(message, xid);
    else
      try {
        wire.beginBundleAdd(w, this.version, xid, bundleId);
        encodeMessage(w, this.version, xid, message);
        wire.endBundleAdd(w, start);
      } catch (error) {
        w.pos = start;
        throw error;
      }
    this.written();
  }

  /** A multipart request that is too long for one message goes out in several. */
  private writeWhole(message: Message, xid: number): void {
    const w = this.queue.writer;
    try {
      encodeMessage(w, this.version, xid, message);
    } catch (error) {
      if (!(error instanceof OfpEncodeError) || error.code !== 'too-long') throw error;
      for (const part of splitRequest(message, this.version)) encodeMessage(w, this.version, xid, part);
    }
  }

  private control(
    write: (w: SendQueue['writer'], version: OfpVersion, xid: number) => void,
    xid = this.transactions.allocate(),
  ): void {
    write(this.queue.writer, this.version, xid);
    this.written();
  }

  private written(): void {
    this.queue.written();
  }

  private transact<T>(
    write: (xid: number) => void,
    timeout: number,
    read: (reply: Uint8Array) => T,
  ): Promise<T> {
    if (!this.open) return Promise.reject(this.closedError());
    const xid = this.transactions.allocate();
    write(xid);
    const reply = this.transactions.single(xid, timeout, read);
    this.flowControl();
    return reply;
  }

  private bulkPort(): ConstructorParameters<typeof Bulk<Message>>[0] {
    const connection = this;
    return {
      get open() {
        return connection.open;
      },
      get congested() {
        return connection.queue.queued > HIGH_WATER;
      },
      write: (message, xid, bundleId) => this.write(message, xid, bundleId),
      allocate: () => this.transactions.allocate(),
      drained: () => this.drained(),
      barrier: () => this.barrier(),
      control: (bundleId, type) =>
        this.transact(
          (xid) =>
            this.control((w, version) => wire.writeBundleControl(w, version, xid, bundleId, type), xid),
          this.replyTimeout,
          (reply) => {
            if (wire.readBundleControl(reply) !== type + 1) throw notAReply(reply);
          },
        ),
      lost: (reason) => this.close(reason),
    };
  }

  /** Pauses the socket while multipart replies pile up, unless another request would wait for its reply. */
  private flowControl(): void {
    let buffered = 0;
    for (const stream of this.streams) {
      buffered += stream.buffered;
      if (!stream.waiting) this.streams.delete(stream);
    }
    const othersWait = this.transactions.size > this.streams.size;
    this.receiver.hold(buffered > SOFT_LIMIT && !othersWait && this.streams.size > 0);
  }

  private closedError(): ChannelError {
    return new ChannelError('closed', 'closed', `connection closed: ${this.closeReason}`);
  }
}
