/** What must hold between the values of one tenant's file. */
import {
  contains,
  formatIpv4,
  formatPrefix4,
  isHost,
  isUnicast,
  lastOf,
  must,
  overlap,
  parseIpv4,
  parsePrefix4,
} from './address.js';
import { checkBalancing } from './check-balancing.js';
import { type AddressUse, Findings, type SubnetUse, unique } from './findings.js';
import type { Path, Problem } from './problems.js';
import type { Source } from './source.js';
import { gatewayOf } from './subnets.js';
import type { TenantFile } from './tenant-schema.js';
import type { Ipv4, Prefix4 } from './types.js';

/** All errors and warnings that need nothing but this file. */
export function checkTenant(tenant: TenantFile, source: Source): Problem[] {
  const findings = new Findings(source);
  checkNames(tenant, findings);
  const subnets = checkSubnets(tenant, findings);
  const own = checkOwnAddresses(tenant, subnets, findings);
  const routes = checkRoutes(tenant, subnets, own, findings);
  checkBalancing({ tenant, subnets, routes, own }, findings);
  return findings.problems;
}

function checkNames(tenant: TenantFile, findings: Findings): void {
  const names = (list: readonly { readonly name: string }[], at: Path): [string, Path][] =>
    list.map((item, i) => [item.name, [...at, i, 'name']]);
  unique(names(tenant.segments, ['segments']), (n) => `the segment name "${n}"`, findings);
  unique(names(tenant.load_balancers, ['load_balancers']), (n) => `the load balancer name "${n}"`, findings);
  unique(names(tenant.pools, ['pools']), (n) => `the pool name "${n}"`, findings);
  tenant.load_balancers.forEach((lb, i) => {
    unique(
      names(lb.listeners, ['load_balancers', i, 'listeners']),
      (n) => `the listener name "${n}"`,
      findings,
    );
  });
  tenant.pools.forEach((pool, i) => {
    unique(names(pool.members, ['pools', i, 'members']), (n) => `the member name "${n}"`, findings);
  });
}

function checkSubnets(tenant: TenantFile, findings: Findings): SubnetUse[] {
  const uses: SubnetUse[] = [];
  tenant.segments.forEach((segment, s) => {
    segment.subnets.forEach((text, i) => {
      const path = ['segments', s, 'subnets', i];
      const prefix = must(parsePrefix4(text));
      if (prefix.length === 0 || prefix.length === 32) {
        findings.error(path, `a segment's subnet has a prefix length from 1 to 31, not ${prefix.length}`);
        return;
      }
      const other = uses.find((use) => overlap(use.prefix, prefix));
      if (other === undefined) uses.push({ prefix, segment: s, path });
      else {
        findings.error(
          path,
          `${text} overlaps ${formatPrefix4(other.prefix)} of segment "${tenant.segments[other.segment]!.name}"; subnets of a tenant must not`,
        );
      }
    });
  });
  return uses;
}

/** Gateways and probe addresses: inside their subnets, each once. */
function checkOwnAddresses(
  tenant: TenantFile,
  subnets: readonly SubnetUse[],
  findings: Findings,
): Map<Ipv4, AddressUse> {
  const own = new Map<Ipv4, AddressUse>();
  tenant.segments.forEach((segment, s) => {
    if (segment.gateway !== undefined && segment.gateway.length > segment.subnets.length) {
      findings.error(
        ['segments', s, 'gateway', segment.subnets.length],
        `there are more gateways than subnets; each belongs to the subnet at the same place of the list`,
      );
    }
    segment.subnets.forEach((text, i) => {
      const prefix = must(parsePrefix4(text));
      const given = segment.gateway?.[i] !== undefined;
      const path = given ? ['segments', s, 'gateway', i] : ['segments', s, 'subnets', i];
      const gateway = gatewayOf(segment, i);
      if (given && !isHost(prefix, gateway)) findings.error(path, outside('gateway', gateway, prefix));
      else own.set(gateway, { what: `gateway of segment "${segment.name}"`, path });
    });
    if (segment.probe_address === undefined) return;
    const path = ['segments', s, 'probe_address'];
    const address = must(parseIpv4(segment.probe_address));
    const here = subnets.filter((use) => use.segment === s);
    if (!here.some((use) => isHost(use.prefix, address))) {
      findings.error(
        path,
        `${segment.probe_address} is no host address of ${segment.subnets.join(' or ')}, the segment's subnets`,
      );
    } else if (!own.has(address))
      own.set(address, { what: `probe address of segment "${segment.name}"`, path });
  });
  return own;
}

function outside(what: string, address: Ipv4, prefix: Prefix4): string {
  const text = formatIpv4(address);
  if (!contains(prefix, address)) return `the ${what} ${text} is outside ${formatPrefix4(prefix)}`;
  const role = address === lastOf(prefix) ? 'broadcast' : 'network';
  return `${text} is the ${role} address of ${formatPrefix4(prefix)}; no station may have it`;
}

function checkRoutes(
  tenant: TenantFile,
  subnets: readonly SubnetUse[],
  own: ReadonlyMap<Ipv4, AddressUse>,
  findings: Findings,
): Prefix4[] {
  unique(
    tenant.routes.map((route, i) => [route.destination, ['routes', i, 'destination']]),
    (destination) => `a route to ${destination}`,
    findings,
  );
  return tenant.routes.map((route, i) => {
    const hop = must(parseIpv4(route.next_hop));
    const path = ['routes', i, 'next_hop'];
    const used = own.get(hop);
    if (!isUnicast(hop) || !subnets.some((use) => isHost(use.prefix, hop))) {
      findings.error(
        path,
        `${route.next_hop} is in no subnet of the tenant's segments, so it can't be reached; a next hop is a neighbour`,
      );
    } else if (used !== undefined) {
      findings.error(
        path,
        `${route.next_hop} is the ${used.what}, so packets would return to us; name the other router`,
      );
    }
    const destination = must(parsePrefix4(route.destination));
    const same = subnets.find(
      (use) => use.prefix.length <= destination.length && overlap(use.prefix, destination),
    );
    if (same !== undefined) {
      findings.warning(
        ['routes', i, 'destination'],
        `${route.destination} lies in the connected subnet ${formatPrefix4(same.prefix)} and takes these addresses away from segment "${tenant.segments[same.segment]!.name}"`,
      );
    }
    return destination;
  });
}
