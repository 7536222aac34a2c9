import { contains, formatIpv4 } from '../model/address.js';
import { nearest } from '../model/nearest.js';
import {
  type Ipv4,
  type Mac,
  type PortRef,
  PROVIDER_TENANT,
  type ProviderIntent,
  type SegmentIntent,
  type TenantIntent,
} from '../model/types.js';
import type { ResolvedNeighbour } from '../pipeline/index.js';
import { TraceError } from './errors.js';
import type { PacketSpec } from './packet.js';

/** What is known about the node, as far as a packet has to be put somewhere. */
export interface TraceWorld {
  readonly tenant: TenantIntent;
  readonly provider: ProviderIntent;
  readonly bridge: string;
  /** OVS port name → OpenFlow port number. */
  readonly ports: ReadonlyMap<string, number>;
  /** MAC and port of an address in a segment, resolved or learned. */
  neighbour(tenant: number, segment: number, address: Ipv4): Promise<ResolvedNeighbour | undefined>;
}

/** Where a packet enters the switch, and its Ethernet header. */
export interface Place {
  readonly segment: SegmentIntent;
  /** On an external network: the packet is the provider's at first. */
  readonly external: boolean;
  readonly port: PortRef;
  readonly ofport: number;
  readonly sourceMac: Mac;
  readonly destinationMac: Mac;
  /** What had to be made up. */
  readonly notes: readonly string[];
}

const BROADCAST: Mac = 0xffffffffffffn;
/** For hosts whose MAC nobody has seen; locally administered. */
const UNSEEN_SOURCE: Mac = 0x02_00_00_00_00_01n;
const UNSEEN_DESTINATION: Mac = 0x02_00_00_00_00_02n;

interface Candidate {
  readonly segment: SegmentIntent;
  readonly external: boolean;
  readonly port: PortRef;
}

/**
 * @param from name of a port, or of a segment or external network whose port is found by the source address; without
 *   it the segment is found by the source address too
 * @param segment of a port that has several
 * @throws TraceError
 */
export async function placePacket(
  world: TraceWorld,
  packet: PacketSpec,
  from?: string,
  segment?: string,
): Promise<Place> {
  const { port, segment: at, external } = await findPort(world, packet, from, segment);
  const ofport = world.ports.get(port.name);
  if (ofport === undefined)
    throw new TraceError(
      'conflict',
      `port ${port.name} of segment ${at.name} is not on bridge ${world.bridge}`,
      `add it with ovs-vsctl add-port ${world.bridge} ${port.name}`,
    );
  const tenantId = external ? PROVIDER_TENANT : world.tenant.id;
  const notes: string[] = [];
  const sourceMac =
    packet.sourceMac ??
    (await world.neighbour(tenantId, at.id, packet.source))?.mac ??
    madeUp(notes, `the MAC of ${formatIpv4(packet.source)} isn't known, one was made up`, UNSEEN_SOURCE);
  const destinationMac =
    packet.destinationMac ?? (await destination(world, packet, at, external, tenantId, notes));
  return { segment: at, external, port, ofport, sourceMac, destinationMac, notes };
}

function madeUp(notes: string[], note: string, mac: Mac): Mac {
  notes.push(note);
  return mac;
}

async function findPort(
  world: TraceWorld,
  packet: PacketSpec,
  from: string | undefined,
  segment: string | undefined,
): Promise<Candidate> {
  const all = candidates(world);
  const named = from === undefined ? all : all.filter((c) => c.port.name === from || c.segment.name === from);
  if (from !== undefined && named.length === 0) throw unknownFrom(world, from, all);
  const inSegment = segment === undefined ? named : named.filter((c) => c.segment.name === segment);
  if (inSegment.length === 0)
    throw new TraceError(
      'not-found',
      `${from === undefined ? `tenant ${world.tenant.name}` : from} has no segment ${segment}`,
      `one of ${[...new Set(named.map((c) => c.segment.name))].join(', ')}`,
    );
  if (inSegment.length === 1) return inSegment[0]!;
  const bySubnet = inSegment.filter((c) => c.segment.subnets.some((n) => contains(n.prefix, packet.source)));
  const narrowed = bySubnet.length > 0 ? bySubnet : inSegment;
  if (narrowed.length === 1) return narrowed[0]!;
  const found = await byNeighbour(world, packet, narrowed);
  if (found) return found;
  const places = narrowed.map((c) => `${c.port.name} (${c.segment.name})`);
  throw new TraceError(
    'conflict',
    `at which port ${formatIpv4(packet.source)} is isn't known`,
    `say it with --from${narrowed.every((c) => c.port.name === from) ? ` ${from} --segment` : ''}: ${places.join(', ')}`,
  );
}

