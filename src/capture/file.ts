import type { Message } from '../ofp/types/message.js';
import type { Exchange } from './exchange.js';
import {
  enhancedPacket,
  interfaceDescription,
  LINKTYPE_ETHERNET,
  LINKTYPE_RAW,
  sectionHeader,
} from './pcapng.js';
import type { Captured } from './session.js';
import { TcpStream } from './tcp-stream.js';
import type { CaptureNames } from './text.js';

const CHANNEL = 0;
const FRAMES = 1;

/** A pcapng file: the OpenFlow connections on the first interface, frames punted and injected on the second. */
export class FileForm {
  private readonly streams = new Map<object, TcpStream>();
  private opened = 0;

  constructor(
    private readonly names: CaptureNames,
    private readonly withFrames: boolean,
  ) {}

  begin(application: string): Uint8Array[] {
    return [
      sectionHeader(application),
      interfaceDescription(LINKTYPE_RAW, 'openflow', 'OpenFlow channel; the controller is port 6653'),
      ...(this.withFrames
        ? [interfaceDescription(LINKTYPE_ETHERNET, 'frames', 'frames punted to the agent and injected by it')]
        : []),
    ];
  }

  /** @param message absent where it wasn't decoded, or couldn't be */
  message(captured: Captured, message: Message | undefined, exchange: Exchange): Uint8Array[] {
    const { time, direction, bytes, connection, dropped } = captured;
    const blocks: Uint8Array[] = [];
    let stream = this.streams.get(connection);
    if (stream === undefined) {
      stream = this.open(connection);
      for (const { direction: way, packet } of stream.handshake())
        blocks.push(enhancedPacket({ interfaceId: CHANNEL, time, direction: way, bytes: packet }));
    }
    const comment = this.comment(exchange);
    for (const [i, packet] of stream.message(direction, bytes).entries()) {
      const first = i === 0 ? { dropped, ...(comment === undefined ? {} : { comment }) } : {};
      blocks.push(enhancedPacket({ interfaceId: CHANNEL, time, direction, bytes: packet, ...first }));
    }
    if (this.withFrames && message !== undefined) blocks.push(...this.frame(captured, message, comment));
    return blocks;
  }

  private open(connection: { readonly peer: string }): TcpStream {
    // A switch that flaps makes many connections; those before are not written to again.
    if (this.streams.size >= 64) this.streams.clear();
    const stream = new TcpStream(connection.peer, this.opened++);
    this.streams.set(connection, stream);
    return stream;
  }

  private comment({ subject, latency }: Exchange): string | undefined {
    const parts = [
      subject === undefined ? undefined : this.names.subject(subject),
      latency === undefined ? undefined : `${latency.toFixed(2)} ms after the request`,
    ].filter((part) => part !== undefined);
    return parts.length === 0 ? undefined : parts.join(', ');
  }

  private frame(
    { time, direction }: Captured,
    message: Message,
    comment: string | undefined,
  ): readonly Uint8Array[] {
    if (message.type !== 'packet_in' && message.type !== 'packet_out') return [];
    const { data } = message;
    if (data.length === 0) return [];
    const what = message.type === 'packet_in' ? `punted by table ${message.table}` : 'injected';
    return [
      enhancedPacket({
        interfaceId: FRAMES,
        time,
        direction,
        bytes: data,
        originalLength: message.type === 'packet_in' ? message.totalLen : data.length,
        comment: comment === undefined ? what : `${what}, ${comment}`,
      }),
    ];
  }
}
