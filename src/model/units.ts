/** Small languages inside configuration values: bandwidths, status codes, remotes. */
import type { Parsed } from './address.js';
import { parseIpv4 } from './address.js';
import type { ApiListen, RemoteSpec } from './types.js';

const bad = (why: string): { readonly ok: false; readonly why: string } => ({ ok: false, why });

const MULTIPLIER: Readonly<Record<string, number>> = { '': 1, k: 1e3, M: 1e6, G: 1e9 };

/** Bits per second: a number, or one with a decimal suffix k, M, G. Meters count kilobits: 1k at least. */
export function parseBandwidth(value: string | number): Parsed<number> {
  const match = /^([0-9]+(?:\.[0-9]+)?)([kMG]?)$/.exec(String(value));
  if (match === null) {
    return bad(`"${value}" is not a bandwidth; write bits per second, like 500M, 10G or 64000`);
  }
  const bits = Math.round(Number(match[1]) * MULTIPLIER[match[2]!]!);
  if (bits < 1000 || bits > 4e12)
    return bad(`bandwidth ${value} is out of range: 1k to 4000G bits per second`);
  return { ok: true, value: bits };
}

/** `200`, `200,202`, `200-204` and mixtures → inclusive ranges. */
export function parseExpectedCodes(value: string | number): Parsed<readonly (readonly [number, number])[]> {
  const ranges: (readonly [number, number])[] = [];
  for (const part of String(value).split(',')) {
    const match = /^\s*([1-9][0-9]{2})(?:\s*-\s*([1-9][0-9]{2}))?\s*$/.exec(part);
    if (match === null) {
      return bad(`"${part.trim()}" is not a status code or range; write like "200,202,204-206"`);
    }
    const from = Number(match[1]);
    const to = Number(match[2] ?? match[1]);
    if (to < from) return bad(`range ${from}-${to} is reversed; write ${to}-${from}`);
    if (from < 200 || to > 599)
      return bad(`${from < 200 ? from : to} is no final HTTP status; use 200 to 599`);
    ranges.push([from, to]);
  }
  return { ok: true, value: ranges };
}

const PASSIVE = /^(ptcp|pssl):([0-9]{1,5})?(?::(.+))?$/;
const ACTIVE = /^(tcp|ssl):(.+):([0-9]{1,5})$/;
const LOCAL = /^(punix|unix):(\/.+)$/;

/** The syntax of OVS remotes (ovs-vsctl(8), "Connectivity Options"): passive for `listen`, active for `connect`. */
export function parseRemote(text: string, direction: 'listen' | 'connect'): Parsed<RemoteSpec> {
  const hint =
    direction === 'listen'
      ? 'write ptcp:PORT:ADDRESS, pssl:PORT:ADDRESS or punix:/PATH'
      : 'write tcp:ADDRESS:PORT, ssl:ADDRESS:PORT or unix:/PATH';
  const local = LOCAL.exec(text);
  if (local !== null) {
    const kind = local[1] as 'punix' | 'unix';
    if ((kind === 'punix') !== (direction === 'listen'))
      return bad(`"${text}" is the wrong way round; ${hint}`);
    return { ok: true, value: { kind, path: local[2]! } };
  }
  const match = direction === 'listen' ? PASSIVE.exec(text) : ACTIVE.exec(text);
  if (match === null) {
    const reversed = (direction === 'listen' ? ACTIVE : PASSIVE).test(text);
    return bad(`"${text}" ${reversed ? 'is the wrong way round' : 'is not a remote'}; ${hint}`);
  }
  const port = Number((direction === 'listen' ? match[2] : match[3]) ?? 6653);
  const hostText = (direction === 'listen' ? match[3] : match[2]) ?? '127.0.0.1';
  if (port < 1 || port > 65535) return bad(`"${text}": port ${port} is not from 1 to 65535`);
  const host = parseHost(hostText);
  if (!host.ok) return bad(`"${text}": ${host.why}`);
  return { ok: true, value: { kind: match[1] as 'tcp' | 'ssl' | 'ptcp' | 'pssl', host: host.value, port } };
}

/** Where the API listens: `unix:/PATH` or `tcp:ADDRESS:PORT`. */
export function parseApiListen(text: string): Parsed<ApiListen> {
  const hint = 'write unix:/run/hpnn/agent.sock or tcp:127.0.0.1:9653';
  const local = /^unix:(\/.+)$/.exec(text);
  if (local !== null) {
    // sun_path holds 108 bytes with its terminator, unix(7)
    if (Buffer.byteLength(local[1]!) > 107) return bad(`"${text}": a socket path has at most 107 bytes`);
    return { ok: true, value: { kind: 'unix', path: local[1]! } };
  }
  const match = /^tcp:(.+):([0-9]{1,5})$/.exec(text);
  if (match === null) return bad(`"${text}" is not an address to listen on; ${hint}`);
  const port = Number(match[2]);
  if (port < 1 || port > 65535) return bad(`"${text}": port ${port} is not from 1 to 65535`);
  const host = parseHost(match[1]!);
  if (!host.ok) return bad(`"${text}": ${host.why}`);
  return { ok: true, value: { kind: 'tcp', host: host.value, port } };
}

/** An IPv4 address, or an IPv6 address in brackets: no names, since resolving could block or surprise. */
function parseHost(text: string): Parsed<string> {
  const six = /^\[([0-9a-fA-F:.]{2,45})\]$/.exec(text);
  if (six !== null) return { ok: true, value: six[1]! };
  const four = parseIpv4(text);
  return four.ok ? { ok: true, value: text } : four;
}
