import { TCP, type TcpSegment } from '../packetio/frames/tcp.js';

/** Announced; small enough for tunnels. */
export const OUR_MSS = 1360;
/** Announced, and all that a peer may make us keep. */
export const RECEIVE_WINDOW = 4096;
const DEFAULT_PEER_MSS = 536;
/** Pieces kept out of order: a peer of 1-byte segments may not make many objects. */
const MAX_PIECES = 32;
/** Answers to segments outside the window (RFC 5961) that one connection may cost. */
const MAX_CHALLENGES = 10;
const MAX_RTO = 3000;

export type TcpState =
  | 'syn-sent'
  | 'established'
  | 'fin-wait-1'
  | 'fin-wait-2'
  | 'closing'
  | 'close-wait'
  | 'last-ack'
  | 'time-wait'
  | 'closed';

/** What a connection does to its surroundings. Callbacks may call the connection. */
export interface TcpHost {
  /** Sends a segment now; `mss` 0 leaves the option out. */
  segment(seq: number, ack: number, flags: number, window: number, mss: number, payload?: Uint8Array): void;
  /** Calls `onTimer` after so many milliseconds, in place of the former request; 0: not at all. */
  timer(ms: number): void;
  connected(): void;
  data(bytes: Uint8Array): void;
  /** The peer has sent all that it had. */
  ended(): void;
  /** The peer refused (before it was connected) or reset. */
  reset(): void;
  /** Nothing was heard of a whole retransmission time. */
  silent(): void;
}

interface Piece {
  readonly seq: number;
  readonly bytes: Uint8Array;
}

/** a − b on the circle of sequence numbers. */
function diff(a: number, b: number): number {
  return (a - b) | 0;
}

/**
 * The client's side of one short TCP connection, RFC 9293: retransmission of everything that occupies sequence
 * numbers, reassembly within a small window, checks of RFC 5961. No congestion control: there is at most one request.
 */
export class TcpClient {
  state: TcpState = 'syn-sent';
  private readonly iss: number;
  private una: number;
  private nxt: number;
  private peerWindow = 0;
  private peerMss = DEFAULT_PEER_MSS;
  private rcvNxt = 0;
  private out: Uint8Array | undefined;
  private finWanted = false;
  private pieces: Piece[] | undefined;
  private finAt: number | undefined;
  private rto: number;
  private challenges = 0;

  /** @param rto first retransmission time in ms; it doubles each time. */
  constructor(
    private readonly host: TcpHost,
    iss: number,
    rto: number,
  ) {
    this.iss = iss >>> 0;
    this.una = this.iss;
    this.nxt = (this.iss + 1) >>> 0;
    this.rto = rto;
  }

  open(): void {
    this.sendSyn();
    this.host.timer(this.rto);
  }

  /** The one thing that will be said, in 'established' only. */
  send(bytes: Uint8Array): void {
    this.out = bytes;
    this.transmit(true);
  }

  /** No more from us; what the peer still sends is taken and dropped. */
  close(): void {
    if (this.state === 'established') this.state = 'fin-wait-1';
    else if (this.state === 'close-wait') this.state = 'last-ack';
    else return;
    this.finWanted = true;
    this.transmit(true);
  }

  /** Ends at once; tells the peer where it could be understood and is news. */
  abort(): void {
    if (this.state === 'closed') return;
    const silent = this.state === 'syn-sent' || this.state === 'time-wait';
    this.finish();
    if (!silent) this.host.segment(this.nxt, this.rcvNxt, TCP.rst | TCP.ack, 0, 0);
  }

  /** Forgets the connection without a word. */
  discard(): void {
    this.finish();
  }

  onSegment(s: TcpSegment): void {
    if (this.state === 'closed') return;
    if (this.state === 'syn-sent') this.onSynSent(s);
    else if (this.state === 'time-wait') this.onTimeWait(s);
    else this.onSynchronized(s);
  }

  onTimer(): void {
    if (this.state === 'closed') return;
    this.rto = Math.min(this.rto * 2, MAX_RTO);
    this.host.timer(this.rto);
    if (this.state === 'syn-sent') this.sendSyn();
    else this.retransmit();
    this.host.silent();
  }

  private sendSyn(): void {
    this.host.segment(this.iss, 0, TCP.syn, RECEIVE_WINDOW, OUR_MSS);
  }

