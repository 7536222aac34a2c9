import { isIP, connect as netConnect, type Socket } from 'node:net';
import { type TLSSocket, connect as tlsConnect } from 'node:tls';
import { backoff } from './backoff.js';
import { Connection, type ConnectionOptions } from './connection.js';
import { formatRemote } from './remote.js';
import { handshakeFailure, refusalOf, tlsOptions } from './tls.js';
import type { ActiveRemote, TlsFiles } from './types.js';

/** ms that a connection must have lasted for the next failure to count as the first. */
const STABLE = 10_000;

/** What a dialer is made with. */
export interface DialerOptions extends ConnectionOptions {
  readonly tls?: TlsFiles | undefined;
  /** The switch has shaken hands. */
  readonly onConnection: (connection: Connection) => void;
}

/** An active remote: connects, and connects again with growing waits whenever that failed or ended. */
export class Dialer {
  private readonly name: string;
  private failures = 0;
  private waiting: { cancel(): void } | undefined;
  private socket: Socket | undefined;
  private connection: Connection | undefined;
  private closed = false;

  constructor(
    private readonly remote: ActiveRemote,
    private readonly options: DialerOptions,
  ) {
    this.name = formatRemote(remote);
    void this.dial();
  }

  /** Stops trying, and closes the connection where there is one. */
  close(reason = 'no longer wanted'): void {
    this.closed = true;
    this.waiting?.cancel();
    this.connection?.close(reason);
    this.socket?.destroy();
  }

  private async dial(): Promise<void> {
    const { clock, logger } = this.options;
    let readyAt: number | undefined;
    let reason: string;
    try {
      const socket = await this.connectSocket();
      const connection = await Connection.open(socket, this.name, this.options);
      this.connection = connection;
      readyAt = clock.now();
      const ended = new Promise<string>((resolve) => connection.onClose(resolve));
      this.options.onConnection(connection);
      reason = await ended;
    } catch (error) {
      reason = (error as Error).message;
    }
    this.connection = undefined;
    if (this.closed) return;
    if (readyAt !== undefined && clock.now() - readyAt >= STABLE) this.failures = 0;
    this.failures++;
    const wait = backoff(this.failures);
    // A switch that stays away is told once in full, then quietly.
    const level = this.failures === 1 ? 'info' : 'debug';
    logger[level]({ remote: this.name, reason, retry_ms: Math.round(wait) }, 'not connected to the switch');
    this.waiting = clock.setTimeout(() => void this.dial(), wait);
  }

  /** A connected socket, for `ssl:` after the peer's certificate was found good. */
  private connectSocket(): Promise<Socket> {
    return new Promise((resolve, reject) => {
      const socket = this.startConnect();
      this.socket = socket;
      const timeout = this.options.limits?.handshakeTimeout ?? 10_000;
      const deadline = this.options.clock.setTimeout(
        () => fail(`no connection within ${timeout} ms`),
        timeout,
      );
      const fail = (reason: string) => {
        deadline.cancel();
        socket.destroy();
        reject(new Error(reason));
      };
      const secure = this.remote.kind === 'ssl';
      socket.once('error', (error) => fail(secure ? handshakeFailure(error) : error.message));
      socket.once('close', () => fail('closed while connecting'));
      socket.once(secure ? 'secureConnect' : 'connect', () => {
        const refusal = secure ? refusalOf(socket as TLSSocket) : undefined;
        if (refusal !== undefined) {
          const level = this.failures === 0 ? 'warn' : 'debug';
          this.options.logger[level]({ remote: this.name, reason: refusal }, 'TLS refused');
          fail(refusal);
          return;
        }
        deadline.cancel();
        if (this.remote.kind !== 'unix') socket.setNoDelay(true);
        resolve(socket);
      });
    });
  }

  private startConnect(): Socket {
    const remote = this.remote;
    switch (remote.kind) {
      case 'unix':
        return netConnect({ path: remote.path });
      case 'tcp':
        return netConnect({ host: remote.host, port: remote.port });
      case 'ssl': {
        if (!this.options.tls) throw new Error('private key, certificate and CA certificate are needed');
        // Read anew for each try: renewed files are taken without a restart.
        const tls = tlsOptions(this.options.tls);
        const name = isIP(remote.host) === 0 ? { servername: remote.host } : {};
        // Certificates of switches name the switch, not its address: that our CA signed it is what counts.
        const checkServerIdentity = () => undefined;
        return tlsConnect({ ...tls, ...name, host: remote.host, port: remote.port, checkServerIdentity });
      }
    }
  }
}
