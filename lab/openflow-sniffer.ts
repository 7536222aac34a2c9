import { Capture, type Frame } from './capture.js';
import type { Lab } from './lab.js';

/** What the controller told the switch to change, counted on the wire and not by the controller itself. */
export interface Changes {
  /** Inside bundles and outside. */
  readonly flowMods: number;
  readonly groupMods: number;
  readonly meterMods: number;
  /** Every message, the changes among them. */
  readonly messages: number;
}

const FLOW_MOD = 14;
const GROUP_MOD = 15;
const METER_MOD = 29;
const BUNDLE_ADD = 34;
const EXPERIMENTER = 4;
/** The bundles of OpenFlow 1.3, ONF extension 230. */
const ONF = 0x4f4e4600;
const ONF_BUNDLE_ADD = 2301;

export interface SnifferOptions {
  /** TCP port that one of the two listens on, 6653 by default. */
  readonly port?: number;
  /** Whether the controller listens there (the default) or the switch does. */
  readonly listener?: 'controller' | 'switch';
}

/** Listens at the node's loopback. Connections that were open before are left out. */
export class OpenflowSniffer {
  private constructor(private readonly capture: Capture) {}

  static async start(lab: Lab, options: SnifferOptions = {}): Promise<OpenflowSniffer> {
    const end = options.listener === 'switch' ? 'dst' : 'src';
    const filter = `tcp ${end} port ${options.port ?? 6653}`;
    return new OpenflowSniffer(await Capture.start(lab.node, lab.dir, { device: 'lo', filter }));
  }

  changes(): Changes {
    return countChanges(streams(this.capture.frames()));
  }

  async stop(): Promise<Changes> {
    return countChanges(streams(await this.capture.stop()));
  }
}

/** The bytes of each connection whose beginning was seen; the frames are of one direction. */
function streams(frames: readonly Frame[]): Buffer[] {
  const starts = new Map<number, number>();
  const segments = new Map<number, { offset: number; bytes: Buffer }[]>();
  for (const { bytes } of frames) {
    const tcp = 14 + (bytes[14]! & 15) * 4;
    const peer = bytes.readUInt32BE(tcp); // both ports
    const sequence = bytes.readUInt32BE(tcp + 4);
    if ((bytes[tcp + 13]! & 2) !== 0) {
      starts.set(peer, sequence + 1);
      segments.set(peer, []);
      continue;
    }
    const start = starts.get(peer);
    const payload = bytes.subarray(tcp + (bytes[tcp + 12]! >> 4) * 4, 14 + bytes.readUInt16BE(16));
    if (start === undefined || payload.length === 0) continue;
    segments.get(peer)!.push({ offset: (sequence - start) >>> 0, bytes: payload });
  }
  return [...segments.values()].map(joined);
}

/** What was sent twice counts once; a hole would hide changes and is an error. */
function joined(segments: { offset: number; bytes: Buffer }[]): Buffer {
  const parts: Buffer[] = [];
  let end = 0;
  for (const { offset, bytes } of segments.sort((a, b) => a.offset - b.offset)) {
    if (offset > end) throw new Error(`${offset - end} bytes of a connection were not captured`);
    if (offset + bytes.length <= end) continue;
    parts.push(bytes.subarray(end - offset));
    end = offset + bytes.length;
  }
  return Buffer.concat(parts);
}

function countChanges(connections: readonly Buffer[]): Changes {
  const count = { flowMods: 0, groupMods: 0, meterMods: 0, messages: 0 };
  for (const bytes of connections) {
    for (let at = 0; at + 8 <= bytes.length; ) {
      const length = bytes.readUInt16BE(at + 2);
      if (length < 8) throw new Error(`not OpenFlow at byte ${at} of a connection`);
      count.messages += 1;
      const type = changeType(bytes.subarray(at, at + length));
      if (type === FLOW_MOD) count.flowMods += 1;
      if (type === GROUP_MOD) count.groupMods += 1;
      if (type === METER_MOD) count.meterMods += 1;
      at += length;
    }
  }
  return count;
}

/** The type of a message, or of the one that it adds to a bundle. */
function changeType(message: Buffer): number | undefined {
  const type = message[1];
  if (type === BUNDLE_ADD) return message[17];
  const isOnf = type === EXPERIMENTER && message.length >= 26 && message.readUInt32BE(8) === ONF;
  if (isOnf && message.readUInt32BE(12) === ONF_BUNDLE_ADD) return message[25];
  return type;
}
