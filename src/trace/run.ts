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
  const states = tracked ? [tracked.state, ...(question.ctNext ?? [])] : (question.ctNext ?? []);
  const raw = await ask('ofproto/trace', bridge, flow, ...ctNextArguments(states));
  const passes = parseTrace(raw);
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
