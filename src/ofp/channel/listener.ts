import { lstatSync, unlinkSync } from 'node:fs';
import { createServer, type ListenOptions, type Server, type Socket, connect as tcpConnect } from 'node:net';
import { createServer as createTlsServer, type TLSSocket } from 'node:tls';
import { Connection, type ConnectionOptions } from './connection.js';
import { ListenError } from './errors.js';
import { formatRemote } from './remote.js';
import { handshakeFailure, refusalOf, tlsOptions } from './tls.js';
import type { PassiveRemote, TlsFiles } from './types.js';

/** Connections at a time, in whatever state; more are turned away. */
const MAX_CONNECTIONS = 256;
/** A Unix socket may be used by its owner and group. */
const SOCKET_UMASK = 0o117;

/** What a listener is made with. */
export interface ListenerOptions extends ConnectionOptions {
  readonly tls?: TlsFiles | undefined;
  /** A switch has connected and shaken hands. */
  readonly onConnection: (connection: Connection) => void;
}

/** A passive remote: switches connect to it. */
export class Listener {
  private readonly handshakes = new Set<Socket>();

  /**
   * Listens. For `punix:` a socket file that no process listens on any more is replaced; the new one has mode 0660.
   *
   * @throws ListenError 'busy' where another process listens there, 'denied', 'unavailable', 'tls'
   */
  static async open(remote: PassiveRemote, options: ListenerOptions): Promise<Listener> {
    const listener = new Listener(remote, options);
    if (remote.kind === 'punix') await removeStale(remote.path);
    await listener.listen();
    return listener;
  }

  private readonly server: Server;

  private constructor(
    private readonly remote: PassiveRemote,
    private readonly options: ListenerOptions,
  ) {
    this.server =
      remote.kind === 'pssl' ? this.tlsServer() : createServer((socket) => void this.accept(socket));
    this.server.maxConnections = MAX_CONNECTIONS;
    this.server.on('drop', () =>
      options.logger.warn({ remote: formatRemote(remote), limit: MAX_CONNECTIONS }, 'too many connections'),
    );
  }

  /** The remote, with the port that the system chose where 0 was asked for. */
  get address(): PassiveRemote {
    const bound = this.server.address();
    if (this.remote.kind === 'punix' || bound === null || typeof bound === 'string') return this.remote;
    return { ...this.remote, port: bound.port };
  }

  /** Stops listening, and drops peers in their handshake. Connections that were handed out stay. */
  close(): void {
    this.server.close();
    for (const socket of this.handshakes) socket.destroy();
  }

  private async listen(): Promise<void> {
    const remote = this.remote;
    const where: ListenOptions =
      remote.kind === 'punix' ? { path: remote.path } : { port: remote.port, host: remote.host };
    await new Promise<void>((resolve, reject) => {
      this.server.once('error', (error: NodeJS.ErrnoException) => reject(this.listenError(error)));
      // The file appears within the call of listen: its mode must be right from the start.
      const umask = remote.kind === 'punix' ? process.umask(SOCKET_UMASK) : undefined;
      this.server.listen(where, resolve);
      if (umask !== undefined) process.umask(umask);
    });
    this.server.removeAllListeners('error');
    this.server.on('error', (error) =>
      this.options.logger.warn({ remote: formatRemote(remote), error: error.message }, 'accepting failed'),
    );
  }

  private listenError(error: NodeJS.ErrnoException): ListenError {
    const remote = formatRemote(this.remote);
    switch (error.code) {
      case 'EADDRINUSE':
        return new ListenError('busy', remote, 'another process listens there already');
      case 'EACCES':
      case 'EPERM':
        return new ListenError('denied', remote, 'no permission to listen there');
      case 'EADDRNOTAVAIL':
        return new ListenError('unavailable', remote, 'no interface has this address');
      default:
        return new ListenError('unavailable', remote, error.message);
    }
  }

  private tlsServer(): Server {
    const remote = formatRemote(this.remote);
    if (!this.options.tls)
      throw new ListenError('tls', remote, 'private key, certificate and CA certificate are needed');
    let server: ReturnType<typeof createTlsServer>;
    try {
      server = createTlsServer({
        ...tlsOptions(this.options.tls),
        requestCert: true,
        handshakeTimeout: this.options.limits?.handshakeTimeout ?? 10_000,
      });
    } catch (error) {
      throw new ListenError('tls', remote, (error as Error).message);
    }
    server.on('connection', (socket: Socket) => this.track(socket));
    server.on('secureConnection', (socket: TLSSocket) => {
      const refusal = refusalOf(socket);
      if (refusal === undefined) void this.accept(socket);
      else this.refuse(socket, refusal);
    });
    server.on('tlsClientError', (error, socket) => this.refuse(socket, handshakeFailure(error)));
    return server;
  }

  private refuse(socket: Socket, reason: string): void {
    this.options.logger.warn(
      { remote: formatRemote(this.remote), peer: peerOf(socket), reason },
      'TLS refused',
    );
    socket.destroy();
  }

  /** Remembers a socket until its handshake is over, to drop it on `close`. */
  private track(socket: Socket): void {
    this.handshakes.add(socket);
    socket.once('close', () => this.handshakes.delete(socket));
    socket.on('error', () => {}); // told by whoever uses the socket
  }

  private async accept(socket: Socket): Promise<void> {
    this.track(socket);
    const peer = peerOf(socket) || formatRemote(this.remote);
    if (this.remote.kind !== 'punix') socket.setNoDelay(true);
    try {
      const connection = await Connection.open(socket, peer, this.options);
      this.options.onConnection(connection);
    } catch (error) {
      this.options.logger.info({ peer, reason: (error as Error).message }, 'OpenFlow handshake failed');
    } finally {
      // The socket under a TLS socket has the same peer.
      for (const other of this.handshakes)
        if (other === socket || (socket.remotePort !== undefined && peerOf(other) === peerOf(socket)))
          this.handshakes.delete(other);
    }
  }
}

function peerOf(socket: Socket): string {
  if (socket.remoteAddress === undefined) return '';
  const host = socket.remoteAddress.includes(':') ? `[${socket.remoteAddress}]` : socket.remoteAddress;
  return `${host}:${socket.remotePort}`;
}

/** Unlinks a socket file that refuses connections: its listener died without removing it. */
async function removeStale(path: string): Promise<void> {
  // Any other file refuses connections too, and is nobody's to remove.
  if (!lstatSync(path, { throwIfNoEntry: false })?.isSocket()) return;
  const stale = await new Promise<boolean>((resolve) => {
    const probe = tcpConnect({ path });
    probe.once('connect', () => {
      probe.destroy();
      resolve(false);
    });
    probe.once('error', (error: NodeJS.ErrnoException) => resolve(error.code === 'ECONNREFUSED'));
  });
  if (stale) unlinkSync(path);
}
