/**
 * The few fixed layouts that the connection itself lives on: the header, hello, echo, error, features,
 * barrier and bundle control. They are needed before a version is agreed, or for every message, so they are
 * read and written in place here; all other messages go through the codec.
 */
import type { Writer } from '../bytes/writer.js';
import { OFP13, OFP14, OFP15, type OfpVersion } from '../types/field.js';

/** Message types that the connection handles itself; OpenFlow 1.3 §A.1, 1.5 §7.1.1. */
export const OFPT = {
  HELLO: 0,
  ERROR: 1,
  ECHO_REQUEST: 2,
  ECHO_REPLY: 3,
  EXPERIMENTER: 4,
  FEATURES_REQUEST: 5,
  FEATURES_REPLY: 6,
  MULTIPART_REQUEST: 18,
  MULTIPART_REPLY: 19,
  BARRIER_REQUEST: 20,
  BARRIER_REPLY: 21,
  BUNDLE_CONTROL: 33,
  BUNDLE_ADD: 34,
} as const;

/** ONF_VENDOR_ID: bundles of OpenFlow 1.3 are its extension 230. */
const ONF = 0x4f4e4600;
const ONFT_BUNDLE_CONTROL = 2300;
const ONFT_BUNDLE_ADD = 2301;

/** Control types of a bundle, OpenFlow 1.4 §7.3.9.1. A reply's type is the request's plus one. */
export const OFPBCT = { OPEN: 0, CLOSE: 2, COMMIT: 4, DISCARD: 6 } as const;
/** OFPBF_ATOMIC | OFPBF_ORDERED. */
const BUNDLE_FLAGS = 3;

export const OFPET_HELLO_FAILED = 0;

export function typeOf(message: Uint8Array): number {
  return message[1]!;
}

export function xidOf(message: Uint8Array): number {
  return u32(message, 4);
}

/** Types that answer a request by its xid. Experimenter messages may. */
export function isReply(type: number): boolean {
  switch (type) {
    case OFPT.EXPERIMENTER:
    case OFPT.FEATURES_REPLY:
    case 8: // get config reply
    case OFPT.MULTIPART_REPLY:
    case OFPT.BARRIER_REPLY:
    case 23: // queue get config reply
    case 25: // role reply
    case 27: // get async reply
    case OFPT.BUNDLE_CONTROL:
      return true;
    default:
      return false;
  }
}

/** Type and code of an error message, OpenFlow 1.3 §7.4.4; undefined where it is too short. */
export function readError(message: Uint8Array): { type: number; code: number } | undefined {
  return message.length < 12 ? undefined : { type: u16(message, 8), code: u16(message, 10) };
}

/** Calls `see` with the type of each message in `bytes`, which are whole messages. */
export function eachType(bytes: Uint8Array, see: (type: number) => void): void {
  for (let at = 0; at < bytes.length; at += u16(bytes, at + 2)) see(bytes[at + 1]!);
}

function u16(bytes: Uint8Array, at: number): number {
  return (bytes[at]! << 8) | bytes[at + 1]!;
}

function u32(bytes: Uint8Array, at: number): number {
  return ((bytes[at]! << 24) | (bytes[at + 1]! << 16) | (bytes[at + 2]! << 8) | bytes[at + 3]!) >>> 0;
}

/** Writes a header whose length `end` fills in; returns where it starts. */
function begin(w: Writer, version: number, type: number, xid: number): number {
  const start = w.pos;
  w.u8(version);
  w.u8(type);
  w.u16(8);
  w.u32(xid);
  return start;
}

function end(w: Writer, start: number): void {
  w.patchLength16(start + 2, start, 'length');
}

/** Hello with a version bitmap, OpenFlow 1.3.1 §7.5.1. */
export function writeHello(w: Writer, versions: readonly OfpVersion[], xid: number): void {
  const start = begin(w, Math.max(...versions), OFPT.HELLO, xid);
  w.u16(1); // OFPHET_VERSIONBITMAP
  w.u16(8);
  w.u32(versions.reduce((bits, v) => bits | (1 << v), 0) >>> 0);
  end(w, start);
}

/** Versions that a hello offers: bit n stands for version byte n. Unknown elements are skipped. */
export function readHello(message: Uint8Array): number {
  for (let at = 8; at + 4 <= message.length; ) {
    const length = u16(message, at + 2);
    if (length < 4 || at + length > message.length) break;
    if (u16(message, at) === 1 && length >= 8) return u32(message, at + 4);
    at += (length + 7) & ~7;
  }
  // Without a bitmap: the header's version and, by custom, all below.
  const version = message[0]!;
  return version >= 31 ? 0xffffffff : 2 ** (version + 1) - 2;
}

/** The highest version of ours that `offered` holds too. */
export function negotiate(versions: readonly OfpVersion[], offered: number): OfpVersion | undefined {
  let best: OfpVersion | undefined;
  for (const version of versions)
    if ((offered & (1 << version)) !== 0 && version > (best ?? 0)) best = version;
  return best;
}

/** `OpenFlow15` for 6, as Open vSwitch names versions; 1.0 to 1.5 are 1 to 6. */
export function versionName(version: number): string {
  return version >= 1 && version <= 6 ? `OpenFlow1${version - 1}` : `version 0x${version.toString(16)}`;
}

