import { randomBytes } from 'node:crypto';
import { rmSync } from 'node:fs';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/**
 * A socket that passes OpenFlow on to a switch's management socket and keeps what the switch answers: the way to
 * get a real switch's bytes while ovs-ofctl asks for them.
 */
export class TappedSwitch {
  /** Whole messages of the switch, in order. */
  readonly messages: Uint8Array[] = [];
  readonly #sockets = new Set<Socket>();

  private constructor(
    readonly path: string,
    readonly server: Server,
  ) {}

  /** `management`: path of the bridge's `.mgmt` socket. */
  static async listen(management: string): Promise<TappedSwitch> {
    const path = join(tmpdir(), `tap-${randomBytes(6).toString('hex')}.sock`);
    const server = createServer();
    const tap = new TappedSwitch(path, server);
    server.on('connection', (client) => tap.#pass(client, connect(management)));
    await new Promise<void>((resolve, reject) => server.once('error', reject).listen(path, resolve));
    return tap;
  }

  get target(): string {
    return `unix:${this.path}`;
  }

  /** The messages since the last call. */
  take(): Uint8Array[] {
    return this.messages.splice(0);
  }

  async close(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    await new Promise((resolve) => this.server.close(resolve));
    rmSync(this.path, { force: true });
  }

  #pass(client: Socket, upstream: Socket): void {
    let pending = Buffer.alloc(0);
    for (const [socket, other] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      this.#sockets.add(socket);
      socket.on('error', () => other.destroy());
      socket.on('close', () => {
        this.#sockets.delete(socket);
        other.destroy();
      });
    }
    client.on('data', (chunk) => upstream.write(chunk));
    upstream.on('data', (chunk) => {
      client.write(chunk);
      pending = Buffer.concat([pending, chunk]);
      while (pending.length >= 8 && pending.length >= pending.readUInt16BE(2)) {
        const length = Math.max(8, pending.readUInt16BE(2));
        this.messages.push(Uint8Array.prototype.slice.call(pending, 0, length));
        pending = pending.subarray(length);
      }
    });
  }
}
