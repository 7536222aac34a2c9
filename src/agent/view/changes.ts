import '../../nx-extensions/text/index.js';
import { OFP15 } from '../../ofp/index.js';
import { formatFlow, formatGroup, formatMeter } from '../../ofp/text/index.js';
import type { Flow, Group, Meter, Owner, OwnerState } from '../../pipeline/index.js';
import { flowKey, type Mod, OwnerEntry, ownerKey } from '../../sync/index.js';

/** One message that would be sent. */
export interface Change {
  readonly op: 'add' | 'modify' | 'delete';
  readonly kind: 'flow' | 'group' | 'meter';
  /** As ovs-ofctl writes it, in one line. */
  readonly text: string;
  /** Of a `modify` of a flow: what is there now. */
  readonly was?: string;
}

type Held = Readonly<Pick<OwnerEntry, 'flows' | 'groups' | 'meters'>>;

const NOTHING: Held = { flows: new Map(), groups: new Map(), meters: new Map() };

/** What must be sent so that a switch that holds `held` of an owner holds what is `wanted`. */
export function changesOf(owner: Owner, held: Held | undefined, wanted: OwnerState | undefined): Change[] {
  const { flows, groups, meters } = held ?? NOTHING;
  const entry = new OwnerEntry(owner, ownerKey(owner));
  entry.replaceFlows(flows);
  for (const [id, key] of groups) entry.groups.set(id, key);
  for (const [id, key] of meters) entry.meters.set(id, key);
  entry.desired = wanted;
  const { before, bundle, after } = entry.diff();
  return [...before, ...bundle, ...after].map(({ mod }) => changeOf(mod, flows));
}

function changeOf(mod: Mod, flows: Held['flows']): Change {
  if (mod.type === 'group_mod')
    return {
      op: opOf(mod),
      kind: 'group',
      text: mod.command === 'delete' ? `group_id=${mod.groupId}` : groupText(mod),
    };
  if (mod.type === 'meter_mod')
    return {
      op: opOf(mod),
      kind: 'meter',
      text: mod.command === 'delete' ? `meter=${mod.meterId}` : meterText(mod),
    };
  const there = flows.get(flowKey(mod))?.flow;
  if (mod.command !== 'add') return { op: 'delete', kind: 'flow', text: flowText(there ?? mod) };
  const text = flowText(mod);
  return there
    ? { op: 'modify', kind: 'flow', text, was: flowText(there) }
    : { op: 'add', kind: 'flow', text };
}

function opOf({ command }: { command: string }): Change['op'] {
  return command === 'add' || command === 'modify' ? command : 'delete';
}

function flowText({ table, priority, cookie, match, instructions }: Flow): string {
  return formatFlow({ type: 'flow_mod', command: 'add', table, priority, cookie, match, instructions });
}

function groupText(group: Group): string {
  return formatGroup(group, OFP15);
}

function meterText(meter: Pick<Meter, 'meterId' | 'flags' | 'bands'>): string {
  return formatMeter(meter).trim().replace(/\n/g, ' ');
}
