/** Texts of ports, tables, expired flows. */

import type { FlowRemovedReason, PortDesc, TableDesc } from '../../types/switch.js';
import { formatMatch } from '../match-format.js';
import { registerMessageText } from '../message-registry.js';
import { formatPort } from '../ports.js';
import { formatDuration, formatEthernet, hex } from '../values.js';
import { bits } from './session.js';

const CONFIG: readonly (readonly [number, string])[] = [
  [0, 'PORT_DOWN'],
  [2, 'NO_RECV'],
  [5, 'NO_FWD'],
  [6, 'NO_PACKET_IN'],
];
const STATE: readonly (readonly [number, string])[] = [
  [0, 'LINK_DOWN'],
  [1, 'BLOCKED'],
  [2, 'LIVE'],
];
const FEATURES: readonly (readonly [number, string])[] = [
  '10MB-HD',
  '10MB-FD',
  '100MB-HD',
  '100MB-FD',
  '1GB-HD',
  '1GB-FD',
  '10GB-FD',
  '40GB-FD',
  '100GB-FD',
  '1TB-FD',
  'OTHER',
  'COPPER',
  'FIBER',
  'AUTO_NEG',
  'AUTO_PAUSE',
  'AUTO_PAUSE_ASYM',
].map((name, i) => [i, name] as const);

/** ` 1(p1): addr:…` and four lines or more. */
export function formatPortDesc(p: PortDesc): string {
  const name = p.name === '' ? '' : `(${p.name})`;
  let s = ` ${formatPort(p.portNo)}${name}: addr:${formatEthernet(p.hwAddr)}\n`;
  s += `     config:     ${bits(p.config, CONFIG)}\n     state:      ${bits(p.state, STATE)}\n`;
  const e = p.ethernet;
  if (e?.curr) s += `     current:    ${bits(e.curr, FEATURES)}\n`;
  if (e?.advertised) s += `     advertised: ${bits(e.advertised, FEATURES)}\n`;
  if (e?.supported) s += `     supported:  ${bits(e.supported, FEATURES)}\n`;
  if (e?.peer) s += `     peer:       ${bits(e.peer, FEATURES)}\n`;
  return `${s}     speed: ${Math.floor((e?.currSpeed ?? 0) / 1000)} Mbps now, ${Math.floor((e?.maxSpeed ?? 0) / 1000)} Mbps max\n`;
}

const PORT_REASONS = { add: 'ADD', delete: 'DEL', modify: 'MOD' } as const;
registerMessageText(
  'port_status',
  'OFPT_PORT_STATUS',
  (m) => ` ${PORT_REASONS[m.reason]}:${formatPortDesc(m.port)}`,
);
registerMessageText('port_mod', 'OFPT_PORT_MOD', (m) => {
  const advertise = m.advertise ? bits(m.advertise, FEATURES) : 'UNCHANGED';
  return (
    ` port: ${formatPort(m.portNo)}: addr:${formatEthernet(m.hwAddr)}\n     config: ${bits(m.config, CONFIG)}\n` +
    `     mask:   ${bits(m.mask, CONFIG)}\n     advertise: ${advertise}\n`
  );
});

const EVICTION: readonly (readonly [number, string])[] = [
  [0, 'OTHER'],
  [1, 'IMPORTANCE'],
  [2, 'LIFETIME'],
];
const OFPTC = { MISS_CONTINUE: 1, MISS_DROP: 2, EVICTION: 4, VACANCY_EVENTS: 8 };
const OFPTT_ALL = 0xff;
const OFP14 = 5;

