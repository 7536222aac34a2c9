import type { PortRef } from '../model/types.js';
import { PUNT, type PuntClass } from './punt-classes.js';

/*
 * Group and meter ids carry no cookie, so an id itself says what it is for. OVS takes group ids up to 0xffffff00 and
 * meter ids up to 0xffff0000.
 *
 *   group   tenant(16) | segment(16)                      flooding of a segment
 *   meter   0x01000000 | tenant(16) << 4 | punt class     packets to the agent
 *           0x02000000 | listener(16)                     new connections
 *           0x03000000 | tenant(16)                       bandwidth of a tenant
 *           0x10000000 | OpenFlow port(16) << 12 | VLAN   bandwidth of a port
 *           0x80000000 | tenant(16) << 15 | segment(15)   bandwidth of a segment's tunnel
 */

const PUNT_BASE = 0x01000000;
const RATE_BASE = 0x02000000;
const TENANT_BASE = 0x03000000;
const PORT_BASE = 0x10000000;
const TUNNEL_BASE = 0x80000000;
const OFPG_MAX = 0xffffff00;
const OFPM_MAX = 0xffff0000;

export function floodGroupId(tenant: number, segment: number): number {
  const id = tenant * 0x10000 + segment;
  if (id > OFPG_MAX) throw new RangeError(`segment ${segment} of tenant ${tenant} has no group id`);
  return id;
}

export function puntMeterId(tenant: number, cls: PuntClass): number {
  return PUNT_BASE + tenant * 16 + PUNT[cls];
}

export function listenerMeterId(listener: number): number {
  return RATE_BASE + listener;
}

export function tenantMeterId(tenant: number): number {
  return TENANT_BASE + tenant;
}

export function portMeterId(tenant: number, segment: number, port: PortRef, ofport: number): number {
  if (port.vni === undefined) return PORT_BASE + (ofport & 0xffff) * 0x1000 + (port.vlan ?? 0);
  const id = TUNNEL_BASE + tenant * 0x8000 + segment;
  if (segment > 0x7fff || id > OFPM_MAX)
    throw new RangeError(`segment ${segment} of tenant ${tenant} has no meter id for a tunnel`);
  return id;
}

/** Whether a meter with this id can only be one of ours; the bridge has no other controller. */
export function isOurMeter(id: number): boolean {
  return (
    (id >= PUNT_BASE && id < TENANT_BASE + 0x10000) ||
    (id >= PORT_BASE && id < 2 * PORT_BASE) ||
    (id >= TUNNEL_BASE && id <= OFPM_MAX)
  );
}

/** Whether a group with this id can be one of ours: it has a tenant and a segment. */
export function isOurGroup(id: number): boolean {
  return id <= OFPG_MAX && id > 0xffff && (id & 0xffff) !== 0;
}

/** What a meter of ours is for. */
export type MeterSubject =
  | { readonly what: 'punt'; readonly tenant: number; readonly cls: PuntClass | undefined }
  | { readonly what: 'connections'; readonly listener: number }
  | { readonly what: 'tenant'; readonly tenant: number }
  | { readonly what: 'port'; readonly ofport: number; readonly vlan?: number }
  | { readonly what: 'tunnel'; readonly tenant: number; readonly segment: number };

/** Undefined where the meter is none of ours. */
export function meterSubject(id: number): MeterSubject | undefined {
  if (!isOurMeter(id)) return undefined;
  if (id >= TUNNEL_BASE) {
    const rest = id - TUNNEL_BASE;
    return { what: 'tunnel', tenant: rest >>> 15, segment: rest & 0x7fff };
  }
  if (id >= PORT_BASE) {
    const rest = id - PORT_BASE;
    const vlan = rest & 0xfff;
    return { what: 'port', ofport: rest >>> 12, ...(vlan === 0 ? {} : { vlan }) };
  }
  if (id >= TENANT_BASE) return { what: 'tenant', tenant: id - TENANT_BASE };
  if (id >= RATE_BASE) return { what: 'connections', listener: id - RATE_BASE };
  const rest = id - PUNT_BASE;
  const cls = (Object.keys(PUNT) as PuntClass[]).find((name) => PUNT[name] === rest % 16);
  return { what: 'punt', tenant: Math.floor(rest / 16), cls };
}

/** Of which segment a group of ours is the flooding. */
export function groupSubject(id: number): { readonly tenant: number; readonly segment: number } | undefined {
  return isOurGroup(id) ? { tenant: id >>> 16, segment: id & 0xffff } : undefined;
}
