import type { Owner } from '../pipeline/types.js';

/** An owner as one number of 48 bits: cheap to compare and to hash. */
export type OwnerKey = number;

export function ownerKey(owner: Owner): OwnerKey {
  return owner.tenant * 0x1_0000_0000 + owner.kind * 0x100_0000 + owner.object;
}

export function tenantOfKey(key: OwnerKey): number {
  return Math.floor(key / 0x1_0000_0000);
}
