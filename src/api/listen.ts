/** Sockets for the application: one server per address, with bounds on what a client may cost. */
import { mkdir, readFile, unlink } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import { connect, type Socket } from 'node:net';
import { dirname } from 'node:path';
import { type AppOptions, buildApp } from './app.js';
import { problem } from './problem.js';

/** Where to listen: the same shape as in the configuration. */
export type ListenAddress =
  | { readonly kind: 'unix'; readonly path: string }
  | { readonly kind: 'tcp'; readonly host: string; readonly port: number };

export interface ApiOptions extends AppOptions {
  readonly listen: readonly ListenAddress[];
  /** Read once at start; its first line is the token. */
  readonly tokenFile?: string;
}

export interface RunningApi {
  /** As they were bound: with port 0 the port that the system chose. */
  readonly addresses: readonly ListenAddress[];
  close(): Promise<void>;
}

/** An address can't be bound, or the token not be read; the message says what to do. */
export class ApiStartError extends Error {
  override readonly name = 'ApiStartError';
}

const MAX_CONNECTIONS = 256;
const LIMITS = {
  headersTimeout: 5_000,
  requestTimeout: 10_000,
  keepAliveTimeout: 30_000,
  connectionsCheckingInterval: 1_000,
  maxHeaderSize: 16_384,
};

export async function startApi(options: ApiOptions): Promise<RunningApi> {
  const token =
    options.token ?? (options.tokenFile === undefined ? undefined : await readToken(options.tokenFile));
  const app = await buildApp({ ...options, ...(token === undefined ? {} : { token }) });
  const servers: { server: Server; address: ListenAddress }[] = [];
  const close = async (): Promise<void> => {
    await Promise.all(servers.map(({ server, address }) => stop(server, address)));
    await app.close();
  };
  try {
    for (const address of options.listen) {
      const server = createServer(LIMITS, (request, response) => app.routing(request, response));
      server.maxConnections = MAX_CONNECTIONS;
      server.on('clientError', refuse);
      servers.push({ server, address: await bind(server, address) });
    }
  } catch (error) {
    await close();
    throw error;
  }
  return { addresses: servers.map(({ address }) => address), close };
}

async function readToken(file: string): Promise<string> {
  const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    throw new ApiStartError(`api.token_file ${file} can't be read: ${error.code ?? error.message}`);
  });
  const token = text.split('\n', 1)[0]!.trim();
  if (!/^[!-~]{16,256}$/.test(token)) {
    throw new ApiStartError(
      `api.token_file ${file}: its first line must be a token of 16 to 256 visible characters`,
    );
  }
  return token;
}

async function bind(server: Server, address: ListenAddress): Promise<ListenAddress> {
  if (address.kind === 'tcp') {
    await listening(server, address, () => server.listen({ host: address.host, port: address.port }));
    const bound = server.address();
    return bound !== null && typeof bound === 'object' ? { ...address, port: bound.port } : address;
  }
  await mkdir(dirname(address.path), { recursive: true });
  await removeStale(address.path);
  await listening(server, address, () => {
    // Mode 0660 from the beginning: with chmod the socket would be open to others for a moment.
    const before = process.umask(0o117);
    try {
      server.listen(address.path);
    } finally {
      process.umask(before);
    }
  });
  return address;
}

function listening(server: Server, address: ListenAddress, start: () => void): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) =>
      reject(new ApiStartError(explain(error, address))),
    );
    server.once('listening', resolve);
    start();
  });
}

function explain(error: NodeJS.ErrnoException, address: ListenAddress): string {
  const what = address.kind === 'tcp' ? `tcp:${address.host}:${address.port}` : `unix:${address.path}`;
  switch (error.code) {
    case 'EADDRINUSE':
      return `the API can't listen on ${what}: another process does; stop it or change api.listen in node.yaml`;
    case 'EACCES':
      return `the API can't listen on ${what}: permission denied`;
    case 'EADDRNOTAVAIL':
      return `the API can't listen on ${what}: this machine has no such address; change api.listen in node.yaml`;
    default:
      return `the API can't listen on ${what}: ${error.code ?? error.message}`;
  }
}

/** A socket file that nobody listens on is what a killed agent left behind. */
async function removeStale(path: string): Promise<void> {
  const refused = await new Promise<boolean>((resolve) => {
    const probe = connect(path);
    probe.once('connect', () => {
      probe.destroy();
      resolve(false);
    });
    probe.once('error', (error: NodeJS.ErrnoException) => resolve(error.code === 'ECONNREFUSED'));
  });
  if (refused) await unlink(path).catch(() => undefined);
}

/** What isn't HTTP, or comes too slowly, gets one answer and no more. */
function refuse(error: NodeJS.ErrnoException, socket: Socket): void {
  if (!socket.writable || error.code === 'ECONNRESET') {
    socket.destroy();
    return;
  }
  const status =
    error.code === 'ERR_HTTP_REQUEST_TIMEOUT' ? 408 : error.code === 'HPE_HEADER_OVERFLOW' ? 431 : 400;
  const detail =
    status === 408
      ? 'The request did not arrive in time.'
      : status === 431
        ? 'The headers are too long.'
        : 'This is not HTTP.';
  const body = JSON.stringify(problem(status, detail));
  socket.end(
    `HTTP/1.1 ${status} ${problem(status, '').title}\r\nconnection: close\r\ncontent-type: application/problem+json\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
  );
}

async function stop(server: Server, address: ListenAddress): Promise<void> {
  if (!server.listening) return;
  await new Promise<void>((resolve) => {
    server.close(() => resolve());
    // Event streams and captures have no end of their own.
    server.closeAllConnections();
  });
  if (address.kind === 'unix') await unlink(address.path).catch(() => undefined);
}
