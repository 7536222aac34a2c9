/** An Ethernet address, 48 bits. */
export type Mac = bigint;
/** An IPv4 address: unsigned, host order. */
export type Ipv4 = number;

export const BROADCAST_MAC: Mac = 0xffffffffffffn;

/** Bit 40: group addresses, broadcast among them. */
export function isGroupMac(mac: Mac): boolean {
  return (mac & 0x010000000000n) !== 0n;
}

export function readMac(view: DataView, at: number): Mac {
  return BigInt(view.getUint16(at) * 0x100000000 + view.getUint32(at + 2));
}

export function writeMac(view: DataView, at: number, mac: Mac): void {
  view.setUint16(at, Number(mac >> 32n));
  view.setUint32(at + 2, Number(mac & 0xffffffffn));
}

/** `02:42:0a:14:00:01` */
export function formatMac(mac: Mac): string {
  return mac.toString(16).padStart(12, '0').match(/../g)!.join(':');
}

/** `10.20.0.1` */
export function formatIpv4(address: Ipv4): string {
  return `${address >>> 24}.${(address >>> 16) & 255}.${(address >>> 8) & 255}.${address & 255}`;
}

/** A view of the bytes of `b`, whatever buffer they live in. */
export function viewOf(b: Uint8Array): DataView {
  return new DataView(b.buffer, b.byteOffset, b.byteLength);
}
