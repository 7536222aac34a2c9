import type { Protocol, SegmentIntent } from '../model/types.js';
import type { LearnSpec } from '../nx-extensions/action-types.js';
import { F } from '../nx-extensions/fields.js';
import type { Action } from '../ofp/types/action.js';
import { ctCommit } from './conntrack.js';
import { cookieOf } from './cookies.js';
import type { Endpoint } from './lookups.js';
import { destinationPort, IP_PROTOCOL, ipProtocol, sourcePort } from './protocols.js';
import { REG, reg } from './registers.js';
import { apply, goto, m, move, type OwnerRules, SWAP_MACS, set } from './rules.js';
import { whole } from './table-00-ingress.js';
import { HAIRPIN_REPLY_PRIORITY } from './table-02-classify-l3.js';
import { TABLES } from './tables.js';
import { KIND } from './types.js';

const HAIRPIN = 110;
const TRANSLATE = 100;

/**
 * @param home where the member lives
 * @param ambiguous several listeners of one VIP lead to the member, so its answer to itself has to be remembered
 */
export function memberRules(
  rules: OwnerRules,
  endpoint: Endpoint,
  protocol: Protocol,
  home: SegmentIntent | undefined,
  ambiguous: boolean,
): void {
  const chosen = [reg(REG.member, endpoint.id), ...ipProtocol(protocol)];
  const port = destinationPort(protocol, endpoint.port);
  if (home) {
    // One ct can't translate both addresses, and needn't: the VIP is never a client otherwise, so source := VIP and
    // back is a rewrite of headers.
    const remember = ambiguous ? [learnReply(rules, endpoint, protocol, home)] : [];
    rules.tenant(
      TABLES.member,
      HAIRPIN,
      [...chosen, reg(REG.segment, home.id), m(F.nw_src, endpoint.address)],
      apply(
        ...remember,
        move(F.nw_dst, F.nw_src),
        set(F.nw_dst, endpoint.address),
        set(port.field, endpoint.port),
        ...SWAP_MACS,
      ),
      goto(TABLES.sender),
    );
  }
  rules.tenant(
    TABLES.member,
    TRANSLATE,
    [...chosen, reg(REG.byHeader, 0)],
    apply(ctCommit(endpoint.address, endpoint.port, TABLES.routes)),
  );
  rules.tenant(
    TABLES.member,
    TRANSLATE,
    [...chosen, reg(REG.byHeader, 1)],
    apply(set(F.nw_dst, endpoint.address), set(port.field, endpoint.port)),
    goto(TABLES.routes),
  );
}

/** Seconds without traffic. */
const REPLY_IDLE = 300;
const MAX_REPLIES = 1024;

/** Table 2 gets a rule for the answer to this very connection, above the one that knows no port. */
function learnReply(rules: OwnerRules, endpoint: Endpoint, protocol: Protocol, home: SegmentIntent): Action {
  const source = sourcePort(protocol, 0).field;
  const destination = destinationPort(protocol, 0).field;
  const from = (dst: typeof source, src: typeof source): LearnSpec => ({
    type: 'load',
    dst: whole(dst),
    src: whole(src),
  });
  return {
    type: 'learn2',
    table: TABLES.l3.number,
    priority: HAIRPIN_REPLY_PRIORITY,
    idleTimeout: REPLY_IDLE,
    cookie: cookieOf({ tenant: rules.owner.tenant, kind: KIND.learnedHairpin, object: endpoint.id }),
    limit: MAX_REPLIES,
    specs: [
      { type: 'match', dst: whole(F.reg3), src: whole(F.reg3) },
      { type: 'match', dst: whole(F.reg0), value: home.id },
      { type: 'match', dst: whole(F.dl_type), value: 0x0800 },
      { type: 'match', dst: whole(F.nw_proto), value: IP_PROTOCOL[protocol] },
      { type: 'match', dst: whole(F.nw_src), value: endpoint.address },
      { type: 'match', dst: whole(F.nw_dst), src: whole(F.nw_dst) },
      { type: 'match', dst: whole(source), value: endpoint.port },
      { type: 'match', dst: whole(destination), src: whole(source) },
      from(F.nw_src, F.nw_dst),
      from(source, destination),
      { type: 'load', dst: whole(F.nw_dst), value: endpoint.address },
      from(F.dl_dst, F.dl_src),
      from(F.dl_src, F.dl_dst),
      {
        type: 'load',
        dst: { field: F.vlan_tci, ofs: 0, nBits: 13 },
        src: { field: F.metadata, ofs: 0, nBits: 13 },
      },
      from(F.tun_dst, F.tun_src),
      { type: 'load', dst: whole(F.in_port_nxm), value: 0 },
      { type: 'output', src: whole(F.in_port_nxm) },
    ],
  };
}
