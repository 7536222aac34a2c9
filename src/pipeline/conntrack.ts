import { F } from '../nx-extensions/fields.js';
import type { Action } from '../ofp/types/action.js';
import type { MatchField } from '../ofp/types/field.js';
import { m } from './rules.js';
import type { Table } from './tables.js';

const BIT = { new: 0x01, est: 0x02, rel: 0x04, rpl: 0x08, inv: 0x10, trk: 0x20, snat: 0x40, dnat: 0x80 };
export type CtFlag = keyof typeof BIT;

/** ct_state in the words of ovs-fields(7): `+trk`, `-rel` … */
export function ctState(...flags: `${'+' | '-'}${CtFlag}`[]): MatchField {
  let value = 0;
  let mask = 0;
  for (const flag of flags) {
    const bit = BIT[flag.slice(1) as CtFlag];
    mask |= bit;
    if (flag[0] === '+') value |= bit;
  }
  return m(F.ct_state, value, mask);
}

/** The conntrack zone is the tenant id, so connections of tenants never meet. */
const TENANT_ZONE = { field: F.reg3, ofs: 0, nBits: 16 };

/** Looks the packet up in its tenant's zone, translates it as its connection says, and goes on in `table`. */
export function ct({ table }: { table: Table }): Action {
  return { type: 'ct', zone: TENANT_ZONE, table: table.number, actions: [{ type: 'nat' }] };
}

/** Makes a connection to a member. reg5 goes to ct_mark: the listener, and whether the client is an external one. */
export function ctCommit(address: number, port: number, table: Table): Action {
  return {
    type: 'ct',
    commit: true,
    zone: TENANT_ZONE,
    table: table.number,
    actions: [
      { type: 'nat', kind: 'dst', ipv4Min: address, portMin: port },
      { type: 'reg_move', src: whole(F.reg5), dst: whole(F.ct_mark) },
    ],
  };
}

function whole(field: typeof F.reg5) {
  return { field, ofs: 0, nBits: field.nBits };
}
