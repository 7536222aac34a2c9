/** Names of ports, groups, tables and meters. */
import { OFPP } from '../types/message.js';
import { small, TextError } from './scanner.js';

const NAMES: readonly (readonly [string, number])[] = [
  ['UNSET', OFPP.UNSET],
  ['IN_PORT', OFPP.IN_PORT],
  ['TABLE', OFPP.TABLE],
  ['NORMAL', OFPP.NORMAL],
  ['FLOOD', OFPP.FLOOD],
  ['ALL', OFPP.ALL],
  ['CONTROLLER', OFPP.CONTROLLER],
  ['LOCAL', OFPP.LOCAL],
  ['ANY', OFPP.ANY],
];
const byNumber = new Map(NAMES.map(([name, number]) => [number, name]));
const byName = new Map([...NAMES, ['NONE', OFPP.ANY] as const].map(([name, number]) => [name, number]));

export function formatPort(port: number): string {
  return byNumber.get(port) ?? String(port);
}

/** A number, a reserved name, or the 16-bit number of a reserved one. `undefined` for other words. */
export function portNumber(text: string): number | undefined {
  const named = byName.get(text.toUpperCase());
  if (named !== undefined) return named;
  if (!/^(0x[0-9a-f]+|\d+)$/i.test(text)) return undefined;
  const n = Number(text);
  if (n >= 0xff00 && n <= 0xffff) return 0xffff0000 + n;
  return n < 0xff00 || (n >= 0xffffff00 && n <= 0xffffffff) ? n : undefined;
}

export function parsePort(text: string, at: number): number {
  const port = portNumber(text);
  if (port === undefined) throw new TextError(at + 1, `"${text}" is not a port`);
  return port;
}

const OFPG_ALL = 0xfffffffc;
const OFPG_ANY = 0xffffffff;

/** In requests and descriptions; a group_mod prints numbers. */
export function formatGroupId(id: number): string {
  if (id === OFPG_ALL) return 'ALL';
  if (id === OFPG_ANY) return 'ANY';
  return String(id);
}

export function parseGroupId(text: string, at: number): number {
  if (/^all$/i.test(text)) return OFPG_ALL;
  if (/^any$/i.test(text)) return OFPG_ANY;
  return small(text, at, 0xffffffff, 'group');
}

const METERS: readonly (readonly [string, number])[] = [
  ['slowpath', 0xfffffffd],
  ['controller', 0xfffffffe],
  ['all', 0xffffffff],
];

export function formatMeterId(id: number): string {
  return METERS.find(([, number]) => number === id)?.[0] ?? String(id);
}

export function parseMeterId(text: string, at: number): number {
  return METERS.find(([name]) => name === text.toLowerCase())?.[1] ?? small(text, at, 0xffffffff, 'meter');
}
