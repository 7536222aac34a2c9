import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  type Action,
  encodeMessage,
  type Match,
  type Message,
  m,
  OFP13,
  OFP15,
  OFPP,
  type OfpVersion,
  oxm,
  Writer,
} from '../../../src/ofp/index.js';

let directory: string;
beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), 'ofp-print-'));
});
afterAll(() => rmSync(directory, { recursive: true }));

/** What ovs-ofctl prints of our bytes. Its exit status is 0 on errors too. */
function print(version: OfpVersion, message: Message): string {
  const w = new Writer();
  encodeMessage(w, version, 7, message);
  const file = join(directory, 'message');
  writeFileSync(file, w.take());
  return execFileSync('ovs-ofctl', ['ofp-parse', file], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
  });
}

const tcp: Match = [
  m(oxm.dl_type, 0x0800),
  m(oxm.nw_proto, 6),
  m(oxm.nw_dst, 0x0a000000, 0xff000000),
  m(oxm.tcp_dst, 80),
];
const actions: Action[] = [
  { type: 'set_field', field: oxm.nw_dst, value: 0x0a000002 },
  { type: 'dec_nw_ttl' },
  { type: 'group', groupId: 3 },
  { type: 'output', port: 5 },
  { type: 'output', port: OFPP.CONTROLLER },
];
const counters = { durationSec: 1, durationNsec: 0, packetCount: 2n, byteCount: 3n };

