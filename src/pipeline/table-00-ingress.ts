import type { SegmentIntent } from '../model/types.js';
import { PROVIDER_TENANT } from '../model/types.js';
import type { LearnSpec } from '../nx-extensions/action-types.js';
import { F } from '../nx-extensions/fields.js';
import type { Action, Instruction } from '../ofp/types/action.js';
import type { Field, FieldValue, Subfield } from '../ofp/types/field.js';
import { type Attachment, ingressMatch, unwrap, VLAN_PRESENT } from './attachments.js';
import { cookieOf } from './cookies.js';
import { portMeterId } from './ids.js';
import { REG } from './registers.js';
import { apply, goto, IP, inPrefix, load, m, meterInstruction, type OwnerRules, resubmit } from './rules.js';
import { TABLES } from './tables.js';
import { KIND } from './types.js';

/** Link-local bridge protocols, and frames whose source is a group: no bridge forwards them. */
const NEVER = 300;
/** IP from the segment's own subnets: an adjacency is learned. */
const FROM_SUBNET = 210;
const ANY = 200;

/** Seconds that a learned MAC or adjacency lives without traffic. */
const LEARNED_IDLE = 300;
/** Priorities of learned flows: below what the resolver verified. */
export const LEARNED_FDB_PRIORITY = 100;
export const LEARNED_ADJACENCY_PRIORITY = 90;

export function ingressNode(rules: OwnerRules): void {
  rules.node(TABLES.ingress, NEVER, [m(F.dl_dst, 0x0180c2000000n, 0xfffffffffff0n)]);
  rules.node(TABLES.ingress, NEVER, [m(F.dl_src, 0x010000000000n, 0x010000000000n)]);
}

/** Ports of a segment or of an external network. `metered`: the tenant has a bandwidth. */
export function ingressSegment(
  rules: OwnerRules,
  segment: SegmentIntent,
  at: readonly Attachment[],
  metered: boolean,
): void {
  const { tenant } = rules.owner;
  const seen = new Set<string>();
  const learning = new Map<string, Learning>();
  for (const attachment of at) {
    const { port, ofport } = attachment;
    // Several remote ends of one tunnel: one way in.
    const key = `${ofport}/${port.vlan}/${port.vni}`;
    if (seen.has(key)) continue;
    seen.add(key);
    const wrap = `${port.vlan}/${port.vni}`;
    const learn = learning.get(wrap) ?? learningOf(tenant, segment, attachment);
    learning.set(wrap, learn);
    const match = ingressMatch(attachment);
    const enter: Action[] = [...unwrap(attachment), load(REG.tenant, tenant), load(REG.segment, segment.id)];
    if (metered) enter.push(resubmit(TABLES.tenantRate));
    // Between ports of an external network nothing is switched, so there is nothing to learn of MACs.
    if (tenant !== PROVIDER_TENANT) enter.push(learn.mac);
    const first: Instruction[] =
      port.bandwidth === undefined ? [] : [meterInstruction(portMeter(rules, segment, attachment))];
    rules.ingress(ANY, match, ...first, apply(...enter), goto(TABLES.l2));
    if (port.uplink) continue;
    for (const { prefix } of segment.subnets) {
      const source = [...match, IP, ...inPrefix(F.nw_src, prefix)];
      rules.ingress(FROM_SUBNET, source, ...first, apply(...enter, learn.adjacency), goto(TABLES.l2));
    }
  }
}

function portMeter(rules: OwnerRules, segment: SegmentIntent, { port, ofport }: Attachment): number {
  const meterId = portMeterId(rules.owner.tenant, segment.id, port, ofport);
  rules.meter({
    meterId,
    flags: ['kbps', 'burst', 'stats'],
    bands: [bandwidthBand(port.bandwidth!)],
  });
  return meterId;
}

/** @param bandwidth bits per second; a burst of a tenth of a second is let through */
export function bandwidthBand(bandwidth: number) {
  const rate = Math.max(1, Math.round(bandwidth / 1000));
  return { type: 'drop', rate, burst: Math.max(1, Math.round(rate / 10)) } as const;
}

/** The same for all ports that frames go out of in the same way. */
interface Learning {
  readonly mac: Action;
  readonly adjacency: Action;
}

function learningOf(tenant: number, segment: SegmentIntent, attachment: Attachment): Learning {
  return {
    mac: learnMac(tenant, segment, attachment),
    adjacency: learnAdjacency(tenant, segment, attachment),
  };
}

function learnMac(tenant: number, segment: SegmentIntent, attachment: Attachment): Action {
  return {
    type: 'learn2',
    table: TABLES.fdb.number,
    priority: LEARNED_FDB_PRIORITY,
    idleTimeout: LEARNED_IDLE,
    cookie: cookieOf({ tenant, kind: KIND.learnedFdb, object: segment.id }),
    limit: segment.learning.macs,
    resultDst: bits(REG.fdbLearned),
    specs: [
      same(F.reg3),
      same(F.reg0),
      { type: 'match', dst: whole(F.dl_dst), src: whole(F.dl_src) },
      ...wrapSpecs(attachment),
      { type: 'output', src: whole(F.in_port_nxm) },
    ],
  };
}

function learnAdjacency(tenant: number, segment: SegmentIntent, attachment: Attachment): Action {
  return {
    type: 'learn2',
    table: TABLES.adjacency.number,
    priority: LEARNED_ADJACENCY_PRIORITY,
    idleTimeout: LEARNED_IDLE,
    cookie: cookieOf({ tenant, kind: KIND.learnedAdjacency, object: segment.id }),
    limit: segment.learning.adjacencies,
    resultDst: bits(REG.adjacencyLearned),
    specs: [
      { type: 'match', dst: whole(F.dl_type), value: 0x0800 },
      same(F.reg3),
      same(F.reg0),
      { type: 'match', dst: whole(F.reg6), src: whole(F.nw_src) },
      { type: 'load', dst: whole(F.dl_dst), src: whole(F.dl_src) },
      ...wrapSpecs(attachment),
      constant(F.in_port_nxm, 0),
      { type: 'output', src: whole(F.in_port_nxm) },
    ],
  };
}

/** A learned flow can't push a tag, but writing vlan_tci with its present bit does. */
function wrapSpecs({ port }: Attachment): LearnSpec[] {
  if (port.vlan !== undefined) return [constant(F.vlan_tci, VLAN_PRESENT | port.vlan)];
  if (port.vni === undefined) return [];
  return [
    constant(F.tun_id, BigInt(port.vni)),
    { type: 'load', dst: whole(F.tun_dst), src: whole(F.tun_src) },
  ];
}

const wholes = new Map<Field, Subfield>();

export function whole(field: Field): Subfield {
  const known = wholes.get(field);
  if (known) return known;
  const all = { field, ofs: 0, nBits: field.nBits };
  wholes.set(field, all);
  return all;
}

function same(field: Field): LearnSpec {
  return { type: 'match', dst: whole(field), src: whole(field) };
}

function constant(field: Field, value: FieldValue): LearnSpec {
  return { type: 'load', dst: whole(field), value };
}

function bits({ field, ofs, nBits }: Subfield): Subfield {
  return { field, ofs, nBits };
}
