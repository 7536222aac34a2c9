import { KIND, type Kind, type Owner } from './types.js';

/*
 * tenant(16) | kind(8) | object(24) | signature(16). All flows of an owner carry the same cookie, so a masked dump or
 * delete selects a tenant, a kind, or one owner; the signature tells our flows from everybody else's.
 */

export const SIGNATURE = 0x4c42n;
export const SIGNATURE_MASK = 0xffffn;
/** Selects, together with the signature, all flows of one tenant. */
export const TENANT_MASK = 0xffff_0000_0000_ffffn;
/** Set in the cookies of flows made by learn(): kinds 8 to 15. */
export const LEARNED_KIND_BIT = 1n << 43n;

const MAX_OBJECT = 0xffffff;
const kinds = new Set<number>(Object.values(KIND));

/** @throws RangeError where a part doesn't fit its bits */
export function cookieOf({ tenant, kind, object }: Owner): bigint {
  if (!fits(tenant, 0xffff) || !fits(kind, 0xff) || !fits(object, MAX_OBJECT))
    throw new RangeError(`no cookie for tenant ${tenant}, kind ${kind}, object ${object}`);
  return (BigInt(tenant) << 48n) | (BigInt(kind) << 40n) | (BigInt(object) << 16n) | SIGNATURE;
}

/** Undefined where the cookie isn't one of ours, or of a kind that this release doesn't know. */
export function ownerOfCookie(cookie: bigint): Owner | undefined {
  if ((cookie & SIGNATURE_MASK) !== SIGNATURE) return undefined;
  const kind = Number((cookie >> 40n) & 0xffn);
  if (!kinds.has(kind)) return undefined;
  return {
    tenant: Number(cookie >> 48n),
    kind: kind as Kind,
    object: Number((cookie >> 16n) & 0xffffffn),
  };
}

export function isLearned(kind: Kind): boolean {
  return (kind & 8) !== 0;
}

function fits(value: number, max: number): boolean {
  return Number.isInteger(value) && value >= 0 && value <= max;
}