const messages: readonly (readonly [string, Message])[] = [
  ['hello.*', { type: 'hello', versions: [4, 6] }],
  ['echo request|OFPT_ECHO_REQUEST', { type: 'echo_request', data: new Uint8Array(3) }],
  ['OFPBMC_BAD_FIELD', { type: 'error', errorType: 4, code: 6, data: new Uint8Array(0) }],
  [
    'dpid:0000000000000042',
    {
      type: 'features_reply',
      datapathId: 0x42n,
      nBuffers: 0,
      nTables: 254,
      auxiliaryId: 0,
      capabilities: 0x4f,
    },
  ],
  ['frags=normal miss_send_len=128', { type: 'set_config', flags: 0, missSendLen: 128 }],
  [
    'table:9 priority=100,tcp,nw_dst=10.0.0.0/8,tp_dst=80 cookie:0x1234 idle:10 .*actions=set_field:10.0.0.2->ip_dst,dec_ttl,group:3,output:5,CONTROLLER:65535,goto_table:12',
    {
      type: 'flow_mod',
      command: 'add',
      table: 9,
      priority: 100,
      cookie: 0x1234n,
      idleTimeout: 10,
      flags: 1,
      match: tcp,
      instructions: [
        { type: 'apply_actions', actions },
        { type: 'goto_table', table: 12 },
      ],
    },
  ],
  [
    'actions=meter:5,output:1',
    {
      type: 'flow_mod',
      command: 'add',
      table: 0,
      priority: 1,
      cookie: 0n,
      match: [],
      instructions: [
        { type: 'meter', meterId: 5 },
        { type: 'apply_actions', actions: [{ type: 'output', port: 1 }] },
      ],
    },
  ],
  [
    'group_id=5,type=select,bucket=.*weight:3,actions=output:4',
    {
      type: 'group_mod',
      command: 'add',
      groupType: 'select',
      groupId: 5,
      buckets: [{ weight: 3, actions: [{ type: 'output', port: 4 }] }],
    },
  ],
  [
    'meter=5 pktps burst stats bands=\\s*type=drop rate=100 burst_size=10',
    {
      type: 'meter_mod',
      command: 'add',
      meterId: 5,
      flags: ['pktps', 'burst', 'stats'],
      bands: [{ type: 'drop', rate: 100, burst: 10 }],
    },
  ],
  [
    'in_port=CONTROLLER actions=output:2 data_len=14',
    {
      type: 'packet_out',
      inPort: OFPP.CONTROLLER,
      actions: [{ type: 'output', port: 2 }],
      data: new Uint8Array(14),
    },
  ],
  [
    'table_id=3 cookie=0x9 total_len=14 in_port=6 \\(via action\\)',
    {
      type: 'packet_in',
      totalLen: 14,
      reason: 'apply_action',
      table: 3,
      cookie: 9n,
      match: [m(oxm.in_port, 6)],
      userdata: new Uint8Array(0),
      data: new Uint8Array(14),
    },
  ],
  [
    'tcp.*reason=delete table_id=3 .*cookie:0x9 duration1',
    {
      type: 'flow_removed',
      table: 3,
      priority: 7,
      cookie: 9n,
      reason: 'delete',
      idleTimeout: 0,
      hardTimeout: 0,
      match: tcp,
      ...counters,
    },
  ],
  [
    'ADD: 1\\(p1\\): addr:00:00:00:00:00:2a',
    {
      type: 'port_status',
      reason: 'add',
      port: {
        portNo: 1,
        hwAddr: 42n,
        name: 'p1',
        config: 0,
        state: 4,
        ethernet: { curr: 0, advertised: 0, supported: 0, peer: 0, currSpeed: 0, maxSpeed: 0 },
      },
    },
  ],
  ['port: ?1.*addr:00:00:00:00:00:2a', { type: 'port_mod', portNo: 1, hwAddr: 42n, config: 1, mask: 1 }],
  ['role=(primary|master) generation_id=7', { type: 'role_request', role: 'master', generationId: 7n }],
  [
    'PACKET_IN',
    {
      type: 'set_async',
      packetIn: { master: 7, slave: 0 },
      portStatus: { master: 7, slave: 7 },
      flowRemoved: { master: 15, slave: 0 },
    },
  ],
  [
    'bundle_id=0x3 type=OPEN_REQUEST flags=atomic ordered',
    { type: 'bundle_control', bundleId: 3, control: 'open_request', flags: 3 },
  ],
  [
    'bundle_id=0x3 flags=atomic ordered\\s.*FLOW_MOD',
    {
      type: 'bundle_add',
      bundleId: 3,
      flags: 3,
      message: {
        type: 'flow_mod',
        command: 'delete',
        table: 255,
        priority: 0,
        cookie: 1n,
        cookieMask: 3n,
        match: [],
        instructions: [],
      },
    },
  ],
  ['OFPST_DESC request', { type: 'desc_request' }],
  [
    'Manufacturer: us',
    {
      type: 'desc_reply',
      manufacturer: 'us',
      hardware: 'a',
      software: 'b',
      serialNumber: 'c',
      datapath: 'd',
    },
  ],
  ['OFPST_FLOW request.*table=3', { type: 'flow_stats_request', table: 3 }],
  [
    'cookie=0x9, duration=1s, table=3, n_packets=2, n_bytes=3, .*priority=7,tcp,nw_dst=10.0.0.0/8,tp_dst=80 actions=drop',
    {
      type: 'flow_stats_reply',
      entries: [
        {
          table: 3,
          priority: 7,
          cookie: 9n,
          idleTimeout: 0,
          hardTimeout: 0,
          flags: 0,
          match: tcp,
          instructions: [],
          ...counters,
        },
      ],
    },
  ],
  [
    'packet_count=2 byte_count=3 flow_count=1',
    { type: 'aggregate_reply', packetCount: 2n, byteCount: 3n, flowCount: 1 },
  ],
  [
    'active=3, lookup=4, matched=5',
    { type: 'table_stats_reply', entries: [{ table: 0, activeCount: 3, lookupCount: 4n, matchedCount: 5n }] },
  ],
  [
    'rx pkts=1, bytes=3, drop=5, errs=7, frame=9',
    {
      type: 'port_stats_reply',
      entries: [
        {
          portNo: 1,
          rxPackets: 1n,
          txPackets: 2n,
          rxBytes: 3n,
          txBytes: 4n,
          rxDropped: 5n,
          txDropped: 6n,
          rxErrors: 7n,
          txErrors: 8n,
          ethernet: { rxFrameErr: 9n, rxOverErr: 10n, rxCrcErr: 11n, collisions: 12n },
          durationSec: 1,
          durationNsec: 0,
        },
      ],
    },
  ],
  [
    'port 1 queue 2: bytes=3, pkts=4, errors=5',
    {
      type: 'queue_stats_reply',
      entries: [
        { port: 1, queueId: 2, txBytes: 3n, txPackets: 4n, txErrors: 5n, durationSec: 1, durationNsec: 0 },
      ],
    },
  ],
  [
    'group_id=5,duration=1[.0]*s,ref_count=1,packet_count=2,byte_count=3,bucket0:packet_count=4,byte_count=5',
    {
      type: 'group_stats_reply',
      entries: [
        {
          groupId: 5,
          refCount: 1,
          packetCount: 2n,
          byteCount: 3n,
          durationSec: 1,
          durationNsec: 0,
          buckets: [{ packetCount: 4n, byteCount: 5n }],
        },
      ],
    },
  ],
  [
    'group_id=5,type=all,bucket=.*actions=output:4',
    {
      type: 'group_desc_reply',
      entries: [{ groupId: 5, groupType: 'all', buckets: [{ actions: [{ type: 'output', port: 4 }] }] }],
    },
  ],
  [
    'max_groups(=|:)? ?0?x?9',
    {
      type: 'group_features_reply',
      types: 15,
      capabilities: 7,
      maxGroups: [9, 9, 9, 9],
      actions: [1, 1, 1, 1],
    },
  ],
  [
    'meter:5 flow_count:1 packet_in_count:2 byte_in_count:3 duration:1[.0]*s bands:\\s*0: packet_count:4 byte_count:5',
    {
      type: 'meter_stats_reply',
      entries: [
        {
          meterId: 5,
          flowCount: 1,
          packetInCount: 2n,
          byteInCount: 3n,
          durationSec: 1,
          durationNsec: 0,
          bands: [{ packetCount: 4n, byteCount: 5n }],
        },
      ],
    },
  ],
  [
    'meter=5 kbps bands=\\s*type=dscp_remark rate=100 prec_level=2',
    {
      type: 'meter_config_reply',
      entries: [{ meterId: 5, flags: ['kbps'], bands: [{ type: 'dscp_remark', rate: 100, precLevel: 2 }] }],
    },
  ],
  [
    'max_meter:9',
    { type: 'meter_features_reply', maxMeter: 9, bandTypes: 2, capabilities: 15, maxBands: 1, maxColor: 0 },
  ],
  [
    '1\\(p1\\): addr:00:00:00:00:00:2a',
    {
      type: 'port_desc_reply',
      entries: [
        {
          portNo: 1,
          hwAddr: 42n,
          name: 'p1',
          config: 0,
          state: 0,
          ethernet: { curr: 0, advertised: 0, supported: 0, peer: 0, currSpeed: 0, maxSpeed: 0 },
        },
      ],
    },
  ],
];

describe.each([OFP13, OFP15] as const)('OpenFlow version %i: ovs-ofctl prints what we meant', (version) => {
  it.each(messages)('%s', (pattern, message) => {
    const text = print(version, message);
    expect(text).not.toMatch(/decode error|truncated|bad OpenFlow|\*\*\*/i);
    expect(text.replaceAll('\n', ' ')).toMatch(new RegExp(pattern, 'i'));
  });
});
