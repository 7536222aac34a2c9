import { gcd, type Permutation, permutation, ranks } from './permutation.js';
import { toHex, xxhash64 } from './xxhash64.js';

export interface SlotMember {
  /** Unique in the pool and the same on every node, e.g. `10.0.0.1:80`. */
  readonly key: string;
  /** A whole number; only proportions matter. 0: never gets a slot. */
  readonly weight: number;
  /** May take packets now. */
  readonly serves: boolean;
}

export interface SlotInput {
  readonly members: readonly SlotMember[];
  /** 1..65536, at least the number of members with a weight. */
  readonly slots: number;
}

/** A slot of nobody: no member serves. */
export const NOBODY = -1;
export const MAX_SLOTS = 65536;

/**
 * Who serves each slot: indices into `members`, or `NOBODY` everywhere when none serves.
 *
 * A pure function of the set of members and of who serves; the order of `members` and a common factor of the
 * weights change nothing. Each slot has its own fixed order of preference over the members (its owner in the base
 * table first) and goes to the first that serves. So when a member stops only its slots move, and when it is back
 * exactly the former table is.
 *
 * @throws RangeError for a slot count out of range, fewer slots than members, a bad weight or a repeated key
 */
export function slotTable(input: SlotInput): Int32Array {
  const ring = arrange(input);
  const table = base(ring);
  refill(ring, table);
  return toInput(ring, table);
}

/**
 * The table when all members serve: Maglev, members taking turns in proportion to their weights, each turn the next
 * free slot of the member's permutation. The first round is everyone's, so each member with a weight has a slot.
 */
export function baseTable(input: SlotInput): Int32Array {
  const ring = arrange(input);
  return toInput(ring, base(ring));
}

/** Sixteen hexadecimal digits, equal on all nodes that serve the same slots by the same members. */
export function slotDigest(members: readonly SlotMember[], table: ArrayLike<number>): string {
  const position = new Map<number, number>();
  const used = [...new Set(Array.from(table))].filter((i) => i !== NOBODY);
  used.sort((a, b) => compare(members[a]!.key, members[b]!.key));
  used.forEach((index, i) => {
    position.set(index, i);
  });
  const order = Array.from(table, (index) => position.get(index) ?? NOBODY);
  const keys = used.map((index) => members[index]!.key);
  return toHex(xxhash64(new TextEncoder().encode(`${keys.join('\n')}\n\n${order.join(' ')}`)));
}

/** Members with a weight in the order of their keys; everything below counts in positions of this order. */
interface Ring {
  readonly slots: number;
  readonly input: readonly number[];
  readonly weight: readonly number[];
  readonly serves: readonly boolean[];
  readonly permutation: readonly Permutation[];
}

function arrange({ members, slots }: SlotInput): Ring {
  if (!Number.isInteger(slots) || slots < 1 || slots > MAX_SLOTS)
    throw new RangeError(`slots: ${slots} is not in 1..${MAX_SLOTS}`);
  for (const { key, weight } of members) {
    if (!Number.isInteger(weight) || weight < 0 || weight > 0xffff)
      throw new RangeError(`member ${key}: weight ${weight} is not a whole number in 0..65535`);
  }
  const input = members.map((_, i) => i).filter((i) => members[i]!.weight > 0);
  input.sort((a, b) => compare(members[a]!.key, members[b]!.key));
  for (let i = 1; i < input.length; i++) {
    const { key } = members[input[i]!]!;
    if (key === members[input[i - 1]!]!.key) throw new RangeError(`member ${key} is there twice`);
  }
  if (input.length > slots) throw new RangeError(`${slots} slots are too few for ${input.length} members`);
  const divisor = input.reduce((d, i) => gcd(d, members[i]!.weight), 0);
  return {
    slots,
    input,
    weight: input.map((i) => members[i]!.weight / divisor),
    serves: input.map((i) => members[i]!.serves),
    permutation: input.map((i) => permutation(members[i]!.key, slots)),
  };
}

function toInput(ring: Ring, table: Int32Array): Int32Array {
  return table.map((member) => (member === NOBODY ? NOBODY : ring.input[member]!));
}

function base(ring: Ring): Int32Array {
  const table = new Int32Array(ring.slots).fill(NOBODY);
  if (ring.input.length > 0)
    deal(
      ring,
      ring.input.map((_, i) => i),
      table,
      ring.slots,
      (slot) => table[slot] === NOBODY,
    );
  return table;
}

