import { F } from '../../src/nx-extensions/fields.js';
import type { ActionOf } from '../../src/ofp/types/action.js';
import type { Packet } from './packet.js';

export const CT = { new: 1, est: 2, rel: 4, rpl: 8, inv: 16, trk: 32, snat: 64, dnat: 128 } as const;

interface Tuple {
  readonly proto: number;
  readonly src: number;
  readonly sport: number;
  readonly dst: number;
  readonly dport: number;
}

interface Connection {
  readonly original: Tuple;
  /** As the answer comes in: from where the packet was translated to. */
  readonly reply: Tuple;
  mark: bigint;
}

/** Connections by zone, with destination translation. No time-outs, no sequence numbers, no related packets. */
export class Conntrack {
  private readonly zones = new Map<number, Map<string, { connection: Connection; reply: boolean }>>();

  /** Looks the packet up, translates and commits as the action says; returns ct_state. */
  pass(packet: Packet, action: ActionOf<'ct'>, zone: number): number {
    const table = this.zone(zone);
    const tuple = tupleOf(packet);
    const known = table.get(keyOf(tuple));
    const nat = action.actions?.find((a) => a.type === 'nat') as ActionOf<'nat'> | undefined;
    packet.set(F.ct_nw_proto, tuple.proto);
    packet.set(F.ct_nw_src, tuple.src);
    packet.set(F.ct_nw_dst, tuple.dst);
    packet.set(F.ct_tp_src, tuple.sport);
    packet.set(F.ct_tp_dst, tuple.dport);
    if (known) {
      packet.set(F.ct_mark, known.connection.mark);
      const translated = nat ? translate(packet, known.connection, known.reply) : 0;
      return CT.trk | CT.est | (known.reply ? CT.rpl : 0) | translated;
    }
    packet.set(F.ct_mark, 0);
    if (!action.commit) return CT.trk | CT.new;
    const to =
      nat?.kind === 'dst' ? { dst: nat.ipv4Min ?? tuple.dst, dport: nat.portMin ?? tuple.dport } : tuple;
    const reply = { proto: tuple.proto, src: to.dst, sport: to.dport, dst: tuple.src, dport: tuple.sport };
    const connection: Connection = { original: tuple, reply, mark: 0n };
    for (const inner of action.actions ?? [])
      if (inner.type === 'reg_move' && inner.dst.field === F.ct_mark)
        connection.mark = packet.getBits(inner.src);
    table.set(keyOf(tuple), { connection, reply: false });
    table.set(keyOf(reply), { connection, reply: true });
    packet.set(F.ct_mark, connection.mark);
    return CT.trk | CT.new | (nat ? translate(packet, connection, false) : 0);
  }

  flush(zone?: number): void {
    if (zone === undefined) this.zones.clear();
    else this.zones.delete(zone);
  }

  /** Number of connections. */
  count(zone: number): number {
    return this.zone(zone).size / 2;
  }

  private zone(zone: number): Map<string, { connection: Connection; reply: boolean }> {
    let table = this.zones.get(zone);
    if (!table) {
      table = new Map();
      this.zones.set(zone, table);
    }
    return table;
  }
}

/** Returns the flag of what was rewritten. */
function translate(packet: Packet, { original, reply }: Connection, isReply: boolean): number {
  const ports = portFields(packet);
  if (reply.src === original.dst && reply.sport === original.dport) return 0;
  if (isReply) {
    packet.set(F.nw_src, original.dst);
    if (ports) packet.set(ports.src, original.dport);
    return CT.snat;
  }
  packet.set(F.nw_dst, reply.src);
  if (ports) packet.set(ports.dst, reply.sport);
  return CT.dnat;
}

function tupleOf(packet: Packet): Tuple {
  const ports = portFields(packet);
  return {
    proto: Number(packet.get(F.nw_proto)),
    src: Number(packet.get(F.nw_src)),
    dst: Number(packet.get(F.nw_dst)),
    sport: ports ? Number(packet.get(ports.src)) : 0,
    dport: ports ? Number(packet.get(ports.dst)) : 0,
  };
}

function portFields(packet: Packet) {
  const proto = packet.get(F.nw_proto);
  if (proto === 6n) return { src: F.tcp_src, dst: F.tcp_dst };
  if (proto === 17n) return { src: F.udp_src, dst: F.udp_dst };
  return undefined;
}

function keyOf({ proto, src, sport, dst, dport }: Tuple): string {
  return `${proto} ${src}:${sport} ${dst}:${dport}`;
}