  private onSynSent(s: TcpSegment): void {
    const acknowledges = (s.flags & TCP.ack) !== 0 && s.ack === this.nxt;
    if (s.flags & TCP.rst) {
      if (!acknowledges) return;
      this.finish();
      this.host.reset();
      return;
    }
    if ((s.flags & TCP.ack) !== 0 && !acknowledges) {
      // The remains of another connection there: RFC 9293 §3.5.1 lets it be cleared, our SYN is sent again.
      if (this.challenges++ < MAX_CHALLENGES) this.host.segment(s.ack, 0, TCP.rst, 0, 0);
      return;
    }
    if (!acknowledges || (s.flags & TCP.syn) === 0) return;
    this.una = s.ack;
    this.rcvNxt = (s.seq + 1) >>> 0;
    this.peerWindow = s.window;
    if (s.mss !== 0) this.peerMss = Math.max(1, Math.min(s.mss, OUR_MSS));
    this.state = 'established';
    this.host.timer(0);
    this.host.connected();
    // Whoever said something has acknowledged by it.
    if (this.state === 'established' && this.out === undefined) this.sendAck();
  }

  /** The peer's FIN again: it has not heard that we know. */
  private onTimeWait(s: TcpSegment): void {
    if (s.flags & TCP.rst) {
      if (s.seq === this.rcvNxt) this.finish();
    } else if (s.flags & TCP.fin) this.challenge();
  }

  private onSynchronized(s: TcpSegment): void {
    const length = s.payload.length + (s.flags & TCP.fin ? 1 : 0);
    const ahead = diff(s.seq, this.rcvNxt);
    if (s.flags & TCP.rst) {
      if (ahead === 0) {
        this.finish();
        this.host.reset();
      } else if (ahead > 0 && ahead < RECEIVE_WINDOW) this.challenge();
      return;
    }
    const acceptable =
      length === 0 ? ahead >= 0 && ahead <= RECEIVE_WINDOW : ahead < RECEIVE_WINDOW && ahead + length > 0;
    if (!acceptable || s.flags & TCP.syn) {
      this.challenge();
      return;
    }
    if ((s.flags & TCP.ack) === 0 || !this.onAck(s)) return;
    if (length > 0 && this.onPayload(s)) this.sendAck();
  }

  /** False where the acknowledgement is of something that was never sent. */
  private onAck(s: TcpSegment): boolean {
    if (diff(s.ack, this.nxt) > 0) {
      this.challenge();
      return false;
    }
    const progress = diff(s.ack, this.una);
    if (progress < 0) return true;
    this.peerWindow = s.window;
    if (progress > 0) {
      this.una = s.ack;
      if (this.una === this.nxt && this.allSent()) this.host.timer(0);
      else this.host.timer(this.rto);
      if (this.finWanted && this.una === this.finEnd()) this.finAcknowledged();
    }
    if (this.state !== 'closed') this.transmit(false);
    return true;
  }

  private finAcknowledged(): void {
    if (this.state === 'fin-wait-1') this.state = 'fin-wait-2';
    else if (this.state === 'closing') this.wait();
    else if (this.state === 'last-ack') this.finish();
  }

  /** Takes payload and FIN in; true where an acknowledgement is due. */
  private onPayload(s: TcpSegment): boolean {
    if (s.flags & TCP.fin) {
      const at = (s.seq + s.payload.length) >>> 0;
      if (diff(at, this.rcvNxt) < RECEIVE_WINDOW) this.finAt ??= at;
    }
    if (s.payload.length > 0) this.take(s.seq, s.payload);
    if (this.closedNow()) return false;
    if (this.finAt === this.rcvNxt) {
      this.rcvNxt = (this.rcvNxt + 1) >>> 0;
      this.finAt = undefined;
      return this.onFin();
    }
    return true;
  }

  private onFin(): boolean {
    switch (this.state) {
      case 'established':
        this.state = 'close-wait';
        this.host.ended();
        // The host's FIN has acknowledged, its RST needs nothing.
        return !this.finWanted && !this.closedNow();
      case 'fin-wait-1':
        this.state = 'closing';
        return true;
      case 'fin-wait-2':
        this.sendAck();
        this.wait();
        return false;
      default:
        return true;
    }
  }

