import { type Check, type HealthChecker, serving, type Transition } from '../hc/index.js';
import type { AdminState, PoolIntent, TenantIntent } from '../model/index.js';
import type { Connection } from '../ofp/channel/index.js';
import { adminStates } from './admin-states.js';
import type { Desired } from './desired.js';
import { egressOf } from './egress.js';
import type { EventLog } from './event-log.js';
import type { FactsStore } from './facts-store.js';
import type { Logger } from './logging.js';

const IPPROTO = { TCP: 6, UDP: 17 } as const;

export interface MembersOptions {
  readonly health: HealthChecker;
  readonly admin: AdminState;
  readonly facts: FactsStore;
  readonly desired: Desired;
  readonly events: EventLog;
  readonly log: Logger;
  readonly connection: () => Connection | undefined;
}

/** Who of each pool may serve: what probes say, and what people said. */
export class Members {
  private readonly tenants = new Map<number, TenantIntent>();
  private readonly drainTimers = new Map<string, NodeJS.Timeout>();

  constructor(private readonly options: MembersOptions) {
    options.health.onTransitions((batch) => this.transitions(batch));
  }

  setTenant(tenant: TenantIntent): void {
    this.tenants.set(tenant.id, tenant);
    this.options.health.setChecks(tenant.id, this.checksOf(tenant));
    for (const pool of tenant.pools) this.refresh(tenant, pool);
  }

  removeTenant(tenant: TenantIntent): void {
    this.tenants.delete(tenant.id);
    this.options.health.setChecks(tenant.id, []);
    for (const pool of tenant.pools) this.options.facts.serving.delete(pool.id);
  }

  adminChanged(tenantId: number, poolId: number): void {
    const tenant = this.tenants.get(tenantId);
    const pool = tenant?.pools.find((p) => p.id === poolId);
    if (tenant && pool) this.refresh(tenant, pool);
  }

  stop(): void {
    for (const timer of this.drainTimers.values()) clearTimeout(timer);
  }

  private checksOf(tenant: TenantIntent): Check[] {
    return tenant.pools.flatMap((pool) =>
      pool.members.flatMap((member) => {
        const egress = egressOf(tenant, member.address);
        if (egress === undefined) return [];
        const { segment, nextHop } = egress;
        return [
          {
            poolId: pool.id,
            endpointId: member.endpointId,
            address: member.address,
            port: member.port,
            segment: segment.id,
            segmentName: `${tenant.name}/${segment.name}`,
            nextHop,
            source: segment.probeAddress,
            sourceMac: segment.mac,
            ...(pool.monitor ? { monitor: pool.monitor } : {}),
            assumeOnline: this.options.facts.serving.get(pool.id)?.has(member.endpointId) ?? false,
          },
        ];
      }),
    );
  }

  private refresh(tenant: TenantIntent, pool: PoolIntent): void {
    const { facts, health, desired } = this.options;
    const who = serving(pool, health.poolStatuses(pool.id), adminStates(this.options.admin, tenant, pool));
    if (facts.setServing(pool.id, who)) desired.servingChanged(tenant.id, pool.id);
    this.watchDrains(tenant, pool);
  }

  private transitions(batch: readonly Transition[]): void {
    const pools = new Map<number, { tenant: TenantIntent; pool: PoolIntent }>();
    for (const t of batch) {
      const tenant = this.tenants.get(t.tenant);
      const pool = tenant?.pools.find((p) => p.id === t.poolId);
      const member = pool?.members.find((m) => m.endpointId === t.endpointId);
      if (!tenant || !pool || !member) continue;
      pools.set(pool.id, { tenant, pool });
      const names = { tenant: tenant.name, pool: pool.name, member: member.name };
      this.options.log.info({ ...names, from: t.from, to: t.to, reason: t.reason }, `member ${t.to}`);
      this.options.events.add({ type: 'member', ...names, text: `${t.from} → ${t.to}: ${t.reason}` });
      if (t.to === 'ERROR') this.flush(tenant, pool, member, pool.flushTcpOnDown ? ['TCP', 'UDP'] : ['UDP']);
    }
    for (const { tenant, pool } of pools.values()) this.refresh(tenant, pool);
  }

  /** Sessions of a drained member end with the time-out. */
  private watchDrains(tenant: TenantIntent, pool: PoolIntent): void {
    for (const member of pool.members) {
      const key = `${tenant.name}/${pool.name}/${member.name}`;
      const since = this.options.admin.drainedSince({
        tenant: tenant.name,
        pool: pool.name,
        member: member.name,
      });
      if (since === undefined) {
        clearTimeout(this.drainTimers.get(key));
        this.drainTimers.delete(key);
        continue;
      }
      if (this.drainTimers.has(key)) continue;
      const end = () => {
        this.flush(tenant, pool, member, ['TCP', 'UDP']);
        const names = { tenant: tenant.name, pool: pool.name, member: member.name };
        this.options.events.add({ type: 'drain', ...names, text: 'drained: the time-out is over' });
      };
      const timer = setTimeout(end, Math.max(0, since + pool.drainTimeoutMs - Date.now()));
      timer.unref();
      this.drainTimers.set(key, timer);
    }
  }

  /** Ends what conntrack knows of a member, in its tenant's zone only. */
  private flush(
    tenant: TenantIntent,
    pool: PoolIntent,
    member: PoolIntent['members'][number],
    protocols: readonly ('TCP' | 'UDP')[],
  ): void {
    const connection = this.options.connection();
    const used = tenant.listeners
      .filter((l) => l.poolId === pool.id && l.mode === 'stateful')
      .map((l) => l.protocol);
    for (const protocol of protocols) {
      if (!used.includes(protocol)) continue;
      connection?.send({
        type: 'nx_ct_flush',
        protocol: IPPROTO[protocol],
        zone: tenant.id,
        reply: { src: member.address, srcPort: member.port },
      });
    }
  }
}
