import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { Namespace } from './namespace.js';
import type { RunningProcess } from './process.js';
import { pause } from './until.js';

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
    /** Longest time in ms until a frame is in the file. */
    private readonly delay: number,
  ) {}

  /** Resolves when frames are being captured. */
  static async start(namespace: Namespace, dir: string, options: CaptureOptions): Promise<Capture> {
    serial += 1;
    // In immediate mode each frame takes a slot of the largest size; with the 64 KiB of a loopback few fit the buffer.
    const loopback = options.device === 'lo';
    const file = join(dir, `${namespace.name}-${options.device}-${serial}.pcap`);
    const child = namespace.spawn([
      'tcpdump',
      '-i',
      options.device,
      '-n',
      '-U',
      ...(loopback ? [] : ['--immediate-mode']),
      '-B',
      '16384',
      '-Z',
      'root',
      '-w',
      file,
      ...(options.direction === undefined ? [] : ['-Q', options.direction]),
      ...(options.filter === undefined ? [] : [options.filter]),
    ]);
    await child.says(/listening on/);
    return new Capture(file, child, loopback ? 1_100 : 60);
  }

  /** What was captured so far. */
  frames(): Frame[] {
    return parsePcap(readFileSync(this.file));
  }

  seen(): Seen[] {
    return this.frames().map((frame) => look(frame.bytes));
  }

  /**
   * Ends the capture and returns all of it. Throws when the kernel dropped frames: absence would prove nothing then.
   */
  async stop(): Promise<Frame[]> {
    await this.#settled();
    await this.process.stop('SIGINT');
    const dropped = Number(/(\d+) packets? dropped by kernel/.exec(this.process.stderr)?.[1] ?? 0);
    if (dropped > 0) throw new Error(`${dropped} frames are missing in ${this.file}`);
    return this.frames();
  }

  /** tcpdump leaves behind what it hasn't read yet when it is told to end: waits until the file stops growing. */
  async #settled(): Promise<void> {
    const end = Date.now() + 3 * this.delay;
    for (let size = -1; size !== statSync(this.file).size && Date.now() < end; ) {
      size = statSync(this.file).size;
      await pause(this.delay);
    }
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
