import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Host } from './host.js';
import type { RunningProcess } from './process.js';
import { until } from './until.js';

const servers = new WeakMap<Host, RunningProcess>();
const PROGRAMS = fileURLToPath(new URL('./programs/', import.meta.url));

/** What {@link httpServer} answers with, as JSON. */
export interface HttpAnswer {
  /** The host's name. */
  readonly server: string;
  /** As the server's kernel saw it. */
  readonly client: string;
  readonly clientPort: string;
}

/** nginx that answers every path with an {@link HttpAnswer}, on 8080 or the ports given. Resolves when it listens. */
export async function httpServer(host: Host, port = 8080, ...more: number[]): Promise<RunningProcess> {
  const dir = join(host.dir, `nginx-${host.name}-${port}`);
  mkdirSync(dir, { recursive: true });
  const file = join(dir, 'nginx.conf');
  writeFileSync(file, nginxConfig(dir, host.name, [port, ...more]));
  const nginx = host.spawn(['nginx', '-p', dir, '-e', join(dir, 'error.log'), '-c', file]);
  await listening(host, nginx, port);
  servers.set(host, nginx);
  return nginx;
}

/** Kills the host's {@link httpServer}: its kernel refuses connections from then on. */
export async function stopServer(host: Host): Promise<void> {
  const server = servers.get(host);
  if (server === undefined) throw new Error(`no server runs on ${host.name}`);
  await server.stop('SIGKILL');
  servers.delete(host);
}

/** Returns each line it is sent, with the host's name before it. */
export function tcpEcho(host: Host, port = 8080): Promise<RunningProcess> {
  return program(host, 'tcp-echo.mjs', [String(port), host.name]);
}

/** Returns each datagram, with the host's name before it. */
export function udpEcho(host: Host, port = 8080): Promise<RunningProcess> {
  return program(host, 'udp-echo.mjs', [String(port), host.name]);
}

/** Starts a program of `lab/programs` that says `ready` when it is. */
export async function program(host: Host, name: string, argv: readonly string[]): Promise<RunningProcess> {
  const child = host.spawn([process.execPath, join(PROGRAMS, name), ...argv]);
  await child.says(/^ready$/m);
  return child;
}

/** Floods the host's segment by its card; see lab/programs/flood.py. */
export async function flood(host: Host, gatewayMac: string): Promise<Flood> {
  const child = host.spawn(['/usr/bin/python3', join(PROGRAMS, 'flood.py'), 'eth0', gatewayMac]);
  await child.says(/^ready$/m);
  return {
    stop: async () => {
      await child.stop('SIGTERM', 15_000);
      return JSON.parse(child.stdout.trim().split('\n').at(-1) ?? '') as FloodReport;
    },
  };
}

export interface FloodReport {
  /** Packets. */
  readonly sent: number;
  readonly seconds: number;
}
export interface Flood {
  stop(): Promise<FloodReport>;
}

/** Parses an answer of {@link httpServer}. */
export function answer(body: string): HttpAnswer {
  return JSON.parse(body) as HttpAnswer;
}

async function listening(host: Host, server: RunningProcess, port: number): Promise<void> {
  await until(
    async () => !server.running || (await host.exec(['ss', '-Hltn', `sport = :${port}`])).stdout !== '',
    { what: `a server on ${host.name}:${port}`, interval: 20 },
  );
  if (!server.running) throw new Error(`the server on ${host.name}:${port} ended: ${server.stderr}`);
}

function nginxConfig(dir: string, name: string, ports: readonly number[]): string {
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (kind) => `${kind}_temp_path ${dir}/${kind};`,
  );
  return `user root; daemon off; worker_processes 1; pid ${dir}/pid;
events { worker_connections 4096; }
http {
  access_log off; ${temporary.join(' ')}
  server {
    ${ports.map((port) => `listen ${port} backlog=4096;`).join(' ')}
    default_type application/json;
    location / { return 200 '{"server":"${name}","client":"$remote_addr","clientPort":"$remote_port"}\\n'; }
  }
}
`;
}
