import type { ListenerIntent, PoolIntent } from '../model/types.js';
import { F } from '../nx-extensions/fields.js';
import type { Action, Instruction } from '../ofp/types/action.js';
import { ct, ctState } from './conntrack.js';
import { listenerMeterId } from './ids.js';
import { membersByAddress } from './lookups.js';
import { IP_PROTOCOL } from './protocols.js';
import { REG, reg } from './registers.js';
import { apply, goto, IP, inPrefix, load, m, meterInstruction, type OwnerRules } from './rules.js';
import { TABLES } from './tables.js';

/** A member as the client of its own stateless VIP. */
const MEMBER_ITSELF = 110;
const NORMAL = 100;
const INVALID_TRANSLATED = 95;
const INVALID = 90;
/** A stateless listener of an external network serves clients from there alone. */
export const NOT_FOR_INSIDERS = 50;

const TRACKED_NEW = ctState('+trk', '+new', '-rel');
const UNTRACKED = ctState('-trk');
/** Bits of nw_frag: any fragment, not the first. */
const FIRST_FRAGMENT = m(F.nw_frag, 1, 3);
const LATER_FRAGMENT = m(F.nw_frag, 3, 3);

/** What needs no listener: everything that conntrack knows was translated on the way in. */
export function listenerNode(rules: OwnerRules): void {
  const byCt = reg(REG.byHeader, 0);
  rules.node(TABLES.listener, NORMAL, [UNTRACKED, byCt, IP], apply(ct({ table: TABLES.listener })));
  rules.node(TABLES.listener, NORMAL, [ctState('+trk', '+est'), IP], goto(TABLES.routes));
  rules.node(TABLES.listener, NORMAL, [ctState('+trk', '+rel'), IP], goto(TABLES.routes));
  rules.node(
    TABLES.listener,
    INVALID_TRANSLATED,
    [ctState('+trk', '+inv', '+dnat'), IP],
    goto(TABLES.routes),
  );
}

/** @param sole no other stateful listener of the VIP has its protocol */
export function listenerRules(
  rules: OwnerRules,
  listener: ListenerIntent,
  pool: PoolIntent,
  sole: boolean,
): void {
  if (listener.mode === 'stateless') stateless(rules, listener, pool);
  else stateful(rules, listener, pool, sole);
}

function stateful(rules: OwnerRules, listener: ListenerIntent, pool: PoolIntent, sole: boolean): void {
  const slot = multipath(pool);
  const is = [reg(REG.listener, listener.id), IP];
  const limit: Instruction[] = [];
  if (listener.connectionRate !== undefined) {
    const meterId = listenerMeterId(listener.id);
    const rate = listener.connectionRate;
    rules.meter({
      meterId,
      flags: ['pktps', 'burst', 'stats'],
      bands: [{ type: 'drop', rate, burst: rate }],
    });
    limit.push(meterInstruction(meterId));
  }
  rules.tenant(TABLES.listener, NORMAL, [TRACKED_NEW, ...is], ...limit, apply(slot), goto(TABLES.slots));
  // Of a connection that conntrack doesn't know or doesn't like: the client shall hear it from the member.
  rules.tenant(
    TABLES.listener,
    INVALID,
    [ctState('+trk', '+inv', '-dnat'), ...is],
    apply(load(REG.byHeader, 1), slot),
    goto(TABLES.slots),
  );
  if (sole) fragments(rules, listener, pool, limit);
}

/**
 * Datagrams that open a connection in fragments. Conntrack gathers them and hands them on one by one, the ports known
 * of the first alone; so the others are this listener's only because their VIP has no other for the protocol. All
 * must choose the same member: by the client's address.
 */
function fragments(
  rules: OwnerRules,
  listener: ListenerIntent,
  pool: PoolIntent,
  limit: readonly Instruction[],
): void {
  const enter = apply(
    load(REG.pool, pool.id),
    load(REG.listener, listener.id),
    multipath({ ...pool, sessionPersistence: 'SOURCE_IP' }),
  );
  const { allowedCidrs } = listener;
  const clients = allowedCidrs.length === 0 ? [[]] : allowedCidrs.map((c) => inPrefix(F.nw_src, c));
  const unknown = [
    TRACKED_NEW,
    reg(REG.listener, 0),
    IP,
    m(F.ct_nw_proto, IP_PROTOCOL[listener.protocol]),
    m(F.ct_nw_dst, listener.vip),
  ];
  for (const client of clients) {
    const first = [...unknown, FIRST_FRAGMENT, m(F.ct_tp_dst, listener.port), ...client];
    const later = [...unknown, LATER_FRAGMENT, m(F.ct_tp_dst, 0), ...client];
    rules.tenant(TABLES.listener, NORMAL, first, ...limit, enter, goto(TABLES.slots));
    rules.tenant(TABLES.listener, NORMAL, later, enter, goto(TABLES.slots));
  }
}

function stateless(rules: OwnerRules, listener: ListenerIntent, pool: PoolIntent): void {
  const is = [UNTRACKED, reg(REG.listener, listener.id), reg(REG.byHeader, 1)];
  // The answer of another member to a member is taken for direct traffic, so a member is served by itself.
  for (const member of membersByAddress(pool))
    rules.tenant(
      TABLES.listener,
      MEMBER_ITSELF,
      [...is, reg(REG.external, 0), IP, m(F.nw_src, member.address)],
      apply(load(REG.member, member.endpointId)),
      goto(TABLES.member),
    );
  if (listener.at.kind === 'segment') {
    rules.tenant(TABLES.listener, NORMAL, is, apply(multipath(pool)), goto(TABLES.slots));
    return;
  }
  rules.tenant(
    TABLES.listener,
    NORMAL,
    [...is, reg(REG.external, 1)],
    apply(multipath(pool)),
    goto(TABLES.slots),
  );
  rules.tenant(TABLES.listener, NOT_FOR_INSIDERS, is);
}

function multipath(pool: PoolIntent): Action {
  return {
    type: 'multipath',
    // symmetric_l4 would ignore UDP ports and include MACs, which change when a gateway fails over.
    fields: pool.sessionPersistence === 'SOURCE_IP' ? 'nw_src' : 'symmetric_l3l4+udp',
    basis: pool.id & 0xffff,
    // O(1); hrw hashes once per slot.
    algorithm: 'modulo_n',
    nLinks: pool.slots,
    dst: { field: REG.slot.field, ofs: REG.slot.ofs, nBits: REG.slot.nBits },
  };
}
