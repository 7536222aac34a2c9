import { type Check, type HealthChecker, serving, type Transition } from '../hc/index.js';
import {
  type AdminState,
  egressOf,
  type MemberIntent,
  type PoolIntent,
  type Protocol,
  type TenantIntent,
} from '../model/index.js';
import type { Synchronizer } from '../sync/index.js';
import { adminStates } from './admin-states.js';
import type { ConntrackFlushes } from './conntrack-flushes.js';
import type { Desired } from './desired.js';
import type { EventLog } from './event-log.js';
import type { FactsStore } from './facts-store.js';
import type { Logger } from './logging.js';

export interface MembersOptions {
  readonly health: HealthChecker;
  readonly admin: AdminState;
  readonly facts: FactsStore;
  readonly desired: Desired;
  readonly events: EventLog;
  readonly log: Logger;
  readonly sync: Synchronizer;
  readonly flushes: ConntrackFlushes;
}

/** Who of each pool may serve: what probes say, and what people said. */
export class Members {
  private readonly tenants = new Map<number, TenantIntent>();
  private readonly drainTimers = new Map<string, NodeJS.Timeout>();

  constructor(private readonly options: MembersOptions) {
    options.health.onTransitions((batch) => this.transitions(batch));
  }

  setTenant(tenant: TenantIntent): void {
    const before = this.tenants.get(tenant.id);
    this.tenants.set(tenant.id, tenant);
    this.options.health.setChecks(tenant.id, this.checksOf(tenant));
    for (const pool of tenant.pools) this.refresh(tenant, pool);
    if (before === undefined) return;
    const pools = new Set(tenant.pools.map((pool) => pool.id));
    for (const { id } of before.pools) if (!pools.has(id)) this.options.facts.serving.delete(id);
    this.flushRetired(before, tenant);
  }

  removeTenant(tenant: TenantIntent): void {
    this.tenants.delete(tenant.id);
    this.options.health.setChecks(tenant.id, []);
    for (const pool of tenant.pools) {
      this.options.facts.serving.delete(pool.id);
      for (const member of pool.members) this.stopDrain(keyOf(tenant, pool, member));
    }
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
    const down: { tenant: TenantIntent; pool: PoolIntent; member: MemberIntent }[] = [];
    for (const t of batch) {
      const tenant = this.tenants.get(t.tenant);
      const pool = tenant?.pools.find((p) => p.id === t.poolId);
      const member = pool?.members.find((m) => m.endpointId === t.endpointId);
      if (!tenant || !pool || !member) continue;
      pools.set(pool.id, { tenant, pool });
      const names = { tenant: tenant.name, pool: pool.name, member: member.name };
      this.options.log.info({ ...names, from: t.from, to: t.to, reason: t.reason }, `member ${t.to}`);
      this.options.events.add({ type: 'member', ...names, text: `${t.from} → ${t.to}: ${t.reason}` });
      if (t.to === 'ERROR') down.push({ tenant, pool, member });
    }
    for (const { tenant, pool } of pools.values()) this.refresh(tenant, pool);
    for (const { tenant, pool, member } of down) this.flushDown(tenant, pool, member);
  }

  /** Sessions of a drained member end with the time-out. */
  private watchDrains(tenant: TenantIntent, pool: PoolIntent): void {
    for (const member of pool.members) {
      const key = keyOf(tenant, pool, member);
      const since = this.options.admin.drainedSince({
        tenant: tenant.name,
        pool: pool.name,
        member: member.name,
      });
      if (since === undefined) {
        this.stopDrain(key);
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

  private stopDrain(key: string): void {
    clearTimeout(this.drainTimers.get(key));
    this.drainTimers.delete(key);
  }

  /** Members that an intent no longer has, or that somebody took down. */
  private flushRetired(before: TenantIntent, now: TenantIntent): void {
    for (const pool of before.pools) {
      const up = new Set(
        now.pools
          .find((p) => p.id === pool.id)
          ?.members.filter((m) => m.adminStateUp)
          .map((m) => m.endpointId),
      );
      for (const member of pool.members) {
        if (!member.adminStateUp || up.has(member.endpointId)) continue;
        this.stopDrain(keyOf(before, pool, member));
        this.flushDown(before, pool, member);
      }
    }
  }

  private flushDown(tenant: TenantIntent, pool: PoolIntent, member: MemberIntent): void {
    this.flush(tenant, pool, member, pool.flushTcpOnDown ? ['TCP', 'UDP'] : ['UDP']);
  }

  /**
   * Ends what conntrack knows of a member, in its tenant's zone only. After the slots have changed in the switch:
   * a steady sender would else be given the same member again at once.
   */
  private flush(
    tenant: TenantIntent,
    pool: PoolIntent,
    member: MemberIntent,
    protocols: readonly Protocol[],
  ): void {
    const used = new Set(
      tenant.listeners.filter((l) => l.poolId === pool.id && l.mode === 'stateful').map((l) => l.protocol),
    );
    const wanted = protocols.filter((protocol) => used.has(protocol));
    if (wanted.length === 0) return;
    const { sync, flushes } = this.options;
    const { address, port } = member;
    void sync.settled(tenant.id).then(() => {
      for (const protocol of wanted)
        void flushes.add({ zone: tenant.id, member: { protocol, address, port } });
    });
  }
}

function keyOf(tenant: TenantIntent, pool: PoolIntent, member: MemberIntent): string {
  return `${tenant.name}/${pool.name}/${member.name}`;
}
