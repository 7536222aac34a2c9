import type { Ipv4, Protocol } from '../model/types.js';
import { F } from '../nx-extensions/fields.js';
import { ct } from './conntrack.js';
import { ipProtocol } from './protocols.js';
import { apply, FRAGMENT, goto, ICMP, m, type OwnerRules } from './rules.js';
import { ICMP_ERRORS } from './table-02-classify-l3.js';
import { answers, type ReverseL3, statelessBack } from './table-15-reverse-l3.js';
import { TABLES } from './tables.js';

const TRANSLATE_BACK = 100;

/** A member that answers a client of its own segment sends to the client's MAC: seen here only. */
export function reverseL2Endpoint(rules: OwnerRules, r: ReverseL3): void {
  const from = answers(r.endpoint, r.protocol);
  if (r.statelessInside)
    rules.tenant(TABLES.reverseL2, TRANSLATE_BACK, from, statelessBack(r.statelessInside), goto(TABLES.fdb));
  else if (r.stateful) rules.tenant(TABLES.reverseL2, TRANSLATE_BACK, from, apply(ct({ table: TABLES.fdb })));
}

export function reverseL2Fragments(rules: OwnerRules, protocol: Protocol, address: Ipv4): void {
  rules.tenant(
    TABLES.reverseL2,
    TRANSLATE_BACK,
    [...ipProtocol(protocol), m(F.nw_src, address), FRAGMENT],
    apply(ct({ table: TABLES.fdb })),
  );
}

export function reverseL2Tenant(rules: OwnerRules): void {
  for (const type of ICMP_ERRORS)
    rules.tenant(TABLES.reverseL2, TRANSLATE_BACK, [...ICMP, type], apply(ct({ table: TABLES.fdb })));
}
