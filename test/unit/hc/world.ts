import { HealthChecker, type HealthLimits, type Monitor, type Transition } from '../../../src/hc/index.js';
import type { Check } from '../../../src/hc/types.js';
import { buildIcmp } from '../../../src/packetio/frames/icmp.js';
import { buildTcp, TCP, type TcpFrame, type TcpSegment } from '../../../src/packetio/frames/tcp.js';
import { buildUdp } from '../../../src/packetio/frames/udp.js';
import type { PacketContext } from '../../../src/packetio/types.js';
import { FakeClock, seeded } from '../packetio/fake-clock.js';
import { FakePacketIo, type Sent } from '../packetio/fake-packet-io.js';

export const TENANT = 1;
export const SEGMENT = 2;
export const OURS = 0x0a1400fd;
export const OUR_MAC = 0x02420a140001n;
export const MEMBER = 0x0a140002;
export const MEMBER_MAC = 0x020000000202n;

export const monitor: Monitor = {
  type: 'TCP',
  delayMs: 2000,
  timeoutMs: 1000,
  maxRetries: 2,
  maxRetriesDown: 3,
  httpMethod: 'GET',
  urlPath: '/health',
  httpVersion: '1.1',
  expectedCodes: [[200, 200]],
  tcpClose: 'rst',
  udpSilence: 'up',
};

export function check(over: Partial<Check> & { monitor?: Monitor } = {}): Check {
  return {
    poolId: 1,
    endpointId: 1,
    address: MEMBER,
    port: 8080,
    segment: SEGMENT,
    segmentName: 'acme/p2',
    nextHop: over.address ?? MEMBER,
    source: OURS,
    sourceMac: OUR_MAC,
    monitor,
    ...over,
  };
}

/** A checker in a network of scripts. */
export class World {
  readonly clock = new FakeClock();
  readonly io = new FakePacketIo();
  readonly hc: HealthChecker;
  /** By `${tenant}/${address}`; everybody else is MEMBER_MAC. 0n: unresolved. */
  readonly macs = new Map<string, bigint>();
  readonly transitions: Transition[] = [];
  batches = 0;
  readonly confirmed: number[] = [];
  readonly suspected: number[] = [];
  readonly observed: bigint[] = [];
  private readonly usable: ((key: { tenant: number; segment: number; address: number }) => void)[] = [];

  constructor(limits: Partial<HealthLimits> = {}) {
    const { clock, io } = this;
    this.hc = new HealthChecker({
      io,
      clock,
      random: seeded(3),
      limits,
      arp: {
        lookup: (tenant, _, address) => ({ mac: this.macs.get(`${tenant}/${address}`) ?? MEMBER_MAC }),
        confirm: (_, __, address) => this.confirmed.push(address),
        suspect: (_, __, address) => this.suspected.push(address),
        observe: (_, __, mac) => this.observed.push(mac),
        onUsable: (handler) => this.usable.push(handler),
      },
    });
    this.hc.onTransitions((batch) => {
      this.batches++;
      this.transitions.push(...batch);
    });
  }

  resolve(address: number, mac: bigint): void {
    this.macs.set(`${TENANT}/${address}`, mac);
    for (const handler of this.usable) handler({ tenant: TENANT, segment: SEGMENT, address });
  }

  row(endpointId = 1) {
    return this.hc.status().find((r) => r.endpointId === endpointId)!;
  }

  /** Lets a frame arrive after `ms`. */
  arrive(frame: Uint8Array, ms = 1, context: Partial<PacketContext> = {}): void {
    this.clock.setTimeout(
      () => this.io.punt('probe', { tenant: TENANT, segment: SEGMENT, ...context }, frame),
      ms,
    );
  }

