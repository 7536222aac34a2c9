/** Settings of a connection. */
import { decodeAsyncProperties, encodeAsyncProperties } from '../../ofp/messages/role.js';
import { names } from '../../ofp/names.js';
import { OFP13 } from '../../ofp/types/field.js';
import type { MessageOf } from '../../ofp/types/message.js';
import type { PacketInFormat } from '../message-types.js';
import { niciraMessage } from './register.js';

// zero(6) controller_id(2)
niciraMessage('nx_set_controller_id', 20, 'SET_CONTROLLER_ID', {
  encode(w, m) {
    w.zero(6);
    w.u16(m.controllerId);
  },
  decode(r) {
    r.zero(6);
    return { type: 'nx_set_controller_id', controllerId: r.u16('controller_id') };
  },
});

const FORMATS = names<PacketInFormat>({ standard: 0, nxt_packet_in: 1, nxt_packet_in2: 2 });
// format(4)
niciraMessage('nx_set_packet_in_format', 16, 'SET_PACKET_IN_FORMAT', {
  encode: (w, m) => w.u32(FORMATS.number(m.format)),
  decode: (r) => ({ type: 'nx_set_packet_in_format', format: FORMATS.name(r.u32('format'), r, 'format') }),
});

// set(1) pad(7)
niciraMessage('nx_flow_mod_table_id', 15, 'FLOW_MOD_TABLE_ID', {
  encode(w, m) {
    w.u8(m.set ? 1 : 0);
    w.zero(7);
  },
  decode(r) {
    const set = r.u8('set');
    if (set > 1) throw r.fail('bad-value', `${set}, not 0 or 1`, r.pos - 1, 'set');
    r.zero(7);
    return { type: 'nx_flow_mod_table_id', set: set === 1 };
  },
});

// properties of OpenFlow 1.4's OFPT_SET_ASYNC
niciraMessage('nx_set_async_config2', 27, 'SET_ASYNC_CONFIG2', {
  to: OFP13,
  encode: (w, m) => encodeAsyncProperties(w, m),
  decode: (r) => ({ type: 'nx_set_async_config2', ...decodeAsyncProperties(r) }),
});

type RoleMessage = 'nx_role_request' | 'nx_role_reply';
const ROLES = names<MessageOf<RoleMessage>['role']>({ equal: 0, master: 1, slave: 2 });
// role(4)
function role(type: RoleMessage, subtype: number, name: string): void {
  niciraMessage(type, subtype, name, {
    encode: (w, m) => w.u32(ROLES.number(m.role)),
    decode: (r) => ({ type, role: ROLES.name(r.u32('role'), r, 'role') }) as MessageOf<RoleMessage>,
  });
}
role('nx_role_request', 10, 'ROLE_REQUEST');
role('nx_role_reply', 11, 'ROLE_REPLY');
