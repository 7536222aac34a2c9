import { F } from '../nx-extensions/fields.js';
import { REG, reg } from './registers.js';
import { apply, m, move, type OwnerRules, TO_IN_PORT } from './rules.js';
import { TABLES } from './tables.js';

const TAGGED = 100;
const TUNNELLED = 90;
const PLAIN = 0;

/** Answers made in the switch, and hairpins: the transport that table 0 took off is put on again. */
export function toSenderNode(rules: OwnerRules): void {
  const { vlan } = REG;
  rules.node(
    TABLES.sender,
    TAGGED,
    [m(vlan.field, 0x1000n, 0x1000n)],
    apply(
      { type: 'push_vlan', ethertype: 0x8100 },
      {
        type: 'reg_move',
        src: { field: vlan.field, ofs: vlan.ofs, nBits: 12 },
        dst: { field: F.vlan_vid, ofs: 0, nBits: 12 },
      },
      TO_IN_PORT,
    ),
  );
  rules.node(TABLES.sender, TUNNELLED, [reg(REG.tunnel, 1)], apply(move(F.tun_src, F.tun_dst), TO_IN_PORT));
  rules.node(TABLES.sender, PLAIN, [], apply(TO_IN_PORT));
}
