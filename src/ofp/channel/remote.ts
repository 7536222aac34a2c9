import { isIPv4, isIPv6 } from 'node:net';
import type { Remote } from './types.js';

/** Port of OpenFlow where a remote names none. */
export const OPENFLOW_PORT = 6653;

/** Longest path of a Unix socket on Linux: sun_path less its NUL. */
const MAX_SOCKET_PATH = 107;

const FORMS =
  'ptcp:[PORT][:HOST], pssl:[PORT][:HOST], punix:PATH, tcp:HOST[:PORT], ssl:HOST[:PORT], unix:PATH';

/** A remote that is not in the syntax of Open vSwitch. */
export class RemoteSyntaxError extends Error {
  override readonly name = 'RemoteSyntaxError';
  constructor(
    readonly remote: string,
    readonly detail: string,
  ) {
    super(`"${remote}": ${detail}`);
  }
}

/**
 * Parses a remote as Open vSwitch writes it (ovs-vsctl(8), "connection methods"). IPv6 addresses stand in
 * brackets; the port defaults to 6653 and the address of `ptcp:` and `pssl:` to all IPv4 addresses.
 *
 * @throws RemoteSyntaxError saying what is wrong and what would be right
 */
export function parseRemote(text: string): Remote {
  const colon = text.indexOf(':');
  const kind = colon < 0 ? text : text.slice(0, colon);
  const rest = colon < 0 ? '' : text.slice(colon + 1);
  switch (kind) {
    case 'ptcp':
    case 'pssl':
      return { kind, ...parsePassive(text, rest) };
    case 'tcp':
    case 'ssl':
      return { kind, ...parseActive(text, rest) };
    case 'punix':
    case 'unix':
      return { kind, path: parsePath(text, rest) };
    default:
      throw new RemoteSyntaxError(text, `expected one of ${FORMS}`);
  }
}

/** The remote in Open vSwitch's syntax, port and address always given. */
export function formatRemote(remote: Remote): string {
  switch (remote.kind) {
    case 'ptcp':
    case 'pssl':
      return `${remote.kind}:${remote.port}:${bracketed(remote.host)}`;
    case 'tcp':
    case 'ssl':
      return `${remote.kind}:${bracketed(remote.host)}:${remote.port}`;
    case 'punix':
    case 'unix':
      return `${remote.kind}:${remote.path}`;
  }
}

function bracketed(host: string): string {
  return isIPv6(host) ? `[${host}]` : host;
}

/** `[PORT][:HOST]`. Port 0 lets the system choose one. */
function parsePassive(text: string, rest: string): { port: number; host: string } {
  const colon = rest.indexOf(':');
  const port = colon < 0 ? rest : rest.slice(0, colon);
  const host = colon < 0 ? '' : rest.slice(colon + 1);
  if (colon < 0 && (isIPv4(rest) || rest.startsWith('[')))
    throw new RemoteSyntaxError(text, `the port comes first: ${text.slice(0, 4)}:PORT:${rest}`);
  return {
    port: port === '' ? OPENFLOW_PORT : parsePort(text, port, 0),
    host: colon < 0 || host === '' ? '0.0.0.0' : parseAddress(text, host),
  };
}

/** `HOST[:PORT]`. */
function parseActive(text: string, rest: string): { host: string; port: number } {
  const { host, port } = splitHost(text, rest);
  return {
    host: parseHost(text, host),
    port: port === undefined ? OPENFLOW_PORT : parsePort(text, port, 1),
  };
}

function splitHost(text: string, rest: string): { host: string; port: string | undefined } {
  if (rest.startsWith('[')) {
    const close = rest.indexOf(']');
    if (close < 0) throw new RemoteSyntaxError(text, '"[" without "]"');
    const after = rest.slice(close + 1);
    if (after !== '' && !after.startsWith(':'))
      throw new RemoteSyntaxError(text, `expected ":PORT" after "]", not "${after}"`);
    return { host: rest.slice(0, close + 1), port: after === '' ? undefined : after.slice(1) };
  }
  const colon = rest.indexOf(':');
  if (colon !== rest.lastIndexOf(':'))
    throw new RemoteSyntaxError(text, `an IPv6 address stands in brackets: [${rest}]`);
  return colon < 0
    ? { host: rest, port: undefined }
    : { host: rest.slice(0, colon), port: rest.slice(colon + 1) };
}

/** An address to listen on. */
function parseAddress(text: string, host: string): string {
  const address = host.startsWith('[') && host.endsWith(']') ? host.slice(1, -1) : host;
  if (isIPv4(address) && address === host) return address;
  if (isIPv6(address)) {
    if (address === host) throw new RemoteSyntaxError(text, `an IPv6 address stands in brackets: [${host}]`);
    return address;
  }
  throw new RemoteSyntaxError(text, `"${host}" is not an IPv4 address or an IPv6 address in brackets`);
}

/** An address or name to connect to. */
function parseHost(text: string, host: string): string {
  if (host === '') throw new RemoteSyntaxError(text, 'a host is missing');
  if (host.startsWith('[')) return parseAddress(text, host);
  if (isIPv4(host)) return host;
  // A name of digits and dots alone is a mistyped address, not a host.
  const isName =
    /^(?=.{1,253}$)[A-Za-z0-9_]([A-Za-z0-9_-]*[A-Za-z0-9_])?(\.[A-Za-z0-9_]([A-Za-z0-9_-]*[A-Za-z0-9_])?)*\.?$/.test(
      host,
    );
  if (!isName || /^[0-9.]+$/.test(host))
    throw new RemoteSyntaxError(text, `"${host}" is neither an IP address nor a host name`);
  return host;
}

function parsePort(text: string, port: string, lowest: number): number {
  const n = /^[0-9]{1,5}$/.test(port) ? Number(port) : Number.NaN;
  if (!(n >= lowest && n <= 65535))
    throw new RemoteSyntaxError(text, `port "${port}" is not a number from ${lowest} to 65535`);
  return n;
}

function parsePath(text: string, path: string): string {
  if (path === '') throw new RemoteSyntaxError(text, 'the path of a socket is missing');
  const size = Buffer.byteLength(path);
  if (size > MAX_SOCKET_PATH)
    throw new RemoteSyntaxError(
      text,
      `a socket's path has at most ${MAX_SOCKET_PATH} bytes, this one ${size}`,
    );
  return path;
}
