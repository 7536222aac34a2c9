import { ownerOfCookie } from './cookies.js';
import { LISTENER_REFUSES, PROVIDER_OTHER, VIP_WITHOUT_LISTENER } from './table-02-classify-l3.js';
import { NOT_FOR_INSIDERS } from './table-10-listener.js';
import { EMPTY_POOL } from './table-11-slots.js';
import { CONNECTION_LIMIT, UNKNOWN_DESTINATION } from './table-20-routes.js';
import { TABLES } from './tables.js';
import { type Flow, KIND, type Kind, type Owner } from './types.js';

/** Rules that drop on purpose: their counters say how many packets, their owners whose. */
export interface DropRule {
  readonly reason: DropReason;
  readonly table: number;
  readonly priority: number;
  readonly kind: Kind;
  readonly about: string;
}

export type DropReason =
  | 'listener-refuses'
  | 'vip-without-listener'
  | 'not-for-insiders'
  | 'empty-pool'
  | 'unknown-destination'
  | 'connection-limit'
  | 'not-a-vip'
  | 'unknown-port'
  | 'not-tracked';

export const DROPS: readonly DropRule[] = [
  drop(
    'listener-refuses',
    TABLES.l3.number,
    LISTENER_REFUSES,
    KIND.listener,
    'listener off, without a pool, or for other clients',
  ),
  drop(
    'vip-without-listener',
    TABLES.l3.number,
    VIP_WITHOUT_LISTENER,
    KIND.tenant,
    'a VIP, but no listener on that port',
  ),
  drop(
    'not-for-insiders',
    TABLES.listener.number,
    NOT_FOR_INSIDERS,
    KIND.listener,
    'a stateless public VIP asked from inside',
  ),
  drop('empty-pool', TABLES.slots.number, EMPTY_POOL, KIND.pool, 'no member serves'),
  drop('unknown-destination', TABLES.routes.number, UNKNOWN_DESTINATION, KIND.tenant, 'no route'),
  drop(
    'connection-limit',
    TABLES.routes.number,
    CONNECTION_LIMIT,
    KIND.listener,
    'no room for another connection of the tenant',
  ),
  drop('not-a-vip', TABLES.l3.number, PROVIDER_OTHER, KIND.tenant, 'from an external network to no VIP'),
  drop('unknown-port', TABLES.ingress.number, 0, KIND.node, 'a port, VLAN or VNI of no segment'),
  drop('not-tracked', TABLES.listener.number, 0, KIND.node, 'an error or fragment of no known connection'),
];

function drop(reason: DropReason, table: number, priority: number, kind: Kind, about: string): DropRule {
  return { reason, table, priority, kind, about };
}

/** Why this flow drops, and whose packets; undefined where it isn't a dropping rule of ours. */
export function dropOf(
  flow: Pick<Flow, 'table' | 'priority' | 'cookie'>,
): { readonly reason: DropReason; readonly owner: Owner } | undefined {
  for (const { table, priority, kind, reason } of DROPS) {
    // The cookie last: it is the dear one, and nearly no rule drops.
    if (table !== flow.table || priority !== flow.priority) continue;
    const owner = ownerOfCookie(flow.cookie);
    if (owner?.kind === kind) return { reason, owner };
  }
  return undefined;
}