  /** A TCP answer to something that was sent. */
  answer(sent: Sent, over: Partial<TcpFrame>, ms = 1, context: Partial<PacketContext> = {}): void {
    if (sent.packet.kind !== 'tcp') throw new Error('not TCP');
    const { ip, tcp } = sent.packet;
    const frame = buildTcp({
      dstMac: OUR_MAC,
      srcMac: MEMBER_MAC,
      src: ip.dst,
      dst: ip.src,
      srcPort: tcp.dstPort,
      dstPort: tcp.srcPort,
      seq: 0,
      ack: 0,
      flags: TCP.ack,
      window: 65535,
      ...over,
    });
    this.arrive(frame, ms, { tenant: sent.how.tenant, segment: sent.how.segment, ...context });
  }

  udp(sent: Sent, payload = new Uint8Array()): void {
    if (sent.packet.kind !== 'udp') throw new Error('not UDP');
    const { ip, udp } = sent.packet;
    const ports = { srcPort: udp.dstPort, dstPort: udp.srcPort };
    this.arrive(
      buildUdp({ dstMac: OUR_MAC, srcMac: MEMBER_MAC, src: ip.dst, dst: ip.src, ...ports, payload }),
    );
  }

  icmp(
    sent: Sent,
    type: number,
    code: number,
    fields: { id?: number; seq?: number; payload?: Uint8Array; src?: number },
  ) {
    if (!('ip' in sent.packet)) throw new Error('not IP');
    const { ip } = sent.packet;
    const header = { dstMac: OUR_MAC, srcMac: MEMBER_MAC, src: ip.dst, dst: ip.src, id: 0, seq: 0 };
    this.arrive(buildIcmp({ ...header, type, code, ...fields }));
  }

  /** An ICMP unreachable that quotes what was sent. */
  unreachable(sent: Sent, code: number, change: (quoted: Uint8Array) => void = () => {}): void {
    const payload = sent.frame.slice(14, 14 + 28);
    change(payload);
    this.icmp(sent, 3, code, { payload });
  }
}

/** A member's TCP: answers SYNs, gathers the request, says what the script says when it is complete. */
export class Server {
  readonly isn = 0xfffffff0;
  request = '';
  /** Segments received, SYN first. */
  readonly got: TcpSegment[] = [];
  last: Sent | undefined;
  private rcvNxt = 0;

  constructor(
    private readonly world: World,
    private readonly script: (server: Server) => void = () => {},
    readonly options: {
      readonly window?: number;
      readonly mss?: number;
      readonly mute?: (n: number) => boolean;
    } = {},
  ) {
    world.io.onSent = (sent) => this.onSent(sent);
  }

  /** Says `text` as one segment `offset` bytes into the answer. */
  say(text: string, offset = 0, ms = 1, flags = 0): void {
    const payload = Buffer.from(text, 'latin1');
    const seq = (this.isn + 1 + offset) >>> 0;
    this.world.answer(this.last!, { seq, ack: this.rcvNxt, flags: TCP.ack | flags, payload }, ms);
  }

  private onSent(sent: Sent): void {
    if (sent.packet.kind !== 'tcp') return;
    const { tcp } = sent.packet;
    this.last = sent;
    this.got.push(tcp);
    if (this.options.mute?.(this.got.length)) return;
    const { window = 65535, mss = 1460 } = this.options;
    if (tcp.flags & TCP.syn) {
      this.rcvNxt = (tcp.seq + 1) >>> 0;
      this.request = '';
      this.world.answer(sent, { seq: this.isn, ack: this.rcvNxt, flags: TCP.syn | TCP.ack, window, mss });
    } else if (tcp.payload.length > 0 && tcp.seq === this.rcvNxt) {
      this.rcvNxt = (this.rcvNxt + tcp.payload.length) >>> 0;
      this.request += Buffer.from(tcp.payload).toString('latin1');
      if (this.request.endsWith('\r\n\r\n')) this.script(this);
      else this.world.answer(sent, { seq: this.isn + 1, ack: this.rcvNxt, window });
    }
  }
}
