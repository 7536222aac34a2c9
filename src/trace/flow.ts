import { formatIpv4, formatMac } from '../model/address.js';
import { TraceError } from './errors.js';
import type { PacketSpec } from './packet.js';
import type { Place } from './place.js';

/** The packet as `ofproto/trace` takes it (ovs-fields(7)). */
export function flowOf(packet: PacketSpec, { ofport, port, sourceMac, destinationMac }: Place): string {
  const at = [
    `in_port=${ofport}`,
    ...(port.vlan === undefined ? [] : [`dl_vlan=${port.vlan}`]),
    ...(port.vni === undefined ? [] : [`tun_id=${port.vni}`]),
    ...(port.remote === undefined ? [] : [`tun_src=${formatIpv4(port.remote)}`]),
    packet.protocol,
    `dl_src=${formatMac(sourceMac)}`,
    `dl_dst=${formatMac(destinationMac)}`,
  ];
  return [...at, ...payload(packet, formatMac(sourceMac), formatMac(destinationMac))].join(',');
}

function payload(packet: PacketSpec, sourceMac: string, destinationMac: string): string[] {
  const source = formatIpv4(packet.source);
  const destination = formatIpv4(packet.destination);
  if (packet.protocol === 'arp') {
    const request = packet.arp === 'request';
    return [
      `arp_op=${request ? 1 : 2}`,
      `arp_spa=${source}`,
      `arp_tpa=${destination}`,
      `arp_sha=${sourceMac}`,
      ...(request ? [] : [`arp_tha=${destinationMac}`]),
    ];
  }
  const ip = [`nw_src=${source}`, `nw_dst=${destination}`, `nw_ttl=${packet.ttl}`];
  if (packet.protocol === 'icmp')
    return [...ip, `icmp_type=${packet.icmpType ?? 8}`, `icmp_code=${packet.icmpCode ?? 0}`];
  const { protocol, sourcePort, destinationPort } = packet;
  return [...ip, `${protocol}_src=${sourcePort ?? 0}`, `${protocol}_dst=${destinationPort ?? 0}`];
}

const CT_WORDS = new Set(['new', 'est', 'rel', 'rpl', 'inv', 'trk', 'snat', 'dnat']);

/** Arguments that tell what conntrack answers, lookup by lookup. @throws TraceError for words of no ct_state */
export function ctNextArguments(states: readonly string[]): string[] {
  return states.flatMap((state) => {
    const words = state.split(/[,|+\s]+/).filter((word) => word !== '');
    const wrong = words.find((word) => !CT_WORDS.has(word));
    if (wrong !== undefined || words.length === 0)
      throw new TraceError(
        'invalid',
        `"${wrong ?? state}" is no state of conntrack`,
        'like new, est or est,rpl; one of new, est, rel, rpl, inv, trk, snat, dnat',
      );
    return ['--ct-next', [...new Set(['trk', ...words])].join(',')];
  });
}

/** A flow in ovs-ofctl's own words, for what packets can't say. @throws TraceError where it isn't one argument */
export function checkRawFlow(text: string): string {
  const flow = text.trim().replace(/\s*,\s*/g, ',');
  if (/\s/.test(flow) || flow.startsWith('-') || flow === '')
    throw new TraceError(
      'invalid',
      `"${text.slice(0, 80)}" isn't a flow`,
      "write it like 'in_port=3,tcp,nw_src=…'",
    );
  if (!/(^|,)in_port=/.test(flow))
    throw new TraceError(
      'invalid',
      'the flow says no in_port',
      "write it like 'in_port=v-a-client,tcp,nw_src=…'",
    );
  return flow;
}

/** Whether a text is a flow of ovs-ofctl and not a packet. */
export function isRawFlow(text: string): boolean {
  return /(^|,)\s*in_port=/.test(text);
}
