import type { ListenerIntent, PoolIntent } from '../model/types.js';
import { F } from '../nx-extensions/fields.js';
import { membersByAddress } from './lookups.js';
import { ipProtocol, sourcePort } from './protocols.js';
import { REG, reg } from './registers.js';
import { apply, m, type OwnerRules, set } from './rules.js';
import { TABLES } from './tables.js';

const BETWEEN_MEMBERS = 100;
const TO_CLIENT = 50;

/** Called by tables 15 and 24 for answers of members of a private stateless listener; returns to them. */
export function statelessReverse(rules: OwnerRules, listener: ListenerIntent, pool: PoolIntent): void {
  const is = [...ipProtocol(listener.protocol), reg(REG.listener, listener.id)];
  for (const { address } of membersByAddress(pool))
    rules.tenant(TABLES.stateless, BETWEEN_MEMBERS, [...is, m(F.nw_dst, address)]);
  rules.tenant(
    TABLES.stateless,
    TO_CLIENT,
    is,
    apply(set(F.nw_src, listener.vip), set(sourcePort(listener.protocol, 0).field, listener.port)),
  );
}
