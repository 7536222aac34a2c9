import { formatIpv4 } from '../model/address.js';
import {
  type ListenerIntent,
  type MemberIntent,
  type PoolIntent,
  PROVIDER_TENANT,
  type ProviderIntent,
  type SegmentIntent,
  type TenantIntent,
} from '../model/types.js';
import { endpointKey, KIND, type Owner } from '../pipeline/index.js';

export interface MemberName {
  readonly name: string;
  readonly at: string;
}

/** Numbers of the switch as words of the configuration. */
export class TraceNames {
  private readonly portNames: ReadonlyMap<number, string>;

  constructor(
    private readonly tenants: readonly TenantIntent[],
    private readonly provider: ProviderIntent,
    ports: ReadonlyMap<string, number>,
  ) {
    this.portNames = new Map([...ports].map(([name, ofport]) => [ofport, name]));
  }

  port(ofport: number | string): string {
    const n = Number(ofport);
    return this.portNames.get(n) ?? (Number.isNaN(n) ? String(ofport) : `port ${n}`);
  }

  tenant(id: number): TenantIntent | undefined {
    return this.tenants.find((tenant) => tenant.id === id);
  }

  tenantName(id: number): string {
    if (id === PROVIDER_TENANT) return 'the provider';
    return this.tenant(id)?.name ?? (id === 0 ? 'nobody' : `tenant ${id}`);
  }

  segment(tenant: number, id: number): SegmentIntent | undefined {
    const segments =
      tenant === PROVIDER_TENANT ? this.provider.networks : (this.tenant(tenant)?.segments ?? []);
    return segments.find((s) => s.id === id);
  }

  /** `segment p2`, `external network public`. */
  segmentName(tenant: number, id: number): string {
    const what = tenant === PROVIDER_TENANT ? 'external network' : 'segment';
    return `${what} ${this.segment(tenant, id)?.name ?? id}`;
  }

  listener(tenant: number, id: number): ListenerIntent | undefined {
    return this.tenant(tenant)?.listeners.find((l) => l.id === id);
  }

  listenerName(tenant: number, id: number): string {
    const listener = this.listener(tenant, id);
    return listener ? `${listener.loadBalancer}/${listener.name}` : String(id);
  }

  isVip(tenant: number, address: string): boolean {
    return this.tenant(tenant)?.listeners.some((l) => formatIpv4(l.vip) === address) ?? false;
  }

  pool(id: number): PoolIntent | undefined {
    return this.tenants.flatMap((tenant) => tenant.pools).find((pool) => pool.id === id);
  }

  poolName(id: number): string {
    return this.pool(id)?.name ?? String(id);
  }

  /** `web/be1`, `10.20.0.2:8080`. Members of several pools may be one endpoint: `pool` is preferred. */
  member(tenant: number, endpoint: number, pool = 0): MemberName {
    return (
      this.findMember(tenant, pool, (m) => m.endpointId === endpoint) ?? {
        name: String(endpoint),
        at: 'an address that is no longer configured',
      }
    );
  }

  /** The member behind `10.20.0.2:8080`. */
  memberAt(tenant: number, at: string): MemberName | undefined {
    return this.findMember(tenant, 0, (m) => endpointKey(m.address, m.port) === at);
  }

  private findMember(
    tenant: number,
    pool: number,
    is: (member: MemberIntent) => boolean,
  ): MemberName | undefined {
    const pools = this.tenant(tenant)?.pools ?? [];
    for (const p of [...pools].sort((a, b) => Number(b.id === pool) - Number(a.id === pool))) {
      const member = p.members.find(is);
      if (member) return { name: `${p.name}/${member.name}`, at: endpointKey(member.address, member.port) };
    }
    return undefined;
  }

  owner({ tenant, kind, object }: Owner): string {
    switch (kind) {
      case KIND.node:
        return 'node';
      case KIND.tenant:
        return tenant === PROVIDER_TENANT ? 'provider' : `tenant ${this.tenantName(tenant)}`;
      case KIND.segment:
        return this.segmentName(tenant, object);
      case KIND.listener:
        return `listener ${this.listenerName(tenant, object)}`;
      case KIND.pool:
        return `pool ${this.poolName(object)}`;
      case KIND.endpoint:
        return `member ${this.member(tenant, object).name}`;
      case KIND.neighbours:
        return `neighbours of ${this.segmentName(tenant, object)}`;
      case KIND.learnedHairpin:
        return `learned for member ${this.member(tenant, object).name}`;
      default:
        return `learned in ${this.segmentName(tenant, object)}`;
    }
  }

  /** The match of a rule with names for numbers. */
  match(text: string, tenant: number): string {
    return text
      .split(',')
      .map((part) => this.matchPart(part, tenant))
      .join(',');
  }

  private matchPart(part: string, tenant: number): string {
    const [, field, value, mask] = /^(\w+)=(\w+)(?:\/(\w+))?$/.exec(part) ?? [];
    if (field === undefined || value === undefined) return part;
    const n = Number(value);
    if (field === 'in_port') return `in_port=${this.port(value)}`;
    if (mask !== undefined && !(field === 'reg5' && mask === '0xffff')) return part;
    switch (field) {
      case 'reg0':
        return `segment=${this.segment(tenant, n)?.name ?? n}`;
      case 'reg1':
        return `slot=${n}`;
      case 'reg2':
        return `member=${this.member(tenant, n).name}`;
      case 'reg3':
        return `tenant=${this.tenantName(n)}`;
      case 'reg4':
        return `pool=${this.poolName(n)}`;
      case 'reg5':
        return `listener=${this.listenerName(tenant, n)}`;
      case 'reg6':
        return `next_hop=${formatIpv4(n)}`;
      default:
        return part;
    }
  }
}
