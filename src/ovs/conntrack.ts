import { slicer } from '../loop/turns.js';
import type { Unixctl } from './unixctl.js';

export interface ConntrackTuple {
  readonly src: string;
  readonly dst: string;
  /** Absent for protocols without ports. */
  readonly sport?: number;
  readonly dport?: number;
}

/** One line of `dpctl/dump-conntrack`. */
export interface ConntrackEntry {
  readonly protocol: string;
  readonly orig: ConntrackTuple;
  readonly reply: ConntrackTuple;
  readonly zone: number;
  readonly mark: number;
  /** TCP: state of the entry. */
  readonly state?: string;
  /** Until it is forgotten without another packet. */
  readonly timeoutSeconds?: number;
}

export interface ConntrackLimits {
  /** Of zones without one; 0 where there is none. */
  readonly default: number;
  readonly zones: ReadonlyMap<number, { readonly limit: number; readonly count: number }>;
}

/** Lines that are read between two looks at the clock. */
const LINES_AT_ONCE = 200;

/** Entries of a zone, or of all. The answer grows with the number of entries; ask for a zone. */
export async function dumpConntrack(ctl: Unixctl, zone?: number): Promise<ConntrackEntry[]> {
  const text = await ctl.call('dpctl/dump-conntrack', '-s', ...(zone === undefined ? [] : [`zone=${zone}`]));
  const lines = text.split('\n');
  const entries: ConntrackEntry[] = [];
  const pause = slicer();
  for (let at = 0; at < lines.length; at += LINES_AT_ONCE) {
    await pause();
    for (const line of lines.slice(at, at + LINES_AT_ONCE)) {
      const entry = parseEntry(line);
      if (entry) entries.push(entry);
    }
  }
  return entries;
}

/** A line such as `tcp,orig=(src=…,dst=…,sport=…,dport=…),reply=(…),zone=7,timeout=29,mark=3,protoinfo=(state=ESTABLISHED)`. */
export function parseEntry(line: string): ConntrackEntry | undefined {
  const protocol = /^([a-z0-9_]+),orig=/.exec(line)?.[1];
  const orig = parseTuple(/orig=\(([^)]*)\)/.exec(line)?.[1]);
  const reply = parseTuple(/reply=\(([^)]*)\)/.exec(line)?.[1]);
  if (protocol === undefined || orig === undefined || reply === undefined) return undefined;
  const state = /state=([A-Z_0-9]+)/.exec(line)?.[1];
  const timeout = /,timeout=(\d+)/.exec(line)?.[1];
  return {
    protocol,
    orig,
    reply,
    zone: Number(/\),zone=(\d+)/.exec(line)?.[1] ?? 0),
    mark: Number(/,mark=(0x[0-9a-f]+|\d+)/.exec(line)?.[1] ?? 0),
    ...(state === undefined ? {} : { state }),
    ...(timeout === undefined ? {} : { timeoutSeconds: Number(timeout) }),
  };
}

function parseTuple(text: string | undefined): ConntrackTuple | undefined {
  if (text === undefined) return undefined;
  const parts = new Map(text.split(',').map((pair) => pair.split('=', 2) as [string, string]));
  const src = parts.get('src');
  const dst = parts.get('dst');
  if (src === undefined || dst === undefined) return undefined;
  const sport = parts.get('sport');
  const dport = parts.get('dport');
  return {
    src,
    dst,
    ...(sport === undefined ? {} : { sport: Number(sport) }),
    ...(dport === undefined ? {} : { dport: Number(dport) }),
  };
}

export async function getLimits(ctl: Unixctl): Promise<ConntrackLimits> {
  const text = await ctl.call('dpctl/ct-get-limits');
  const zones = new Map<number, { limit: number; count: number }>();
  for (const match of text.matchAll(/zone=(\d+),limit=(\d+),count=(\d+)/g)) {
    zones.set(Number(match[1]), { limit: Number(match[2]), count: Number(match[3]) });
  }
  return { default: Number(/default limit=(\d+)/.exec(text)?.[1] ?? 0), zones };
}

/** Zones in one command: its line stays short. */
const ZONES_AT_ONCE = 200;

/**
 * Limits the entries of zones.
 * @param limits by zone, at least 1: the userspace datapath of OVS 3.1 takes 0, documented as unlimited, for "none"
 */
export async function setLimits(ctl: Unixctl, limits: ReadonlyMap<number, number>): Promise<void> {
  for (const [zone, limit] of limits) {
    if (!Number.isInteger(limit) || limit < 1 || limit > 0xffff_ffff)
      throw new RangeError(`limit ${limit} of zone ${zone}`);
  }
  const words = [...limits].map(([zone, limit]) => `zone=${zone},limit=${limit}`);
  for (let at = 0; at < words.length; at += ZONES_AT_ONCE)
    await ctl.call('dpctl/ct-set-limits', ...words.slice(at, at + ZONES_AT_ONCE));
}

/** Makes zones unlimited again. */
export async function deleteLimits(ctl: Unixctl, zones: readonly number[]): Promise<void> {
  for (let at = 0; at < zones.length; at += ZONES_AT_ONCE)
    await ctl.call('dpctl/ct-del-limits', `zone=${zones.slice(at, at + ZONES_AT_ONCE).join()}`);
}
