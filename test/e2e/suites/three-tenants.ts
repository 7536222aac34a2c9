import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Agent } from '../../../lab/agent.js';
import type { Host } from '../../../lab/host.js';
import { Lab } from '../../../lab/lab.js';
import { applied, health } from '../../../lab/observations.js';
import { httpServer, tcpEcho, udpEcho } from '../../../lab/services.js';
import { until } from '../../../lab/until.js';

/** Three tenants with a bit of everything, for what commands show: every number and address is fixed. */
export interface ThreeTenants {
  readonly lab: Lab;
  readonly agent: Agent;
  readonly configDir: string;
  host(name: string): Host;
  /** Replaces a text in a tenant's file, which has to be there. */
  edit(tenant: string, from: string, to: string): void;
  /** Another directory with the same configuration. */
  copy(name: string): string;
}

const HOSTS = [
  { name: 'acme-c', address: '10.20.0.10', gateway: '10.20.0.1' },
  { name: 'acme-be1', address: '10.20.0.2', gateway: '10.20.0.1' },
  { name: 'acme-be2', address: '10.20.0.3', gateway: '10.20.0.1' },
  { name: 'blue-c', address: '10.20.0.10', gateway: '10.20.0.1' },
  { name: 'blue-ns1', address: '10.20.0.2', gateway: '10.20.0.1' },
  { name: 'core-app', address: '10.30.0.2', gateway: '10.30.0.1' },
  { name: 'core-gw', address: '10.30.0.254', gateway: '10.30.0.1' },
  { name: 'out', address: '192.168.5.10', gateway: '192.168.5.1' },
] as const;
const MEMBERS = 4;

const TENANTS = {
  acme: `tenant: acme
id: 7
segments:
  - name: p2
    subnets: [10.20.0.0/24]
    mac: 02:42:0a:14:00:07
    ports: [{ name: v-acme-c }, { name: v-acme-be1 }, { name: v-acme-be2 }]
load_balancers:
  - name: web
    vip_address: 10.20.0.100
    segment: p2
    listeners:
      - { name: http, protocol: TCP, protocol_port: 80, default_pool: web, connection_rate: 5000 }
pools:
  - name: web
    slots: 13
    members:
      - { name: be1, address: 10.20.0.2, protocol_port: 8080 }
      - { name: be2, address: 10.20.0.3, protocol_port: 8080 }
    health_monitor: { type: HTTP, delay: 0.5, timeout: 0.4, url_path: /health, expected_codes: "200,204" }
`,
  blue: `tenant: blue
id: 8
limits: { connections: 1000, bandwidth: 500M }
segments:
  - name: p2
    subnets: [10.20.0.0/24]
    mac: 02:42:0a:14:00:08
    ports: [{ name: v-blue-c, bandwidth: 100M }, { name: v-blue-ns1 }]
load_balancers:
  - name: dns
    vip_address: 10.20.0.100
    segment: p2
    listeners:
      - { name: udp, protocol: UDP, protocol_port: 53, mode: stateless, default_pool: dns }
      - { name: "off", protocol: TCP, protocol_port: 80, admin_state_up: false }
pools:
  - name: dns
    slots: 5
    members: [{ name: ns1, address: 10.20.0.2, protocol_port: 5353 }]
`,
  core: `tenant: core
id: 9
segments:
  - name: apps
    subnets: [10.30.0.0/24]
    mac: 02:42:0a:1e:00:09
    ports: [{ name: v-core-app }, { name: v-core-gw, role: uplink }]
routes:
  - { destination: 10.99.0.0/16, next_hop: 10.30.0.254 }
load_balancers:
  - name: shop
    vip_address: 192.168.5.100
    external_network: public
    listeners:
      - { name: http, protocol: TCP, protocol_port: 80, default_pool: app }
      - { name: old, protocol: TCP, protocol_port: 81, default_pool: empty }
pools:
  - name: app
    slots: 7
    members: [{ name: app1, address: 10.30.0.2, protocol_port: 8080 }]
    health_monitor: { type: TCP, delay: 0.5, timeout: 0.4 }
  - { name: empty, slots: 5 }
`,
} as const;

/** Resolves when every member is ONLINE and everything is applied. */
export async function threeTenants(): Promise<ThreeTenants> {
  const lab = await Lab.create();
  try {
    await lab.addBridge('br-lb');
    for (const [n, { name, address, gateway }] of HOSTS.entries()) {
      const mac = `02:00:00:00:00:${(16 + n).toString(16)}`;
      await lab.addHost({ name, addresses: [`${address}/24`], gateway, mac, ofport: 10 + n });
    }
    const configDir = join(lab.dir, 'config');
    mkdirSync(join(configDir, 'tenants.d'), { recursive: true });
    writeFileSync(join(configDir, 'node.yaml'), nodeYaml(lab));
    const fileOf = (tenant: string) => join(configDir, 'tenants.d', `${tenant}.yaml`);
    for (const [tenant, text] of Object.entries(TENANTS)) writeFileSync(fileOf(tenant), text);
    await httpServer(lab.host('acme-be1'));
    await httpServer(lab.host('acme-be2'));
    await udpEcho(lab.host('blue-ns1'), 5353);
    await tcpEcho(lab.host('core-app'));
    const agent = await lab.startAgent({ configDir });
    await lab.vswitch.setController('br-lb', 'tcp:127.0.0.1:6653');
    await allOnlineOrUnwatched(agent);
    await applied(agent, { timeout: 30_000 });
    return {
      lab,
      agent,
      configDir,
      host: (name) => lab.host(name),
      edit: (tenant, from, to) => replaceIn(fileOf(tenant), from, to),
      copy: (name) => {
        const dir = join(lab.dir, name);
        cpSync(configDir, dir, { recursive: true });
        return dir;
      },
    };
  } catch (error) {
    lab.close();
    throw error;
  }
}

/** Replaces a text that has to be there. */
export function replaceIn(file: string, from: string, to: string): void {
  const text = readFileSync(file, 'utf8');
  if (!text.includes(from)) throw new Error(`${file} has no "${from}"`);
  writeFileSync(file, text.replace(from, to));
}

async function allOnlineOrUnwatched(agent: Agent): Promise<void> {
  await until(
    async () => {
      const rows = await health(agent);
      const up = rows.filter(({ operatingStatus: s }) => s === 'ONLINE' || s === 'NO_MONITOR');
      return rows.length === MEMBERS && up.length === MEMBERS;
    },
    { what: `${MEMBERS} members being up`, timeout: 30_000 },
  );
}

function nodeYaml(lab: Lab): string {
  return `node: lab
bridge: br-lb
openflow:
  listen: ["ptcp:6653:127.0.0.1"]
api:
  listen: ["unix:${join(lab.dir, 'agent.sock')}"]
state_dir: ${join(lab.dir, 'state')}
external_networks:
  - name: public
    mac: 02:42:c0:a8:05:01
    ports: [{ name: v-out }]
    subnets: [192.168.5.0/24]
    address: 192.168.5.1
`;
}
