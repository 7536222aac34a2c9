import { PROVIDER_TENANT } from '../model/types.js';
import { F } from '../nx-extensions/fields.js';
import type { Action, Instruction } from '../ofp/types/action.js';
import type { Field, FieldValue, Match, MatchField } from '../ofp/types/field.js';
import { OFPP } from '../ofp/types/message.js';
import { cookieOf } from './cookies.js';
import { place, REG, type RegisterField, reg } from './registers.js';
import type { Table } from './tables.js';
import { TABLES } from './tables.js';
import type { Flow, Group, Meter, Owner, OwnerState } from './types.js';

/** Fields that mean something in one tenant only: no rule beyond table 0 may match them without the tenant id. */
export const TENANT_SCOPED: ReadonlySet<Field> = new Set<Field>([
  F.dl_src,
  F.dl_dst,
  F.nw_src,
  F.nw_dst,
  F.arp_spa,
  F.arp_tpa,
  F.arp_sha,
  F.arp_tha,
  F.ipv6_src,
  F.ipv6_dst,
  F.nd_target,
  F.nd_sll,
  F.nd_tll,
  F.ct_nw_src,
  F.ct_nw_dst,
  F.ct_ipv6_src,
  F.ct_ipv6_dst,
  F.reg6,
]);

/** Collects what one owner wants. The only place that makes flows: each way in says in whose scope the rule is. */
export class OwnerRules {
  private readonly cookie: bigint;
  private isTenant: MatchField | undefined;
  private readonly flows: Flow[] = [];
  private readonly groups: Group[] = [];
  private readonly meters: Meter[] = [];

  constructor(readonly owner: Owner) {
    this.cookie = cookieOf(owner);
  }

  /** A rule for packets of the owner's tenant. */
  tenant(table: Table, priority: number, match: Match, ...instructions: Instruction[]): void {
    this.isTenant ??= reg(REG.tenant, this.owner.tenant);
    this.push(table, priority, [this.isTenant, ...match], instructions);
  }

  /** A rule for packets that are still the provider's: public VIPs on an external network. */
  provider(table: Table, priority: number, match: Match, ...instructions: Instruction[]): void {
    this.push(table, priority, [reg(REG.tenant, PROVIDER_TENANT), ...match], instructions);
  }

  /** A rule of table 0, where packets have no tenant yet: by port, VLAN and VNI. */
  ingress(priority: number, match: Match, ...instructions: Instruction[]): void {
    this.push(TABLES.ingress, priority, match, instructions);
  }

  /** A rule for packets of a pool, whose id is unique on the node. */
  pool(table: Table, priority: number, pool: number, match: Match, ...instructions: Instruction[]): void {
    this.push(table, priority, [reg(REG.pool, pool), ...unscoped(match)], instructions);
  }

  /** One rule per slot of a pool; none where `instructionsOf` has none. Matches nothing but pool and slot. */
  slots(
    priority: number,
    pool: number,
    count: number,
    matchOf: (slot: number) => MatchField,
    instructionsOf: (slot: number) => readonly Instruction[] | undefined,
  ): void {
    const isPool = reg(REG.pool, pool);
    for (let slot = 0; slot < count; slot++) {
      const instructions = instructionsOf(slot);
      if (instructions) this.push(TABLES.slots, priority, [isPool, matchOf(slot)], instructions);
    }
  }

  /** A rule for packets of all tenants. @throws Error where it matches an address */
  node(table: Table, priority: number, match: Match, ...instructions: Instruction[]): void {
    this.push(table, priority, table === TABLES.ingress ? match : unscoped(match), instructions);
  }

  group(group: Group): void {
    this.groups.push(group);
  }

  meter(...meters: Meter[]): void {
    this.meters.push(...meters);
  }

  state(): OwnerState {
    return { owner: this.owner, flows: this.flows, groups: this.groups, meters: this.meters };
  }

