import type { Mac } from '../packetio/frames/address.js';
import type { PacketContext } from '../packetio/types.js';
import type { Target } from './target.js';

/** What the checker needs of the neighbour table. */
export interface Neighbours {
  lookup(tenant: number, segment: number, address: number): { readonly mac: Mac } | undefined;
  confirm(tenant: number, segment: number, address: number): void;
  suspect(tenant: number, segment: number, address: number): void;
  observe(context: PacketContext, address: number, mac: Mac): void;
  onUsable(handler: (key: { tenant: number; segment: number; address: number }) => void): void;
}

/** Targets that wait until their neighbour can be reached. */
export class NeighbourWait {
  private readonly byNeighbour = new Map<string, Set<Target>>();

  add(target: Target): void {
    const key = keyOf(target.tenant, target.segment, target.nextHop);
    let waiting = this.byNeighbour.get(key);
    if (waiting === undefined) {
      waiting = new Set();
      this.byNeighbour.set(key, waiting);
    }
    waiting.add(target);
    target.waitingFor = key;
  }

  remove(target: Target): void {
    const waiting = this.byNeighbour.get(target.waitingFor);
    if (waiting?.delete(target) && waiting.size === 0) this.byNeighbour.delete(target.waitingFor);
  }

  /** Those that wait for this neighbour wait no more. */
  take(tenant: number, segment: number, address: number): Iterable<Target> {
    const key = keyOf(tenant, segment, address);
    const waiting = this.byNeighbour.get(key) ?? [];
    this.byNeighbour.delete(key);
    return waiting;
  }
}

function keyOf(tenant: number, segment: number, address: number): string {
  return `${tenant}/${segment}/${address}`;
}
