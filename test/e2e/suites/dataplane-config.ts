import { join } from 'node:path';

/** Configuration of the data plane's world: the four tenants differ in their ports and their modes only. */
export const NAMES = ['a', 'b', 'c', 'd'] as const;
export type TenantName = (typeof NAMES)[number];

/** VIPs that every tenant has. */
export const VIP = {
  web: '10.20.0.100',
  flat: '10.20.0.101',
  far: '10.20.0.102',
  inP3: '10.30.0.100',
  inP4: '10.40.0.100',
} as const;
/** On the untagged external network: stateful of a and c, stateless of b and d. */
export const PUBLIC = { a: '192.168.5.21', b: '192.168.5.22', c: '192.168.5.23', d: '192.168.5.24' } as const;
/** On the tagged one it is the other way round. */
export const TAGGED = { a: '192.168.6.21', b: '192.168.6.22', c: '192.168.6.23', d: '192.168.6.24' } as const;

/** What a test changes of a tenant. */
export interface TenantChange {
  readonly connections?: number;
  readonly bandwidth?: string;
  /** Of the client's port. */
  readonly portBandwidth?: string;
  /** Of segment p2. */
  readonly learning?: string;
}

type Mode = 'stateful' | 'stateless';

export function nodeYaml(dir: string, protocol: string): string {
  return `node: lb-1
bridge: br-lb
openflow: { listen: ["ptcp:6653:127.0.0.1"], versions: [${protocol}] }
api: { listen: ["unix:${join(dir, 'agent.sock')}"] }
state_dir: ${join(dir, 'state')}
external_networks:
  - name: public
    ports: [{ name: v-ext }, { name: v-gw }]
    subnets: [192.168.5.0/24]
    address: 192.168.5.1
    gateway: 192.168.5.254
  - name: tagged
    ports: [{ name: trunk-c, vlan: 500 }]
    subnets: [192.168.6.0/24]
    address: 192.168.6.1
`;
}

export function tenantYaml(tenant: TenantName, change: TenantChange = {}): string {
  const modes: [Mode, Mode] =
    tenant === 'a' || tenant === 'c' ? ['stateful', 'stateless'] : ['stateless', 'stateful'];
  const limits = [
    change.connections === undefined ? [] : [`connections: ${change.connections}`],
    change.bandwidth === undefined ? [] : [`bandwidth: ${change.bandwidth}`],
  ].flat();
  return `tenant: ${tenant}
id: ${NAMES.indexOf(tenant) + 1}
limits: { ${limits.join(', ')} }
segments:
${segments(tenant, change)}
routes:
  - { destination: 172.16.0.0/16, next_hop: ${tenant === 'a' ? '10.20.0.254' : '10.20.0.2'} }
  - { destination: 172.16.9.0/24, next_hop: ${tenant === 'a' ? '10.20.0.2' : '10.40.0.2'} }
load_balancers:
  - name: web
    vip_address: ${VIP.web}
    segment: p2
    listeners:
      - { name: http, protocol: TCP, protocol_port: 80, default_pool: web }
      - { name: again, protocol: TCP, protocol_port: 90, default_pool: web }
      - { name: one, protocol: TCP, protocol_port: 91, default_pool: one }
      - { name: two, protocol: TCP, protocol_port: 92, default_pool: two }
      - { name: three, protocol: TCP, protocol_port: 93, default_pool: three }
      - { name: off, protocol: TCP, protocol_port: 81, default_pool: web, admin_state_up: false }
      - { name: empty, protocol: TCP, protocol_port: 83, default_pool: empty }
      - { name: slow, protocol: TCP, protocol_port: 84, default_pool: web, connection_rate: 5 }
      - { name: picky, protocol: TCP, protocol_port: 85, default_pool: web, allowed_cidrs: [10.20.0.2/32] }
      - { name: sticky, protocol: TCP, protocol_port: 86, default_pool: sticky }
      - { name: echo-tcp, protocol: TCP, protocol_port: 7, default_pool: echo }
      - { name: echo-udp, protocol: UDP, protocol_port: 7, default_pool: echo }
  - name: flat
    vip_address: ${VIP.flat}
    segment: p2
    listeners:
      - { name: http, protocol: TCP, protocol_port: 80, mode: stateless, default_pool: flat }
  - name: far
    vip_address: ${VIP.far}
    segment: p2
    listeners:
      - { name: http, protocol: TCP, protocol_port: 80, default_pool: far }
      - { name: udp, protocol: UDP, protocol_port: 7, default_pool: far-udp }
  - name: p3
    vip_address: ${VIP.inP3}
    segment: p3
    listeners:
      - { name: http, protocol: TCP, protocol_port: 80, default_pool: web }
      - { name: deaf, protocol: UDP, protocol_port: 9, default_pool: deaf }
  - name: p4
    vip_address: ${VIP.inP4}
    segment: p4
    listeners:
      - { name: http, protocol: TCP, protocol_port: 80, default_pool: web }
${publicVip('public', PUBLIC[tenant], modes[0])}
${publicVip('tagged', TAGGED[tenant], modes[1])}
pools:
${pool('web', ['be1:8080', 'be2:8080', 'be3:8080'], 'slots: 251')}
${pool('flat', ['be1:8081', 'be2:8081'], 'slots: 251')}
${pool('open', ['be1:8082', 'be3:8082'], 'slots: 251')}
${pool('sticky', ['be1:8080', 'be2:8080', 'be3:8080'], 'slots: 251, session_persistence: SOURCE_IP')}
${pool('one', ['be1:8080'])}
${pool('two', ['be2:8080'])}
${pool('three', ['be3:8080'])}
${pool('empty', ['be1:9999'])}
${pool('far', ['far:8080'])}
${pool('echo', ['be2:7'], undefined, false)}
${pool('echo-flat', ['be2:8'], undefined, false)}
${pool('far-udp', ['far:7'], undefined, false)}
${pool('deaf', ['be2:9'], undefined, false)}
`;
}

