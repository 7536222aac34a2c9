/** Texts of multipart requests and replies. */
import type { Match } from '../../types/field.js';
import { OFPG_ANY, OFPP, OFPTT_ALL } from '../../types/message.js';
import type { FlowMonitor, FlowSelector, FlowUpdate, PortStats } from '../../types/multipart.js';
import { formatInstructions } from '../actions.js';
import { actionNames } from '../feature-lists.js';
import { formatFlowStats } from '../flow.js';
import { formatGroup } from '../group.js';
import { formatMatch } from '../match-format.js';
import { registerMessageText } from '../message-registry.js';
import { formatMeter } from '../meter.js';
import { formatGroupId, formatMeterId, formatPort } from '../ports.js';
import { formatDuration, hex, ones, toHex } from '../values.js';
import { bits } from './session.js';
import { formatPortDesc, formatQueueDesc, formatRemovedReason, formatTableDesc } from './switch.js';
import './table-features.js';
import { formatCustomStats } from './custom-stats.js';
import { ditto } from './table-features.js';

const OFP13 = 4;
const OFP14 = 5;
const ALL_QUEUES = 0xffffffff;

registerMessageText('desc_request', 'OFPST_DESC request');
registerMessageText(
  'desc_reply',
  'OFPST_DESC reply',
  (m) =>
    `\nManufacturer: ${m.manufacturer}\nHardware: ${m.hardware}\nSoftware: ${m.software}\n` +
    `Serial Num: ${m.serialNumber}\nDP Description: ${m.datapath}\n`,
);

registerMessageText('flow_stats_request', 'OFPST_FLOW request', formatSelector);
registerMessageText('flow_stats_reply', 'OFPST_FLOW reply', (m) =>
  m.entries.map((e) => `\n ${formatFlowStats(e)}`).join(''),
);
registerMessageText('aggregate_request', 'OFPST_AGGREGATE request', formatSelector);
registerMessageText(
  'aggregate_reply',
  'OFPST_AGGREGATE reply',
  (m) => ` packet_count=${m.packetCount} byte_count=${m.byteCount} flow_count=${m.flowCount}`,
);

function formatSelector(m: FlowSelector): string {
  let s = '';
  if (m.table !== undefined && m.table !== OFPTT_ALL) s += ` table=${m.table}`;
  if (m.outPort !== undefined && m.outPort !== OFPP.ANY) s += ` out_port=${formatPort(m.outPort)}`;
  const match = formatMatch((m.match ?? []) as Match);
  return `${s} ${match}`;
}

registerMessageText('table_stats_request', 'OFPST_TABLE request');
registerMessageText(
  'table_stats_reply',
  'OFPST_TABLE reply',
  (m) =>
    `\n${ditto(
      m.entries,
      (e) => e.table,
      (e) => `    active=${e.activeCount}, lookup=${e.lookupCount}, matched=${e.matchedCount}\n`,
      (e) => `  table ${e.table}:\n`,
    )}`,
);

registerMessageText(
  'port_stats_request',
  'OFPST_PORT request',
  (m) => ` port_no=${formatPort(m.port ?? OFPP.ANY)}`,
);
registerMessageText(
  'port_stats_reply',
  'OFPST_PORT reply',
  (m) => ` ${m.entries.length} ports\n${m.entries.map(formatPortStats).join('')}`,
);

/** All ones: the switch doesn't count it. */
function counter(v: bigint | undefined): string {
  return v === undefined || v === ones(64) ? '?' : String(v);
}

function formatPortStats(p: PortStats): string {
  const port = formatPort(p.portNo);
  const e = p.ethernet;
  let s = `  port ${port.length < 2 ? port.padStart(2) : port}: rx pkts=${counter(p.rxPackets)}, bytes=${counter(p.rxBytes)}, `;
  s += `drop=${counter(p.rxDropped)}, errs=${counter(p.rxErrors)}, frame=${counter(e?.rxFrameErr)}, `;
  s += `over=${counter(e?.rxOverErr)}, crc=${counter(e?.rxCrcErr)}\n`;
  s += `           tx pkts=${counter(p.txPackets)}, bytes=${counter(p.txBytes)}, drop=${counter(p.txDropped)}, `;
  s += `errs=${counter(p.txErrors)}, coll=${counter(e?.collisions)}\n`;
  if (p.durationSec !== 0xffffffff)
    s += `           duration=${formatDuration(p.durationSec, p.durationNsec)}\n`;
  return s + (p.rawProperties ?? []).map(formatCustomStats).join('');
}

