/** What tenants and the node share: names, ids, ports of the bridge, public addresses. */
import { isHost, must, overlap, parseIpv4, parsePrefix4 } from './address.js';
import { Findings } from './findings.js';
import type { NodeFile } from './node-schema.js';
import type { Path, Problem } from './problems.js';
import type { Source } from './source.js';
import type { PortFile, TenantFile } from './tenant-schema.js';

/** A tenant's file that has the right form. */
export interface RawTenant {
  readonly name: string;
  readonly file: string;
  readonly value: TenantFile;
  readonly source: Source;
}

export interface RawNode {
  readonly file: string;
  readonly value: NodeFile;
  readonly source: Source;
}

/** Who has a name, an id, a port or a public address. */
interface Holder {
  /** Absent: the node itself. */
  readonly tenant?: RawTenant;
  /** In words. */
  readonly user: string;
}

/**
 * Admits tenants one by one: each may use what no one admitted before uses. So the order decides who is refused
 * in a conflict: tenants that run already come first, and a new file never takes anything away from them.
 */
export class Admission {
  private readonly held = new Map<string, Holder>();

  /**
   * @param beneath what was admitted before, except for the tenants `without`: stays as it is, so that a change can be
   * tried on top of it
   */
  constructor(
    private readonly node: NodeFile | undefined,
    private readonly beneath?: Admission,
    private readonly without: ReadonlySet<RawTenant> = new Set(),
  ) {
    if (beneath !== undefined) return;
    node?.external_networks.forEach((network) => {
      for (const port of network.ports)
        this.held.set(portKey(port), { user: `external network "${network.name}"` });
    });
  }

  /** No errors: admitted. With errors nothing of it is remembered. */
  admit(tenant: RawTenant): Problem[] {
    const { name, value, source } = tenant;
    const findings = new Findings(source);
    const mine = new Map<string, Holder>();
    const remotes = new Set<string>();

    const other = this.holder(nameKey(name));
    if (other !== undefined)
      findings.error(
        ['tenant'],
        `tenant "${name}" is already described in ${other.user}; choose another name or merge the files`,
      );
    const holder = value.id === undefined ? undefined : this.holder(idKey(value.id));
    if (holder !== undefined)
      findings.error(
        ['id'],
        `id ${value.id} belongs to ${holder.user}; choose another, or leave it out to get a free one`,
      );

    value.segments.forEach((segment, s) => {
      const user = segmentUser(name, segment.name);
      segment.ports.forEach((port, p) => {
        const path = ['segments', s, 'ports', p];
        checkPort(port, path, findings);
        const key = portKey(port);
        const used = this.holder(key) ?? mine.get(key);
        // One VNI may lead to several remote ends of the same segment.
        const another =
          used?.user === user && port.remote !== undefined && !remotes.has(`${key} ${port.remote}`);
        if (used !== undefined && !another)
          findings.error(
            path,
            `${describePort(port)} is already a port of ${used.user}; a port belongs to one segment only`,
          );
        mine.set(key, { tenant, user });
        if (port.remote !== undefined) remotes.add(`${key} ${port.remote}`);
      });
    });
    value.load_balancers.forEach((lb, i) => {
      if (lb.external_network === undefined || lb.segment !== undefined) return;
      this.checkPublicVip(lb.external_network, lb.vip_address, ['load_balancers', i], findings);
      const used = this.holder(vipKey(lb.external_network, lb.vip_address));
      if (used !== undefined) {
        findings.error(
          ['load_balancers', i, 'vip_address'],
          `${lb.vip_address} in external network "${lb.external_network}" belongs to ${used.user}; public VIPs are unique`,
        );
      }
    });
    if (!findings.problems.some((problem) => problem.severity === 'error')) this.claim(tenant);
    return findings.problems;
  }

  /** Remembers what a tenant holds without judging: of one that runs on as it was. */
  claim(tenant: RawTenant): void {
    for (const [key, user] of holdings(tenant)) this.held.set(key, { tenant, user });
  }

  /** Puts what was tried on top of this for good. */
  settle(above: Admission): void {
    for (const tenant of above.without)
      for (const [key] of holdings(tenant)) if (this.held.get(key)?.tenant === tenant) this.held.delete(key);
    for (const [key, holder] of above.held) this.held.set(key, holder);
  }

  private holder(key: string): Holder | undefined {
    const own = this.held.get(key);
    if (own !== undefined || this.beneath === undefined) return own;
    const below = this.beneath.holder(key);
    return below?.tenant !== undefined && this.without.has(below.tenant) ? undefined : below;
  }

  private checkPublicVip(network: string, vip: string, at: Path, findings: Findings): void {
    if (this.node === undefined) return;
    const known = this.node.external_networks;
    const found = known.find((candidate) => candidate.name === network);
    if (found === undefined) {
      findings.unknown(
        [...at, 'external_network'],
        'external network',
        network,
        known.map((candidate) => candidate.name),
      );
      return;
    }
    const address = must(parseIpv4(vip));
    if (!found.subnets.some((subnet) => isHost(must(parsePrefix4(subnet)), address))) {
      findings.error(
        [...at, 'vip_address'],
        `${vip} is no host address of ${found.subnets.join(' or ')}, the subnets of external network "${network}"`,
      );
    } else if (vip === found.address || vip === found.gateway) {
      const role = vip === found.address ? "the node's own address" : 'the gateway';
      findings.error(
        [...at, 'vip_address'],
        `${vip} is ${role} in external network "${network}"; a VIP needs an address of its own`,
      );
    }
  }
}

