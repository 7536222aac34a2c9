import { nextTurn, turnIsUsed } from '../../loop/turns.js';
import { OfpEncodeError } from '../bytes/errors.js';
import { ChannelError } from './errors.js';
import type { Outcome, Refusal } from './types.js';
import { OFPBCT } from './wire.js';

/** Bundles on their way at a time: the switch is kept busy, and the last one isn't committed late. */
const WINDOW = 3;

/** What bulk operations need of their connection. */
export interface BulkPort<Message> {
  readonly open: boolean;
  /** Queues a message with this xid, inside a bundle add message where `bundleId` is given. */
  write(message: Message, xid: number, bundleId?: number): void;
  allocate(): number;
  /** More is queued than the peer takes at once. */
  readonly congested: boolean;
  drained(): Promise<void>;
  /** Queues a barrier; resolves with its reply. */
  barrier(): Promise<void>;
  /** Queues a bundle control request; resolves with its reply. */
  control(bundleId: number, type: number): Promise<void>;
  /** Ends the connection where it can't be known what the switch applied. */
  lost(reason: string): void;
}

/** xids of one operation's messages: runs of consecutive numbers, so that 100,000 messages cost no table. */
class Operation {
  readonly refusals: Refusal[] = [];
  private readonly runs: { readonly xid: number; readonly index: number; count: number }[] = [];

  note(xid: number, index: number): void {
    const last = this.runs.at(-1);
    if (last && xid === last.xid + last.count) last.count++;
    else this.runs.push({ xid, index, count: 1 });
  }

  indexOf(xid: number): number | undefined {
    const run = this.runs.find((r) => xid >= r.xid && xid < r.xid + r.count);
    return run && run.index + (xid - run.xid);
  }

  get outcome(): Outcome {
    return this.refusals.length === 0 ? { ok: true } : { ok: false, refusals: this.refusals };
  }
}

/**
 * Bundles and batches. They are streamed one after the other in the order of the calls, so that they take
 * effect in that order; the answers of earlier ones are awaited while later ones go out.
 */
export class Bulk<Message> {
  private readonly running = new Set<Operation>();
  private turn: Promise<void> = Promise.resolve();
  private bundles = 0;
  private windowFree: (() => void) | undefined;
  private bundleId = 0;

  constructor(private readonly port: BulkPort<Message>) {}

  /** An error message for `xid`. False where it is none of a running operation's. */
  refused(xid: number, error: string): boolean {
    for (const operation of this.running) {
      const index = operation.indexOf(xid);
      if (index === undefined) continue;
      operation.refusals.push({ error, index });
      return true;
    }
    return false;
  }

  /** All messages or none, OpenFlow 1.4 §6.9. */
  bundle(messages: Iterable<Message>): Promise<Outcome> {
    return this.run(async (operation, release) => {
      await this.awaitWindow();
      this.bundles++;
      try {
        await this.bundleIn(operation, messages, release);
      } finally {
        this.bundles--;
        this.windowFree?.();
      }
    });
  }

  private async bundleIn(
    operation: Operation,
    messages: Iterable<Message>,
    release: () => void,
  ): Promise<void> {
    const id = this.nextBundleId();
    const control = (type: number) => settled(this.port.control(id, type));
    const opened = control(OFPBCT.OPEN);
    try {
      await this.stream(operation, messages, id);
    } catch (error) {
      await control(OFPBCT.DISCARD);
      throw error;
    }
    // The close makes the switch tell what it refused to add: it would commit the rest without that.
    const closed = operation.refusals.length === 0 ? control(OFPBCT.CLOSE) : undefined;
    release();
    const failed = (await opened) ?? (await closed);
    if (failed && operation.refusals.length === 0) operation.refusals.push({ error: failed.error });
    if (operation.refusals.length > 0) {
      await control(OFPBCT.DISCARD);
      return;
    }
    const refused = await control(OFPBCT.COMMIT);
    // The error of the message that caused it came before that of the commit, where the switch tells it.
    if (refused && operation.refusals.length === 0) operation.refusals.push({ error: refused.error });
    if (refused?.code === 'timeout') this.port.lost('the switch did not answer a bundle commit');
  }

  /** Each message on its own; the barrier tells when all were handled. */
  batch(messages: Iterable<Message>): Promise<Outcome> {
    return this.run(async (operation, release) => {
      await this.stream(operation, messages);
      const barrier = settled(this.port.barrier());
      release();
      const failed = await barrier;
      if (failed) operation.refusals.push({ error: failed.error });
      if (failed?.code === 'timeout') this.port.lost('the switch did not answer a barrier');
    });
  }

  /** Runs one operation when its turn has come; `release` lets the next one stream. */
  private async run(work: (operation: Operation, release: () => void) => Promise<void>): Promise<Outcome> {
    const before = this.turn;
    let release = (): void => {};
    this.turn = new Promise((resolve) => {
      release = resolve;
    });
    await before;
    const operation = new Operation();
    this.running.add(operation);
    try {
      if (this.port.open) await work(operation, release);
      else operation.refusals.push({ error: 'closed' });
      return operation.outcome;
    } finally {
      release();
      this.running.delete(operation);
    }
  }

  private async awaitWindow(): Promise<void> {
    // Only one operation streams at a time, so only one can wait here.
    while (this.bundles >= WINDOW && this.port.open)
      await new Promise<void>((resolve) => {
        this.windowFree = resolve;
      });
    this.windowFree = undefined;
  }

  /** Encodes and queues in slices. A message that can't be encoded ends a bundle, but not a batch. */
  private async stream(operation: Operation, messages: Iterable<Message>, bundleId?: number): Promise<void> {
    let index = 0;
    for (const message of messages) {
      const xid = this.port.allocate();
      operation.note(xid, index);
      try {
        this.port.write(message, xid, bundleId);
      } catch (error) {
        if (!(error instanceof OfpEncodeError)) throw error;
        operation.refusals.push({ error: error.message, index });
        if (bundleId !== undefined) return;
      }
      index++;
      if ((index & 31) !== 0 || !turnIsUsed()) continue;
      await nextTurn();
      if (this.port.congested) await this.port.drained();
      if (!this.port.open) return;
    }
  }

  private nextBundleId(): number {
    this.bundleId = this.bundleId === 0xffffffff ? 1 : this.bundleId + 1;
    return this.bundleId;
  }
}

/** The error of a request as a value, so that several can be awaited in turn without one going unhandled. */
function settled(request: Promise<void>): Promise<ChannelError | undefined> {
  return request.then(
    () => undefined,
    (error: unknown) => (error instanceof ChannelError ? error : new ChannelError('protocol', String(error))),
  );
}
