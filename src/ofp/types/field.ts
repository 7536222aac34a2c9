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
  /** The payload may be shorter (tun_metadata): `MatchField.size` says how long. */
  readonly variable: boolean;
  readonly maskable: boolean;
  readonly writable: boolean;
  readonly format: FieldFormat;
  /** Dense index, stable within a process: order of canonical matches. */
  readonly index: number;
  /** In order of preference; the first usable in a version is written. */
  readonly ids: readonly OxmId[];
  /** Other names that ovs-ofctl takes for it. */
  readonly aliases: readonly string[];
  /** What a match needs beside it, e.g. `dl_type=0x800`; any one of the lines of the same field suffices. */
  readonly prerequisites: readonly Prerequisite[];
  /** Precomputed TLV headers; `undefined` where no id is usable in that version. */
  readonly wire: { readonly [V in OfpVersion]: WireId | undefined };
}

/** A value (under a mask) of another field that must be matched for a field to have meaning. */
export interface Prerequisite {
  readonly field: Field;
  readonly value: number;
  /** Default: all ones. */
  readonly mask?: number;
}

/** The TLV header of a field's preferred id. */
export interface WireId {
  readonly id: OxmId;
  /** class, number, length; without and with a mask. */
  readonly header: number;
  readonly maskedHeader: number;
  /** 0: a 4-byte header; else the experimenter that follows it. */
  readonly experimenter: number;
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
  /** Payload bytes, for fields of variable length; default `field.nBytes`. */
  readonly size?: number;
}

/** An OXM TLV that no descriptor knows; re-encoded as it was. */
export interface RawOxm {
  readonly field: null;
  /** The whole TLV with its header. */
  readonly raw: Uint8Array;
}

/** Conjunction of fields; empty matches everything. */
export type Match = readonly (MatchField | RawOxm)[];
