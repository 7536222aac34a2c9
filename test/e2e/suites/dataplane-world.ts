import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Agent } from '../../../lab/agent.js';
import { Host } from '../../../lab/host.js';
import { Lab } from '../../../lab/lab.js';
import { applied, health } from '../../../lab/observations.js';
import { hose } from '../../../lab/packets.js';
import { httpServer, udpEcho } from '../../../lab/services.js';
import { until } from '../../../lab/until.js';
import { VSwitch } from '../../../lab/vswitch.js';
import { NAMES, nodeYaml, type TenantChange, type TenantName, tenantYaml } from './dataplane-config.js';

/**
 * Four tenants with every address in common, attached in every way there is:
 *
 *   a, b   each host on a port of its own; a has a router, and behind it, over a cable of MTU 1400, the host `a-far`
 *   c, d   client and be3 on VLANs 120 and 130 of a trunk of their own, be2 behind a tunnel: VXLAN for c, Geneve
 *          for d; be1 on a port
 *
 * Outside are `ext` on the untagged external network, `beyond` behind its gateway and a cable of MTU 1400, and
 * `tagged` on the external network that is VLAN 500 of c's trunk.
 */
export interface DataplaneWorld {
  readonly lab: Lab;
  readonly agent: Agent;
  host(name: string): Host;
  /** Writes a tenant's file again; resolves when the agent has read it and the switch has confirmed it. */
  rewrite(tenant: TenantName, change: TenantChange): Promise<void>;
}

const MACHINES = {
  client: { address: '10.20.0.10', mac: '02:00:00:00:02:10', gateway: '10.20.0.1' },
  be1: { address: '10.20.0.2', mac: '02:00:00:00:02:02', gateway: '10.20.0.1' },
  be2: { address: '10.30.0.2', mac: '02:00:00:00:03:02', gateway: '10.30.0.1' },
  be3: { address: '10.40.0.2', mac: '02:00:00:00:04:02', gateway: '10.40.0.1' },
} as const;
type Role = keyof typeof MACHINES;
const SMALL_MTU = 1400;
/** Room for the tunnels' own headers around frames of 1500. */
const UNDERLAY_MTU = 1600;

export async function dataplaneWorld(protocol: 'OpenFlow13' | 'OpenFlow15'): Promise<DataplaneWorld> {
  const lab = await Lab.create();
  const builder = new Builder(lab);
  await lab.addBridge('br-lb', { protocols: [protocol] });
  await builder.underlay();
  await Promise.all(['a', 'b'].map((tenant) => builder.onPorts(tenant)));
  await Promise.all([builder.onTrunkAndTunnel('c'), builder.onTrunkAndTunnel('d')]);
  await builder.outside();
  await builder.behindRouter();
  await Promise.all(NAMES.map((tenant) => builder.serve(tenant)));
  return start(lab, protocol, (name) => builder.host(name));
}

async function start(lab: Lab, protocol: string, host: DataplaneWorld['host']): Promise<DataplaneWorld> {
  const configDir = join(lab.dir, 'config');
  mkdirSync(join(configDir, 'tenants.d'), { recursive: true });
  writeFileSync(join(configDir, 'node.yaml'), nodeYaml(lab.dir, protocol));
  const write = (tenant: TenantName, change: TenantChange) =>
    writeFileSync(join(configDir, 'tenants.d', `${tenant}.yaml`), tenantYaml(tenant, change));
  for (const tenant of NAMES) write(tenant, {});
  const agent = await lab.startAgent({ configDir });
  await lab.vswitch.setController('br-lb', 'tcp:127.0.0.1:6653');
  await applied(agent);
  await settled(agent);
  await applied(agent);
  const rewrite = async (tenant: TenantName, change: TenantChange) => {
    const { generation } = (await applied(agent)).config;
    write(tenant, change);
    const isNewer = async () => (await applied(agent)).config.generation > generation;
    await until(isNewer, { what: `the new file of ${tenant} being applied` });
  };
  return { lab, agent, host, rewrite };
}

