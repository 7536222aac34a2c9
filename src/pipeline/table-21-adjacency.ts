import { F } from '../nx-extensions/fields.js';
import type { Action } from '../ofp/types/action.js';
import type { Field, MatchField } from '../ofp/types/field.js';
import { sendOut } from './attachments.js';
import { punt } from './punt.js';
import { REG, reg, registerOf } from './registers.js';
import { apply, CLEAR_IN_PORT, IP, type OwnerRules, set } from './rules.js';
import { TABLES } from './tables.js';
import type { Flow, ResolvedNeighbour } from './types.js';

/** Verified by the resolver; learned ones have 90. */
const RESOLVED = 100;
const MISS = 1;

export function adjacencyRules(
  rules: OwnerRules,
  segment: number,
  resolved: readonly ResolvedNeighbour[],
): void {
  for (const n of [...resolved].sort((a, b) => a.address - b.address))
    rules.tenant(
      TABLES.adjacency,
      RESOLVED,
      [reg(REG.segment, segment), IP, reg(REG.nextHop, n.address)],
      apply(
        set(F.dl_dst, n.mac),
        // Client and member may be behind one trunk, or one port.
        CLEAR_IN_PORT,
        ...sendOut({ ofport: n.ofport, vlan: n.vlan, vni: n.tunId, remote: n.tunDst }),
      ),
    );
}

/** The agent resolves, keeps the first packets, and sends them on. */
export function adjacencyTenant(rules: OwnerRules): void {
  rules.tenant(TABLES.adjacency, MISS, [IP], apply(punt(rules.owner.tenant, 'nextHop')));
}

/** Neighbours in flows of `adjacencyRules`, as read back from a switch. */
export function adoptNeighbours(flows: readonly Flow[]): ResolvedNeighbour[] {
  return flows.flatMap((flow) => neighbourOf(flow) ?? []).sort((a, b) => a.address - b.address);
}

function neighbourOf({ match, instructions }: Flow): ResolvedNeighbour | undefined {
  const address = registerOf(match as readonly MatchField[], F.reg6);
  const actions = instructions.flatMap((i) => (i.type === 'apply_actions' ? i.actions : []));
  const mac = written(actions, F.dl_dst);
  const out = actions.find((a) => a.type === 'output');
  if (address === undefined || mac === undefined || !out) return undefined;
  const vid = written(actions, F.vlan_vid);
  const tunId = written(actions, F.tun_id);
  const tunDst = written(actions, F.tun_dst);
  return {
    address,
    mac: BigInt(mac),
    ofport: out.port,
    ...(vid !== undefined && { vlan: Number(vid) & 0xfff }),
    ...(tunId !== undefined && { tunId: Number(tunId) }),
    ...(tunDst !== undefined && { tunDst: Number(tunDst) }),
  };
}

function written(actions: readonly Action[], field: Field): number | bigint | undefined {
  for (const a of actions) {
    if (a.type === 'set_field' && a.field === field) return a.value;
    if (a.type === 'reg_load' && a.dst.field === field) return a.value;
  }
  return undefined;
}
