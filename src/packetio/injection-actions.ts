import { nxm } from '../nx-extensions/fields.js';
import type { Action } from '../ofp/types/action.js';
import type { Injection } from './types.js';

const TABLE = { route: 20, adjacency: 21, segment: 25 } as const;
/** Lists kept: more than a node has segments, less than a memory leak. */
const KEPT = 8192;

/** Actions that put a packet-out into the pipeline as a packet of a tenant's segment. */
export class InjectionActions {
  private readonly kept = new Map<string, readonly Action[]>();

  of(how: Injection): readonly Action[] {
    if (how.kind === 'adjacency') return build(how);
    const key = `${how.kind}/${how.tenant}/${how.segment}`;
    const known = this.kept.get(key);
    if (known) return known;
    if (this.kept.size >= KEPT) this.kept.clear();
    const actions = build(how);
    this.kept.set(key, actions);
    return actions;
  }
}

function build(how: Injection): readonly Action[] {
  const actions: Action[] = [
    { type: 'set_field', field: nxm.reg3, value: how.tenant },
    { type: 'set_field', field: nxm.reg0, value: how.segment },
  ];
  if (how.kind === 'adjacency') actions.push({ type: 'set_field', field: nxm.reg6, value: how.nextHop });
  actions.push({ type: 'resubmit_table', table: TABLE[how.kind] });
  return actions;
}
