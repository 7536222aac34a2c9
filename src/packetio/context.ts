import type { Match } from '../ofp/types/field.js';
import type { PacketContext } from './types.js';

const LOW16 = 0xffff;
const OFPVID_PRESENT = 0x1000;

/**
 * Where a punted packet was, from the metadata of its packet-in. Registers come as reg* or, from a switch that
 * speaks OpenFlow 1.5, in pairs as xreg*; those that are zero don't come at all.
 */
export function contextOf(match: Match, truncated: boolean): PacketContext {
  let tenant = 0;
  let segment = 0;
  let inPort = 0;
  let nextHop = 0;
  let vlan: number | undefined;
  let tunId: bigint | undefined;
  let tunSrc: number | undefined;
  for (const entry of match) {
    if (entry.field === null) continue;
    const { value } = entry;
    switch (entry.field.name) {
      case 'in_port':
        inPort = Number(value);
        break;
      case 'reg0':
        segment = Number(value) & LOW16;
        break;
      case 'xreg0':
        segment = Number(BigInt(value) >> 32n) & LOW16;
        break;
      case 'reg3':
        tenant = Number(value) & LOW16;
        break;
      case 'xreg1':
        tenant = Number(BigInt(value) & 0xffffn);
        break;
      case 'reg6':
        nextHop = Number(value);
        break;
      case 'xreg3':
        nextHop = Number(BigInt(value) >> 32n);
        break;
      case 'vlan_vid':
        if (Number(value) & OFPVID_PRESENT) vlan = Number(value) & 0xfff;
        break;
      case 'tun_id':
        tunId = BigInt(value);
        break;
      case 'tun_src':
        tunSrc = Number(value);
        break;
    }
  }
  return {
    tenant,
    segment,
    inPort,
    nextHop,
    ...(vlan === undefined ? {} : { vlan }),
    ...(tunId === undefined ? {} : { tunId }),
    ...(tunSrc === undefined ? {} : { tunSrc }),
    ...(truncated ? { truncated } : {}),
  };
}
