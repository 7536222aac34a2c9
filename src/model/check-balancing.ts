/** Load balancers, listeners, pools and members of one tenant against each other. */
import { contains, formatPrefix4, isHost, isUnicast, must, parseIpv4 } from './address.js';
import { type AddressUse, type Findings, type SubnetUse, unique } from './findings.js';
import type { Path } from './problems.js';
import type { LoadBalancerFile, MonitorFile, PoolFile, TenantFile } from './tenant-schema.js';
import type { Ipv4, Prefix4 } from './types.js';

interface Scope {
  readonly tenant: TenantFile;
  readonly subnets: readonly SubnetUse[];
  /** Destinations of static routes. */
  readonly routes: readonly Prefix4[];
  /** Gateways and probe addresses. */
  readonly own: ReadonlyMap<Ipv4, AddressUse>;
}

export function checkBalancing(scope: Scope, findings: Findings): void {
  const vips = checkVips(scope, findings);
  scope.tenant.load_balancers.forEach((lb, i) => {
    checkListeners(scope.tenant, lb, ['load_balancers', i, 'listeners'], findings);
  });
  scope.tenant.pools.forEach((pool, i) => {
    checkMembers(scope, vips, pool, ['pools', i, 'members'], findings);
    checkSlots(pool, ['pools', i], findings);
    if (pool.health_monitor !== undefined)
      checkMonitor(pool.health_monitor, ['pools', i, 'health_monitor'], findings);
  });
  checkReversePath(scope.tenant, findings);
  checkLimits(scope.tenant, findings);
}

function checkVips({ tenant, subnets, own }: Scope, findings: Findings): Map<Ipv4, AddressUse> {
  const vips = new Map<Ipv4, AddressUse>();
  tenant.load_balancers.forEach((lb, i) => {
    const at = ['load_balancers', i];
    const path = [...at, 'vip_address'];
    const vip = must(parseIpv4(lb.vip_address));
    if (lb.segment !== undefined && lb.external_network !== undefined) {
      findings.error(
        [...at, 'external_network'],
        'a VIP lives in a segment or in an external network; remove one of the two keys',
      );
    } else if (lb.segment !== undefined) {
      const s = tenant.segments.findIndex((segment) => segment.name === lb.segment);
      if (s < 0) {
        findings.unknown(
          [...at, 'segment'],
          'segment',
          lb.segment,
          tenant.segments.map((segment) => segment.name),
        );
      } else if (!subnets.some((use) => use.segment === s && isHost(use.prefix, vip))) {
        findings.error(
          path,
          `${lb.vip_address} is no host address of ${tenant.segments[s]!.subnets.join(' or ')}, the subnets of segment "${lb.segment}"`,
        );
      }
    } else if (lb.external_network === undefined) {
      findings.error(at, 'it isn\'t said where the VIP lives; add "segment" or "external_network"');
    } else if (subnets.some((use) => contains(use.prefix, vip))) {
      findings.error(
        path,
        `${lb.vip_address} lies in a subnet of the tenant's own segments; a VIP of external network "${lb.external_network}" must not`,
      );
    }
    const used = own.get(vip) ?? vips.get(vip);
    if (used !== undefined)
      findings.error(
        path,
        `${lb.vip_address} is already the ${used.what}; a VIP needs an address of its own`,
      );
    else vips.set(vip, { what: `VIP of load balancer "${lb.name}"`, path });
  });
  return vips;
}

function checkListeners(tenant: TenantFile, lb: LoadBalancerFile, at: Path, findings: Findings): void {
  unique(
    lb.listeners.map((l, i) => [`${l.protocol} port ${l.protocol_port}`, [...at, i, 'protocol_port']]),
    (key) => `${key} of VIP ${lb.vip_address}`,
    findings,
  );
  const pools = tenant.pools.map((pool) => pool.name);
  lb.listeners.forEach((listener, i) => {
    if (listener.default_pool === undefined) {
      findings.warning([...at, i], `listener "${listener.name}" has no default_pool and drops everything`);
    } else if (!pools.includes(listener.default_pool)) {
      findings.unknown([...at, i, 'default_pool'], 'pool', listener.default_pool, pools);
    }
    if (listener.mode === 'stateless' && listener.connection_rate !== undefined) {
      findings.error(
        [...at, i, 'connection_rate'],
        'a stateless listener knows no connections to count; remove this, or use mode: stateful',
      );
    }
  });
}

