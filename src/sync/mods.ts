import type { Bucket, FlowMod, GroupMod, MeterMod } from '../ofp/types/message.js';
import type { Flow, Group, Meter } from '../pipeline/types.js';

/** Adds a flow, or replaces the one with the same table, priority and match whatever its cookie. */
export function flowAdd(flow: Flow): FlowMod {
  return {
    type: 'flow_mod',
    command: 'add',
    table: flow.table,
    priority: flow.priority,
    cookie: flow.cookie,
    match: flow.match,
    instructions: flow.instructions,
  };
}

const ALL_BITS = 0xffff_ffff_ffff_ffffn;

/** Deletes the flow only while it carries its owner's cookie: what another owner put there meanwhile stays. */
export function flowDelete(flow: Flow): FlowMod {
  return {
    type: 'flow_mod',
    command: 'delete_strict',
    table: flow.table,
    priority: flow.priority,
    cookie: flow.cookie,
    cookieMask: ALL_BITS,
    match: flow.match,
    instructions: [],
  };
}

export function groupMod(command: 'add' | 'modify', group: Group): GroupMod {
  return {
    type: 'group_mod',
    command,
    groupType: group.groupType,
    groupId: group.groupId,
    buckets: group.buckets,
  };
}

export function groupDelete(groupId: number): GroupMod {
  return { type: 'group_mod', command: 'delete', groupType: 'all', groupId, buckets: [] };
}

export function meterMod(command: 'add' | 'modify', meter: Meter): MeterMod {
  return { type: 'meter_mod', command, meterId: meter.meterId, flags: meter.flags, bands: meter.bands };
}

export function meterDelete(meterId: number): MeterMod {
  return { type: 'meter_mod', command: 'delete', meterId, flags: [], bands: [] };
}

/** Text that is equal where the switch would treat two meters alike. */
export function meterKey(meter: Pick<Meter, 'flags' | 'bands'>): string {
  const flags = meter.flags.filter((f) => f === 'kbps' || f === 'pktps').join();
  return `${flags}|${meter.bands.map((b) => `${b.type}:${b.rate}:${b.burst ?? 0}`).join()}`;
}

/** What a bucket does, without the id that the switch gave it. */
export function bucketShape(bucket: Bucket): Bucket {
  return { weight: bucket.weight ?? 0, actions: bucket.actions };
}
