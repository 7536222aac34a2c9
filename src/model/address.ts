/** Addresses as text and as integers. Strict: what another program might read differently is refused. */
import type { Ipv4, Mac, Prefix4 } from './types.js';

/** A parsed value, or in words why the text isn't one. */
export type Parsed<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly why: string };

const good = <T>(value: T): Parsed<T> => ({ ok: true, value });
const bad = (why: string): { readonly ok: false; readonly why: string } => ({ ok: false, why });

/** Four decimal numbers without leading zeros (`010.0.0.1` is octal to some programs, decimal to others). */
export function parseIpv4(text: string): Parsed<Ipv4> {
  const parts = text.split('.');
  if (parts.length !== 4 || !parts.every((part) => /^[0-9]{1,3}$/.test(part))) {
    return bad(`"${shorten(text)}" is not an IPv4 address; write it like 10.20.0.2`);
  }
  const padded = parts.find((part) => part.length > 1 && part.startsWith('0'));
  if (padded !== undefined) {
    const plain = parts.map(Number).join('.');
    return bad(
      `"${text}" has a number with a leading zero, which some programs read as octal; write ${plain} if that is meant`,
    );
  }
  const large = parts.find((part) => Number(part) > 255);
  if (large !== undefined) return bad(`"${text}" is not an IPv4 address: ${large} is more than 255`);
  return good(parts.reduce((sum, part) => sum * 256 + Number(part), 0));
}

/** `address/length` whose host bits are zero. */
export function parsePrefix4(text: string): Parsed<Prefix4> {
  const slash = text.indexOf('/');
  if (slash < 0) return bad(`"${shorten(text)}" lacks a prefix length; write it like 10.20.0.0/24`);
  const address = parseIpv4(text.slice(0, slash));
  if (!address.ok) return address;
  const lengthText = text.slice(slash + 1);
  if (!/^(0|[1-9][0-9]?)$/.test(lengthText) || Number(lengthText) > 32) {
    return bad(`"${shorten(text)}" has a wrong prefix length; it goes from 0 to 32`);
  }
  const length = Number(lengthText);
  const network = networkOf(address.value, length);
  if (network !== address.value) {
    return bad(`"${text}" has host bits set; the network is ${formatIpv4(network)}/${length}`);
  }
  return good({ address: network, length });
}

/** Six octets in hexadecimal, separated by colons; not a group address, not zero. */
export function parseMac(text: string): Parsed<Mac> {
  if (!/^[0-9a-fA-F]{2}(:[0-9a-fA-F]{2}){5}$/.test(text)) {
    return bad(`"${shorten(text)}" is not a MAC address; write it like 02:42:0a:14:00:01`);
  }
  const value = BigInt(`0x${text.replaceAll(':', '')}`);
  if (value === 0n) return bad('00:00:00:00:00:00 is not the address of a station');
  if (((value >> 40n) & 1n) === 1n) {
    return bad(`"${text}" is a group address (lowest bit of the first octet); a station's address is needed`);
  }
  return good(value);
}

export function formatIpv4(address: Ipv4): string {
  return `${address >>> 24}.${(address >>> 16) & 255}.${(address >>> 8) & 255}.${address & 255}`;
}

export function formatPrefix4(prefix: Prefix4): string {
  return `${formatIpv4(prefix.address)}/${prefix.length}`;
}

export function formatMac(mac: Mac): string {
  return mac
    .toString(16)
    .padStart(12, '0')
    .replace(/..(?!$)/g, '$&:');
}

/** The address with all bits after `length` cleared. */
export function networkOf(address: Ipv4, length: number): Ipv4 {
  return length === 0 ? 0 : (address & (0xffffffff << (32 - length))) >>> 0;
}

/** The last address of a prefix: its broadcast address where the length is at most 30. */
export function lastOf(prefix: Prefix4): Ipv4 {
  return prefix.length === 32 ? prefix.address : (prefix.address | (0xffffffff >>> prefix.length)) >>> 0;
}

export function contains(prefix: Prefix4, address: Ipv4): boolean {
  return networkOf(address, prefix.length) === prefix.address;
}

export function overlap(a: Prefix4, b: Prefix4): boolean {
  return a.length <= b.length ? contains(a, b.address) : contains(b, a.address);
}

/** First address of a prefix that a station may have: RFC 3021 for /31. */
export function firstHost(prefix: Prefix4): Ipv4 {
  return prefix.length >= 31 ? prefix.address : prefix.address + 1;
}

/** Whether a station may have the address: neither network nor broadcast address of the prefix. */
export function isHost(prefix: Prefix4, address: Ipv4): boolean {
  if (!contains(prefix, address)) return false;
  return prefix.length >= 31 || (address !== prefix.address && address !== lastOf(prefix));
}

/** Neither 0.0.0.0/8, loopback, multicast nor reserved. */
export function isUnicast(address: Ipv4): boolean {
  const first = address >>> 24;
  return first !== 0 && first !== 127 && first < 224;
}

/** The value of a text that was validated before. */
export function must<T>(parsed: Parsed<T>): T {
  if (!parsed.ok) throw new TypeError(parsed.why);
  return parsed.value;
}

function shorten(text: string): string {
  return text.length > 60 ? `${text.slice(0, 57)}…` : text;
}
