import { F } from '../../src/nx-extensions/fields.js';
import { parseMatch } from '../../src/ofp/text/index.js';
import type { Field, FieldValue, MatchField, Subfield } from '../../src/ofp/types/field.js';

/** A packet and its metadata: the fields that a flow can match, without bytes. */
export class Packet {
  readonly stack: bigint[] = [];

  constructor(private readonly values: Map<Field, bigint> = new Map()) {}

  /** In the words of ovs-ofctl, e.g. `in_port=1,tcp,nw_src=10.0.0.1,tp_dst=80`. Fields left out are zero. */
  static parse(text: string): Packet {
    const packet = new Packet();
    for (const f of parseMatch(text) as readonly MatchField[]) packet.set(f.field, BigInt(f.value));
    return packet;
  }

  get(field: Field): bigint {
    return this.values.get(base(field)) ?? 0n;
  }

  set(field: Field, value: FieldValue): void {
    this.values.set(base(field), BigInt(value));
  }

  getBits({ field, ofs, nBits }: Subfield): bigint {
    return (this.get(field) >> BigInt(ofs)) & ones(nBits);
  }

  setBits({ field, ofs, nBits }: Subfield, value: bigint): void {
    const mask = ones(nBits) << BigInt(ofs);
    this.set(field, (this.get(field) & ~mask) | ((value << BigInt(ofs)) & mask));
  }

  matches(match: readonly MatchField[]): boolean {
    return match.every(({ field, value, mask }) => {
      const bits = mask === undefined ? ones(field.nBits) : BigInt(mask);
      return (this.get(field) & bits) === (BigInt(value) & bits);
    });
  }

  copy(): Packet {
    const copy = new Packet(new Map(this.values));
    copy.stack.push(...this.stack);
    return copy;
  }
}

/** Other ways to write the same bits. */
function base(field: Field): Field {
  if (field === F.in_port_nxm) return F.in_port;
  if (field === F.vlan_tci) return F.vlan_vid;
  return field;
}

function ones(bits: number): bigint {
  return (1n << BigInt(bits)) - 1n;
}
