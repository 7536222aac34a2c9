/** Texts of Nicira's messages. */

import { registerMessageText } from '../../ofp/text/message-registry.js';
import { formatPacketIn } from '../../ofp/text/messages/controller.js';
import { asyncConfig, ROLES } from '../../ofp/text/messages/session.js';
import { formatIpv4, formatIpv6 } from '../../ofp/text/values.js';
import type { CtFlush, CtTuple, TlvMap } from '../message-types.js';

registerMessageText('nx_resume', 'NXT_RESUME', (m) => formatPacketIn(m.packet));
registerMessageText('nx_set_controller_id', 'NXT_SET_CONTROLLER_ID', (m) => ` id=${m.controllerId}`);
registerMessageText('nx_set_packet_in_format', 'NXT_SET_PACKET_IN_FORMAT', (m) => ` format=${m.format}`);
registerMessageText(
  'nx_flow_mod_table_id',
  'NXT_FLOW_MOD_TABLE_ID',
  (m) => ` ${m.set ? 'enable' : 'disable'}`,
);
registerMessageText('nx_set_async_config2', 'NXT_SET_ASYNC_CONFIG2', asyncConfig);
registerMessageText('nx_role_request', 'NXT_ROLE_REQUEST', (m) => ` role=${ROLES[m.role]}`);
registerMessageText('nx_role_reply', 'NXT_ROLE_REPLY', (m) => ` role=${ROLES[m.role]}`);
registerMessageText('nx_ct_flush_zone', 'NXT_CT_FLUSH_ZONE', (m) => ` zone_id=${m.zone}`);
registerMessageText('nx_ct_flush', 'NXT_CT_FLUSH', formatCtFlush);

const ICMP = 1;
const ICMPV6 = 58;

function formatCtFlush(m: CtFlush): string {
  const protocol = m.protocol ?? 0;
  const v4 = [m.original?.src, m.original?.dst, m.reply?.src, m.reply?.dst].some(
    (a) => typeof a === 'number',
  );
  const original = `${formatTuple(m.original ?? {}, protocol, v4)},ct_nw_proto=${protocol}`;
  return ` zone=${m.zone ?? 0} '${original}' '${formatTuple(m.reply ?? {}, protocol, v4)}'`;
}

/** An address that isn't given is `::` in both families, as ovs-ofctl has it. */
function formatTuple(t: CtTuple, protocol: number, v4: boolean): string {
  const address = (a: CtTuple['src']) =>
    a === undefined ? '::' : typeof a === 'number' ? formatIpv4(a) : formatIpv6(a);
  const name = v4 ? 'ct_nw' : 'ct_ipv6';
  const addresses = `${name}_src=${address(t.src)},${name}_dst=${address(t.dst)}`;
  if (protocol === ICMP || protocol === ICMPV6)
    return `${addresses},icmp_id=${t.icmpId ?? 0},icmp_type=${t.icmpType ?? 0},icmp_code=${t.icmpCode ?? 0}`;
  return `${addresses},ct_tp_src=${t.srcPort ?? 0},ct_tp_dst=${t.dstPort ?? 0}`;
}

function formatMaps(maps: readonly TlvMap[]): string {
  const lines = maps.map(
    (t) =>
      ` ${`0x${t.optClass.toString(16)}`.padStart(6)}  ${hex(t.optType).padStart(4)}  ${String(t.optLen).padStart(6)}  tun_metadata${t.index}`,
  );
  return ` mapping table:\n  class  type  length  match field\n ------  ----  ------  --------------\n${lines.join('\n')}`;
}

function hex(v: number): string {
  return v === 0 ? '0' : `0x${v.toString(16)}`;
}

const TLV_COMMANDS = { add: 'ADD', delete: 'DEL', clear: 'CLEAR' } as const;
registerMessageText(
  'nx_tlv_table_mod',
  'NXT_TLV_TABLE_MOD',
  (m) => `\n ${TLV_COMMANDS[m.command]}${m.command === 'clear' ? '' : formatMaps(m.maps)}`,
);
registerMessageText('nx_tlv_table_request', 'NXT_TLV_TABLE_REQUEST');
registerMessageText('nx_tlv_table_reply', 'NXT_TLV_TABLE_REPLY', (m) => {
  const used = m.maps.reduce((n, t) => n + t.optLen, 0);
  return `\n max option space=${m.maxOptionSpace} max fields=${m.maxFields}\n allocated option space=${used}\n\n${formatMaps(m.maps)}`;
});
registerMessageText('flow_monitor_cancel', 'ONFT_FLOW_MONITOR_CANCEL', (m) => ` id=${m.monitorId}`);
registerMessageText('flow_monitor_paused', 'ONFT_FLOW_MONITOR_PAUSED');
registerMessageText('flow_monitor_resumed', 'ONFT_FLOW_MONITOR_RESUMED');
