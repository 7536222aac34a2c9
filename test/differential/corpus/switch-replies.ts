import { join } from 'node:path';
import { RunningProcess, run } from '../../../lab/process.js';
import { TappedSwitch } from '../../../lab/tapped-switch.js';
import { until } from '../../../lab/until.js';
import { PrivateSwitch } from '../channel/private-switch.js';
import { VERSIONS, type VersionName } from './capture.js';

/** A message of a real switch, and the command that brought it. */
export interface SwitchMessage {
  readonly version: VersionName;
  readonly text: string;
  readonly bytes: Uint8Array;
}

const BRIDGE = 'br0';
const packet = '02000000000202000000000108004500001c000100004001f7dd0a0000010a0000020800f7ff00000000';

const flows = [
  'cookie=0x123,table=0,priority=100,in_port=1,actions=output:2',
  'table=0,priority=5,tcp,nw_dst=10.0.0.0/8,tp_dst=80,idle_timeout=600,hard_timeout=900,send_flow_rem,actions=ct(commit,zone=5,nat(dst=10.0.0.2:80),table=3)',
  'table=3,reg3=0x1/0xffff,metadata=7,actions=load:0x5->NXM_NX_REG0[],resubmit(,4),group:5',
  'table=4,ipv6,ipv6_dst=2001:db8::/32,actions=meter:1,move:NXM_NX_REG0[]->NXM_NX_REG1[],goto_table:5',
  'table=5,actions=learn(table=6,idle_timeout=10,NXM_OF_ETH_DST[]=NXM_OF_ETH_SRC[],output:NXM_OF_IN_PORT[])',
  'table=5,priority=1,icmp,actions=controller(userdata=01.02,id=7),clone(output:1),write_actions(group:4)',
  'table=7,priority=0,actions=CONTROLLER:128',
];
const groups = [
  'group_id=4,type=all,bucket=output:1,bucket=output:2',
  'group_id=5,type=select,bucket=weight:10,output:1,bucket=weight:20,set_field:1->reg0,output:2',
  'group_id=6,type=ff,bucket=watch_port:1,output:1',
  'group_id=7,type=indirect,bucket=output:2',
];
const hashGroups = [
  'group_id=8,type=select,selection_method=hash,fields(ip_src,ip_dst=255.255.255.0),bucket=output:1',
  'group_id=9,type=select,selection_method=dp_hash,bucket=bucket_id:7,weight:3,output:1,bucket=bucket_id:9,output:2',
];
const meters = [
  'meter=1,kbps,burst,stats,bands=type=drop,rate=1000,burst_size=2000',
  'meter=2,pktps,stats,bands=type=drop,rate=10',
];

/** Each asks the switch something; those for 1.4 and later are refused by ovs-ofctl in 1.3. */
const questions: readonly (readonly string[])[] = [
  ['show', '@'],
  ['dump-desc', '@'],
  ['dump-tables', '@'],
  ['dump-table-features', '@'],
  ['dump-table-desc', '@'],
  ['dump-flows', '@'],
  ['dump-flows', '@', 'table=77'],
  ['dump-aggregate', '@'],
  ['dump-aggregate', '@', 'table=0'],
  ['dump-ports', '@'],
  ['dump-ports-desc', '@'],
  ['queue-stats', '@'],
  ['queue-get-config', '@', '1'],
  ['dump-groups', '@'],
  ['dump-group-stats', '@'],
  ['dump-group-features', '@'],
  ['dump-meters', '@'],
  ['meter-stats', '@'],
  ['meter-features', '@'],
  ['get-frags', '@'],
  [
    'add-tlv-map',
    '@',
    '{class=0xffff,type=0,len=4}->tun_metadata0,{class=0x102,type=0x80,len=124}->tun_metadata63',
  ],
  ['dump-tlv-map', '@'],
  ['del-tlv-map', '@'],
  ['mod-port', '@', 'p1', 'no-forward'],
  // refused: errors of several kinds
  ['add-flow', '@', 'table=0,actions=group:99'],
  ['add-flow', '@', 'actions=output:1,meter:77'],
  ['add-group', '@', 'group_id=4,type=all,bucket=output:1'],
  ['mod-meter', '@', 'meter=50,kbps,bands=type=drop,rate=1'],
  ['--bundle', 'add-flow', '@', 'table=1,actions=output:1'],
];

