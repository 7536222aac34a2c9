import type { SegmentIntent } from '../model/types.js';
import { F } from '../nx-extensions/fields.js';
import { REG, reg } from './registers.js';
import { ARP, goto, IP, m, type OwnerRules } from './rules.js';
import { TABLES } from './tables.js';

const IS_ARP = 200;
const TO_GATEWAY = 150;
/** Anything but IPv4 and ARP to the gateway: nobody is there. */
const TO_GATEWAY_OTHER = 140;

export function classifyL2Node(rules: OwnerRules): void {
  rules.node(TABLES.l2, IS_ARP, [ARP], goto(TABLES.arp));
}

export function classifyL2Segment(rules: OwnerRules, segment: SegmentIntent): void {
  const toGateway = [reg(REG.segment, segment.id), m(F.dl_dst, segment.mac)];
  rules.tenant(TABLES.l2, TO_GATEWAY, [...toGateway, IP], goto(TABLES.l3));
  rules.tenant(TABLES.l2, TO_GATEWAY_OTHER, toGateway);
}
