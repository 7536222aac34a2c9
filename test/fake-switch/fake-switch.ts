import type { LearnSpec } from '../../src/nx-extensions/action-types.js';
import { F } from '../../src/nx-extensions/fields.js';
import type { Action, ActionOf } from '../../src/ofp/types/action.js';
import type { MatchField } from '../../src/ofp/types/field.js';
import { type FlowMod, type GroupMod, type MeterMod, OFPP } from '../../src/ofp/types/message.js';
import type { OwnerState } from '../../src/pipeline/index.js';
import { Conntrack, CT } from './conntrack.js';
import { Packet } from './packet.js';
import { type Entry, Tables } from './tables.js';

export interface Output {
  readonly port: number;
  readonly packet: Packet;
}

export interface Punt {
  readonly userdata: Uint8Array;
  readonly packet: Packet;
}

/** Where a packet went. */
export interface Walk {
  readonly rules: readonly Entry[];
  readonly outputs: readonly Output[];
  readonly punts: readonly Punt[];
  /** Outputs left out because the packet came from there. */
  readonly suppressed: number;
}

export interface Options {
  /** ct_state of each lookup, in order, as ofproto/trace assumes them; no connections, no translation. */
  readonly ctNext?: readonly number[];
  /** Default true. */
  readonly learns?: boolean;
}

/** Depth of resubmits that OVS follows. */
const MAX_DEPTH = 64;

/** An OpenFlow switch without packets' bytes: applies what the controller sends and walks packets through it. */
export class FakeSwitch {
  readonly tables = new Tables();
  readonly conntrack = new Conntrack();

  apply(...mods: (FlowMod | GroupMod | MeterMod)[]): void {
    for (const mod of mods) this.tables.apply(mod);
  }

  install(states: readonly OwnerState[]): void {
    for (const s of states)
      this.apply(...s.meters.map((m) => ({ type: 'meter_mod', command: 'add', ...m }) as const));
    for (const s of states)
      this.apply(...s.groups.map((g) => ({ type: 'group_mod', command: 'add', ...g }) as const));
    for (const s of states)
      this.apply(...s.flows.map((f) => ({ type: 'flow_mod', command: 'add', ...f }) as const));
  }

  /** @param packet text as of `Packet.parse` */
  walk(packet: Packet | string, options: Options = {}, table = 0): Walk {
    return new Run(this, options).from(
      typeof packet === 'string' ? Packet.parse(packet) : packet.copy(),
      table,
    );
  }
}

class Run {
  private readonly rules: Entry[] = [];
  private readonly outputs: Output[] = [];
  private readonly punts: Punt[] = [];
  private suppressed = 0;
  private lookups = 0;
  /** Packets that go on after conntrack, when the rest is done. */
  private readonly waiting: { packet: Packet; table: number }[] = [];

  constructor(
    private readonly sw: FakeSwitch,
    private readonly options: Options,
  ) {}

  from(packet: Packet, table: number): Walk {
    this.waiting.push({ packet, table });
    for (let next = this.waiting.shift(); next; next = this.waiting.shift())
      this.visit(next.packet, next.table, 0);
    const { rules, outputs, punts, suppressed } = this;
    return { rules, outputs, punts, suppressed };
  }

  private visit(packet: Packet, table: number, depth: number): void {
    if (depth > MAX_DEPTH) throw new Error(`more than ${MAX_DEPTH} resubmits`);
    let at: number | undefined = table;
    while (at !== undefined) {
      const entry = this.sw.tables.lookup(at, packet);
      at = undefined;
      if (!entry) return;
      entry.packets++;
      this.rules.push(entry);
      for (const i of entry.instructions) {
        if (i.type === 'apply_actions') this.actions(packet, i.actions, depth, entry.table);
        else if (i.type === 'goto_table') at = i.table;
        else if (i.type !== 'meter') throw new Error(`instruction ${i.type} is not known here`);
      }
    }
  }

  private actions(packet: Packet, actions: readonly Action[], depth: number, table: number): void {
    for (const action of actions) this.action(packet, action, depth, table);
  }