function checkMembers(
  { subnets, routes, own }: Scope,
  vips: ReadonlyMap<Ipv4, AddressUse>,
  pool: PoolFile,
  at: Path,
  findings: Findings,
): void {
  unique(
    pool.members.map((m, i) => [`${m.address}:${m.protocol_port}`, [...at, i, 'address']]),
    (key) => `member ${key}`,
    findings,
  );
  pool.members.forEach((member, i) => {
    const path = [...at, i, 'address'];
    const address = must(parseIpv4(member.address));
    const used = own.get(address) ?? vips.get(address);
    const connected = subnets.find((use) => contains(use.prefix, address));
    if (used !== undefined)
      findings.error(path, `${member.address} is the ${used.what}; a member needs an address of its own`);
    else if (!isUnicast(address)) findings.error(path, `${member.address} is no address of a station`);
    else if (connected !== undefined && !isHost(connected.prefix, address)) {
      findings.error(
        path,
        `${member.address} is the network or broadcast address of ${formatPrefix4(connected.prefix)}`,
      );
    } else if (connected === undefined && !routes.some((route) => contains(route, address))) {
      findings.error(
        path,
        `${member.address} can't be reached: it is in no subnet of the tenant's segments and no route leads to it`,
      );
    }
  });
}

/** Fewer slots than four per member make shares uneven beyond reason. */
function checkSlots(pool: PoolFile, at: Path, findings: Findings): void {
  const members = pool.members.filter((member) => member.weight > 0).length;
  if (pool.slots < 4 * members) {
    findings.error(
      [...at, 'slots'],
      `${pool.slots} slots are too few for ${members} members with weight; at least ${4 * members} are needed, ${10 * members} or more are good`,
    );
  } else if (pool.slots < 10 * members) {
    findings.warning(
      [...at, 'slots'],
      `${pool.slots} slots for ${members} members make uneven shares; ${10 * members} or more are good`,
    );
  }
}

const ONLY: Readonly<Record<string, readonly string[]>> = {
  http_method: ['HTTP'],
  url_path: ['HTTP'],
  http_version: ['HTTP'],
  expected_codes: ['HTTP'],
  domain_name: ['HTTP'],
  tcp_close: ['TCP', 'HTTP'],
  udp_silence: ['UDP-CONNECT'],
};

function checkMonitor(monitor: MonitorFile, at: Path, findings: Findings): void {
  for (const [key, types] of Object.entries(ONLY)) {
    if (monitor[key as keyof MonitorFile] !== undefined && !types.includes(monitor.type)) {
      findings.error(
        [...at, key],
        `means nothing for type ${monitor.type}; it is for ${types.join(' and ')}`,
      );
    }
  }
  if (monitor.timeout > monitor.delay) {
    findings.error(
      [...at, 'timeout'],
      `${monitor.timeout} s is longer than delay (${monitor.delay} s): checks would overlap; make it ${monitor.delay} or less`,
    );
  }
}

interface PortUser {
  readonly listener: string;
  readonly stateless: boolean;
  /** The VIP is in an external network. */
  readonly outside: boolean;
}

/**
 * A stateless listener recognises its answers by the member's address and port alone, so these must be its own. Only
 * where it is public and the other one private does the client's side tell their answers apart.
 */
function checkReversePath(tenant: TenantFile, findings: Findings): void {
  const pools = new Map(tenant.pools.map((pool) => [pool.name, pool]));
  const users = new Map<string, PortUser[]>();
  tenant.load_balancers.forEach((lb, i) => {
    lb.listeners.forEach((listener, j) => {
      const path = ['load_balancers', i, 'listeners', j, 'default_pool'];
      const user: PortUser = {
        listener: `${lb.name}/${listener.name}`,
        stateless: listener.mode === 'stateless',
        outside: lb.external_network !== undefined,
      };
      const members = pools.get(listener.default_pool ?? '')?.members ?? [];
      const keys = members.map((m) => `${listener.protocol} ${m.address}:${m.protocol_port}`);
      for (const key of keys) {
        const rival = users.get(key)?.find((other) => indistinct(user, other));
        if (rival === undefined) continue;
        findings.error(
          path,
          `answers of ${key} can't be told apart: listener "${rival.listener}" uses it too, and one of the two is stateless; give each its own member port, or make both stateful`,
        );
        return;
      }
      for (const key of keys) users.set(key, [...(users.get(key) ?? []), user]);
    });
  });
}

function indistinct(a: PortUser, b: PortUser): boolean {
  if (!a.stateless && !b.stateless) return false;
  if (a.outside === b.outside) return true;
  return !(a.outside ? a : b).stateless;
}

function checkLimits(tenant: TenantFile, findings: Findings): void {
  const counts = {
    listeners: tenant.load_balancers.reduce((sum, lb) => sum + lb.listeners.length, 0),
    members: tenant.pools.reduce((sum, pool) => sum + pool.members.length, 0),
    slots: tenant.pools.reduce((sum, pool) => sum + pool.slots, 0),
  };
  for (const [key, count] of Object.entries(counts)) {
    const limit = tenant.limits[key as keyof typeof counts];
    if (limit !== undefined && count > limit) {
      findings.error(
        ['limits', key],
        `the tenant has ${count} ${key}, more than its limit of ${limit}; remove some or raise the limit`,
      );
    }
  }
}