  private take(seq: number, payload: Uint8Array): void {
    const piece = this.trim({ seq, bytes: payload });
    if (piece === undefined) return;
    if (piece.seq !== this.rcvNxt) {
      this.keep(piece);
      return;
    }
    this.deliver(piece.bytes);
    while (this.pieces && !this.closedNow()) {
      const at = this.pieces.findIndex((p) => diff(p.seq, this.rcvNxt) <= 0);
      if (at < 0) return;
      const next = this.trim(this.pieces.splice(at, 1)[0]!);
      if (next) this.deliver(next.bytes);
    }
  }

  /** The part of a piece that is new and inside the window. */
  private trim({ seq, bytes }: Piece): Piece | undefined {
    const ahead = diff(seq, this.rcvNxt);
    const from = ahead < 0 ? -ahead : 0;
    const to = Math.min(bytes.length, RECEIVE_WINDOW - ahead);
    if (from >= to) return undefined;
    return { seq: (seq + from) >>> 0, bytes: bytes.subarray(from, to) };
  }

  private keep(piece: Piece): void {
    this.pieces ??= [];
    const kept = this.pieces.reduce((n, p) => n + p.bytes.length, 0);
    if (this.pieces.length >= MAX_PIECES || kept + piece.bytes.length > RECEIVE_WINDOW) return;
    this.pieces.push({ seq: piece.seq, bytes: piece.bytes.slice() });
  }

  private deliver(bytes: Uint8Array): void {
    this.rcvNxt = (this.rcvNxt + bytes.length) >>> 0;
    if (this.state === 'established') this.host.data(bytes);
  }

  /** Sends what the window allows; `must`: at least an acknowledgement. */
  private transmit(must: boolean): void {
    let sent = false;
    while (this.sendNext(this.nxt)) sent = true;
    if (sent) this.host.timer(this.rto);
    else if (must) {
      this.sendAck();
      if (!this.allSent()) this.host.timer(this.rto);
    }
  }

  /** Sends one segment from `seq` on, of data or FIN; false where nothing is left or allowed. */
  private sendNext(seq: number, probe = false): boolean {
    const size = this.out?.length ?? 0;
    const offset = diff(seq, (this.iss + 1) >>> 0);
    const room = diff((this.una + this.peerWindow) >>> 0, seq);
    const length = Math.min(size - offset, this.peerMss, probe ? Math.max(1, room) : room);
    if (length > 0) {
      const payload = this.out!.subarray(offset, offset + length);
      const last = offset + length === size;
      this.host.segment(seq, this.rcvNxt, TCP.ack | (last ? TCP.psh : 0), RECEIVE_WINDOW, 0, payload);
      this.advance(seq + length);
      return true;
    }
    if (!this.finWanted || offset !== size) return false;
    this.host.segment(seq, this.rcvNxt, TCP.fin | TCP.ack, RECEIVE_WINDOW, 0);
    this.advance(seq + 1);
    return true;
  }

  private advance(to: number): void {
    if (diff(to >>> 0, this.nxt) > 0) this.nxt = to >>> 0;
  }

  /** The oldest unacknowledged segment again; with a closed window, one byte to probe it. */
  private retransmit(): void {
    this.sendNext(this.una, true);
  }

  private finEnd(): number {
    return (this.iss + 2 + (this.out?.length ?? 0)) >>> 0;
  }

  private allSent(): boolean {
    const end = this.finWanted ? this.finEnd() : (this.iss + 1 + (this.out?.length ?? 0)) >>> 0;
    return this.nxt === end;
  }

  private sendAck(): void {
    this.host.segment(this.nxt, this.rcvNxt, TCP.ack, RECEIVE_WINDOW, 0);
  }

  private challenge(): void {
    if (this.challenges++ < MAX_CHALLENGES) this.sendAck();
  }

  private closedNow(): boolean {
    return this.state === 'closed';
  }

  /** Both sides have closed; until the owner's time is over, a FIN that comes again is acknowledged. */
  private wait(): void {
    this.state = 'time-wait';
    this.pieces = undefined;
    this.host.timer(0);
  }

  private finish(): void {
    this.state = 'closed';
    this.pieces = undefined;
    this.host.timer(0);
  }
}
