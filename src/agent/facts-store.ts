import type { Facts, ResolvedNeighbour } from '../pipeline/types.js';

export function segmentKey(tenant: number, segment: number): string {
  return `${tenant}/${segment}`;
}

/** What was found out so far. */
export class FactsStore implements Facts {
  readonly ports = new Map<string, number>();
  readonly neighbours = new Map<string, readonly ResolvedNeighbour[]>();
  readonly serving = new Map<number, ReadonlySet<number>>();

  /** Replaces all ports. Returns the names whose number changed, appeared or vanished. */
  replacePorts(ports: ReadonlyMap<string, number>): Set<string> {
    const changed = new Set<string>();
    for (const [name, ofport] of ports) if (this.ports.get(name) !== ofport) changed.add(name);
    for (const name of this.ports.keys()) if (!ports.has(name)) changed.add(name);
    this.ports.clear();
    for (const [name, ofport] of ports) this.ports.set(name, ofport);
    return changed;
  }

  /**
   * Puts or, without `ofport`, removes one port. Returns the names that changed: a number belongs to one port only,
   * so another one that had it is gone, or will be told anew.
   */
  setPort(name: string, ofport: number | undefined): Set<string> {
    const changed = new Set<string>();
    if (this.ports.get(name) === ofport) return changed;
    for (const [other, number] of this.ports) if (number === ofport && other !== name) changed.add(other);
    for (const other of changed) this.ports.delete(other);
    if (ofport === undefined) this.ports.delete(name);
    else this.ports.set(name, ofport);
    return changed.add(name);
  }

  /** Puts or, without `neighbour`, removes one address. Returns whether anything changed. */
  setNeighbour(
    tenant: number,
    segment: number,
    address: number,
    neighbour: ResolvedNeighbour | undefined,
  ): boolean {
    const key = segmentKey(tenant, segment);
    const known = this.neighbours.get(key) ?? [];
    const was = known.find((n) => n.address === address);
    if (was === undefined && neighbour === undefined) return false;
    if (was && neighbour && sameNeighbour(was, neighbour)) return false;
    const rest = known.filter((n) => n.address !== address);
    const next = neighbour ? [...rest, neighbour].sort((a, b) => a.address - b.address) : rest;
    if (next.length === 0) this.neighbours.delete(key);
    else this.neighbours.set(key, next);
    return true;
  }

  /** Returns whether the set of members that may serve changed. */
  setServing(poolId: number, endpoints: ReadonlySet<number>): boolean {
    const was = this.serving.get(poolId);
    if (was && was.size === endpoints.size && [...endpoints].every((e) => was.has(e))) return false;
    this.serving.set(poolId, endpoints);
    return true;
  }
}

function sameNeighbour(a: ResolvedNeighbour, b: ResolvedNeighbour): boolean {
  return (
    a.mac === b.mac &&
    a.ofport === b.ofport &&
    a.vlan === b.vlan &&
    a.tunId === b.tunId &&
    a.tunDst === b.tunDst
  );
}