/** What must hold inside node.yaml. */
export function checkNode(node: NodeFile, source: Source): Problem[] {
  const findings = new Findings(source);
  const names = new Map<string, number>();
  const ports = new Map<string, string>();
  node.external_networks.forEach((network, n) => {
    const at = ['external_networks', n];
    if (names.has(network.name))
      findings.twice([...at, 'name'], `the name "${network.name}"`, [
        'external_networks',
        names.get(network.name)!,
      ]);
    names.set(network.name, n);
    const subnets = network.subnets.map((text) => must(parsePrefix4(text)));
    subnets.forEach((subnet, i) => {
      if (subnet.length === 0 || subnet.length === 32)
        findings.error(
          [...at, 'subnets', i],
          `a subnet has a prefix length from 1 to 31, not ${subnet.length}`,
        );
      const earlier = subnets.slice(0, i).find((candidate) => overlap(candidate, subnet));
      if (earlier !== undefined)
        findings.error(
          [...at, 'subnets', i],
          `${network.subnets[i]} overlaps another subnet of this network`,
        );
    });
    for (const key of ['address', 'gateway'] as const) {
      const text = network[key];
      if (text !== undefined && !subnets.some((subnet) => isHost(subnet, must(parseIpv4(text))))) {
        findings.error([...at, key], `${text} is no host address of ${network.subnets.join(' or ')}`);
      }
    }
    if (network.gateway === network.address)
      findings.error([...at, 'gateway'], `is the node's own address; name the router`);
    network.ports.forEach((port, p) => {
      const path = [...at, 'ports', p];
      checkPort(port, path, findings);
      const key = portKey(port);
      const used = ports.get(key);
      if (used !== undefined)
        findings.error(path, `${describePort(port)} is already a port of external network "${used}"`);
      ports.set(key, network.name);
    });
  });
  checkChannel(node, findings);
  return findings.problems;
}

function checkChannel(node: NodeFile, findings: Findings): void {
  const { listen, connect, tls } = node.openflow;
  if (listen?.length === 0 && connect.length === 0) {
    findings.error(
      ['openflow'],
      'neither listens nor connects, so no switch can be controlled; add listen: ["ptcp:6653:127.0.0.1"]',
    );
  }
  for (const [key, list] of [['listen', listen ?? []] as const, ['connect', connect] as const]) {
    list.forEach((text, i) => {
      if (/^p?ssl:/.test(text) && tls === undefined)
        findings.error(['openflow', key, i], `${text} needs certificates; add openflow.tls`);
    });
  }
  if (node.api.token !== undefined && node.api.token_file !== undefined) {
    findings.error(['api', 'token_file'], 'the token is given twice; keep token or token_file');
  }
  const secret = node.api.token ?? node.api.token_file;
  node.api.listen.forEach((text, i) => {
    const host = /^tcp:(.+):[0-9]+$/.exec(text)?.[1];
    if (host === undefined || secret !== undefined) return;
    if (!host.startsWith('127.') && host !== '[::1]') {
      findings.warning(
        ['api', 'listen', i],
        `${text} can be reached from elsewhere and no token is set: mutations will be refused there; add api.token_file`,
      );
    } else if (!node.api.trust_loopback) {
      findings.warning(
        ['api', 'trust_loopback'],
        'no token is set: mutations will be refused on TCP; add api.token_file',
      );
    }
  });
}

function checkPort(port: PortFile, path: Path, findings: Findings): void {
  if (port.vlan !== undefined && port.vni !== undefined) {
    findings.error([...path, 'vni'], 'a port carries a VLAN or a VNI; remove one of the two');
  }
  if (port.remote !== undefined && port.vni === undefined) {
    findings.error([...path, 'remote'], 'belongs to a tunnel; add vni, or remove it');
  }
}

/** All that a tenant holds, and the words for who that is. */
function* holdings({ name, file, value }: RawTenant): Generator<[key: string, user: string]> {
  yield [nameKey(name), file];
  if (value.id !== undefined) yield [idKey(value.id), `tenant "${name}"`];
  for (const segment of value.segments) {
    const user = segmentUser(name, segment.name);
    for (const port of segment.ports) yield [portKey(port), user];
  }
  for (const lb of value.load_balancers) {
    if (lb.external_network !== undefined)
      yield [vipKey(lb.external_network, lb.vip_address), `tenant "${name}", load balancer "${lb.name}"`];
  }
}

const nameKey = (name: string): string => `name ${name}`;
const idKey = (id: number): string => `id ${id}`;
const vipKey = (network: string, vip: string): string => `vip ${network} ${vip}`;
const segmentUser = (tenant: string, segment: string): string => `tenant "${tenant}", segment "${segment}"`;

function portKey(port: PortFile): string {
  return `port ${port.name} ${port.vlan ?? ''} ${port.vni ?? ''}`;
}

function describePort(port: PortFile): string {
  if (port.vlan !== undefined) return `VLAN ${port.vlan} of ${port.name}`;
  if (port.vni !== undefined) return `VNI ${port.vni} of ${port.name}`;
  return port.name;
}
