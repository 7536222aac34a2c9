import { actionSamples } from './actions.js';
import { matches } from './matches.js';

const commands: readonly string[] = [
  'add in_port=1,actions=output:2',
  'add table=3,priority=5,cookie=0x123456789abcdef0,idle_timeout=10,hard_timeout=20,in_port=1,actions=output:2',
  'add cookie=0xffffffffffffffff,actions=drop',
  'add send_flow_rem,check_overlap,reset_counts,no_packet_counts,no_byte_counts,in_port=1,actions=drop',
  'add send_flow_rem,in_port=1,actions=drop',
  'add check_overlap,in_port=1,actions=drop',
  'add reset_counts,in_port=1,actions=drop',
  'add no_packet_counts,in_port=1,actions=drop',
  'add no_byte_counts,in_port=1,actions=drop',
  'add importance=7,in_port=1,actions=drop',
  'add idle_timeout=65535,hard_timeout=65535,in_port=1,actions=drop',
  'modify in_port=1,actions=output:2',
  'modify table=3,cookie=0x5/0xff,in_port=1,actions=output:2',
  'modify cookie=0x5/-1,tcp,actions=output:2',
  'modify_strict table=3,priority=5,in_port=1,actions=output:2',
  'modify_strict priority=0,actions=drop',
  'modify table=7,reset_counts,ip,actions=drop',
  'delete',
  'delete table=3',
  'delete table=0',
  'delete in_port=1',
  'delete cookie=0x5/0xff',
  'delete cookie=0xabc/-1,table=5',
  'delete out_port=3',
  'delete out_port=LOCAL,table=1',
  'delete out_group=4',
  'delete out_port=3,out_group=4,tcp,nw_dst=10.0.0.1',
  'delete_strict table=3,priority=5,in_port=1',
  'delete_strict priority=0',
  'delete_strict priority=65535,ip,nw_dst=10.0.0.0/8',
];

/** Lines for `ovs-ofctl add-flows`; all valid in OpenFlow 1.3, 1.4 and 1.5. */
export const flowSamples: readonly string[] = [
  ...commands,
  ...matches.map((match) => `${match === '' ? '' : `${match},`}actions=output:1`),
  ...actionSamples.map(({ actions, match }) => `${match === undefined ? '' : `${match},`}actions=${actions}`),
];