const queue = (id: number | undefined) => (id === undefined || id === ALL_QUEUES ? 'ALL' : String(id));
registerMessageText(
  'queue_stats_request',
  'OFPST_QUEUE request',
  (m) => ` port=${formatPort(m.port ?? OFPP.ANY)} queue=${queue(m.queueId)}`,
);
registerMessageText('queue_stats_reply', 'OFPST_QUEUE reply', (m) => {
  const lines = m.entries.map((q) => {
    const duration = q.durationSec === 0xffffffff ? '?' : formatDuration(q.durationSec, q.durationNsec);
    return (
      `  port ${formatPort(q.port)} queue ${q.queueId}: bytes=${counter(q.txBytes)}, pkts=${counter(q.txPackets)}, ` +
      `errors=${counter(q.txErrors)}, duration=${duration}\n`
    );
  });
  return ` ${m.entries.length} queues\n${lines.join('')}`;
});
registerMessageText('queue_desc_request', 'OFPST_QUEUE_DESC request', (m) => {
  const one = m.queueId !== undefined && m.queueId !== ALL_QUEUES ? ` queue=${m.queueId}` : '';
  return ` port=${formatPort(m.port ?? OFPP.ANY)}${one}`;
});
registerMessageText('queue_desc_reply', 'OFPST_QUEUE_DESC reply', (m) => {
  const port = m.entries[0] === undefined ? '' : ` port=${formatPort(m.entries[0].port)}`;
  return `${port}\n${m.entries.map(formatQueueDesc).join('')}`;
});

registerMessageText(
  'group_stats_request',
  'OFPST_GROUP request',
  (m) => ` group_id=${formatGroupId(m.groupId ?? 0xfffffffc)}`,
);
registerMessageText('group_stats_reply', 'OFPST_GROUP reply', (m) =>
  m.entries
    .map((g) => {
      const duration =
        g.durationSec === 0xffffffff ? '' : `duration=${formatDuration(g.durationSec, g.durationNsec)},`;
      const buckets = g.buckets.map(
        (b, i) => `,bucket${i}:packet_count=${b.packetCount},byte_count=${b.byteCount}`,
      );
      return `\n group_id=${g.groupId},${duration}ref_count=${g.refCount},packet_count=${g.packetCount},byte_count=${g.byteCount}${buckets.join('')}`;
    })
    .join(''),
);
registerMessageText(
  'group_desc_request',
  'OFPST_GROUP_DESC request',
  (m) => ` group_id=${formatGroupId(m.groupId ?? 0xfffffffc)}`,
);
registerMessageText('group_desc_reply', 'OFPST_GROUP_DESC reply', (m, { version }) =>
  m.entries.map((g) => `\n ${formatGroup(g, version)}`).join(''),
);
registerMessageText('group_features_request', 'OFPST_GROUP_FEATURES request');

const GROUP_TYPES = ['all', 'select', 'indirect', 'fast failover'];
registerMessageText('group_features_reply', 'OFPST_GROUP_FEATURES reply', (m) => {
  let s = `\n Group table:\n    Types:  0x${m.types.toString(16)}\n    Capabilities:  0x${m.capabilities.toString(16)}\n`;
  for (const [i, name] of GROUP_TYPES.entries()) {
    if (((m.types >>> i) & 1) === 0) continue;
    s += `    ${name} group:\n       max_groups=${hex(m.maxGroups[i] ?? 0)}\n`;
    const actions = m.actions[i] ?? 0;
    s += `       actions: ${actions === 0 ? '(none)' : actionNames(Array.from({ length: 32 }, (_, bit) => bit).filter((bit) => (actions >>> bit) & 1))}\n`;
  }
  return s;
});

registerMessageText(
  'meter_stats_request',
  'OFPST_METER request',
  (m) => ` meter=${formatMeterId(m.meterId ?? 0xffffffff)}`,
);
registerMessageText(
  'meter_stats_reply',
  'OFPST_METER reply',
  (m) =>
    `\n${m.entries
      .map((s) => {
        const bands = s.bands.map(
          (b, i) => `${i}: packet_count:${b.packetCount} byte_count:${b.byteCount}\n`,
        );
        const duration = formatDuration(s.durationSec, s.durationNsec);
        return (
          `meter:${formatMeterId(s.meterId)} flow_count:${s.flowCount} packet_in_count:${s.packetInCount} ` +
          `byte_in_count:${s.byteInCount} duration:${duration} bands:\n${bands.join('')}`
        );
      })
      .join('\n')}`,
);
registerMessageText(
  'meter_config_request',
  'OFPST_METER_CONFIG request',
  (m) => ` meter=${formatMeterId(m.meterId ?? 0xffffffff)}`,
);
registerMessageText(
  'meter_config_reply',
  'OFPST_METER_CONFIG reply',
  (m) => `\n${m.entries.map(formatMeter).join('\n')}`,
);
registerMessageText('meter_features_request', 'OFPST_METER_FEATURES request');
const BANDS: readonly (readonly [number, string])[] = [
  [1, 'drop'],
  [2, 'dscp_remark'],
];
const METER_FLAGS = ['kbps', 'pktps', 'burst', 'stats'].map((name, i) => [i, name] as const);
registerMessageText(
  'meter_features_reply',
  'OFPST_METER_FEATURES reply',
  (m) =>
    `\nmax_meter:${m.maxMeter} max_bands:${m.maxBands} max_color:${m.maxColor}\n` +
    `band_types: ${bits(m.bandTypes, BANDS)}\ncapabilities: ${bits(m.capabilities, METER_FLAGS)}\n`,
);

