import type { ListenerIntent, SegmentIntent } from '../model/types.js';
import { F } from '../nx-extensions/fields.js';
import { ctState } from './conntrack.js';
import { bitsOf, REG } from './registers.js';
import { apply, goto, IP, m, type OwnerRules } from './rules.js';
import { toProvider } from './table-15-reverse-l3.js';
import { TABLES } from './tables.js';

const TO_EXTERNAL_CLIENT = 100;

/**
 * The answer to a client of an external network: the connection's mark says that it came from there. Only what was
 * translated leaves: a private address never does.
 */
export function afterCtListener(rules: OwnerRules, listener: ListenerIntent, network: SegmentIntent): void {
  const external = Number(bitsOf(REG.external));
  const mask = external + Number(bitsOf(REG.listener));
  rules.tenant(
    TABLES.afterCt,
    TO_EXTERNAL_CLIENT,
    [ctState('+trk', '+snat'), m(F.ct_mark, external + listener.id, mask), IP],
    apply(...toProvider(network)),
    goto(TABLES.routes),
  );
}