/** Every member with a monitor has its verdict: all serve but the one of `empty`. */
async function settled(agent: Agent): Promise<void> {
  const look = async () => {
    const rows = (await health(agent)).filter(({ operatingStatus }) => operatingStatus !== 'NO_MONITOR');
    const wanted = (pool: string) => (pool === 'empty' ? 'ERROR' : 'ONLINE');
    const odd = rows.filter(({ pool, operatingStatus }) => operatingStatus !== wanted(pool));
    if (odd.length > 0) throw new Error(odd.map((r) => `${r.tenant}/${r.pool}/${r.member}`).join(' '));
    return rows.length > 0;
  };
  await until(look, { what: 'a verdict on every member', timeout: 40_000 });
}

class Builder {
  readonly #hosts = new Map<string, Host>();

  constructor(private readonly lab: Lab) {}

  host(name: string): Host {
    const host = this.#hosts.get(name);
    if (host === undefined) throw new Error(`no host ${name}`);
    return host;
  }

  /** A bridge whose own port has the local end of the tunnels, as the userspace datapath needs it. */
  async underlay(): Promise<void> {
    const { lab } = this;
    await this.#ordinaryBridge('br-phy');
    await lab.node.exec(['ip', 'addr', 'add', '198.51.100.1/24', 'dev', 'br-phy']);
    await lab.node.exec(['ip', 'link', 'set', 'br-phy', 'mtu', String(UNDERLAY_MTU), 'up']);
    for (const type of ['vxlan', 'geneve']) {
      const interfaceOf = `set interface ${type}0 type=${type} options:remote_ip=flow options:key=flow`;
      await lab.vswitch.vsctl(`add-port br-lb ${type}0 -- ${interfaceOf}`.split(' '));
    }
  }

  async onPorts(tenant: string): Promise<void> {
    for (const role of Object.keys(MACHINES) as Role[]) await this.#machine(tenant, role);
  }

  /** The trunk leads to a bridge that tags: the switch of a rack. */
  async onTrunkAndTunnel(tenant: 'c' | 'd'): Promise<void> {
    const { vswitch } = this.lab;
    const rack = `br-${tenant}`;
    await this.#ordinaryBridge(rack);
    for (const [bridge, port, peer] of [
      [rack, `up-${tenant}`, `trunk-${tenant}`],
      ['br-lb', `trunk-${tenant}`, `up-${tenant}`],
    ]) {
      const patch = `set interface ${port} type=patch options:peer=${peer}`;
      await vswitch.vsctl(`add-port ${bridge} ${port} -- ${patch}`.split(' '));
    }
    await this.#machine(tenant, 'be1');
    for (const [role, vlan] of [
      ['client', 120],
      ['be3', 130],
    ] as const) {
      const { port } = await this.#machine(tenant, role, rack);
      await vswitch.vsctl(['set', 'port', port, `tag=${vlan}`]);
    }
    if (tenant === 'c') await this.#behindVxlan('c-be2');
    else await this.#behindGeneve('d-be2');
  }

  async outside(): Promise<void> {
    await this.#add('ext', { address: '192.168.5.50', mac: '02:00:00:00:05:50', gateway: '192.168.5.1' });
    const gateway = await this.#add('gw', { address: '192.168.5.254', mac: '02:00:00:00:05:fe' });
    await this.#behind(gateway, 'beyond', '203.0.113.1', '203.0.113.9');
    const tagged = { address: '192.168.6.50', mac: '02:00:00:00:06:50', gateway: '192.168.6.1' };
    const { port } = await this.#add('tagged', tagged, 'br-c');
    await this.lab.vswitch.vsctl(['set', 'port', port, 'tag=500']);
  }

  async behindRouter(): Promise<void> {
    const at = { address: '10.20.0.254', mac: '02:00:00:00:02:fe', gateway: '10.20.0.1' };
    const far = await this.#behind(await this.#add('a-router', at), 'a-far', '172.16.1.1', '172.16.1.2');
    await httpServer(far);
    await udpEcho(far, 7);
  }

  async serve(tenant: TenantName): Promise<void> {
    const be = (n: number) => this.host(`${tenant}-be${n}`);
    for (const n of [1, 2, 3]) await httpServer(be(n), 8080, 8081, 8082);
    await hose(be(2), 7);
    await udpEcho(be(2), 7);
    await udpEcho(be(2), 8);
    // Where routes lead: to the same two addresses in every tenant, but not to the same hosts.
    const own = (n: number, address: string) =>
      be(n).exec(['ip', 'addr', 'add', `${address}/32`, 'dev', 'lo']);
    await own(tenant === 'a' ? 1 : 3, '172.16.9.2');
    if (tenant === 'a') return;
    await own(1, '172.16.1.2');
    await udpEcho(be(1), 7);
  }