  private push(table: Table, priority: number, match: Match, instructions: readonly Instruction[]): void {
    const merged = table === TABLES.slots ? match : mergeParts(match as readonly MatchField[]);
    this.flows.push({ table: table.number, priority, cookie: this.cookie, match: merged, instructions });
  }
}

/** Parts of one register become one match; the switch refuses a field that is there twice. */
function mergeParts(match: readonly MatchField[]): Match {
  if (match.every(({ field }, i) => match.findIndex((other) => other.field === field) === i)) return match;
  const fields = new Map<Field, MatchField>();
  for (const entry of match) {
    const other = fields.get(entry.field);
    if (!other) {
      fields.set(entry.field, entry);
      continue;
    }
    if (other.mask === undefined || entry.mask === undefined)
      throw new Error(`a rule matches ${entry.field.name} twice`);
    const wide = entry.field.nBits > 32;
    const value = BigInt(other.value) | BigInt(entry.value);
    const mask = BigInt(other.mask) | BigInt(entry.mask);
    fields.set(entry.field, m(entry.field, wide ? value : Number(value), wide ? mask : Number(mask)));
  }
  return [...fields.values()];
}

function unscoped(match: Match): Match {
  const bad = match.find((f) => f.field !== null && TENANT_SCOPED.has(f.field));
  if (bad) throw new Error(`a rule without a tenant must not match ${bad.field!.name}`);
  return match;
}

export function m(field: Field, value: FieldValue, mask?: FieldValue): MatchField {
  return mask === undefined ? { field, value } : { field, value, mask };
}

/** nw_dst or nw_src in a prefix; a prefix of length 0 matches everything and is left out. */
export function inPrefix(
  field: Field,
  { address, length }: { address: number; length: number },
): MatchField[] {
  if (length === 0) return [];
  if (length === 32) return [m(field, address)];
  const mask = (0xffffffff << (32 - length)) >>> 0;
  return [m(field, (address & mask) >>> 0, mask)];
}

export const IP: MatchField = m(F.dl_type, 0x0800);
export const ARP: MatchField = m(F.dl_type, 0x0806);
export const ICMP: readonly MatchField[] = [IP, m(F.nw_proto, 1)];
/** Any fragment; its ports can't be seen. */
export const FRAGMENT: MatchField = m(F.nw_frag, 1, 1);

export function apply(...actions: readonly Action[]): Instruction {
  return { type: 'apply_actions', actions };
}

export function goto(table: Table): Instruction {
  return { type: 'goto_table', table: table.number };
}

export function meterInstruction(meterId: number): Instruction {
  return { type: 'meter', meterId };
}

export function load(f: RegisterField, value: number): Action {
  return { type: 'set_field', field: f.field, ...place(f, value) };
}

export function set(field: Field, value: FieldValue): Action {
  return { type: 'set_field', field, value };
}

export function move(src: Field, dst: Field): Action {
  return {
    type: 'reg_move',
    src: { field: src, ofs: 0, nBits: src.nBits },
    dst: { field: dst, ofs: 0, nBits: dst.nBits },
  };
}

export function resubmit(table: Table): Action {
  return { type: 'resubmit_table', table: table.number };
}

export function output(port: number): Action {
  return { type: 'output', port };
}

/** Forgets where the packet came in: the switch suppresses output to that port otherwise. */
export const CLEAR_IN_PORT: Action = set(F.in_port_nxm, 0);
export const TO_IN_PORT: Action = output(OFPP.IN_PORT);
export const DEC_TTL: Action = { type: 'dec_nw_ttl' };

/** Swaps source and destination MAC. */
export const SWAP_MACS: readonly Action[] = swap(F.dl_src, F.dl_dst);

export function swap(a: Field, b: Field): Action[] {
  const whole = (field: Field) => ({ field, ofs: 0, nBits: field.nBits });
  return [{ type: 'stack_push', src: whole(a) }, move(b, a), { type: 'stack_pop', dst: whole(b) }];
}
