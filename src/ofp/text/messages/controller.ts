/** Texts of flow_mod, group_mod, meter_mod, packet-in, packet-out, bundles. */
import type { Match } from '../../types/field.js';
import type { PacketIn, PacketInReason } from '../../types/message.js';
import { OFP_NO_BUFFER } from '../../types/message.js';
import { formatActions } from '../actions.js';
import { formatFlowMod } from '../flow.js';
import { formatGroupMod } from '../group.js';
import { formatMatch } from '../match-format.js';
import { registerMessageText } from '../message-registry.js';
import { formatMeterMod } from '../meter.js';
import { formatPacket } from '../packet.js';
import { formatPort } from '../ports.js';
import { hex } from '../values.js';

const OFP13 = 4;

registerMessageText('flow_mod', 'OFPT_FLOW_MOD', (m) => ` ${formatFlowMod(m)}`);
registerMessageText('group_mod', 'OFPT_GROUP_MOD', (m, { version }) => `\n ${formatGroupMod(m, version)}`);
registerMessageText('meter_mod', 'OFPT_METER_MOD', (m) => ` ${formatMeterMod(m)}`);

registerMessageText('packet_out', 'OFPT_PACKET_OUT', (m) => {
  const match = m.match === undefined ? '' : formatMatch(m.match.filter((f) => f.field?.name !== 'in_port'));
  let s = ` ${match}${match === '' ? '' : ','}in_port=${formatPort(m.inPort)} actions=${formatActions(m.actions)}`;
  if (m.bufferId !== undefined && m.bufferId !== OFP_NO_BUFFER)
    return `${s} buffer=0x${m.bufferId.toString(16).padStart(8, '0')}\n`;
  s += ` data_len=${m.data.length}`;
  return m.data.length === 0 ? `${s}\n` : `${s}\n${formatPacket(m.data)}\n`;
});

const REASONS: Readonly<Record<string, string>> = {
  table_miss: 'no_match',
  no_match: 'no_match',
  apply_action: 'action',
  invalid_ttl: 'invalid_ttl',
  action_set: 'action_set',
  group: 'group',
  packet_out: 'packet_out',
};
export function formatPacketInReason(reason: PacketInReason): string {
  return typeof reason === 'string' ? REASONS[reason]! : String(reason.unknown);
}

registerMessageText(
  'packet_in',
  (m) => (m.form === 'nxt_packet_in2' ? 'NXT_PACKET_IN2' : 'OFPT_PACKET_IN'),
  formatPacketIn,
);

/** Of every form of packet-in. Continuations are opaque. */
export function formatPacketIn(m: PacketIn): string {
  let s = '';
  const noCookie = m.cookie === 0xffffffffffffffffn;
  if (m.table !== 0) s += ` table_id=${m.table}`;
  if (!noCookie) s += ` cookie=0x${m.cookie.toString(16)}`;
  s += ` total_len=${m.totalLen} `;
  const match = formatMatch(m.match as Match);
  s += `${match}${match === '' ? '' : ' '}(via ${formatPacketInReason(m.reason)})`;
  s += ` data_len=${m.data.length}`;
  const buffered = m.bufferId !== undefined && m.bufferId !== OFP_NO_BUFFER;
  s += buffered ? ` buffer=0x${m.bufferId!.toString(16).padStart(8, '0')}` : ' (unbuffered)';
  s += '\n';
  if (m.userdata.length > 0)
    s += ` userdata=${[...m.userdata].map((b) => b.toString(16).padStart(2, '0')).join('.')}\n`;
  if (m.continuation !== undefined) s += ` continuation=${m.continuation.length} bytes\n`;
  return `${s}${formatPacket(m.data)}\n`;
}

const BUNDLE_FLAGS = ['atomic', 'ordered'];
const bundleFlags = (flags: number) => {
  const words = BUNDLE_FLAGS.filter((_, i) => (flags >>> i) & 1);
  const unknown = (flags & ~3) >>> 0;
  if (unknown !== 0) words.push(hex(unknown));
  return words.length === 0 ? '0' : words.join(' ');
};
const bundleName = (what: string) => (_: unknown, version: number) =>
  `${version === OFP13 ? 'ONFT' : 'OFPT'}_${what}`;
registerMessageText(
  'bundle_control',
  bundleName('BUNDLE_CONTROL'),
  (m) => `\n bundle_id=${hex(m.bundleId)} type=${m.control.toUpperCase()} flags=${bundleFlags(m.flags)}`,
);
registerMessageText(
  'bundle_add',
  bundleName('BUNDLE_ADD_MESSAGE'),
  (m, context) =>
    `\n bundle_id=${hex(m.bundleId)} flags=${bundleFlags(m.flags)}\n${context.nested(m.message, context.version, 0)}`,
);
registerMessageText(
  'requestforward',
  'OFPT_REQUESTFORWARD',
  (m, context) => ` reason=${m.message.type}\n${context.nested(m.message, context.version, m.innerXid)}`,
);
