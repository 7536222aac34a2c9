/** Defaults that several checks and the compiler share. */
import { firstHost, must, parseIpv4, parsePrefix4 } from './address.js';
import type { SegmentFile } from './tenant-schema.js';
import type { Ipv4 } from './types.js';

/** Gateway of the subnet at a place of the list: as written, else its first address. */
export function gatewayOf(segment: Pick<SegmentFile, 'gateway' | 'subnets'>, index: number): Ipv4 {
  const written = segment.gateway?.[index];
  return written !== undefined
    ? must(parseIpv4(written))
    : firstHost(must(parsePrefix4(segment.subnets[index]!)));
}
