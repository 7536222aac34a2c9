/** Numbers and addresses as ovs-ofctl writes them. */

/** C's `%#x`: zero has no prefix. */
export function hex(v: number | bigint): string {
  return Number(v) === 0 ? '0' : `0x${v.toString(16)}`;
}

export function hexPadded(v: number | bigint, digits: number): string {
  return `0x${v.toString(16).padStart(digits, '0')}`;
}

/** All ones in `nBits`. */
export function ones(nBits: number): bigint {
  return (1n << BigInt(nBits)) - 1n;
}

export function formatEthernet(v: number | bigint): string {
  return BigInt(v).toString(16).padStart(12, '0').match(/../g)!.join(':');
}

export function formatIpv4(v: number | bigint): string {
  const n = Number(v);
  return `${n >>> 24}.${(n >>> 16) & 255}.${(n >>> 8) & 255}.${n & 255}`;
}

/** RFC 5952, with dotted ends for IPv4-mapped and -compatible addresses, as inet_ntop(3) does. */
export function formatIpv6(v: number | bigint): string {
  const big = BigInt(v);
  const parts = Array.from({ length: 8 }, (_, i) => Number((big >> BigInt(112 - 16 * i)) & 0xffffn));
  const { start, length } = longestZeros(parts);
  if (start === 0 && (length === 6 || (length === 5 && parts[5] === 0xffff)))
    return `::${length === 5 ? 'ffff:' : ''}${formatIpv4(big & 0xffffffffn)}`;
  const text = (list: readonly number[]) => list.map((p) => p.toString(16)).join(':');
  if (length < 2) return text(parts);
  return `${text(parts.slice(0, start))}::${text(parts.slice(start + length))}`;
}

function longestZeros(parts: readonly number[]): { start: number; length: number } {
  let best = { start: -1, length: 0 };
  for (let i = 0; i < parts.length; i++) {
    let n = 0;
    while (i + n < parts.length && parts[i + n] === 0) n++;
    if (n > best.length) best = { start: i, length: n };
    i += n;
  }
  return best;
}

/** Length of the prefix that `mask` is, or -1. */
export function prefixLength(mask: bigint, nBits: number): number {
  const inverted = ~mask & ones(nBits);
  if ((inverted & (inverted + 1n)) !== 0n) return -1;
  return nBits - (inverted === 0n ? 0 : inverted.toString(2).length);
}

/** `10.0.0.0/8`, `10.0.0.1/255.0.0.255`, `10.0.0.1`. */
export function formatIp(v: bigint, mask: bigint, nBits: 32 | 128): string {
  const format = nBits === 32 ? formatIpv4 : formatIpv6;
  if (mask === ones(nBits)) return format(v);
  const prefix = prefixLength(mask, nBits);
  return `${format(v)}/${prefix >= 0 ? prefix : format(mask)}`;
}

export function parseEthernet(text: string): bigint | undefined {
  if (!/^[0-9a-f]{1,2}(:[0-9a-f]{1,2}){5}$/i.test(text)) return undefined;
  return text.split(':').reduce((v, byte) => (v << 8n) | BigInt(`0x${byte}`), 0n);
}

export function parseIpv4(text: string): bigint | undefined {
  const parts = text.split('.');
  if (parts.length !== 4 || !parts.every((p) => /^(0|[1-9]\d{0,2})$/.test(p) && Number(p) < 256))
    return undefined;
  return parts.reduce((v, p) => (v << 8n) | BigInt(p), 0n);
}

export function parseIpv6(text: string): bigint | undefined {
  const dotted = /^(.*:)(\d+\.\d+\.\d+\.\d+)$/.exec(text);
  if (dotted) {
    const v4 = parseIpv4(dotted[2]!);
    if (v4 === undefined) return undefined;
    text = `${dotted[1]}${(v4 >> 16n).toString(16)}:${(v4 & 0xffffn).toString(16)}`;
  }
  const halves = text.split('::');
  if (halves.length > 2) return undefined;
  const [head, tail] = halves.map((half) => (half === '' ? [] : half.split(':')));
  const given = [...head!, ...(tail ?? [])];
  if (!given.every((p) => /^[0-9a-f]{1,4}$/i.test(p))) return undefined;
  if (tail === undefined ? given.length !== 8 : given.length > 7) return undefined;
  const all = tail === undefined ? head! : [...head!, ...Array(8 - given.length).fill('0'), ...tail];
  return all.reduce((v, p) => (v << 16n) | BigInt(`0x${p}`), 0n);
}

/** A mask as an address or a prefix length. */
export function parseIpMask(text: string, nBits: 32 | 128): bigint | undefined {
  if (/^\d+$/.test(text)) {
    const n = Number(text);
    return n > nBits ? undefined : (ones(n) << BigInt(nBits - n)) & ones(nBits);
  }
  return nBits === 32 ? parseIpv4(text) : parseIpv6(text);
}

/** `3s`, `3.250s`, `3.000000001s`. */
export function formatDuration(sec: number, nsec: number): string {
  if (nsec === 0) return `${sec}s`;
  const fraction = nsec % 1e6 === 0 ? String(nsec / 1e6).padStart(3, '0') : String(nsec).padStart(9, '0');
  return `${sec}.${fraction}s`;
}

/** What `ovs-ofctl` prints of bytes: 16 a line, with offsets, hexadecimal and characters. */
export function hexDump(bytes: Uint8Array): string {
  let out = '';
  for (let at = 0; at < bytes.length; at += 16) {
    const row = [...bytes.subarray(at, at + 16)];
    let line = at.toString(16).padStart(8, '0');
    for (let i = 0; i < 16; i++) {
      line += i === 8 && row.length >= 8 ? '-' : ' ';
      if (i === 0) line += ' ';
      line += i < row.length ? row[i]!.toString(16).padStart(2, '0') : '  ';
    }
    const characters = row.map((b) => (b >= 32 && b < 127 ? String.fromCharCode(b) : '.')).join('');
    out += `${line} |${characters.padEnd(16)}|\n`;
  }
  return out;
}

export function toHex(bytes: Uint8Array): string {
  let s = '';
  for (const b of bytes) s += b.toString(16).padStart(2, '0');
  return s;
}