/** `turns` in that order take free slots, as often as their weight says, until `count` slots are given. */
function deal(
  ring: Ring,
  turns: readonly number[],
  table: Int32Array,
  count: number,
  isFree: (slot: number) => boolean,
): void {
  const { slots } = ring;
  const heaviest = turns.reduce((max, m) => Math.max(max, ring.weight[m]!), 0);
  const next = turns.map((m) => ring.permutation[m]!.offset);
  const due = turns.map(() => 0);
  for (let round = 1; count > 0; round++) {
    for (let i = 0; i < turns.length && count > 0; i++) {
      const member = turns[i]!;
      if (round * ring.weight[member]! < due[i]!) continue;
      due[i]! += heaviest;
      const { step } = ring.permutation[member]!;
      let slot = next[i]!;
      while (!isFree(slot)) {
        slot += step;
        if (slot >= slots) slot -= slots;
      }
      table[slot] = member;
      next[i] = slot;
      count--;
    }
  }
}

/**
 * Gives away the slots of members that don't serve. The second choice of a slot is dealt like the base table among
 * all other members, so one failure is spread evenly; further choices are drawn by weight. Both depend on the
 * members alone, not on who serves: that is what keeps every other slot in its place.
 */
function refill(ring: Ring, table: Int32Array): void {
  const serving = ring.input.map((_, i) => i).filter((i) => ring.serves[i]!);
  if (serving.length === 0) {
    table.fill(NOBODY);
    return;
  }
  if (serving.length === ring.input.length) return;
  const owner = table.slice();
  for (let member = 0; member < ring.input.length; member++) {
    if (!ring.serves[member]) secondChoice(ring, owner, member, table);
  }
  let distance: Float64Array | undefined;
  const rank = new Map<number, Uint16Array>();
  for (let slot = 0; slot < ring.slots; slot++) {
    if (ring.serves[table[slot]!]) continue;
    distance ??= exponentials(ring.slots);
    table[slot] = draw(ring, slot, serving, rank, distance);
  }
}

function secondChoice(ring: Ring, owner: Int32Array, member: number, table: Int32Array): void {
  const free = owner.map((o) => (o === member ? 1 : 0));
  // Turns start after the member itself: with fewer slots than members it isn't always the same ones who gain.
  const others = ring.input.map((_, i) => (member + 1 + i) % ring.input.length).slice(0, -1);
  const count = free.reduce((n, f) => n + f, 0);
  const second = new Int32Array(ring.slots).fill(NOBODY);
  deal(ring, others, second, count, (slot) => free[slot] === 1 && second[slot] === NOBODY);
  for (let slot = 0; slot < ring.slots; slot++) {
    if (free[slot] === 1) table[slot] = second[slot]!;
  }
}

/** Weighted rendezvous: the member whose permutation comes to the slot first, distances divided by weight. */
function draw(
  ring: Ring,
  slot: number,
  serving: readonly number[],
  rank: Map<number, Uint16Array>,
  distance: Float64Array,
): number {
  let best = serving[0]!;
  let bestScore = Number.POSITIVE_INFINITY;
  for (const member of serving) {
    let memberRanks = rank.get(member);
    if (!memberRanks) {
      memberRanks = ranks(ring.permutation[member]!, ring.slots);
      rank.set(member, memberRanks);
    }
    const score = distance[memberRanks[slot]!]! / ring.weight[member]!;
    if (score < bestScore) {
      best = member;
      bestScore = score;
    }
  }
  return best;
}

/**
 * Quantiles of the exponential distribution, by rank: the smallest of such values divided by weights belongs to a
 * member with a probability proportional to its weight.
 */
function exponentials(slots: number): Float64Array {
  return Float64Array.from({ length: slots }, (_, i) => -ln(1 - (i + 0.5) / slots));
}

/** Natural logarithm of 0 < x < 1 by additions and divisions alone, which give the same bits on every machine. */
function ln(x: number): number {
  let halvings = 0;
  for (; x < 0.5; x *= 2) halvings++;
  const y = (x - 1) / (x + 1);
  let sum = 0;
  let power = y;
  for (let k = 1; k <= 31; k += 2) {
    sum += power / k;
    power *= y * y;
  }
  return 2 * sum - halvings * Math.LN2;
}

/** By code units, not by locale: nodes must agree. */
function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