function candidates({ tenant, provider }: TraceWorld): Candidate[] {
  const of = (segment: SegmentIntent, external: boolean) =>
    segment.ports.map((port) => ({ segment, external, port }));
  return [
    ...tenant.segments.flatMap((s) => of(s, false)),
    ...provider.networks.flatMap((network) => of(network, true)),
  ];
}

async function byNeighbour(
  world: TraceWorld,
  packet: PacketSpec,
  among: readonly Candidate[],
): Promise<Candidate | undefined> {
  for (const candidate of among) {
    const tenant = candidate.external ? PROVIDER_TENANT : world.tenant.id;
    const known = await world.neighbour(tenant, candidate.segment.id, packet.source);
    if (
      known !== undefined &&
      known.ofport === world.ports.get(candidate.port.name) &&
      known.vlan === candidate.port.vlan &&
      known.tunId === candidate.port.vni
    )
      return candidate;
  }
  return undefined;
}

function unknownFrom(world: TraceWorld, from: string, all: readonly Candidate[]): TraceError {
  const names = [...new Set(all.flatMap((c) => [c.port.name, c.segment.name]))];
  const guess = nearest(from, names);
  const there = world.ports.has(from) ? `, though bridge ${world.bridge} has a port of that name` : '';
  return new TraceError(
    'not-found',
    `${from} is no port and no segment of tenant ${world.tenant.name}${there}`,
    guess === undefined
      ? `its ports: ${[...new Set(all.map((c) => c.port.name))].slice(0, 20).join(', ') || 'none'}`
      : `did you mean ${guess}?`,
  );
}

async function destination(
  world: TraceWorld,
  packet: PacketSpec,
  segment: SegmentIntent,
  external: boolean,
  tenantId: number,
  notes: string[],
): Promise<Mac> {
  if (packet.protocol === 'arp' && packet.arp === 'request') return BROADCAST;
  const to = packet.destination;
  const neighbours = segment.subnets.some((n) => contains(n.prefix, to));
  if (neighbours && isBroadcast(segment, to)) return BROADCAST;
  if (to >>> 28 === 0xe) return (0x01005e000000n | BigInt(to & 0x7fffff)) as Mac;
  if (to === 0xffffffff) return BROADCAST;
  if (external ? isPublic(world, segment, to) : !neighbours || isOurs(world, segment, to)) return segment.mac;
  const known = await world.neighbour(tenantId, segment.id, to);
  return (
    known?.mac ??
    madeUp(
      notes,
      `the MAC of ${formatIpv4(to)} isn't known: its neighbour would ask by ARP first, a MAC was made up`,
      UNSEEN_DESTINATION,
    )
  );
}

function isBroadcast({ subnets }: SegmentIntent, address: Ipv4): boolean {
  return subnets.some(({ prefix: { address: network, length } }) => {
    const last = (network | (length === 0 ? 0xffffffff : 0xffffffff >>> length)) >>> 0;
    return length < 31 && address === (length === 32 ? network : last);
  });
}

/** Gateway, probe address or VIP of a segment: the switch answers ARP for it. */
function isOurs({ tenant }: TraceWorld, segment: SegmentIntent, address: Ipv4): boolean {
  return (
    address === segment.probeAddress ||
    segment.subnets.some((n) => n.gateway === address) ||
    tenant.listeners.some(
      (l) => l.vip === address && l.at.kind === 'segment' && l.at.segmentId === segment.id,
    )
  );
}

/** Of an external network: its own address, a public VIP, or anything beyond it that a router would send us. */
function isPublic({ tenant }: TraceWorld, network: SegmentIntent, address: Ipv4): boolean {
  return (
    address === network.probeAddress ||
    tenant.listeners.some((l) => l.vip === address && l.at.kind === 'external') ||
    !network.subnets.some((n) => contains(n.prefix, address))
  );
}
