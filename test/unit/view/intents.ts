import {
  type Compiled,
  compile,
  IdAllocator,
  type LoadedConfig,
  loadConfig,
} from '../../../src/model/index.js';
import { configDir } from '../model/config-dir.js';

export const NODE = `node: lb-1
external_networks:
  - name: public
    ports: [{ name: uplink0 }]
    subnets: [192.168.5.0/24]
    address: 192.168.5.1
    gateway: 192.168.5.254
`;

/** A bit of everything. */
export const TENANT = `tenant: acme
limits: { connections: 1000, bandwidth: 500M, members: 64 }
segments:
  - name: p2
    subnets: [10.20.0.0/24, 10.21.0.0/24]
    gateway: [10.20.0.1, 10.21.0.9]
    probe_address: 10.20.0.253
    ports:
      - { name: v-c, bandwidth: 10M }
      - { name: trunk0, vlan: 120 }
      - { name: vxlan0, vni: 5001, remote: 192.0.2.7 }
      - { name: up, role: uplink }
routes: [{ destination: 10.99.0.0/16, next_hop: 10.20.0.254 }]
load_balancers:
  - name: web
    vip_address: 10.20.0.100
    segment: p2
    listeners:
      - { name: http, protocol: TCP, protocol_port: 80, default_pool: web, connection_rate: 500, allowed_cidrs: [10.0.0.0/8] }
      - { name: dns, protocol: UDP, protocol_port: 53, mode: stateless, default_pool: dns }
      - { name: "off", protocol: TCP, protocol_port: 81, admin_state_up: false }
  - name: shop
    vip_address: 192.168.5.100
    external_network: public
    listeners: [{ name: https, protocol: TCP, protocol_port: 443, default_pool: tcp }]
pools:
  - name: web
    session_persistence: SOURCE_IP
    on_all_down: open
    drain_timeout: 12.5
    flush_tcp_on_down: true
    members:
      - { name: be1, address: 10.20.0.2, protocol_port: 8080, weight: 3 }
      - { name: be2, address: 10.20.0.3, protocol_port: 8080, backup: true, admin_state_up: false }
    health_monitor:
      { type: HTTP, delay: 2.5, timeout: 0.7, max_retries: 4, max_retries_down: 5, http_method: HEAD, url_path: /x,
        http_version: "1.0", expected_codes: "200,202-206", domain_name: example.test, tcp_close: fin }
  - name: dns
    slots: 11
    members: [{ name: ns1, address: 10.20.0.4, protocol_port: 5353 }]
    health_monitor: { type: UDP-CONNECT, udp_silence: down }
  - { name: tcp, members: [{ name: a, address: 10.20.0.5, protocol_port: 443 }], health_monitor: { type: TCP, tcp_close: fin } }
  - { name: ping, members: [{ name: a, address: 10.20.0.6, protocol_port: 1 }], health_monitor: { type: PING } }
`;

/** Files compiled with ids of their own; throws where anything in them is wrong. */
export async function compiled(
  files: { readonly node: string; readonly tenants: readonly string[] },
  ids: IdAllocator = IdAllocator.inMemory(),
): Promise<Compiled & { readonly loaded: LoadedConfig }> {
  const tenants = files.tenants.map((text, n) => [`tenants.d/t${n}.yaml`, text] as const);
  using config = configDir({ 'node.yaml': files.node, ...Object.fromEntries(tenants) });
  const loaded = await loadConfig(config.dir);
  const wrong = loaded.problems.filter((problem) => problem.severity === 'error');
  if (wrong.length > 0) throw new Error(JSON.stringify(wrong));
  return { ...(await compile(loaded, ids)), loaded };
}
