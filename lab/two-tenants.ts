import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Host } from './host.js';
import { Lab } from './lab.js';

/** The topology of the demo: two tenants that have everything in common, and still never meet. */
export const TENANTS = ['a', 'b'] as const;
export type TenantName = (typeof TENANTS)[number];
export const VIP = '10.20.0.100';

interface Machine {
  readonly role: 'client' | 'be1' | 'be2' | 'be3';
  readonly address: string;
  readonly mac: string;
  readonly segment: 'p2' | 'p3';
}

/** The same in both tenants. */
export const MACHINES: readonly Machine[] = [
  { role: 'client', address: '10.20.0.10', mac: '02:00:00:00:02:10', segment: 'p2' },
  { role: 'be1', address: '10.20.0.2', mac: '02:00:00:00:02:02', segment: 'p2' },
  { role: 'be3', address: '10.20.0.3', mac: '02:00:00:00:02:03', segment: 'p2' },
  { role: 'be2', address: '10.30.0.2', mac: '02:00:00:00:03:02', segment: 'p3' },
];
export const BACKENDS = ['be1', 'be2', 'be3'] as const;
const GATEWAYS = { p2: '10.20.0.1', p3: '10.30.0.1' };

export interface TwoTenants {
  readonly lab: Lab;
  readonly configDir: string;
  host(tenant: TenantName, role: Machine['role']): Host;
}

export interface TwoTenantsOptions {
  readonly id?: string;
  readonly protocols?: readonly string[];
  /** YAML of the pool's health monitor; a quick TCP check by default. */
  readonly monitor?: string;
  /** YAML inserted at the top level of a tenant's file, e.g. limits. */
  readonly extra?: Partial<Readonly<Record<TenantName, string>>>;
}

/** Ports begin at 10; `a` has 10 to 13, `b` 14 to 17, in the order of {@link MACHINES}. */
export async function twoTenants(options: TwoTenantsOptions = {}): Promise<TwoTenants> {
  const lab = await Lab.create(options.id === undefined ? {} : { id: options.id });
  await lab.addBridge('br-lb', options.protocols === undefined ? {} : { protocols: options.protocols });
  let ofport = 10;
  for (const tenant of TENANTS) {
    for (const { role, address, mac, segment } of MACHINES) {
      const name = `${tenant}-${role}`;
      await lab.addHost({ name, addresses: [`${address}/24`], mac, gateway: GATEWAYS[segment], ofport });
      ofport += 1;
    }
  }
  const configDir = join(lab.dir, 'config');
  mkdirSync(join(configDir, 'tenants.d'), { recursive: true });
  writeFileSync(join(configDir, 'node.yaml'), nodeYaml(lab, options.protocols));
  for (const tenant of TENANTS) writeTenant(configDir, tenant, options);
  return { lab, configDir, host: (tenant, role) => lab.host(`${tenant}-${role}`) };
}

/** No MAC of a machine, and nothing else of layer 2, is told to the agent. */
export function writeTenant(configDir: string, tenant: TenantName, options: TwoTenantsOptions = {}): void {
  const ports = (segment: string) =>
    MACHINES.filter((machine) => machine.segment === segment)
      .map(({ role }) => `      - { name: v-${tenant}-${role} }`)
      .join('\n');
  const members = MACHINES.filter(({ role }) => role !== 'client')
    .map(({ role, address }) => `      - { name: ${role}, address: ${address}, protocol_port: 8080 }`)
    .join('\n');
  const monitor =
    options.monitor ?? '{ type: TCP, delay: 1, timeout: 0.5, max_retries: 2, max_retries_down: 3 }';
  writeFileSync(
    join(configDir, 'tenants.d', `${tenant}.yaml`),
    `tenant: ${tenant}
id: ${TENANTS.indexOf(tenant) + 1}
${options.extra?.[tenant] ?? ''}segments:
  - name: p2
    subnets: [10.20.0.0/24]
    ports:
${ports('p2')}
  - name: p3
    subnets: [10.30.0.0/24]
    ports:
${ports('p3')}
load_balancers:
  - name: web
    vip_address: ${VIP}
    segment: p2
    listeners:
      - { name: http, protocol: TCP, protocol_port: 80, mode: stateful, default_pool: web }
pools:
  - name: web
    slots: 251
    members:
${members}
    health_monitor: ${monitor}
`,
  );
}

function nodeYaml(lab: Lab, protocols: readonly string[] | undefined): string {
  const versions = (protocols ?? ['OpenFlow15', 'OpenFlow13']).filter((name) => name !== 'OpenFlow14');
  return `node: ${lab.id}
bridge: br-lb
openflow:
  listen: ["ptcp:6653:127.0.0.1"]
  versions: [${versions.join(', ')}]
api:
  listen: ["unix:${join(lab.dir, 'agent.sock')}"]
state_dir: ${join(lab.dir, 'state')}
`;
}
