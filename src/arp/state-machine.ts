import type { Mac } from '../packetio/frames/address.js';
import type { Random } from '../packetio/types.js';
import type { Claim, Entry } from './entry.js';
import type { NeighbourEvent, NeighbourKey, NeighbourSettings, NeighbourState, Station } from './types.js';

/** Solicitations of a verification, and their pace: a replaced card is found well within a second. */
const FAST_SOLICITATIONS = 3;
const FAST_MS = 200;
/** An answer from the known station settles claims for so long; suspicions are heard as often. */
const SETTLED_MS = 1000;
/** After a solicitation, how long a reply counts as its answer. */
const ANSWER_MS = 2000;
const MINUTE = 60_000;

/** What the state machine does to its surroundings. */
export interface Surroundings {
  readonly settings: NeighbourSettings;
  readonly random: Random;
  now(): number;
  /** Milliseconds that the way to the switch and back took, at worst since then. */
  delaySince(since: number): number;
  schedule(entry: Entry, at: number): void;
  /** Asks the known station, or everybody. False where the question could not be sent. */
  solicit(entry: Entry, unicast: boolean): boolean;
  /** The way to the address is another one now, or gone. */
  changed(entry: Entry): void;
  /** There is a way; frames may go. */
  usable(entry: Entry): void;
  /** Nobody answered: frames that wait are lost. */
  abandon(entry: Entry): void;
  remove(entry: Entry): void;
  report(event: Detail, entry: Entry): void;
}
/** An event without the key of its entry. */
type Detail = NeighbourEvent extends infer E
  ? E extends NeighbourEvent
    ? Omit<E, keyof NeighbourKey>
    : never
  : never;

/** RFC 4861 §7.3 for ARP, with verification of claims: an unverified one never replaces a station that answers. */
export class NeighbourStateMachine {
  constructor(private readonly env: Surroundings) {}

  /** Begins to look for the address. */
  resolve(entry: Entry, delayMs = 0): void {
    this.enter(entry, 'INCOMPLETE');
    this.env.schedule(entry, this.env.now() + delayMs);
  }

  /** Takes a station for granted until a question of ours, not urgent, has been answered or not. */
  assume(entry: Entry, mac: Mac, station: Station, delayMs: number): void {
    entry.mac = mac;
    entry.station = station;
    this.enter(entry, 'PROBE');
    this.env.schedule(entry, this.env.now() + delayMs);
    this.env.usable(entry);
  }

  /** The moment that the entry waited for. */
  onTime(entry: Entry): void {
    switch (entry.state) {
      case 'INCOMPLETE':
        this.stepIncomplete(entry);
        break;
      case 'REACHABLE':
        this.stepReachable(entry);
        break;
      case 'STALE':
        this.stepStale(entry);
        break;
      case 'DELAY':
        this.enter(entry, 'PROBE');
        this.stepProbe(entry);
        break;
      case 'PROBE':
        this.stepProbe(entry);
        break;
      case 'FAILED':
        if (entry.target) this.resolve(entry);
        else this.env.remove(entry);
        break;
    }
  }

  /** A reply to us that names the address; it counts as an answer only if we asked lately. */
  onReply(entry: Entry, mac: Mac, station: Station): boolean {
    const now = this.env.now();
    if (now - entry.askedAt > ANSWER_MS) {
      this.onClaim(entry, mac, station);
      return false;
    }
    if (entry.state === 'INCOMPLETE' || entry.mac === 0n) {
      this.adopt(entry, mac, station);
      this.env.report({ type: 'resolved', mac }, entry);
    } else if (entry.mac === mac) this.onKnownAnswer(entry, station);
    else this.onOtherAnswer(entry, { mac, station, answered: true });
    return true;
  }

  /** Anything unasked that says the address is at `mac`: gratuitous ARP, requests of the host, its IP packets. */
  onClaim(entry: Entry, mac: Mac, station: Station): void {
    const now = this.env.now();
    if (entry.state === 'FAILED') {
      this.resolve(entry);
      return;
    }
    if (entry.state === 'INCOMPLETE' || entry.isAt(mac, station) || now < entry.dampedUntil) return;
    const answered = entry.claim?.mac === mac && entry.claim.answered;
    entry.claim = { mac, station, answered };
    if (entry.state === 'PROBE' && entry.fast) return;
    const settled = entry.verifiedAt + SETTLED_MS;
    if (entry.state === 'REACHABLE' && now < settled) this.env.schedule(entry, settled);
    else this.verify(entry);
  }

  /** Something of the known station that only it could have sent. */
  confirm(entry: Entry): void {
    if (entry.mac === 0n) return;
    const now = this.env.now();
    entry.verifiedAt = now;
    entry.usedAt = now;
    if (entry.state !== 'REACHABLE') this.reachable(entry);
    else if (entry.reachableUntil - now < this.env.settings.reachableMs / 2) this.extend(entry, now);
  }

  /** The known station doesn't answer something: find out at once whether it is still there. */
  suspect(entry: Entry): void {
    const now = this.env.now();
    if (entry.state !== 'REACHABLE' && entry.state !== 'STALE' && entry.state !== 'DELAY') return;
    if (now - entry.suspectedAt < SETTLED_MS) return;
    entry.suspectedAt = now;
    this.verify(entry);
  }

  /** Somebody sends to the address. */
  use(entry: Entry): void {
    entry.usedAt = this.env.now();
    if (entry.state === 'STALE') this.delay(entry);
  }

