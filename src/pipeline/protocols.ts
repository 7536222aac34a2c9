import type { Protocol } from '../model/types.js';
import { F } from '../nx-extensions/fields.js';
import type { MatchField } from '../ofp/types/field.js';
import { IP, m } from './rules.js';

export const IP_PROTOCOL: Readonly<Record<Protocol, number>> = { TCP: 6, UDP: 17 };
const SOURCE = { TCP: F.tcp_src, UDP: F.udp_src };
const DESTINATION = { TCP: F.tcp_dst, UDP: F.udp_dst };

export function ipProtocol(protocol: Protocol): MatchField[] {
  return [IP, m(F.nw_proto, IP_PROTOCOL[protocol])];
}

export function sourcePort(protocol: Protocol, port: number): MatchField {
  return m(SOURCE[protocol], port);
}

export function destinationPort(protocol: Protocol, port: number): MatchField {
  return m(DESTINATION[protocol], port);
}
