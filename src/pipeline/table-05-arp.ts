import type { Ipv4, Mac, SegmentIntent } from '../model/types.js';
import { F } from '../nx-extensions/fields.js';
import type { MatchField } from '../ofp/types/field.js';
import { punt } from './punt.js';
import { REG, reg } from './registers.js';
import { ARP, apply, goto, m, move, type OwnerRules, set } from './rules.js';
import { TABLES } from './tables.js';

/** Requests for an address of ours, and answers to ours. */
const OURS = 100;
/** Anything that a host says whose MAC the agent keeps fresh. */
const WATCHED = 90;

const REQUEST = m(F.arp_op, 1);
const REPLY = m(F.arp_op, 2);

export function arpSegment(
  rules: OwnerRules,
  segment: SegmentIntent,
  own: readonly Ipv4[],
  watched: readonly Ipv4[],
): void {
  const { tenant } = rules.owner;
  const here = reg(REG.segment, segment.id);
  for (const address of own) {
    rules.tenant(
      TABLES.arp,
      OURS,
      [here, ARP, REQUEST, m(F.arp_tpa, address)],
      ...answer(segment.mac, address),
    );
    rules.tenant(TABLES.arp, OURS, [here, ARP, REPLY, m(F.arp_tpa, address)], apply(punt(tenant, 'arp')));
  }
  for (const address of watched)
    rules.tenant(
      TABLES.arp,
      WATCHED,
      [here, ARP, m(F.arp_spa, address)],
      apply(punt(tenant, 'arp')),
      goto(TABLES.fdb),
    );
}

/** A VIP of a segment. */
export function arpVip(rules: OwnerRules, segment: SegmentIntent, vip: Ipv4): void {
  rules.tenant(TABLES.arp, OURS, request(segment, vip), ...answer(segment.mac, vip));
}

/** A VIP on an external network: one rule for it alone, however many tenants share the uplink. */
export function arpPublicVip(rules: OwnerRules, network: SegmentIntent, vip: Ipv4): void {
  rules.provider(TABLES.arp, OURS, request(network, vip), ...answer(network.mac, vip));
}

function request(segment: SegmentIntent, address: Ipv4): MatchField[] {
  return [reg(REG.segment, segment.id), ARP, REQUEST, m(F.arp_tpa, address)];
}

function answer(mac: Mac, address: Ipv4) {
  return [
    apply(
      move(F.dl_src, F.dl_dst),
      set(F.dl_src, mac),
      set(F.arp_op, 2),
      move(F.arp_sha, F.arp_tha),
      move(F.arp_spa, F.arp_tpa),
      set(F.arp_sha, mac),
      set(F.arp_spa, address),
    ),
    goto(TABLES.sender),
  ] as const;
}
