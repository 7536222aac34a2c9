import '../../../src/nx-extensions/text/index.js';
import { formatFlowMod, formatGroup, formatMeter } from '../../../src/ofp/text/index.js';
import { KIND, type Owner, type OwnerState } from '../../../src/pipeline/index.js';

const kindNames = new Map<number, string>(Object.entries(KIND).map(([name, kind]) => [kind, name]));

/** All that the owners have, in the words of ovs-ofctl, one owner after the other. */
export function textOf(states: readonly OwnerState[]): string {
  return states
    .filter((s) => s.flows.length + s.groups.length + s.meters.length > 0)
    .map((s) => `# ${ownerName(s.owner)}\n${lines(s).join('\n')}\n`)
    .join('\n');
}

export function ownerName({ tenant, kind, object }: Owner): string {
  return `tenant ${tenant} ${kindNames.get(kind)} ${object}`;
}

function lines({ flows, groups, meters }: OwnerState): string[] {
  const text = flows.map((f) => ({
    ...f,
    text: formatFlowMod({ type: 'flow_mod', command: 'add', ...f, cookie: 0n }).replace(/^ADD (table:\d+ )?/, ''),
  }));
  // Slot flows follow the slots; all others are shown as the switch looks them up.
  text.sort((a, b) => a.table - b.table || b.priority - a.priority);
  return [
    ...meters.map((m) => formatMeter(m)),
    ...groups.map((g) => formatGroup(g)),
    ...text.map((f) => `table=${f.table} ${f.text}`),
  ];
}
