/** A command of ovs-ofctl; `@` stands for the switch. */
export interface CommandSample {
  readonly argv: readonly string[];
  /** OpenFlow versions, as 13, 14, 15; all where absent. */
  readonly versions?: readonly number[];
}

/** Lines for `ovs-ofctl add-groups`, which takes other commands too. */
export const groupSamples: readonly string[] = [
  'add group_id=1,type=all',
  'add group_id=2,type=all,bucket=output:1,bucket=output:2',
  'add group_id=4294967040,type=indirect,bucket=output:1',
  'add group_id=3,type=indirect,bucket=set_field:02:00:00:00:00:01->eth_dst,output:5',
  'add group_id=4,type=select,bucket=weight:10,actions=output:1,bucket=weight:20,actions=output:2',
  'add group_id=5,type=select,bucket=output:1,bucket=output:2,bucket=output:3',
  'add group_id=6,type=select,bucket=weight:0,output:1',
  'add group_id=7,type=ff,bucket=watch_port:1,output:1,bucket=watch_port:2,output:2',
  'add group_id=8,type=fast_failover,bucket=watch_group:4,output:1,bucket=watch_port:7,watch_group:3,output:2',
  'add group_id=9,type=select,bucket=ct(commit,table=3,nat(dst=10.0.0.1:80)),bucket=ct(commit,table=3,nat(dst=10.0.0.2:80))',
  'add group_id=10,type=select,bucket=load:0x1->NXM_NX_REG0[],resubmit(,4),bucket=load:0x2->NXM_NX_REG0[],resubmit(,4)',
  'add group_id=11,type=all,bucket=group:1,bucket=drop',
  'add group_id=12,type=all,bucket=move:NXM_NX_REG0[]->NXM_NX_REG1[],resubmit(,4),bucket=controller(userdata=01.02)',
  'modify group_id=1,type=all,bucket=output:7',
  'modify group_id=4,type=select,bucket=weight:1,output:1',
  'delete',
  'delete group_id=5',
  'delete group_id=4294967040',
];

/** Buckets with ids, and properties: since OpenFlow 1.5 (1.3 and 1.4 by an extension where it is a selection method). */
export const groupSamples15: readonly string[] = [
  'add group_id=20,type=select,bucket=bucket_id:5,output:1,bucket=bucket_id:9,weight:3,output:2',
  'add group_id=21,type=all,bucket=bucket_id:0,output:1,bucket=bucket_id:4294967040,output:2',
  'add group_id=22,type=ff,bucket=bucket_id:1,watch_port:3,output:3,bucket=bucket_id:2,watch_group:4,output:4',
  'add group_id=23,type=select,selection_method=hash,fields(ip_dst,ip_src),bucket=output:1',
  'add group_id=24,type=select,selection_method=hash,selection_method_param=7,fields(ip_dst=255.255.255.0,nw_proto,tcp_src),bucket=output:1',
  'add group_id=25,type=select,selection_method=dp_hash,bucket=output:1,bucket=output:2',
  'add group_id=26,type=select,selection_method=dp_hash,selection_method_param=1,bucket=weight:5,output:1,bucket=weight:7,output:2',
  'add group_id=27,type=select,selection_method=hash,fields(eth_src,eth_dst,vlan_vid),bucket=output:1',
  'add group_id=28,type=select,selection_method=hash,fields=reg0,bucket=output:1',
  'add group_id=29,type=select,selection_method=hash,fields(ipv6_src,ipv6_dst=ffff::,udp_dst),bucket=output:1',
  'insert_bucket group_id=4,command_bucket_id=last,bucket=bucket_id:7,weight:3,output:9',
  'insert_bucket group_id=4,command_bucket_id=first,bucket=bucket_id:8,output:9,bucket=bucket_id:10,output:10',
  'insert_bucket group_id=4,command_bucket_id=7,bucket=bucket_id:11,output:9',
  'insert_bucket group_id=4,command_bucket_id=last',
  'remove_bucket group_id=4,command_bucket_id=7',
  'remove_bucket group_id=4,command_bucket_id=first',
  'remove_bucket group_id=4,command_bucket_id=last',
  'remove_bucket group_id=4,command_bucket_id=all',
];

