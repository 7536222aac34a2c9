/** The internet checksum, RFC 1071, as unfolded sums of 16-bit words. */

/** Sum of the words of `[from, to)`; an odd last byte counts as the high half of a word. At most 64 KiB. */
export function sumBytes(view: DataView, from: number, to: number): number {
  let sum = 0;
  let at = from;
  for (; at + 1 < to; at += 2) sum += view.getUint16(at);
  if (at < to) sum += view.getUint8(at) << 8;
  return sum;
}

/** Sum of the two words of a 32-bit value. */
export function sum32(value: number): number {
  return (value >>> 16) + (value & 0xffff);
}

/** Pseudo header of UDP and TCP over IPv4 (RFC 9293 §3.1): addresses, protocol, length of the segment. */
export function pseudoHeader4(src: number, dst: number, protocol: number, length: number): number {
  return sum32(src) + sum32(dst) + protocol + length;
}

/** The checksum field for a sum taken with that field as zero. */
export function foldChecksum(sum: number): number {
  let folded = sum;
  while (folded > 0xffff) folded = (folded & 0xffff) + Math.floor(folded / 0x10000);
  return ~folded & 0xffff;
}

/** Whether a sum taken with the checksum field included says that nothing was changed on the way. */
export function sumIsValid(sum: number): boolean {
  return foldChecksum(sum) === 0;
}