  private stepIncomplete(entry: Entry): void {
    const { settings } = this.env;
    this.forgive(entry, settings.retransmitMs);
    if (entry.attempts >= settings.multicastSolicitations) {
      this.fail(entry);
      return;
    }
    if (this.env.solicit(entry, false)) entry.attempts++;
    this.env.schedule(entry, this.env.now() + settings.retransmitMs);
  }

  private stepReachable(entry: Entry): void {
    const now = this.env.now();
    if (entry.claim) this.verify(entry);
    else if (now < entry.reachableUntil) this.env.schedule(entry, entry.reachableUntil);
    else {
      this.enter(entry, 'STALE');
      if (entry.target) this.delay(entry);
      else this.env.schedule(entry, Math.max(now, entry.usedAt + this.env.settings.idleMs));
    }
  }

  private stepStale(entry: Entry): void {
    const idleAt = entry.usedAt + this.env.settings.idleMs;
    if (entry.target) this.delay(entry);
    else if (this.env.now() >= idleAt) this.env.remove(entry);
    else this.env.schedule(entry, idleAt);
  }

  private stepProbe(entry: Entry): void {
    const { settings } = this.env;
    const now = this.env.now();
    this.forgive(entry, entry.fast ? FAST_MS : settings.retransmitMs);
    if (entry.fast) {
      if (entry.attempts < FAST_SOLICITATIONS) {
        if (this.env.solicit(entry, true) && this.env.solicit(entry, false)) entry.attempts++;
        this.env.schedule(entry, now + FAST_MS);
        return;
      }
      if (entry.claim?.answered) {
        this.move(entry, entry.claim);
        return;
      }
      // Silence all around: everybody is asked at the common pace, then it has failed.
      entry.fast = false;
      entry.attempts = settings.unicastSolicitations;
    }
    if (entry.attempts >= settings.unicastSolicitations + settings.multicastSolicitations) {
      this.fail(entry);
      return;
    }
    if (this.env.solicit(entry, entry.attempts < settings.unicastSolicitations)) entry.attempts++;
    this.env.schedule(entry, now + settings.retransmitMs);
  }

  /** A question whose answer may still be in a queue on the way does not count. */
  private forgive(entry: Entry, waitedMs: number): void {
    if (entry.attempts > 0 && this.env.delaySince(entry.askedAt) > waitedMs / 2) entry.attempts--;
  }

  private onKnownAnswer(entry: Entry, station: Station): void {
    if (entry.claim?.answered && entry.claim.mac !== entry.mac) this.duplicate(entry, entry.claim.mac);
    if (!entry.isAt(entry.mac, station)) this.move(entry, { mac: entry.mac, station, answered: true });
    else {
      entry.verifiedAt = this.env.now();
      this.reachable(entry);
    }
  }

  private onOtherAnswer(entry: Entry, claim: Claim): void {
    const now = this.env.now();
    if (entry.state === 'PROBE') {
      entry.claim = claim;
      // Without haste the known station had its questions first, and was silent.
      const known = this.env.settings.unicastSolicitations;
      if (!entry.fast && entry.attempts > known) this.move(entry, claim);
    } else if (now - entry.verifiedAt < SETTLED_MS) this.duplicate(entry, claim.mac);
    else this.onClaim(entry, claim.mac, claim.station);
  }

  private duplicate(entry: Entry, other: Mac): void {
    const now = this.env.now();
    if (now - entry.duplicateAt < MINUTE) return;
    entry.duplicateAt = now;
    this.env.report({ type: 'duplicate-address', mac: entry.mac, other }, entry);
  }

  private verify(entry: Entry): void {
    this.enter(entry, 'PROBE');
    entry.fast = true;
    this.stepProbe(entry);
  }

  private move(entry: Entry, to: Claim): void {
    const now = this.env.now();
    const from = entry.mac;
    entry.moves = entry.moves.filter((at) => now - at < MINUTE);
    entry.moves.push(now);
    this.adopt(entry, to.mac, to.station);
    this.env.report({ type: 'moved', mac: to.mac, from, ofport: to.station.ofport }, entry);
    if (entry.moves.length > this.env.settings.maxMovesPerMinute) {
      entry.moves = [];
      entry.dampedUntil = now + MINUTE;
      this.env.report({ type: 'damped', mac: to.mac }, entry);
    }
  }

  private adopt(entry: Entry, mac: Mac, station: Station): void {
    entry.mac = mac;
    entry.station = station;
    entry.verifiedAt = this.env.now();
    this.reachable(entry);
    this.env.changed(entry);
    this.env.usable(entry);
  }

  private reachable(entry: Entry): void {
    this.enter(entry, 'REACHABLE');
    entry.claim = undefined;
    const now = this.env.now();
    this.extend(entry, now);
    this.env.schedule(entry, entry.reachableUntil);
  }

  private extend(entry: Entry, now: number): void {
    entry.reachableUntil = now + this.env.settings.reachableMs * (0.5 + this.env.random());
  }

  private delay(entry: Entry): void {
    this.enter(entry, 'DELAY');
    this.env.schedule(entry, this.env.now() + this.env.settings.delayMs);
  }

  private fail(entry: Entry): void {
    const had = entry.mac !== 0n;
    entry.mac = 0n;
    entry.claim = undefined;
    this.env.abandon(entry);
    this.enter(entry, 'FAILED');
    this.env.schedule(entry, this.env.now() + this.env.settings.negativeMs);
    if (had) {
      this.env.changed(entry);
      this.env.report({ type: 'failed' }, entry);
    }
  }

  private enter(entry: Entry, state: NeighbourState): void {
    entry.state = state;
    entry.attempts = 0;
    entry.fast = false;
  }
}
