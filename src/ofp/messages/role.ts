/** Roles and asynchronous configuration: OpenFlow 1.3.5 §7.3.9, §7.3.10; 1.5.1 §7.3.8, §7.3.10, §7.4.4, §7.4.7. */
import type { Reader } from '../bytes/reader.js';
import type { Writer } from '../bytes/writer.js';
import { names } from '../names.js';
import { decodeProperties, encodeProperty, encodeRaw, rawProperties } from '../properties.js';
import { registerMessage } from '../registry.js';
import type { OfpVersion } from '../types/field.js';
import { OFP13, OFP14, OFP15 } from '../types/field.js';
import type { MessageOf } from '../types/message.js';
import type { AsyncConfig, AsyncMask, Role } from '../types/session.js';

const ROLES = names<Role>({ nochange: 0, equal: 1, master: 2, slave: 3 });
const NO_SHORT_ID = 0xffff;

// role(4) pad(4) generation_id(8); 1.5: role(4) short_id(2) pad(2) generation_id(8)
type RoleMessage = 'role_request' | 'role_reply';
function role(type: RoleMessage, standard: number, name: string): void {
  registerMessage(type, {
    id: { standard },
    name,
    encode(w, m, version) {
      w.u32(ROLES.number(m.role));
      if (version >= OFP15) w.u16(m.shortId ?? NO_SHORT_ID);
      else w.zero(2);
      w.zero(2);
      w.u64(m.generationId);
    },
    decode(r, version) {
      const value = ROLES.name(r.u32('role'), r, 'role');
      const shortId = version >= OFP15 ? r.u16('short_id') : NO_SHORT_ID;
      r.zero(version >= OFP15 ? 2 : 4);
      const generationId = r.u64('generation_id');
      return {
        type,
        role: value,
        generationId,
        ...(shortId !== NO_SHORT_ID && { shortId }),
      } as MessageOf<RoleMessage>;
    },
  });
}
role('role_request', 24, 'OFPT_ROLE_REQUEST');
role('role_reply', 25, 'OFPT_ROLE_REPLY');

// role(4) reason(1) pad(3) generation_id(8) properties
registerMessage('role_status', {
  id: { standard: 30 },
  from: OFP14,
  name: 'OFPT_ROLE_STATUS',
  encode(w, m) {
    w.u32(ROLES.number(m.role));
    w.u8(m.reason);
    w.zero(3);
    w.u64(m.generationId);
    encodeRaw(w, m.rawProperties);
  },
  decode(r) {
    const value = ROLES.name(r.u32('role'), r, 'role');
    const reason = r.u8('reason');
    r.zero(3);
    const generationId = r.u64('generation_id');
    const raw = decodeProperties(r, () => false);
    return { type: 'role_status', role: value, reason, generationId, ...rawProperties(raw) };
  },
});

/** OFPACPT_*: the property for slaves; the one for masters is the next number. */
const ASYNC_PROPERTIES = [
  [0, 'packetIn'],
  [2, 'portStatus'],
  [4, 'flowRemoved'],
  [6, 'roleStatus'],
  [8, 'tableStatus'],
  [10, 'requestForward'],
  [12, 'flowStats'],
  [14, 'controllerStatus'],
] as const satisfies readonly (readonly [number, keyof AsyncConfig])[];

// 1.3: packet_in_mask(4+4) port_status_mask(4+4) flow_removed_mask(4+4), each master then slave
function encodeAsync13(w: Writer, c: AsyncConfig): void {
  for (const mask of [c.packetIn, c.portStatus, c.flowRemoved]) {
    w.u32(mask?.master ?? 0);
    w.u32(mask?.slave ?? 0);
  }
}
function decodeAsync13(r: Reader): AsyncConfig {
  const mask = (): AsyncMask => ({ master: r.u32('mask'), slave: r.u32('mask') });
  return { packetIn: mask(), portStatus: mask(), flowRemoved: mask() };
}

/** Properties of 1.4+, also those of NXT_SET_ASYNC_CONFIG2. */
export function encodeAsyncProperties(w: Writer, c: AsyncConfig): void {
  for (const [type, key] of ASYNC_PROPERTIES) {
    const mask = c[key];
    if (mask?.slave !== undefined) encodeProperty(w, type, () => w.u32(mask.slave!));
    if (mask?.master !== undefined) encodeProperty(w, type + 1, () => w.u32(mask.master!));
  }
  encodeRaw(w, c.rawProperties);
}
export function decodeAsyncProperties(r: Reader): AsyncConfig {
  const c: { [K in (typeof ASYNC_PROPERTIES)[number][1]]?: AsyncMask } = {};
  const raw = decodeProperties(r, (type) => {
    const known = ASYNC_PROPERTIES.find(([slave]) => slave === (type & ~1));
    if (known === undefined) return false;
    const key = known[1];
    c[key] = { ...c[key], [type & 1 ? 'master' : 'slave']: r.u32('mask') };
    return true;
  });
  return { ...c, ...rawProperties(raw) };
}

registerMessage('get_async_request', {
  id: { standard: 26 },
  name: 'OFPT_GET_ASYNC_REQUEST',
  encode() {},
  decode: () => ({ type: 'get_async_request' }),
});
type AsyncMessage = 'get_async_reply' | 'set_async';
function asynchronous(type: AsyncMessage, standard: number, name: string): void {
  const form = (
    versions: { from?: OfpVersion; to?: OfpVersion },
    encode: (w: Writer, c: AsyncConfig) => void,
    decode: (r: Reader) => AsyncConfig,
  ) => ({
    ...versions,
    id: { standard },
    name,
    encode,
    decode: (r: Reader) => ({ type, ...decode(r) }) as MessageOf<AsyncMessage>,
  });
  registerMessage(
    type,
    form({ to: OFP13 }, encodeAsync13, decodeAsync13),
    form({ from: OFP14 }, encodeAsyncProperties, decodeAsyncProperties),
  );
}
asynchronous('get_async_reply', 27, 'OFPT_GET_ASYNC_REPLY');
asynchronous('set_async', 28, 'OFPT_SET_ASYNC');

// length(2) short_id(2) role(4) reason(1) channel_status(1) pad(6) properties
registerMessage('controller_status', {
  id: { standard: 35 },
  from: OFP15,
  name: 'OFPT_CONTROLLER_STATUS',
  encode(w, c) {
    const start = w.pos;
    w.u16(0);
    w.u16(c.shortId);
    w.u32(c.role);
    w.u8(c.reason);
    w.u8(c.channelStatus);
    w.zero(6);
    encodeRaw(w, c.rawProperties);
    w.patchLength16(start, start, 'controller_status');
  },
  decode(r) {
    const start = r.pos;
    const length = r.u16('length');
    if (length !== r.end - start) throw r.fail('bad-length', `length ${length}`, start, 'length');
    const shortId = r.u16('short_id');
    const value = r.u32('role');
    const reason = r.u8('reason');
    const channelStatus = r.u8('channel_status');
    r.zero(6);
    return {
      type: 'controller_status',
      shortId,
      role: value,
      reason,
      channelStatus,
      rawProperties: decodeProperties(r, () => false),
    };
  },
});
