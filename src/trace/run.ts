import { formatIpv4 } from '../model/address.js';
import { TraceError } from './errors.js';
import { ctNextArguments } from './flow.js';
import { parseFields, parseTrace, type TracedPass } from './ofproto.js';
import type { PacketSpec } from './packet.js';

/** Source and destination with their ports. */
export interface Tuple {
  readonly src: string;
  readonly dst: string;
  readonly sport?: number;
  readonly dport?: number;
}

/** An entry of conntrack's table. */
export interface Tracked {
  readonly protocol: string;
  readonly orig: Tuple;
  /** As answers come in: swapped and translated. */
  readonly reply: Tuple;
  readonly zone: number;
  readonly mark: number;
}

export interface TraceRun {
  readonly passes: readonly TracedPass[];
  /** All that the switch said. */
  readonly raw: string;
}

export interface TraceQuestion {
  readonly bridge: string;
  readonly flow: string;
  readonly ctNext?: readonly string[];
  /** What conntrack knows of the packet's connection: answers its first lookup. */
  readonly tracked?: TrackedPacket | undefined;
}

/** Runs a command of ovs-vswitchd's control socket. */
export type Ask = (command: string, ...args: string[]) => Promise<string>;

/** Asks the switch, and goes on by hand where `ofproto/trace` can't: it doesn't know what conntrack translates to. */
export async function runTrace(ask: Ask, question: TraceQuestion): Promise<TraceRun> {
  const { bridge, flow, tracked } = question;
  const given = tracked ? [tracked.state, ...(question.ctNext ?? [])] : (question.ctNext ?? []);
  const { passes, raw } = await traceWithAnswers(ask, bridge, flow, given);
  const table = passes.length > 1 ? resumedAt(passes[0]!) : undefined;
  if (tracked === undefined || table === undefined) return { passes, raw };
  const onward = await ask(
    'ofproto/trace-packet-out',
    bridge,
    translatedFlow(passes[0]!.finalFlow, tracked),
    `resubmit(,${table})`,
  );
  const [next, ...rest] = parseTrace(onward);
  const resumed = { ctState: tracked.state.split(','), assumed: false, translated: tracked.translated };
  return { passes: [passes[0]!, { ...next!, resumed }, ...rest], raw: `${parts(raw)[0]}\n${onward}` };
}

/** Lookups that one packet may need; the pipeline needs two. */
const MAX_LOOKUPS = 8;

/**
 * Where nobody says what conntrack answers, a new connection is assumed; that it translates what was just committed
 * with a translation is not assumed by the switch, and so is said, lookup by lookup.
 */
async function traceWithAnswers(
  ask: Ask,
  bridge: string,
  flow: string,
  given: readonly string[],
): Promise<TraceRun> {
  let states = [...given];
  for (let round = 0; ; round++) {
    const raw = await ask('ofproto/trace', bridge, flow, ...ctNextArguments(states));
    const passes = parseAnswered(raw, given.length);
    const wrong = passes.findIndex((pass, i) => i > given.length && !answersRight(pass, passes[i - 1]!));
    if (wrong < 0 || round >= MAX_LOOKUPS) return { passes, raw };
    const before = passes.slice(1, wrong).map((pass) => pass.resumed?.ctState.join(',') || 'trk,new');
    states = [...before, `trk,new,${translates(passes[wrong]!, passes[wrong - 1]!).join(',')}`];
  }
}

/** @param given how many answers of conntrack somebody gave; those after them are assumed */
export function parseAnswered(raw: string, given: number): TracedPass[] {
  return parseTrace(raw).map((pass, i) =>
    pass.resumed === undefined ? pass : { ...pass, resumed: { ...pass.resumed, assumed: i > given } },
  );
}

/** Which addresses the lookup changed, in words of ct_state. */
function translates({ flow }: TracedPass, { finalFlow }: TracedPass): string[] {
  const changed = (...names: string[]) => names.some((name) => flow.get(name) !== finalFlow.get(name));
  return [...(changed('nw_src', 'tp_src') ? ['snat'] : []), ...(changed('nw_dst', 'tp_dst') ? ['dnat'] : [])];
}

function answersRight(pass: TracedPass, before: TracedPass): boolean {
  return translates(pass, before).every((word) => pass.resumed?.ctState.includes(word) ?? true);
}

/** The text up to the first recirculation. */
function parts(raw: string): string[] {
  return raw.split(/\n={20,}\nrecirc\(/);
}

function resumedAt(pass: TracedPass): number | undefined {
  for (const { results } of pass.rules.flatMap((rule) => rule.actions))
    for (const result of results) {
      const at = /will be resumed at table (\d+)/.exec(result);
      if (at !== null) return Number(at[1]);
    }
  return undefined;
}

/** A packet of a connection in conntrack's table. */
export interface TrackedPacket {
  readonly entry: Tracked;
  /** Words for --ct-next. */
  readonly state: string;
  /** What the lookup makes of the addresses. */
  readonly translated: ReadonlyMap<string, string>;
}

/** The entry of the packet's connection. @throws TraceError for packets that have no connection of their own */
export function findTracked(entries: readonly Tracked[], packet: PacketSpec): TrackedPacket | undefined {
  if (packet.protocol !== 'tcp' && packet.protocol !== 'udp')
    throw new TraceError('invalid', `${packet.protocol} packets can't be looked up in conntrack`);
  for (const entry of entries) {
    if (entry.protocol !== packet.protocol) continue;
    if (is(packet, entry.orig)) return trackedPacket(entry, 'est', swap(entry.reply), entry.orig);
    if (is(packet, entry.reply)) return trackedPacket(entry, 'est,rpl', swap(entry.orig), entry.reply);
  }
  return undefined;
}

function is(packet: PacketSpec, tuple: Tuple): boolean {
  return (
    tuple.sport === packet.sourcePort &&
    tuple.dport === packet.destinationPort &&
    tuple.src === formatIpv4(packet.source) &&
    tuple.dst === formatIpv4(packet.destination)
  );
}

function swap({ src, dst, sport, dport }: Tuple): Required<Tuple> {
  return { src: dst, dst: src, sport: dport ?? 0, dport: sport ?? 0 };
}

function trackedPacket(entry: Tracked, state: string, to: Required<Tuple>, from: Tuple): TrackedPacket {
  const source = to.src !== from.src || to.sport !== from.sport ? ',snat' : '';
  const destination = to.dst !== from.dst || to.dport !== from.dport ? ',dnat' : '';
  return {
    entry,
    state: `trk,${state}${source}${destination}`,
    translated: parseFields(`nw_src=${to.src},tp_src=${to.sport},nw_dst=${to.dst},tp_dst=${to.dport}`),
  };
}

/** Fields that a flow can't be given, or that are said anew. */
const LEFT_OUT = /^(recirc_id|eth|vlan_tci1|dl_vlan_pcp|ct_.*)$/;

function translatedFlow(
  flow: ReadonlyMap<string, string>,
  { entry, state, translated }: TrackedPacket,
): string {
  const fields = [...flow].filter(([name]) => !LEFT_OUT.test(name) && !translated.has(name));
  // Printed as tp_src, but taken by the name of the protocol alone.
  const written = [...translated].map(([name, value]) => `${name.replace(/^tp/, entry.protocol)}=${value}`);
  return [
    ...fields.map(([name, value]) => (name === value ? name : `${name}=${value}`)),
    ...written,
    `ct_state=${state.replaceAll(',', '|')}`,
    `ct_zone=${entry.zone}`,
    `ct_mark=${entry.mark}`,
  ].join(',');
}
