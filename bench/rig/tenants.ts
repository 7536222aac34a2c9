import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** VMs of a tenant in each of its two segments: the first is a client, the others are members. */
export const VMS = 5;
const MEMBERS = 2 * (VMS - 1);
const SEGMENTS = ['10.20.0', '10.30.0'] as const;

export interface TenantShape {
  /** Slots of the only pool. */
  readonly slots: number;
  /** Members; without it as many as the founding estimate has. */
  readonly members?: number;
  /** OVS port and VLAN of a VM (0 to 9) of tenant `t`. */
  readonly port: (t: number, vm: number) => { readonly name: string; readonly vlan?: number };
}

/** A port of its own for every VM. */
export const portEach: TenantShape['port'] = (t, vm) => ({ name: `vm${t}-${vm}` });
/** Ten trunks, one VLAN of each for a tenant: thousands of attachments without thousands of devices. */
export const trunks: TenantShape['port'] = (t, vm) => ({ name: `trunk${vm}`, vlan: t });
export const TRUNK_NAMES = Array.from({ length: 2 * VMS }, (_, vm) => `trunk${vm}`);

export interface NodeOptions {
  /** What the agent connects to: `unix:PATH`. */
  readonly connect: string;
  readonly vswitchd: string;
  readonly uplink: string;
}

/** A configuration directory with its state and the agent's socket. */
export class ConfigDir {
  readonly config: string;
  readonly socket: string;
  readonly #state: string;

  constructor(
    readonly dir: string,
    private readonly node: NodeOptions,
  ) {
    this.config = join(dir, 'config');
    this.socket = join(dir, 'agent.sock');
    this.#state = join(dir, 'state');
  }

  /** As on the first day: no tenant, and no id given out. */
  reset(): void {
    for (const path of [this.config, this.#state]) rmSync(path, { recursive: true, force: true });
    mkdirSync(join(this.config, 'tenants.d'), { recursive: true });
    writeFileSync(
      join(this.config, 'node.yaml'),
      `node: bench
bridge: br-lb
openflow:
  listen: []
  connect: ["${this.node.connect}"]
  versions: [OpenFlow15]
ovs: { vswitchd: "${this.node.vswitchd}" }
api: { listen: ["unix:${this.socket}"] }
state_dir: ${this.#state}
external_networks:
  - name: public
    ports: [{ name: ${this.node.uplink} }]
    subnets: [172.16.0.0/16]
    address: 172.16.0.1
`,
    );
  }

  tenants(count: number, shape: TenantShape, first = 1): void {
    for (let t = first; t < first + count; t++) this.tenant(t, shape);
  }

  /** @param weight of the first member: the change of one tenant */
  tenant(t: number, shape: TenantShape, weight = 1): void {
    this.file(`t${t}`, tenantYaml(t, shape, weight));
  }

  file(name: string, yaml: string): void {
    writeFileSync(join(this.config, 'tenants.d', `${name}.yaml`), yaml);
  }
}

/** The same addresses in all; one private and one public VIP that lead to one pool. */
function tenantYaml(t: number, shape: TenantShape, weight: number): string {
  const members = Array.from({ length: shape.members ?? MEMBERS }, (_, i) => {
    const address = `${SEGMENTS[i % 2]}.${11 + (i >> 1)}`;
    return `      - { name: be${i}, address: ${address}, protocol_port: 8080, weight: ${i === 0 ? weight : 1} }`;
  });
  return `tenant: t${t}
id: ${t}
segments:
${SEGMENTS.map((net, s) => segmentYaml(t, s, net, shape)).join('')}load_balancers:
  - name: private
    vip_address: 10.20.0.100
    segment: p0
    listeners: [{ name: http, protocol: TCP, protocol_port: 80, default_pool: web }]
  - name: public
    vip_address: ${publicVip(t)}
    external_network: public
    listeners: [{ name: http, protocol: TCP, protocol_port: 80, default_pool: web }]
pools:
  - name: web
    slots: ${shape.slots}
    members:
${members.join('\n')}
`;
}

function segmentYaml(t: number, s: number, net: string, shape: TenantShape): string {
  const ports = Array.from({ length: VMS }, (_, i) => {
    const { name, vlan } = shape.port(t, s * VMS + i);
    return `      - { name: ${name}${vlan === undefined ? '' : `, vlan: ${vlan}`} }`;
  });
  return `  - name: p${s}
    subnets: [${net}.0/24]
    ports:
${ports.join('\n')}
`;
}

function publicVip(t: number): string {
  return `172.16.${1 + Math.floor(t / 250)}.${1 + (t % 250)}`;
}