registerMessageText('table_desc_request', 'OFPST_TABLE_DESC request');
registerMessageText('table_desc_reply', 'OFPST_TABLE_DESC reply', (m) =>
  m.entries.map((t) => `\n  table ${t.table}:\n${formatTableDesc(t)}`).join(''),
);
registerMessageText('port_desc_request', 'OFPST_PORT_DESC request', (m, { version }) =>
  version > OFP14 || m.port !== undefined ? ` port=${formatPort(m.port ?? OFPP.ANY)}` : ' port=ANY',
);
registerMessageText(
  'port_desc_reply',
  'OFPST_PORT_DESC reply',
  (m) =>
    `\n${[...m.entries]
      .sort((a, b) => a.portNo - b.portNo)
      .map(formatPortDesc)
      .join('')}`,
);

const monitorName = (what: string) => (_: unknown, version: number) =>
  `${version === OFP13 ? 'ONFST' : 'OFPST'}_FLOW_MONITOR ${what}`;
registerMessageText('flow_monitor_request', monitorName('request'), (m, { version }) =>
  m.monitors.map((f) => formatMonitor(f, version)).join(''),
);

/** OFPFMF_* */
const MONITOR_FLAGS: readonly (readonly [number, string])[] = [
  [0, 'initial'],
  [1, 'add'],
  [2, 'delete'],
  [3, 'modify'],
  [4, 'actions'],
];
const ONLY_OWN = 0x40;

function formatMonitor(f: FlowMonitor, version: number): string {
  let flags = bits(f.flags & 0x1f, MONITOR_FLAGS, ',');
  // Bit 5 was moved to bit 6 in OpenFlow 1.4, where it has another meaning.
  if (f.flags & (version === OFP13 ? 0x20 : ONLY_OWN)) flags += ',own';
  if (version > OFP13 && f.flags & 0x20) flags += ',no_abbrev';
  let s = `\n id=${f.monitorId} flags=${flags}`;
  if (f.outPort !== undefined && f.outPort !== OFPP.ANY) s += ` out_port=${formatPort(f.outPort)}`;
  if (f.outGroup !== undefined && f.outGroup !== OFPG_ANY) s += ` out_group=${f.outGroup}`;
  if (f.table !== OFPTT_ALL) s += ` table=${f.table}`;
  return `${s} ${formatMatch(f.match)}`.trimEnd();
}

registerMessageText('flow_monitor_reply', monitorName('reply'), (m) =>
  m.entries.map((u) => `\n event=${formatUpdate(u)}`).join(''),
);

const EVENTS = { initial: 'INITIAL', added: 'ADDED', removed: 'DELETED', modified: 'MODIFIED' } as const;
const REMOVED_REASONS = [
  'idle_timeout',
  'hard_timeout',
  'delete',
  'group_delete',
  'meter_delete',
  'eviction',
] as const;

function formatUpdate(u: FlowUpdate): string {
  switch (u.event) {
    case 'abbrev':
      return `ABBREV xid=0x${u.xid.toString(16)}`;
    case 'paused':
      return 'PAUSED';
    case 'resumed':
      return 'RESUMED';
    case 'raw':
      return `0x${toHex(u.bytes)}`;
  }
  let s: string = EVENTS[u.event];
  if (u.event === 'removed')
    s += ` reason=${formatRemovedReason(REMOVED_REASONS[u.reason] ?? { unknown: u.reason })}`;
  s += ` table=${u.table}`;
  if (u.idleTimeout) s += ` idle_timeout=${u.idleTimeout}`;
  if (u.hardTimeout) s += ` hard_timeout=${u.hardTimeout}`;
  s += ` cookie=${hex(u.cookie)} ${formatMatch(u.match)}`;
  if (!s.endsWith(' ')) s += ' ';
  return u.instructions.length === 0 ? s.trimEnd() : `${s}actions=${formatInstructions(u.instructions)}`;
}
