import type { Frame } from '../../../lab/capture.js';

export interface Segment {
  readonly from: 'client' | 'server';
  /** `SYN,ACK` */
  readonly flags: string;
  readonly seq: number;
  readonly ack: number;
  /** Of the payload. */
  readonly length: number;
}

export interface Conversation {
  /** Sequence number of the client's SYN. */
  readonly iss: number;
  readonly segments: readonly Segment[];
}

const FLAGS = ['FIN', 'SYN', 'RST', 'PSH', 'ACK'];

/** TCP connections to one port in captured frames, each from its SYN on. */
export class Conversations {
  /** All but the last, which may be under way. */
  readonly finished: readonly Conversation[];

  constructor(frames: readonly Frame[], port: number) {
    const byClient = new Map<number, { iss: number; segments: Segment[] }>();
    for (const { bytes } of frames) {
      const tcp = 14 + (bytes[14]! & 15) * 4;
      const [source, destination] = [bytes.readUInt16BE(tcp), bytes.readUInt16BE(tcp + 2)];
      if (source !== port && destination !== port) continue;
      const from = destination === port ? 'client' : 'server';
      const flags = FLAGS.filter((name, bit) => name !== 'PSH' && bytes[tcp + 13]! & (1 << bit)).join(',');
      const seq = bytes.readUInt32BE(tcp + 4);
      const client = from === 'client' ? source : destination;
      if (flags === 'SYN' && byClient.get(client)?.iss !== seq)
        byClient.set(client, { iss: seq, segments: [] });
      const header = (bytes[14]! & 15) * 4 + (bytes[tcp + 12]! >> 4) * 4;
      byClient.get(client)?.segments.push({
        from,
        flags,
        seq,
        ack: bytes.readUInt32BE(tcp + 8),
        length: bytes.readUInt16BE(16) - header,
      });
    }
    this.finished = [...byClient.values()].slice(0, -1);
  }
}

/** No side sent the same bytes, SYN or FIN twice. */
export function smooth({ segments }: Conversation): boolean {
  const told = segments
    .filter(({ flags, length }) => length > 0 || /SYN|FIN/.test(flags))
    .map(({ from, flags, seq }) => `${from} ${flags} ${seq}`);
  return new Set(told).size === told.length;
}
