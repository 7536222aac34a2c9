/** OpenFlow versions on the wire. */
export const OFP13 = 0x04;
export const OFP14 = 0x05;
export const OFP15 = 0x06;
export type OfpVersion = typeof OFP13 | typeof OFP14 | typeof OFP15;

/** Up to 32 bits: an unsigned number. Wider (MAC, IPv6, metadata, xreg …): a bigint. */
export type FieldValue = number | bigint;

/** How ovs-ofctl prints a value. */
export type FieldFormat =
  | 'decimal'
  | 'hexadecimal'
  | 'ethernet'
  | 'ipv4'
  | 'ipv6'
  | 'ofp-port'
  | 'ct-state'
  | 'tcp-flags'
  | 'tunnel-flags'
  | 'frag'
  | 'packet-type';

/** One way to write a field in an OXM/NXM TLV. */
export interface OxmId {
  /** oxm_class, e.g. 0x8000 OFPXMC_OPENFLOW_BASIC, 0x0000/0x0001 NXM, 0xffff experimenter. */
  readonly class: number;
  /** oxm_field, 7 bits. */
  readonly number: number;
  /** For class 0xffff. */
  readonly experimenter?: number;
  /** Name in specifications and in ovs-ofctl's move/load syntax, e.g. OXM_OF_ETH_DST, NXM_NX_REG0. */
  readonly name: string;
  /** Lowest OpenFlow version whose switches take this id; NXM ids work in all. */
  readonly since: OfpVersion;
}

/** A match field. Instances are singletons: compare by identity. */
export interface Field {
  /** ovs-ofctl's name: `nw_dst`, `reg3`, `ct_state`. */
  readonly name: string;
  readonly nBits: number;
  /** Payload bytes of its TLV. */
  readonly nBytes: number;
  readonly maskable: boolean;
  readonly writable: boolean;
  readonly format: FieldFormat;
  /** Dense index, stable within a process: order of canonical matches. */
  readonly index: number;
  /** In order of preference; the first usable in a version is written. */
  readonly ids: readonly OxmId[];
}

/** Bits `[ofs .. ofs+nBits-1]` of a field, 0 = least significant. */
export interface Subfield {
  readonly field: Field;
  readonly ofs: number;
  readonly nBits: number;
}

/** One field of a match. Without a mask: exact. */
export interface MatchField {
  readonly field: Field;
  readonly value: FieldValue;
  readonly mask?: FieldValue;
}

/** An OXM TLV that no descriptor knows; re-encoded as it was. */
export interface RawOxm {
  readonly field: null;
  /** The whole TLV with its header. */
  readonly raw: Uint8Array;
}

/** Conjunction of fields; empty matches everything. */
export type Match = readonly (MatchField | RawOxm)[];