export const meterSamples: readonly CommandSample[] = [
  ...[
    'meter=1,kbps,bands=type=drop,rate=1000',
    'meter=1,pktps,bands=type=drop,rate=1000',
    'meter=2,kbps,burst,stats,bands=type=drop,rate=1000,burst_size=2000',
    'meter=3,kbps,burst,bands=type=drop,rate=1,burst_size=4294967295',
    'meter=4,pktps,stats,bands=type=dscp_remark,rate=100,prec_level=3',
    'meter=5,kbps,burst,bands=type=dscp_remark,rate=100,burst_size=7,prec_level=1,type=drop,rate=200,burst_size=10',
    'meter=4294901760,kbps,bands=type=drop,rate=4294967295',
    'meter=controller,pktps,bands=type=drop,rate=5',
    'meter=slowpath,pktps,bands=type=drop,rate=5',
    'meter=6,pktps,bands=',
  ].flatMap((meter) => [{ argv: ['add-meter', '@', meter] }, { argv: ['mod-meter', '@', meter] }]),
  { argv: ['del-meter', '@', 'meter=1'] },
  { argv: ['del-meter', '@', 'meter=controller'] },
  { argv: ['del-meters', '@'] },
];

const packet = '02000000000202000000000108004500001c000100004001f7dd0a0000010a0000020800f7ff00000000';