/** What a monitoring connection is told when these happen. */
const happenings: readonly (readonly string[])[] = [
  ['add-flow', '@', 'table=9,tcp,send_flow_rem,priority=7,cookie=0x99,actions=output:1'],
  ['packet-out', '@', `in_port=1,packet=${packet},actions=resubmit(,7)`],
  [
    'packet-out',
    '@',
    `in_port=1,packet=${packet},actions=load:0x5->NXM_NX_REG0[],set_field:0x7->metadata,controller(userdata=01.02.03)`,
  ],
  ['packet-out', '@', `in_port=2,packet=${packet},actions=controller(userdata=09,pause),output:1`],
  ['mod-flows', '@', 'table=9,tcp,actions=output:2'],
  ['del-flows', '@', 'table=9'],
];

/** Every kind of message that a private Open vSwitch sends, in all versions. */
export async function captureSwitch(): Promise<SwitchMessage[]> {
  const vswitch = await PrivateSwitch.start();
  try {
    await vswitch.addBridge(BRIDGE);
    for (const [i, port] of ['p1', 'p2'].entries())
      await vswitch.vsctl([
        'add-port',
        BRIDGE,
        port,
        '--',
        'set',
        'interface',
        port,
        `ofport_request=${i + 1}`,
        'type=dummy',
      ]);
    const tap = await TappedSwitch.listen(join(vswitch.dir, `${BRIDGE}.mgmt`));
    const all: SwitchMessage[] = [];
    for (const version of VERSIONS) all.push(...(await captureVersion(version, tap, vswitch)));
    await tap.close();
    return all;
  } finally {
    await vswitch.stop();
  }
}

async function captureVersion(
  version: VersionName,
  tap: TappedSwitch,
  vswitch: PrivateSwitch,
): Promise<SwitchMessage[]> {
  const out: SwitchMessage[] = [];
  const ask = async (argv: readonly string[], allowFailure: boolean) => {
    const command = argv.map((a) => (a === '@' ? tap.target : a));
    await run(['ovs-ofctl', '--no-names', '-O', `OpenFlow${version}`, '-t', '5', ...command], {
      allowFailure,
    });
  };
  const keep = (text: string) => {
    for (const bytes of tap.take()) out.push({ version, text, bytes });
  };
  for (const argv of [
    ['del-flows', '@'],
    ['del-groups', '@'],
    ['del-meters', '@'],
  ])
    await ask(argv, false);
  for (const meter of meters) await ask(['add-meter', '@', meter], false);
  for (const group of version === 15 ? [...groups, ...hashGroups] : groups)
    await ask(['add-group', '@', group], false);
  for (const flow of flows) await ask(['add-flow', '@', flow], false);
  tap.take();
  for (const argv of questions) {
    await ask(argv, true);
    keep(argv.filter((a) => a !== '@').join(' '));
  }
  await monitored(version, tap, vswitch, ask);
  keep('monitor');
  return out;
}

async function monitored(
  version: VersionName,
  tap: TappedSwitch,
  vswitch: PrivateSwitch,
  ask: (argv: readonly string[], allowFailure: boolean) => Promise<void>,
): Promise<void> {
  const monitor = new RunningProcess(
    ['ovs-ofctl', '--no-names', '-O', `OpenFlow${version}`, 'monitor', tap.target, '65535', 'watch:'],
    { env: { OVS_RUNDIR: vswitch.dir } },
  );
  await until(() => tap.messages.some(isMonitorReply), {
    what: 'the reply to the monitor request',
    interval: 5,
  });
  for (const argv of happenings) await ask(argv, false);
  await vswitch.vsctl(['add-port', BRIDGE, 'p3', '--', 'set', 'interface', 'p3', 'type=dummy']);
  await vswitch.vsctl(['del-port', BRIDGE, 'p3']);
  await until(() => tap.messages.filter((m) => m[1] === OFPT_PORT_STATUS).length >= 2, {
    what: 'port status',
    interval: 5,
  });
  await monitor.stop();
}

const OFPT_PORT_STATUS = 12;
const OFPT_MULTIPART_REPLY = 19;

function isMonitorReply(message: Uint8Array): boolean {
  const type = (message[8]! << 8) | message[9]!;
  return message[1] === OFPT_MULTIPART_REPLY && (type === 16 || type === 0xffff);
}
