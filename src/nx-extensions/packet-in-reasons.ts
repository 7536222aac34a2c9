/** OFPR_* numbers of Nicira's actions and messages: those of OpenFlow 1.4 and later, in every version. */
import type { PacketInReason } from '../ofp/types/message.js';

const reasons = ['table_miss', 'apply_action', 'invalid_ttl', 'action_set', 'group', 'packet_out'] as const;
const numbers = new Map<PacketInReason, number>([...reasons.map((r, i) => [r, i] as const), ['no_match', 0]]);

export function reasonNumber(reason: PacketInReason): number {
  return typeof reason === 'object' ? reason.unknown : numbers.get(reason)!;
}

export function reasonName(number: number): PacketInReason {
  return reasons[number] ?? { unknown: number };
}
