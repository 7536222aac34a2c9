import type { Action } from '../ofp/types/action.js';
import { puntMeterId } from './ids.js';
import { PUNT, type PuntClass } from './punt-classes.js';
import type { Meter } from './types.js';

/**
 * Packets per second that one tenant may send to the agent. Probe answers of 64 members fit many times; a tenant that
 * floods hurts its own probes only.
 */
const RATE: Partial<Record<PuntClass, number>> = { arp: 500, probe: 2000, nextHop: 500 };

const userdata = Object.fromEntries(
  Object.entries(PUNT).map(([cls, byte]) => [cls, Uint8Array.of(byte)]),
) as Record<PuntClass, Uint8Array>;

/** The whole frame to the agent, through the tenant's meter of that class. */
export function punt(tenant: number, cls: PuntClass): Action {
  return { type: 'controller2', userdata: userdata[cls], meterId: puntMeterId(tenant, cls) };
}

/** Meters that the punting rules of a tenant name. */
export function puntMeters(tenant: number): Meter[] {
  return (Object.keys(RATE) as PuntClass[]).map((cls) => ({
    meterId: puntMeterId(tenant, cls),
    flags: ['pktps', 'burst', 'stats'],
    bands: [{ type: 'drop', rate: RATE[cls]!, burst: RATE[cls]! }],
  }));
}