  private action(packet: Packet, a: Action, depth: number, table: number): void {
    switch (a.type) {
      case 'set_field': {
        const mask = a.mask === undefined ? (1n << BigInt(a.field.nBits)) - 1n : BigInt(a.mask);
        packet.set(a.field, (packet.get(a.field) & ~mask) | (BigInt(a.value) & mask));
        return;
      }
      case 'reg_move':
        packet.setBits(a.dst, packet.getBits(a.src));
        return;
      case 'stack_push':
        packet.stack.push(packet.getBits(a.src));
        return;
      case 'stack_pop':
        packet.setBits(a.dst, packet.stack.pop() ?? 0n);
        return;
      case 'dec_nw_ttl':
        packet.set(F.nw_ttl, packet.get(F.nw_ttl) - 1n);
        return;
      case 'push_vlan':
        packet.set(F.vlan_vid, 0x1000);
        return;
      case 'pop_vlan':
        packet.set(F.vlan_vid, 0);
        return;
      case 'multipath':
        packet.setBits(a.dst, slot(packet, a));
        return;
      case 'learn2':
        if (this.options.learns !== false) this.sw.apply(learned(packet, a));
        return;
      case 'controller2':
        this.punts.push({ userdata: a.userdata ?? new Uint8Array(), packet: packet.copy() });
        return;
      case 'resubmit_table':
        this.visit(packet, a.table ?? table, depth + 1);
        return;
      case 'ct':
        this.ct(packet, a);
        return;
      case 'output':
        this.output(packet, a.port);
        return;
      case 'group':
        for (const bucket of this.sw.tables.groups.get(a.groupId)!.buckets)
          this.actions(packet.copy(), bucket.actions, depth, table);
        return;
      default:
        throw new Error(`action ${a.type} is not known here`);
    }
  }

  private output(packet: Packet, port: number): void {
    const inPort = Number(packet.get(F.in_port));
    if (port === inPort) this.suppressed++;
    else this.outputs.push({ port: port === OFPP.IN_PORT ? inPort : port, packet: packet.copy() });
  }

  private ct(packet: Packet, a: ActionOf<'ct'>): void {
    const zone = typeof a.zone === 'object' ? Number(packet.getBits(a.zone)) : (a.zone ?? 0);
    const tracked = packet.copy();
    const fixed = this.options.ctNext;
    const state = fixed
      ? (fixed[this.lookups++] ?? CT.trk | CT.new)
      : this.sw.conntrack.pass(tracked, a, zone);
    tracked.set(F.ct_state, state);
    tracked.set(F.ct_zone, zone);
    if (a.table !== undefined) this.waiting.push({ packet: tracked, table: a.table });
  }
}

/** A stand-in for the switch's hash: the same for both directions' worth of fields, and nothing more. */
function slot(packet: Packet, a: ActionOf<'multipath'>): bigint {
  const fields =
    a.fields === 'nw_src'
      ? [F.nw_src]
      : [F.nw_src, F.nw_dst, F.nw_proto, F.tcp_src, F.tcp_dst, F.udp_src, F.udp_dst];
  let hash = BigInt(a.basis) + 0x9e3779b97f4a7c15n;
  for (const field of fields)
    hash = BigInt.asUintN(64, (hash ^ packet.get(field)) * 0xff51afd7ed558ccdn + (hash >> 29n));
  return (hash >> 20n) % BigInt(a.nLinks);
}

function learned(packet: Packet, a: ActionOf<'learn2'>): FlowMod {
  const match: MatchField[] = [];
  const actions: Action[] = [];
  for (const spec of a.specs) {
    const value = valueOfSpec(spec, packet);
    if (spec.type === 'output') actions.push({ type: 'output', port: Number(value) });
    else if (spec.type === 'match') match.push({ field: spec.dst.field, value });
    else if (spec.dst.nBits === spec.dst.field.nBits)
      actions.push({ type: 'set_field', field: spec.dst.field, value });
    else
      actions.push({
        type: 'set_field',
        field: spec.dst.field,
        value: value << BigInt(spec.dst.ofs),
        mask: ((1n << BigInt(spec.dst.nBits)) - 1n) << BigInt(spec.dst.ofs),
      });
  }
  return {
    type: 'flow_mod',
    command: 'add',
    table: a.table,
    priority: a.priority ?? 32768,
    cookie: a.cookie ?? 0n,
    idleTimeout: a.idleTimeout ?? 0,
    match,
    instructions: [{ type: 'apply_actions', actions }],
  };
}

function valueOfSpec(spec: LearnSpec, packet: Packet): bigint {
  return 'value' in spec ? BigInt(spec.value) : packet.getBits(spec.src);
}
