/** Frames in packet-ins and packet-outs in one line, in the words of a match. */
import { fieldByName } from '../fields/registry.js';
import type { MatchField } from '../types/field.js';
import { toFieldValue } from './field-text.js';
import { formatMatch } from './match-format.js';

/** `tcp,vlan_tci=0x0000,dl_src=…,nw_ttl=64,tp_src=1,tp_dst=2,tcp_flags=syn tcp_csum:1234`; as far as the bytes go. */
export function formatPacket(data: Uint8Array): string {
  const packet = new Dissector(data);
  packet.ethernet();
  return `${formatMatch(packet.fields)}${packet.checksum}`;
}

/** Ends quietly where the bytes do: a packet may be cut, or be anything at all. */
class Dissector {
  readonly fields: MatchField[] = [];
  checksum = '';
  readonly #view: DataView;

  constructor(readonly data: Uint8Array) {
    this.#view = new DataView(data.buffer, data.byteOffset, data.byteLength);
  }

  #has(at: number, n: number): boolean {
    return at + n <= this.data.length;
  }

  #number(at: number, size: number): bigint {
    let v = 0n;
    for (let i = 0; i < size; i++) v = (v << 8n) | BigInt(this.data[at + i]!);
    return v;
  }

  #put(name: string, value: bigint | number): void {
    const field = fieldByName(name);
    if (field !== undefined) this.fields.push({ field, value: toFieldValue(field, BigInt(value)) });
  }

  ethernet(): void {
    if (!this.#has(0, 14)) return;
    this.#put('dl_dst', this.#number(0, 6));
    this.#put('dl_src', this.#number(6, 6));
    let at = 12;
    let tci = 0;
    let type = this.#view.getUint16(at);
    if ((type === 0x8100 || type === 0x88a8) && this.#has(at, 6)) {
      tci = this.#view.getUint16(at + 2) | 0x1000;
      at += 4;
      type = this.#view.getUint16(at);
    }
    this.#put('vlan_tci', tci);
    this.#put('dl_type', type);
    if (type === 0x0800) this.#ipv4(at + 2);
    else if (type === 0x86dd) this.#ipv6(at + 2);
    else if (type === 0x0806 || type === 0x8035) this.#arp(at + 2);
  }

  #arp(at: number): void {
    if (!this.#has(at, 28)) return;
    this.#put('arp_op', this.#view.getUint16(at + 6));
    this.#put('arp_sha', this.#number(at + 8, 6));
    this.#put('arp_spa', this.#number(at + 14, 4));
    this.#put('arp_tha', this.#number(at + 18, 6));
    this.#put('arp_tpa', this.#number(at + 24, 4));
  }

  #ipv4(at: number): void {
    if (!this.#has(at, 20)) return;
    const size = (this.data[at]! & 15) * 4;
    const fragment = this.#view.getUint16(at + 6);
    const later = (fragment & 0x1fff) !== 0;
    this.#put('nw_src', this.#number(at + 12, 4));
    this.#put('nw_dst', this.#number(at + 16, 4));
    this.#network(this.data[at + 9]!, this.data[at + 1]!, this.data[at + 8]!);
    this.#put('nw_frag', later ? 3 : fragment & 0x2000 ? 1 : 0);
    if (!later && size >= 20) this.#transport(this.data[at + 9]!, at + size, false);
  }

  #ipv6(at: number): void {
    if (!this.#has(at, 40)) return;
    const head = this.#view.getUint32(at);
    this.#put('ipv6_src', this.#number(at + 8, 16));
    this.#put('ipv6_dst', this.#number(at + 24, 16));
    this.#put('ipv6_label', head & 0xfffff);
    this.#network(this.data[at + 6]!, (head >>> 20) & 255, this.data[at + 7]!);
    this.#put('nw_frag', 0);
    this.#transport(this.data[at + 6]!, at + 40, true);
  }

  #network(protocol: number, tos: number, ttl: number): void {
    this.#put('nw_proto', protocol);
    this.#put('nw_tos', tos & 0xfc);
    this.#put('nw_ecn', tos & 3);
    this.#put('nw_ttl', ttl);
  }

  #transport(protocol: number, at: number, v6: boolean): void {
    switch (protocol) {
      case 6:
        if (!this.#has(at, 20)) return;
        this.#ports('tcp', at);
        this.#put('tcp_flags', this.#view.getUint16(at + 12) & 0xfff);
        this.#sum('tcp', at + 16);
        return;
      case 17:
        if (!this.#has(at, 8)) return;
        this.#ports('udp', at);
        this.#sum('udp', at + 6);
        return;
      case 132:
        if (!this.#has(at, 12)) return;
        this.#ports('sctp', at);
        this.checksum = ` sctp_csum:${this.#view.getUint32(at + 8).toString(16)}`;
        return;
      case 1:
      case 58:
        if (!this.#has(at, 8) || v6 !== (protocol === 58)) return;
        this.#icmp(at, v6);
    }
  }

  #ports(name: string, at: number): void {
    this.#put(`${name}_src`, this.#view.getUint16(at));
    this.#put(`${name}_dst`, this.#view.getUint16(at + 2));
  }

  #sum(name: string, at: number): void {
    this.checksum = ` ${name}_csum:${this.#view.getUint16(at).toString(16)}`;
  }

  #icmp(at: number, v6: boolean): void {
    const name = v6 ? 'icmpv6' : 'icmp';
    const type = this.data[at]!;
    this.#put(`${name}_type`, type);
    this.#put(`${name}_code`, this.data[at + 1]!);
    this.#sum(v6 ? 'icmp6' : 'icmp', at + 2);
    if (!v6 || (type !== 135 && type !== 136) || !this.#has(at, 24)) return;
    this.#put('nd_target', this.#number(at + 8, 16));
    for (let option = at + 24; this.#has(option, 8); option += this.data[option + 1]! * 8) {
      if (this.data[option + 1] === 0) return;
      const kind = this.data[option];
      if (kind === 1 && type === 135) this.#put('nd_sll', this.#number(option + 2, 6));
      if (kind === 2 && type === 136) this.#put('nd_tll', this.#number(option + 2, 6));
    }
  }
}
