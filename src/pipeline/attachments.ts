import type { PortRef, SegmentIntent } from '../model/types.js';
import { F } from '../nx-extensions/fields.js';
import type { Action } from '../ofp/types/action.js';
import type { MatchField } from '../ofp/types/field.js';
import { REG } from './registers.js';
import { load, m, output, set } from './rules.js';

/** A port of a segment that the switch has now. */
export interface Attachment {
  readonly port: PortRef;
  readonly ofport: number;
}

/** OFPVID_PRESENT. */
export const VLAN_PRESENT = 0x1000;
const TPID = 0x8100;

/** In the order of configuration; ports that don't exist are left out. */
export function attachments(segment: SegmentIntent, ports: ReadonlyMap<string, number>): Attachment[] {
  return segment.ports.flatMap((port) => {
    const ofport = ports.get(port.name);
    return ofport === undefined ? [] : [{ port, ofport }];
  });
}

/**
 * What frames of the segment look like that come in there. A frame on an access port, or inside a tunnel, that has
 * a VLAN tag of its own is not the segment's: routed on with its tag it would end in somebody else's VLAN.
 */
export function ingressMatch({ port, ofport }: Attachment): MatchField[] {
  const match = [m(F.in_port, ofport)];
  if (port.vni !== undefined) match.push(m(F.tun_id, BigInt(port.vni)));
  match.push(m(F.vlan_vid, port.vlan === undefined ? 0 : VLAN_PRESENT | port.vlan));
  return match;
}

/** Takes the transport off and remembers it, so that an answer can go back the same way. */
export function unwrap({ port }: Attachment): Action[] {
  if (port.vlan !== undefined) return [{ type: 'pop_vlan' }, load(REG.vlan, VLAN_PRESENT | port.vlan)];
  if (port.vni !== undefined) return [load(REG.tunnel, 1)];
  return [];
}

export interface Transport {
  readonly ofport: number;
  readonly vlan?: number | undefined;
  readonly vni?: number | undefined;
  /** Remote end of the tunnel; the port's own where absent. */
  readonly remote?: number | undefined;
}

/** Puts the transport on and sends. */
export function sendOut({ ofport, vlan, vni, remote }: Transport): Action[] {
  const actions: Action[] = [];
  if (vlan !== undefined)
    actions.push({ type: 'push_vlan', ethertype: TPID }, set(F.vlan_vid, VLAN_PRESENT | vlan));
  if (vni !== undefined) actions.push(set(F.tun_id, BigInt(vni)));
  if (remote !== undefined) actions.push(set(F.tun_dst, remote));
  actions.push(output(ofport));
  return actions;
}
