import type { SegmentIntent } from '../model/types.js';
import { PROVIDER_TENANT } from '../model/types.js';
import { F } from '../nx-extensions/fields.js';
import { OFPP } from '../ofp/types/message.js';
import { type Attachment, sendOut } from './attachments.js';
import { floodGroupId } from './ids.js';
import { REG, reg } from './registers.js';
import { apply, m, type OwnerRules } from './rules.js';
import { TABLES } from './tables.js';

/** Learned entries have 100. */
const FLOOD = 10;

export function fdbSegment(rules: OwnerRules, segment: SegmentIntent, at: readonly Attachment[]): void {
  const { tenant } = rules.owner;
  const groupId = floodGroupId(tenant, segment.id);
  rules.group({
    groupId,
    groupType: 'all',
    buckets: at.map(({ port, ofport }) => ({
      actions: sendOut({ ofport, vlan: port.vlan, vni: port.vni, remote: port.remote }),
    })),
  });
  const here = [reg(REG.segment, segment.id)];
  // Uplinks of an external network aren't bridged with each other: only the agent's own frames go out there.
  const who = tenant === PROVIDER_TENANT ? [...here, m(F.in_port, OFPP.CONTROLLER)] : here;
  rules.tenant(TABLES.fdb, FLOOD, who, apply({ type: 'group', groupId }));
}
