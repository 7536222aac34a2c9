import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Namespace } from './namespace.js';
import type { RunningProcess } from './process.js';

export interface CaptureOptions {
  readonly device: string;
  /** pcap filter expression; everything by default. */
  readonly filter?: string;
  /** Seen from the device: what it receives or what it sends; both by default. */
  readonly direction?: 'in' | 'out';
}

export interface Frame {
  /** Seconds since the epoch. */
  readonly time: number;
  readonly bytes: Buffer;
}

/** What of a frame most tests look at; undefined where it isn't IPv4 or has no ports. */
export interface Seen {
  readonly destinationMac: string;
  readonly sourceMac: string;
  readonly etherType: number;
  readonly source?: string;
  readonly destination?: string;
  readonly ttl?: number;
  readonly protocol?: number;
  readonly sourcePort?: number;
  readonly destinationPort?: number;
}

let serial = 0;

/** A running tcpdump on one device of a namespace. */
export class Capture {
  private constructor(
    readonly file: string,
    readonly process: RunningProcess,
  ) {}

  /** Resolves when frames are being captured. */
  static async start(namespace: Namespace, dir: string, options: CaptureOptions): Promise<Capture> {
    serial += 1;
    const file = join(dir, `${namespace.name}-${options.device}-${serial}.pcap`);
    const child = namespace.spawn([
      'tcpdump',
      '-i',
      options.device,
      '-n',
      '-U',
      '--immediate-mode',
      '-Z',
      'root',
      '-w',
      file,
      ...(options.direction === undefined ? [] : ['-Q', options.direction]),
      ...(options.filter === undefined ? [] : [options.filter]),
    ]);
    await child.says(/listening on/);
    return new Capture(file, child);
  }

  /** What was captured so far. */
  frames(): Frame[] {
    return parsePcap(readFileSync(this.file));
  }

  seen(): Seen[] {
    return this.frames().map((frame) => look(frame.bytes));
  }

  async stop(): Promise<Frame[]> {
    await this.process.stop('SIGINT');
    return this.frames();
  }
}

/** Classic pcap in this machine's byte order, as tcpdump writes it here. A torn last record is left out. */
function parsePcap(file: Buffer): Frame[] {
  const frames: Frame[] = [];
  for (let at = 24; at + 16 <= file.length; ) {
    const length = file.readUInt32LE(at + 8);
    const end = at + 16 + length;
    if (end > file.length) break;
    const time = file.readUInt32LE(at) + file.readUInt32LE(at + 4) / 1e6;
    frames.push({ time, bytes: file.subarray(at + 16, end) });
    at = end;
  }
  return frames;
}

/** Ethernet without VLAN tag, IPv4. */
export function look(bytes: Buffer): Seen {
  const mac = (at: number) =>
    bytes
      .subarray(at, at + 6)
      .toString('hex')
      .replace(/..(?!$)/g, '$&:');
  const seen = {
    destinationMac: mac(0),
    sourceMac: mac(6),
    etherType: bytes.length < 14 ? 0 : bytes.readUInt16BE(12),
  };
  if (seen.etherType !== 0x0800 || bytes.length < 34) return seen;
  const protocol = bytes[23]!;
  const ip = {
    ...seen,
    ttl: bytes[22]!,
    protocol,
    source: bytes.subarray(26, 30).join('.'),
    destination: bytes.subarray(30, 34).join('.'),
  };
  const transport = 14 + (bytes[14]! & 15) * 4;
  if ((protocol !== 6 && protocol !== 17) || bytes.length < transport + 4) return ip;
  return {
    ...ip,
    sourcePort: bytes.readUInt16BE(transport),
    destinationPort: bytes.readUInt16BE(transport + 2),
  };
}
