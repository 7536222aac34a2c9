import { F } from '../nx-extensions/fields.js';
import { apply, goto, ICMP, m, type OwnerRules, SWAP_MACS, set, swap } from './rules.js';
import { TABLES } from './tables.js';

const ECHO = 100;

/** Table 2 decided that the address is ours; the answer comes from whatever was asked. */
export function echoNode(rules: OwnerRules): void {
  rules.node(
    TABLES.echo,
    ECHO,
    [...ICMP, m(F.icmp_type, 8)],
    apply(...swap(F.nw_src, F.nw_dst), ...SWAP_MACS, set(F.icmp_type, 0), set(F.nw_ttl, 64)),
    goto(TABLES.sender),
  );
}
