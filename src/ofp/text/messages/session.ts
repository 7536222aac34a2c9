/** Texts of hello, error, echo, features, configuration, roles, async masks. */
import { errorName } from '../../error-names.js';
import type { AsyncConfig, AsyncMask } from '../../types/session.js';
import { type MessageContext, registerMessageText } from '../message-registry.js';
import { hexDump } from '../values.js';

registerMessageText('hello', 'OFPT_HELLO', ({ versions }, { version }) => {
  const list = versions ?? Array.from({ length: version }, (_, i) => i + 1);
  return `\n version bitmap: ${list.map((v) => `0x${v.toString(16).padStart(2, '0')}`).join(', ')}\n`;
});

const HELLO_FAILED = 0;
registerMessageText('error', 'OFPT_ERROR', (m, context) => {
  const name = ` ${errorName(m, context.version)}\n`;
  if (m.errorType === HELLO_FAILED) return `${name}${printable(m.data)}\n`;
  return name + context.nestedBytes(m.data);
});

function printable(data: Uint8Array): string {
  return [...data]
    .map((b) => (b >= 32 && b < 127 ? String.fromCharCode(b) : `\\x${b.toString(16).padStart(2, '0')}`))
    .join('');
}

const payload = (data: Uint8Array) => ` ${data.length} bytes of payload\n${hexDump(data)}`;
registerMessageText('echo_request', 'OFPT_ECHO_REQUEST', (m) => payload(m.data));
registerMessageText('echo_reply', 'OFPT_ECHO_REPLY', (m) => payload(m.data));
registerMessageText('barrier_request', 'OFPT_BARRIER_REQUEST');
registerMessageText('barrier_reply', 'OFPT_BARRIER_REPLY');

registerMessageText('features_request', 'OFPT_FEATURES_REQUEST');
const CAPABILITIES: readonly (readonly [number, string])[] = [
  [0, 'FLOW_STATS'],
  [1, 'TABLE_STATS'],
  [2, 'PORT_STATS'],
  [3, 'GROUP_STATS'],
  [5, 'IP_REASM'],
  [6, 'QUEUE_STATS'],
  [8, 'PORT_BLOCKED'],
  [9, 'BUNDLES'],
  [10, 'FLOW_MONITORING'],
];
registerMessageText('features_reply', 'OFPT_FEATURES_REPLY', (m) => {
  let s = ` dpid:${m.datapathId.toString(16).padStart(16, '0')}\nn_tables:${m.nTables}, n_buffers:${m.nBuffers}`;
  if (m.auxiliaryId !== 0) s += `, auxiliary_id:${m.auxiliaryId}`;
  return `${s}\ncapabilities: ${bits(m.capabilities, CAPABILITIES)}\n`;
});

/** Names of the bits that are set; unknown ones in one number at the end; nothing: 0. */
export function bits(value: number, names: readonly (readonly [number, string])[], separator = ' '): string {
  const out = names.filter(([bit]) => (value >>> bit) & 1).map(([, name]) => name);
  const unknown = names.reduce((rest, [bit]) => rest & ~(1 << bit), value) >>> 0;
  if (unknown !== 0) out.push(`0x${unknown.toString(16)}`);
  return out.length === 0 ? '0' : out.join(separator);
}

const FRAGS = ['normal', 'drop', 'reassemble', 'nx-match'];
const config = (m: { readonly flags: number; readonly missSendLen: number }) =>
  ` frags=${FRAGS[m.flags & 3]} miss_send_len=${m.missSendLen}\n`;
registerMessageText('get_config_request', 'OFPT_GET_CONFIG_REQUEST');
registerMessageText('get_config_reply', 'OFPT_GET_CONFIG_REPLY', config);
registerMessageText('set_config', 'OFPT_SET_CONFIG', config);

export const ROLES = { nochange: 'nochange', equal: 'equal', master: 'primary', slave: 'secondary' } as const;
const NO_GENERATION = 0xffffffffffffffffn;
const role = (m: {
  readonly role: keyof typeof ROLES;
  readonly generationId: bigint;
  readonly shortId?: number;
}) => ` role=${ROLES[m.role]}${m.generationId === NO_GENERATION ? '' : ` generation_id=${m.generationId}`}\n`;
registerMessageText('role_request', 'OFPT_ROLE_REQUEST', role);
registerMessageText('role_reply', 'OFPT_ROLE_REPLY', role);
const ROLE_REASONS = ['master_request', 'configuration_changed', 'experimenter_data_changed'];
registerMessageText('role_status', 'OFPT_ROLE_STATUS', (m) => {
  const generation = m.generationId === NO_GENERATION ? '' : ` generation_id=${m.generationId}`;
  return ` role=${ROLES[m.role]}${generation} reason=${ROLE_REASONS[m.reason] ?? m.reason}\n`;
});

registerMessageText('get_async_request', 'OFPT_GET_ASYNC_REQUEST');
registerMessageText('get_async_reply', 'OFPT_GET_ASYNC_REPLY', asyncConfig);
registerMessageText('set_async', 'OFPT_SET_ASYNC', asyncConfig);

const ASYNC: readonly (readonly [string, keyof AsyncConfig, readonly string[]])[] = [
  ['PACKET_IN', 'packetIn', ['no_match', 'action', 'invalid_ttl', 'action_set', 'group', 'packet_out']],
  ['PORT_STATUS', 'portStatus', ['add', 'delete', 'modify']],
  ['FLOW_REMOVED', 'flowRemoved', ['idle', 'hard', 'delete', 'group_delete', 'meter_delete', 'eviction']],
  ['ROLE_STATUS', 'roleStatus', ROLE_REASONS],
  ['TABLE_STATUS', 'tableStatus', ['', '', '', 'vacancy_down', 'vacancy_up']],
  ['REQUESTFORWARD', 'requestForward', ['group_mod_request', 'meter_mod_request']],
];

export function asyncConfig(m: AsyncConfig, _context?: MessageContext): string {
  return `\n primary:\n${asyncLines(m, 'master')}\n secondary:\n${asyncLines(m, 'slave')}`;
}

function asyncLines(m: AsyncConfig, side: keyof AsyncMask): string {
  return ASYNC.map(([name, key, reasons]) => {
    const mask = (m[key] as AsyncMask | undefined)?.[side] ?? 0;
    const words: string[] = [];
    for (let bit = 0; bit < 32; bit++) if ((mask >>> bit) & 1) words.push(reasons[bit] || String(bit));
    return `${name.padStart(16)}: ${words.length === 0 ? '(off)' : words.join(' ')}\n`;
  }).join('');
}
