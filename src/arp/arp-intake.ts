import { isGroupMac, type Mac } from '../packetio/frames/address.js';
import { ARP_REPLY, ARP_REQUEST } from '../packetio/frames/arp.js';
import { parsePacket } from '../packetio/frames/packet.js';
import type { PacketContext } from '../packetio/types.js';
import type { NeighbourCounters } from './counters.js';
import { stationOf } from './entry.js';
import type { Segment, Segments } from './segments.js';
import type { NeighbourStateMachine } from './state-machine.js';
import type { NeighbourEvent } from './types.js';

/** A host that uses an address of ours is reported so often. */
const OWN_CLAIM_MS = 60_000;

export interface ArpIntakeOptions {
  readonly segments: Segments;
  readonly machine: NeighbourStateMachine;
  readonly counters: NeighbourCounters;
  readonly now: () => number;
  readonly report: (event: NeighbourEvent) => void;
}

/** ARP frames of hosts: answers to questions of ours, claims, and what is never believed. */
export class ArpIntake {
  constructor(private readonly options: ArpIntakeOptions) {}

  onArp(context: PacketContext, frame: Uint8Array): void {
    const { segments, machine, counters } = this.options;
    const packet = parsePacket(frame);
    const { ignored } = counters;
    if (packet.kind !== 'arp') {
      ignored['bad-frame']++;
      return;
    }
    const { eth, arp } = packet;
    const mac = arp.senderMac;
    if (eth.src !== mac || isGroupMac(mac) || mac === 0n || arp.senderAddress === 0) {
      ignored['bad-sender']++;
      return;
    }
    const segment = segments.find(context.tenant, context.segment);
    if (segment === undefined) {
      ignored['unknown-segment']++;
      return;
    }
    if (segment.own.has(arp.senderAddress)) {
      ignored['own-address']++;
      if (mac !== segment.config.mac) this.ownClaimed(context, segment, arp.senderAddress, mac);
      return;
    }
    const entry = segment.entries.get(arp.senderAddress);
    if (entry === undefined || (arp.operation !== ARP_REPLY && arp.operation !== ARP_REQUEST)) {
      ignored['unknown-address']++;
      return;
    }
    const { config } = segment;
    const station = stationOf(context, eth.vlans[0]);
    const toUs =
      arp.operation === ARP_REPLY &&
      arp.targetAddress === config.source &&
      arp.targetMac === config.mac &&
      eth.dst === config.mac;
    if (toUs && machine.onReply(entry, mac, station)) counters.answers++;
    else {
      counters.claims++;
      if (!toUs) machine.onClaim(entry, mac, station);
    }
  }

  private ownClaimed(context: PacketContext, segment: Segment, address: number, mac: Mac): void {
    const now = this.options.now();
    if (now - (segment.claimedAt.get(address) ?? Number.NEGATIVE_INFINITY) < OWN_CLAIM_MS) return;
    segment.claimedAt.set(address, now);
    this.options.report({
      type: 'own-address-claimed',
      tenant: context.tenant,
      segment: context.segment,
      address,
      mac,
    });
  }
}