function segments(tenant: TenantName, { portBandwidth, learning }: TenantChange): string {
  const more = portBandwidth === undefined ? '' : `, bandwidth: ${portBandwidth}`;
  const own = tenant === 'a' || tenant === 'b';
  const port = (role: string) => `{ name: v-${tenant}-${role} }`;
  const vlan = (id: number, rest = '') => `{ name: trunk-${tenant}, vlan: ${id}${rest} }`;
  const client = own ? `{ name: v-${tenant}-client${more} }` : vlan(120, more);
  const router = tenant === 'a' ? ', { name: v-a-router, role: uplink }' : '';
  const tunnel =
    tenant === 'c'
      ? '{ name: vxlan0, vni: 5001, remote: 198.51.100.2 }'
      : '{ name: geneve0, vni: 5002, remote: 198.51.100.3 }';
  return `  - name: p2
    subnets: [10.20.0.0/24]
    probe_address: 10.20.0.253
    limits: { ${learning ?? ''} }
    ports: [${client}, ${port('be1')}${router}]
  - name: p3
    subnets: [10.30.0.0/24]
    ports: [${own ? port('be2') : tunnel}]
  - name: p4
    subnets: [10.40.0.0/24]
    ports: [${own ? port('be3') : vlan(130)}]`;
}

/** Answers of a member's port belong to one listener where one is stateless, so these have pools of their own. */
function publicVip(network: string, vip: string, mode: Mode): string {
  const [web, echo] = mode === 'stateful' ? ['web', 'echo'] : ['open', 'echo-flat'];
  return `  - name: ${network}
    vip_address: ${vip}
    external_network: ${network}
    listeners:
      - { name: http, protocol: TCP, protocol_port: 80, mode: ${mode}, default_pool: ${web} }
      - { name: echo-udp, protocol: UDP, protocol_port: 7, mode: ${mode}, default_pool: ${echo} }${
        mode === 'stateful'
          ? '\n      - { name: echo-tcp, protocol: TCP, protocol_port: 7, default_pool: echo }'
          : ''
      }`;
}

const MEMBERS: Readonly<Record<string, string>> = {
  be1: '10.20.0.2',
  be2: '10.30.0.2',
  be3: '10.40.0.2',
  far: '172.16.1.2',
};

function pool(name: string, members: readonly string[], more = 'slots: 13', monitored = true): string {
  const list = members.map((member) => {
    const [host, port] = member.split(':');
    return `      - { name: ${host}, address: ${MEMBERS[host!]}, protocol_port: ${port} }`;
  });
  const monitor = 'type: TCP, delay: 1, timeout: 1, max_retries: 1, max_retries_down: 3';
  return `  - name: ${name}
${more.replace(/, /g, '\n').replace(/^/gm, '    ')}
    members:
${list.join('\n')}${monitored ? `\n    health_monitor: { ${monitor} }` : ''}`;
}