export const commandSamples: readonly CommandSample[] = [
  // packet-out
  ...[
    `in_port=controller,packet=${packet},actions=output:1`,
    `in_port=1,packet=${packet},actions=set_field:1->reg0,resubmit(,5)`,
    `in_port=LOCAL,packet=${packet},actions=TABLE`,
    `in_port=any,packet=${packet},actions=drop`,
    `in_port=controller,packet=${packet},actions=ct(commit,zone=5,table=3)`,
    `in_port=2,packet=${packet},actions=load:0x5->NXM_NX_REG0[],set_field:0x7/0xff->metadata,move:NXM_NX_REG0[]->NXM_NX_REG1[],FLOOD`,
    'in_port=controller,packet=,actions=output:1',
  ].map((text) => ({ argv: ['packet-out', '@', text] })),
  ...[
    `in_port=controller,reg0=5,packet=${packet},actions=output:1`,
    `in_port=controller,metadata=0x1234,reg1=1,reg7=7,tun_id=5,packet=${packet},actions=resubmit(,5)`,
    `in_port=1,tun_src=1.2.3.4,tun_dst=4.3.2.1,pkt_mark=5,packet=${packet},actions=resubmit(,5)`,
  ].map((text) => ({ argv: ['packet-out', '@', text], versions: [15] })),
  // connection tracking
  { argv: ['ct-flush-zone', '@', '5'] },
  { argv: ['ct-flush-zone', '@', '65535'] },
  { argv: ['ct-flush', '@'] },
  { argv: ['ct-flush', '@', 'zone=5'] },
  { argv: ['ct-flush', '@', 'ct_nw_src=10.0.0.1,ct_nw_dst=10.0.0.2,ct_nw_proto=6,ct_tp_src=1,ct_tp_dst=2'] },
  { argv: ['ct-flush', '@', 'zone=0', 'ct_nw_src=10.0.0.1'] },
  {
    argv: [
      'ct-flush',
      '@',
      'zone=7',
      'ct_nw_dst=10.20.0.100,ct_nw_proto=6,ct_tp_dst=80',
      'ct_nw_src=10.20.0.2,ct_nw_proto=6,ct_tp_src=8080',
    ],
  },
  { argv: ['ct-flush', '@', 'zone=7', '', 'ct_nw_src=10.20.0.2,ct_nw_proto=17'] },
  { argv: ['ct-flush', '@', 'ct_ipv6_src=2001:db8::1,ct_ipv6_dst=2001:db8::2,ct_nw_proto=17,ct_tp_src=53'] },
  {
    argv: ['ct-flush', '@', 'zone=9', 'ct_nw_src=10.0.0.1,ct_nw_proto=1,icmp_type=8,icmp_code=0,icmp_id=77'],
  },
  { argv: ['ct-flush', '@', 'ct_ipv6_src=2001:db8::1,ct_nw_proto=58,icmp_type=128,icmp_code=0,icmp_id=5'] },
  // TLV tables
  { argv: ['add-tlv-map', '@', '{class=0xffff,type=0,len=4}->tun_metadata0'] },
  {
    argv: [
      'add-tlv-map',
      '@',
      '{class=0xffff,type=0,len=4}->tun_metadata0,{class=0x102,type=0x80,len=124}->tun_metadata63',
    ],
  },
  { argv: ['del-tlv-map', '@', '{class=0xffff,type=0,len=4}->tun_metadata0'] },
  { argv: ['del-tlv-map', '@'] },
  { argv: ['dump-tlv-map', '@'] },
  // switch, tables, ports
  { argv: ['show', '@'] },
  { argv: ['dump-desc', '@'] },
  { argv: ['dump-tables', '@'] },
  { argv: ['dump-table-features', '@'] },
  { argv: ['dump-table-desc', '@'], versions: [14, 15] },
  { argv: ['get-frags', '@'] },
  ...['normal', 'drop', 'reassemble', 'nx-match'].map((mode) => ({ argv: ['set-frags', '@', mode] })),
  ...[
    'up',
    'down',
    'no-receive',
    'receive',
    'no-flood',
    'forward',
    'no-forward',
    'no-packet-in',
    'packet-in',
  ].map((action) => ({ argv: ['mod-port', '@', '1', action] })),
  ...['controller', 'continue', 'drop'].map((miss) => ({ argv: ['mod-table', '@', '3', miss] })),
  ...['evict', 'noevict', 'vacancy:20,80', 'novacancy'].map((action) => ({
    argv: ['mod-table', '@', '3', action],
    versions: [14, 15],
  })),
  // statistics requests
  ...[
    '',
    'table=3',
    'tcp,nw_dst=10.0.0.0/8',
    'cookie=0x5/0xff',
    'out_port=3',
    'out_group=4',
    'table=1,reg3=0x1/0xffff,in_port=2',
  ].flatMap((filter) => [{ argv: ['dump-flows', '@', filter] }, { argv: ['dump-aggregate', '@', filter] }]),
  { argv: ['dump-ports', '@'] },
  { argv: ['dump-ports', '@', '1'] },
  { argv: ['dump-ports', '@', 'LOCAL'] },
  { argv: ['dump-ports-desc', '@'] },
  { argv: ['dump-ports-desc', '@', '2'], versions: [15] },
  { argv: ['queue-stats', '@'] },
  { argv: ['queue-stats', '@', '1'] },
  { argv: ['queue-stats', '@', '1', '5'] },
  { argv: ['queue-get-config', '@', '1'] },
  { argv: ['queue-get-config', '@'] },
  { argv: ['dump-groups', '@'] },
  { argv: ['dump-groups', '@', '5'], versions: [15] },
  { argv: ['dump-group-stats', '@'] },
  { argv: ['dump-group-stats', '@', '5'] },
  { argv: ['dump-group-features', '@'] },
  { argv: ['dump-meters', '@'] },
  { argv: ['dump-meter', '@', 'meter=5'] },
  { argv: ['meter-stats', '@'] },
  { argv: ['meter-stats', '@', 'meter=5'] },
  { argv: ['meter-features', '@'] },
  { argv: ['dump-ipfix-bridge', '@'] },
  { argv: ['dump-ipfix-flow', '@'] },
  { argv: ['probe', '@'] },
  // monitors: they stay; the listener ends them
  { argv: ['monitor', '@'] },
  { argv: ['monitor', '@', '128'] },
  { argv: ['monitor', '@', '128', 'invalid_ttl'] },
  ...['nxt_packet_in', 'nxt_packet_in2', 'standard'].map((format) => ({
    argv: ['-P', format, 'monitor', '@', '65535'],
  })),
  ...[
    'watch:',
    'watch:table=3',
    'watch:!initial',

    'watch:!actions,!own',
    'watch:out_port=5,in_port=2',
    'watch:tcp,nw_dst=10.0.0.0/8',
  ].map((watch) => ({ argv: ['monitor', '@', watch] })),
];