/** Names of the versions in a bitmap, for people. */
export function versionNames(bitmap: number): string {
  const names: string[] = [];
  for (let version = 1; version < 31; version++)
    if ((bitmap & (1 << version)) !== 0) names.push(versionName(version));
  return names.length > 8 ? `${names[0]} to ${names.at(-1)}` : names.join(', ') || 'none';
}

/** OFPET_HELLO_FAILED, OFPHFC_INCOMPATIBLE with a text, OpenFlow 1.3 §7.5.1. */
export function writeHelloFailed(w: Writer, version: number, xid: number, text: string): void {
  const start = begin(w, version, OFPT.ERROR, xid);
  w.u16(OFPET_HELLO_FAILED);
  w.u16(0);
  w.bytes(new TextEncoder().encode(text));
  end(w, start);
}

export function writeEchoRequest(w: Writer, version: number, xid: number): void {
  begin(w, version, OFPT.ECHO_REQUEST, xid);
}

/** The request as it came, with the type of a reply. */
export function writeEchoReply(w: Writer, request: Uint8Array): void {
  const start = w.pos;
  w.bytes(request);
  w.patchU8(start + 1, OFPT.ECHO_REPLY);
}

export function writeFeaturesRequest(w: Writer, version: number, xid: number): void {
  begin(w, version, OFPT.FEATURES_REQUEST, xid);
}

/** datapath_id of a features reply, OpenFlow 1.3 §7.3.1; undefined where the message is too short. */
export function readDatapathId(message: Uint8Array): bigint | undefined {
  if (message.length < 32) return undefined;
  return (BigInt(u32(message, 8)) << 32n) | BigInt(u32(message, 12));
}

export function writeBarrierRequest(w: Writer, version: number, xid: number): void {
  begin(w, version, OFPT.BARRIER_REQUEST, xid);
}

/** OFPMPF_REPLY_MORE of a multipart reply. */
export function hasMore(message: Uint8Array): boolean {
  return message.length >= 16 && (u16(message, 10) & 1) !== 0;
}

/** A bundle control message, OpenFlow 1.4 §7.3.9.1; on 1.3 as ONF extension 230. */
export function writeBundleControl(
  w: Writer,
  version: OfpVersion,
  xid: number,
  bundleId: number,
  type: number,
): void {
  const start = beginBundle(w, version, xid, OFPT.BUNDLE_CONTROL, ONFT_BUNDLE_CONTROL);
  w.u32(bundleId);
  w.u16(type);
  w.u16(BUNDLE_FLAGS);
  end(w, start);
}

/**
 * Begins a bundle add message, OpenFlow 1.4 §7.3.9.2; the caller writes the inner message, of the same version
 * and xid, behind it and calls `endBundleAdd`. Returns where the outer message starts.
 */
export function beginBundleAdd(w: Writer, version: OfpVersion, xid: number, bundleId: number): number {
  const start = beginBundle(w, version, xid, OFPT.BUNDLE_ADD, ONFT_BUNDLE_ADD);
  w.u32(bundleId);
  w.u16(0);
  w.u16(BUNDLE_FLAGS);
  return start;
}

export function endBundleAdd(w: Writer, start: number): void {
  w.patchLength16(start + 2, start, 'bundle_add.length');
}

function beginBundle(w: Writer, version: OfpVersion, xid: number, type: number, onf: number): number {
  if (version !== OFP13) return begin(w, version, type, xid);
  const start = begin(w, version, OFPT.EXPERIMENTER, xid);
  w.u32(ONF);
  w.u32(onf);
  return start;
}

/** Type and flags of a bundle control reply; undefined for any other message. */
export function readBundleControl(message: Uint8Array): number | undefined {
  const type = typeOf(message);
  if (type === OFPT.BUNDLE_CONTROL) return message.length >= 16 ? u16(message, 12) : undefined;
  if (type !== OFPT.EXPERIMENTER || message.length < 24) return undefined;
  return u32(message, 8) === ONF && u32(message, 12) === ONFT_BUNDLE_CONTROL ? u16(message, 20) : undefined;
}

const NAMES = [
  'hello',
  'error',
  'echo_request',
  'echo_reply',
  'experimenter',
  'features_request',
  'features_reply',
  'get_config_request',
  'get_config_reply',
  'set_config',
  'packet_in',
  'flow_removed',
  'port_status',
  'packet_out',
  'flow_mod',
  'group_mod',
  'port_mod',
  'table_mod',
  'multipart_request',
  'multipart_reply',
  'barrier_request',
  'barrier_reply',
  'queue_get_config_request',
  'queue_get_config_reply',
  'role_request',
  'role_reply',
  'get_async_request',
  'get_async_reply',
  'set_async',
  'meter_mod',
  'role_status',
  'table_status',
  'requestforward',
  'bundle_control',
  'bundle_add_message',
  'controller_status',
] as const;

/** Lower-case name of a message type, for counters and logs. */
export function typeName(type: number): string {
  return NAMES[type] ?? `type_${type}`;
}

/** Highest message type of a version. */
export function lastType(version: number): number {
  switch (version) {
    case OFP13:
      return 29;
    case OFP14:
      return 34;
    case OFP15:
      return 35;
    default:
      return 255;
  }
}
