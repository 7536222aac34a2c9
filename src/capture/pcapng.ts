/** Blocks of a pcapng file (draft-ietf-opsawg-pcapng), little-endian, times in microseconds. */

export const LINKTYPE_ETHERNET = 1;
/** IPv4 or IPv6 without anything before it. */
export const LINKTYPE_RAW = 101;

const SECTION_HEADER = 0x0a0d0d0a;
const INTERFACE_DESCRIPTION = 1;
const ENHANCED_PACKET = 6;
const OPTION = {
  comment: 1,
  ifName: 2,
  ifDescription: 3,
  application: 4,
  epbFlags: 2,
  epbDropCount: 4,
} as const;

type Option = readonly [code: number, value: Uint8Array];

export function sectionHeader(application: string): Uint8Array {
  const body = new Uint8Array(16);
  const view = new DataView(body.buffer);
  view.setUint32(0, 0x1a2b3c4d, true);
  view.setUint16(4, 1, true);
  // Section length: not known, -1.
  view.setUint32(8, 0xffffffff, true);
  view.setUint32(12, 0xffffffff, true);
  return block(SECTION_HEADER, body, [[OPTION.application, text(application)]]);
}

export function interfaceDescription(linkType: number, name: string, description: string): Uint8Array {
  const body = new Uint8Array(8);
  new DataView(body.buffer).setUint16(0, linkType, true);
  return block(INTERFACE_DESCRIPTION, body, [
    [OPTION.ifName, text(name)],
    [OPTION.ifDescription, text(description)],
  ]);
}

export interface EnhancedPacket {
  /** In the order of the interface descriptions, from 0. */
  readonly interfaceId: number;
  /** Milliseconds since 1970, with fractions. */
  readonly time: number;
  readonly direction: 'in' | 'out';
  readonly bytes: Uint8Array;
  /** Bytes before it was cut. */
  readonly originalLength?: number;
  readonly comment?: string;
  /** Packets lost before this one. */
  readonly dropped?: number;
}

export function enhancedPacket(packet: EnhancedPacket): Uint8Array {
  const { interfaceId, time, direction, bytes, originalLength = bytes.length, comment, dropped } = packet;
  const body = new Uint8Array(20 + padded(bytes.length));
  const view = new DataView(body.buffer);
  const micros = Math.floor(time * 1000);
  view.setUint32(0, interfaceId, true);
  view.setUint32(4, Math.floor(micros / 2 ** 32), true);
  view.setUint32(8, micros % 2 ** 32, true);
  view.setUint32(12, bytes.length, true);
  view.setUint32(16, originalLength, true);
  body.set(bytes, 20);
  const options: Option[] = [[OPTION.epbFlags, u32(direction === 'in' ? 1 : 2)]];
  if (dropped) options.push([OPTION.epbDropCount, u64(dropped)]);
  if (comment !== undefined) options.push([OPTION.comment, text(comment)]);
  return block(ENHANCED_PACKET, body, options);
}

function block(type: number, body: Uint8Array, options: readonly Option[]): Uint8Array {
  const size = options.reduce((sum, [, value]) => sum + 4 + padded(value.length), options.length > 0 ? 4 : 0);
  const total = 12 + body.length + size;
  const bytes = new Uint8Array(total);
  const view = new DataView(bytes.buffer);
  view.setUint32(0, type, true);
  view.setUint32(4, total, true);
  bytes.set(body, 8);
  let at = 8 + body.length;
  for (const [code, value] of options) {
    view.setUint16(at, code, true);
    view.setUint16(at + 2, value.length, true);
    bytes.set(value, at + 4);
    at += 4 + padded(value.length);
  }
  // The end-of-options option is four zero bytes, which are there.
  view.setUint32(total - 4, total, true);
  return bytes;
}

function padded(length: number): number {
  return (length + 3) & ~3;
}

/** An option's length has 16 bits. */
function text(value: string): Uint8Array {
  return new TextEncoder().encode(value.slice(0, 10_000));
}

function u32(value: number): Uint8Array {
  const bytes = new Uint8Array(4);
  new DataView(bytes.buffer).setUint32(0, value, true);
  return bytes;
}

function u64(value: number): Uint8Array {
  const bytes = new Uint8Array(8);
  new DataView(bytes.buffer).setBigUint64(0, BigInt(value), true);
  return bytes;
}
