import { viewOf } from '../packetio/frames/address.js';
import { buildIcmp, ICMP } from '../packetio/frames/icmp.js';
import { writeTcp } from '../packetio/frames/tcp.js';
import { buildUdp } from '../packetio/frames/udp.js';
import type { Injection, PacketIo } from '../packetio/types.js';

/** Between what addresses a probe goes, and where it enters the pipeline. */
export interface Path {
  readonly injection: Injection;
  readonly source: number;
  readonly sourceMac: bigint;
  readonly address: number;
  readonly port: number;
}

/** Headers and the largest payload that TcpClient sends at once. */
const LARGEST = 14 + 20 + 24 + 1460;
/** The MAC of the next hop is set by the pipeline on the way. */
const SET_LATER = 0n;

/** Frames of probes; TCP ones are written into one buffer that is used again and again. */
export class ProbeWire {
  private readonly frame = new Uint8Array(LARGEST);
  private readonly view = viewOf(this.frame);

  constructor(private readonly io: PacketIo) {}

  tcp(
    path: Path,
    srcPort: number,
    seq: number,
    ack: number,
    flags: number,
    window: number,
    mss: number,
    payload?: Uint8Array,
  ): boolean {
    const length = writeTcp(this.frame, this.view, {
      dstMac: SET_LATER,
      srcMac: path.sourceMac,
      src: path.source,
      dst: path.address,
      srcPort,
      dstPort: path.port,
      seq,
      ack,
      flags,
      window,
      mss,
      ...(payload ? { payload } : {}),
    });
    return this.io.inject(path.injection, this.frame.subarray(0, length));
  }

  /** An empty datagram. */
  udp(path: Path, srcPort: number): boolean {
    const { sourceMac: srcMac, source: src, address: dst, port: dstPort } = path;
    return this.io.inject(
      path.injection,
      buildUdp({ dstMac: SET_LATER, srcMac, src, dst, srcPort, dstPort }),
    );
  }

  echo(path: Path, id: number, seq: number): boolean {
    const { sourceMac: srcMac, source: src, address: dst } = path;
    const frame = buildIcmp({ dstMac: SET_LATER, srcMac, src, dst, type: ICMP.echo, code: 0, id, seq });
    return this.io.inject(path.injection, frame);
  }
}
