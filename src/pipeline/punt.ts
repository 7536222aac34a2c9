import type { PoolIntent } from '../model/types.js';
import type { Action } from '../ofp/types/action.js';
import { puntMeterId } from './ids.js';
import { PUNT, type PuntClass } from './punt-classes.js';
import type { Meter } from './types.js';

/** Packets per second that one tenant may send to the agent: a tenant that floods hurts its own probes only. */
const RATE: Partial<Record<PuntClass, number>> = { arp: 500, probe: 2000, nextHop: 500 };

/** Packets of one check that come back, several times over: those of HTTP are five. */
const PACKETS_PER_CHECK = 20;

const userdata = Object.fromEntries(
  Object.entries(PUNT).map(([cls, byte]) => [cls, Uint8Array.of(byte)]),
) as Record<PuntClass, Uint8Array>;

/** The whole frame to the agent, through the tenant's meter of that class. */
export function punt(tenant: number, cls: PuntClass): Action {
  return { type: 'controller2', userdata: userdata[cls], meterId: puntMeterId(tenant, cls) };
}

/** Meters that the punting rules of a tenant name; that of probes lets the answers of all its pools' members through. */
export function puntMeters(tenant: number, pools: readonly PoolIntent[] = []): Meter[] {
  const checks = pools.reduce(
    (n, { monitor, members }) => n + (monitor ? (members.length * 1000) / monitor.delayMs : 0),
    0,
  );
  return (Object.keys(RATE) as PuntClass[]).map((cls) => {
    const rate = Math.max(RATE[cls]!, cls === 'probe' ? Math.ceil(checks * PACKETS_PER_CHECK) : 0);
    return {
      meterId: puntMeterId(tenant, cls),
      flags: ['pktps', 'burst', 'stats'],
      bands: [{ type: 'drop', rate, burst: rate }],
    };
  });
}
