import '../nx-extensions/text/index.js';
import { OFP15 } from '../ofp/index.js';
import { formatFlow, formatGroupMod, formatMeterMod } from '../ofp/text/index.js';
import type { Mod, OwnerFailure } from './types.js';

/** A change of the switch's tables, the flow as ovs-ofctl takes it: `add flow table=2,ip actions=drop`. */
export function describeMod(mod: Mod): string {
  if (mod.type === 'group_mod') return `group ${formatGroupMod(mod, OFP15)}`;
  if (mod.type === 'meter_mod') return `meter ${formatMeterMod(mod)}`;
  const text = formatFlow(mod);
  return mod.command === 'add' ? `add flow ${text}` : `delete flow ${text.replace(/ actions=.*$/, '')}`;
}

/** What the switch refused, and how it said so. */
export function describeFailure({ error, refused }: OwnerFailure): string {
  return `the switch refused ${refused ? describeMod(refused) : 'a change'}: ${error}`;
}
