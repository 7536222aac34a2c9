import type { TracedAction } from './ofproto.js';

/** Fields of a packet while it goes through the tables, in the names of `Flow:` lines. */
export class PacketFields {
  private readonly values: Map<string, string>;

  constructor(flow: ReadonlyMap<string, string>) {
    this.values = new Map(flow);
  }

  text(name: string): string {
    return this.values.get(name) ?? '';
  }

  /** 0 for a field that isn't there: `Flow:` lines leave zero registers out. */
  number(name: string): number {
    return Number(this.values.get(name) ?? 0);
  }

  has(name: string): boolean {
    return this.values.has(name);
  }

  all(): ReadonlyMap<string, string> {
    return this.values;
  }

  /** Does what the action did, as far as it writes one field. */
  apply({ text, results }: TracedAction): void {
    const set = /^set_field:([^/>]+?)(?:\/(0x[0-9a-f]+))?->([\w.[\]]+)$/.exec(text);
    if (set !== null) this.write(fieldName(set[3]!), set[1]!, set[2]);
    const load = /^load:(0x[0-9a-f]+|\d+)->(\w+)\[(?:(\d+)(?:\.\.(\d+))?)?\]$/.exec(text);
    if (load !== null) {
      const low = Number(load[3] ?? 0);
      const bits = load[3] === undefined ? 32 : Number(load[4] ?? load[3]) - low + 1;
      const mask = bits >= 32 ? undefined : (2 ** bits - 1) * 2 ** low;
      const value = Number(load[1]) * 2 ** low;
      this.write(fieldName(load[2]!), `0x${value.toString(16)}`, mask?.toString());
    }
    for (const result of results) {
      const now = /^(\w+)\[\] is now (\S+)$/.exec(result);
      if (now !== null) this.values.set(fieldName(now[1]!), now[2]!);
    }
    if (text === 'pop_vlan') this.values.delete('dl_vlan');
    if (text === 'dec_ttl') this.values.set('nw_ttl', String(this.number('nw_ttl') - 1));
  }

  private write(name: string, value: string, mask: string | undefined): void {
    if (mask === undefined) this.values.set(name, value);
    else {
      const bits = Number(mask);
      const next = ((this.number(name) & ~bits) | (Number(value) & bits)) >>> 0;
      this.values.set(name, `0x${next.toString(16)}`);
    }
  }
}

const NAMES: Readonly<Record<string, string>> = {
  ip_src: 'nw_src',
  ip_dst: 'nw_dst',
  tcp_src: 'tp_src',
  tcp_dst: 'tp_dst',
  udp_src: 'tp_src',
  udp_dst: 'tp_dst',
  eth_src: 'dl_src',
  eth_dst: 'dl_dst',
  nxm_of_ip_src: 'nw_src',
  nxm_of_ip_dst: 'nw_dst',
  nxm_of_eth_src: 'dl_src',
  nxm_of_eth_dst: 'dl_dst',
  nxm_of_tcp_src: 'tp_src',
  nxm_of_tcp_dst: 'tp_dst',
  nxm_of_udp_src: 'tp_src',
  nxm_of_udp_dst: 'tp_dst',
};

/** `NXM_NX_REG6`, `ip_dst`, `reg3` … as `Flow:` lines write it. */
function fieldName(name: string): string {
  const lower = name.toLowerCase().replace(/\[.*$/, '');
  return NAMES[lower] ?? lower.replace(/^nxm_nx_(?=reg\d)/, '');
}