  #machine(tenant: string, role: Role, bridge?: string): Promise<Host> {
    return this.#add(`${tenant}-${role}`, MACHINES[role], bridge);
  }

  async #add(
    name: string,
    at: { address: string; mac: string; gateway?: string },
    bridge = 'br-lb',
  ): Promise<Host> {
    const { address, ...rest } = at;
    const host = await this.lab.addHost({ name, addresses: [`${address}/24`], ...rest, bridge });
    this.#hosts.set(name, host);
    return host;
  }

  /** A machine on a cable of its own behind `router`, whose end of it has the small MTU. */
  async #behind(router: Host, name: string, gateway: string, address: string): Promise<Host> {
    await router.namespace.sysctl({
      'net.ipv4.ip_forward': 1,
      'net.ipv4.conf.all.send_redirects': 0,
      'net.ipv4.conf.eth0.send_redirects': 0,
    });
    const addresses = [`${address}/24`];
    const far = await Host.create(this.lab.id, router.namespace, this.lab.dir, { name, addresses, gateway });
    await router.exec(['ip', 'addr', 'add', `${gateway}/24`, 'dev', far.port]);
    await router.exec(['ip', 'link', 'set', far.port, 'mtu', String(SMALL_MTU)]);
    this.#hosts.set(name, far);
    return far;
  }

  /** A machine whose kernel ends the tunnel. */
  async #behindVxlan(name: string): Promise<void> {
    const { mac, address, gateway } = MACHINES.be2;
    const vtep = await this.#underlayHost(name, ['198.51.100.2/24']);
    const ends = 'dstport 4789 local 198.51.100.2 remote 198.51.100.1 dev eth0';
    for (const words of [
      `link add vx address ${mac} mtu 1500 type vxlan id 5001 ${ends}`,
      `addr add ${address}/24 dev vx`,
      'link set vx up',
      `route add default via ${gateway}`,
    ])
      await vtep.exec(['ip', ...words.split(' ')]);
    this.#hosts.set(name, vtep);
  }

  /** Not every kernel knows Geneve: the machine has an Open vSwitch of its own that ends the tunnel. */
  async #behindGeneve(name: string): Promise<void> {
    const { mac, address, gateway } = MACHINES.be2;
    const machine = await this.#underlayHost(name, []);
    const rundir = join(this.lab.dir, `ovs-${name}`);
    mkdirSync(rundir);
    const vswitch = await VSwitch.start(machine.namespace, rundir);
    for (const bridge of ['under', 'over']) {
      await vswitch.addBridge(bridge);
      await vswitch.ofctl(bridge, ['add-flow', 'actions=NORMAL']);
    }
    await vswitch.vsctl(['add-port', 'under', 'eth0']);
    const tunnel = 'type=geneve options:remote_ip=198.51.100.1 options:key=5002';
    await vswitch.vsctl(`add-port over gnv -- set interface gnv ${tunnel}`.split(' '));
    await vswitch.vsctl(['set', 'interface', 'over', `mac="${mac}"`]);
    for (const words of [
      'addr add 198.51.100.3/24 dev under',
      `link set under mtu ${UNDERLAY_MTU} up`,
      `addr add ${address}/24 dev over`,
      'link set over up',
      `route add default via ${gateway}`,
    ])
      await machine.exec(['ip', ...words.split(' ')]);
    this.#hosts.set(name, machine);
  }

  async #underlayHost(name: string, addresses: readonly string[]): Promise<Host> {
    const host = await this.lab.addHost({ name, addresses, bridge: 'br-phy' });
    const mtu = ['mtu', String(UNDERLAY_MTU)];
    await this.lab.node.exec(['ip', 'link', 'set', host.port, ...mtu]);
    await host.exec(['ip', 'link', 'set', 'eth0', ...mtu]);
    return host;
  }

  async #ordinaryBridge(name: string): Promise<void> {
    await this.lab.addBridge(name);
    await this.lab.vswitch.ofctl(name, ['add-flow', 'actions=NORMAL']);
  }
}
