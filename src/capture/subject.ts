import { F } from '../nx-extensions/fields.js';
import type { Action } from '../ofp/types/action.js';
import type { Match } from '../ofp/types/field.js';
import type { Message } from '../ofp/types/message.js';
import { contextOf } from '../packetio/context.js';
import { type Owner, ownerOfCookie, puntMeterId, tenantMeterId } from '../pipeline/index.js';

/** Whom a message is about: a tenant, and the owner of the rule where it is about one rule. */
export interface Subject {
  readonly tenant: number;
  readonly owner?: Owner;
}

/** Undefined where it is about no tenant, or where only the request that it answers tells. */
export function subjectOf(message: Message): Subject | undefined {
  switch (message.type) {
    case 'flow_mod':
    case 'flow_removed':
      return ofCookie(message.cookie);
    case 'bundle_add':
      return subjectOf(message.message);
    case 'group_mod':
      return message.groupId > 0xffff ? { tenant: message.groupId >>> 16 } : undefined;
    case 'meter_mod':
      return ofMeter(message.meterId);
    case 'packet_in':
      return ofTenant(contextOf(message.match, false).tenant);
    case 'packet_out':
      return ofTenant(tenantSet(message.actions));
    case 'flow_stats_request':
    case 'aggregate_request':
      return ofSelector(message.cookie, message.cookieMask, message.match);
    default:
      return undefined;
  }
}

function ofTenant(tenant: number | undefined): Subject | undefined {
  return tenant === undefined || tenant === 0 ? undefined : { tenant };
}

function ofCookie(cookie: bigint): Subject | undefined {
  const owner = ownerOfCookie(cookie);
  return owner && { tenant: owner.tenant, owner };
}

const ALL_TENANTS = puntMeterId(0, 'arp') & ~0xf;
const TENANT_BASE = tenantMeterId(0);

function ofMeter(id: number): Subject | undefined {
  if (id >= ALL_TENANTS && id < ALL_TENANTS + 0x100000) return { tenant: (id - ALL_TENANTS) >>> 4 };
  return id >= TENANT_BASE && id < TENANT_BASE + 0x10000 ? { tenant: id - TENANT_BASE } : undefined;
}

const TENANT_BITS = 0xffffn << 48n;
const WHOLE = 0xffff_ffff_ffff_ffffn;

function ofSelector(cookie = 0n, mask = 0n, match: Match = []): Subject | undefined {
  if (mask === WHOLE) return ofCookie(cookie);
  if ((mask & TENANT_BITS) === TENANT_BITS) return { tenant: Number(cookie >> 48n) };
  return ofTenant(contextOf(match, false).tenant);
}

/** reg3 as the first actions of an injected frame set it. */
function tenantSet(actions: readonly Action[]): number | undefined {
  for (const action of actions) {
    if (action.type === 'set_field' && action.field.name === F.reg3.name) return Number(action.value);
    if (action.type === 'reg_load' && action.dst.field.name === F.reg3.name) return Number(action.value);
    // On the wire of OpenFlow 1.5 as half of an xreg.
    if (action.type === 'set_field' && action.field.name === 'xreg1' && action.value !== undefined)
      return Number(BigInt(action.value) & 0xffffn);
  }
  return undefined;
}