registerMessageText('table_mod', 'OFPT_TABLE_MOD', (m, { version }) => {
  let s = m.table === OFPTT_ALL ? ' table_id: ALL_TABLES' : ` table_id=${m.table}`;
  if (version < OFP14) {
    const miss = m.config & 3;
    if (miss !== 0) s += `, flow_miss_config=${miss === 1 ? 'continue' : miss === 2 ? 'drop' : 'Unknown'}`;
    return s;
  }
  s += `, eviction=${m.config & OFPTC.EVICTION ? 'on' : 'off'}`;
  if (m.eviction !== undefined) s += `, eviction_flags=${bits(m.eviction, EVICTION, '|')}`;
  s += `, vacancy=${m.config & OFPTC.VACANCY_EVENTS ? 'on' : 'off'}`;
  if (m.config & OFPTC.VACANCY_EVENTS && m.vacancy)
    s += ` vacancy_down=${m.vacancy.down}% vacancy_up=${m.vacancy.up}%`;
  return s;
});

/** What is told of a table's configuration, 1.4+. */
export function formatTableDesc(t: TableDesc): string {
  let s = `   eviction=${t.config & OFPTC.EVICTION ? 'on' : 'off'}`;
  s += ` eviction_flags=${bits(t.eviction ?? 0, EVICTION, '|')}\n`;
  s += `   vacancy=${t.config & OFPTC.VACANCY_EVENTS ? 'on' : 'off'}`;
  if (t.config & OFPTC.VACANCY_EVENTS && t.vacancy)
    s += ` vacancy_down=${t.vacancy.down}% vacancy_up=${t.vacancy.up}% vacancy=${t.vacancy.vacancy ?? 0}%`;
  return `${s}\n`;
}

registerMessageText('table_status', 'OFPT_TABLE_STATUS', (m) => {
  const reason = m.reason === 3 ? 'VACANCY_DOWN' : m.reason === 4 ? 'VACANCY_UP' : String(m.reason);
  return ` reason=${reason}\ntable_desc:-\n  table ${m.table.table}:\n${formatTableDesc(m.table)}`;
});

const REMOVED = {
  idle_timeout: 'idle',
  hard_timeout: 'hard',
  delete: 'delete',
  group_delete: 'group_delete',
  meter_delete: 'meter_delete',
  eviction: 'eviction',
} as const;

export function formatRemovedReason(reason: FlowRemovedReason): string {
  return typeof reason === 'string' ? REMOVED[reason] : String(reason.unknown);
}

registerMessageText('flow_removed', 'OFPT_FLOW_REMOVED', (m) => {
  const match = formatMatch(m.match, m.priority);
  let s = ` ${match}${match === '' ? '' : ' '}reason=${formatRemovedReason(m.reason)}`;
  if (m.table !== OFPTT_ALL) s += ` table_id=${m.table}`;
  if (m.cookie !== 0n) s += ` cookie:${hex(m.cookie)}`;
  s += ` duration${formatDuration(m.durationSec, m.durationNsec)} idle${m.idleTimeout}`;
  if (m.hardTimeout !== 0) s += ` hard${m.hardTimeout}`;
  return `${s} pkts${m.packetCount ?? 0} bytes${m.byteCount ?? 0}\n`;
});

registerMessageText(
  'controller_status',
  'OFPT_CONTROLLER_STATUS',
  (m) =>
    ` short_id=${m.shortId} role=${m.role} reason=${m.reason} channel=${m.channelStatus === 0 ? 'up' : 'down'}\n`,
);
registerMessageText(
  'queue_get_config_request',
  'OFPT_QUEUE_GET_CONFIG_REQUEST',
  (m) => ` port=${formatPort(m.port)}`,
);
registerMessageText(
  'queue_get_config_reply',
  'OFPT_QUEUE_GET_CONFIG_REPLY',
  (m) => ` port=${formatPort(m.port)}\n${m.queues.map(formatQueueDesc).join('')}`,
);

/** `queue 0: min_rate:1.0%` */
export function formatQueueDesc(q: {
  readonly queueId: number;
  readonly minRate?: number;
  readonly maxRate?: number;
}): string {
  const rate = (name: string, v: number | undefined) => {
    if (v === undefined || v === 0xffff) return '';
    return v > 1000 ? ` ${name}:(disabled)` : ` ${name}:${Math.floor(v / 10)}.${v % 10}%`;
  };
  return `queue ${q.queueId}:${rate('min_rate', q.minRate)}${rate('max_rate', q.maxRate)}\n`;
}
