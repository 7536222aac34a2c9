/** Port numbers of 16 bits, as Nicira's extensions carry them in every version of OpenFlow. */
import { OfpEncodeError } from '../ofp/bytes/errors.js';
import type { Reader } from '../ofp/bytes/reader.js';
import type { Writer } from '../ofp/bytes/writer.js';

/** Lowest reserved port number of OpenFlow 1.0; 0xffffff00 above it is that of 1.1. */
const RESERVED_16 = 0xff00;
const RESERVED_32 = 0xffffff00;

/** A port number of the model in 16 bits: OFPP.IN_PORT 0xfffffff8 becomes 0xfff8. */
export function encodePort16(w: Writer, port: number, path: string): void {
  if (port >= 0 && port < RESERVED_16) w.u16(port);
  else if (port >= RESERVED_32 && port <= 0xffffffff) w.u16(port & 0xffff);
  else throw new OfpEncodeError('out-of-range', path, `port ${port} doesn't fit 16 bits`);
}

export function decodePort16(r: Reader, path: string): number {
  return widenPort(r.u16(path));
}

/** A port number of 16 bits as one of the model. */
export function widenPort(port: number): number {
  return port < RESERVED_16 ? port : (port | 0xffff0000) >>> 0;
}
