/** Lists of actions and fields that a table can handle. */
import type { ActionFeatureId, OxmFeature } from '../types/multipart.js';
import { actionFieldName } from './field-text.js';

/** OFPAT_* in the order in which ovs-ofctl lists them. */
const ACTIONS: readonly (readonly [number, string])[] = [
  [0, 'output'],
  [22, 'group'],
  [25, 'set_field'],
  [28, 'move'],
  [18, 'strip_vlan'],
  [17, 'push_vlan'],
  [23, 'mod_nw_ttl'],
  [24, 'dec_ttl'],
  [15, 'set_mpls_ttl'],
  [16, 'dec_mpls_ttl'],
  [19, 'push_mpls'],
  [20, 'pop_mpls'],
  [21, 'set_queue'],
  [29, 'meter'],
];

/** Names of action types; those without a name by number. */
export function actionNames(types: readonly number[]): string {
  const named = ACTIONS.filter(([type]) => types.includes(type)).map(([, name]) => name);
  const others = types.filter((type) => !ACTIONS.some(([known]) => known === type)).map(String);
  return [...named, ...others].join(' ');
}

export function formatActionFeature(list: readonly ActionFeatureId[]): string {
  return actionNames(list.flatMap((a) => ('type' in a ? [a.type] : [])));
}

export function formatFieldList(list: readonly OxmFeature[]): string {
  return list.map((f) => (f.field ? actionFieldName(f.field) : `0x${f.header.toString(16)}`)).join(' ');
}
