import {
  type ApiListen,
  type ExternalNetworkConfig,
  formatIpv4,
  formatMac,
  formatPrefix4,
  type ListenerIntent,
  type MonitorIntent,
  type NodeConfig,
  type PoolIntent,
  type PortRef,
  type RemoteSpec,
  type SegmentIntent,
  type TenantIntent,
} from '../../model/index.js';

/*
 * From what runs back to the words of the files: what they could say to mean the same, with every default written.
 * Written as YAML and loaded again it compiles to the same.
 */

const seconds = (ms: number): number => ms / 1000;

/** Without the token. */
export function nodeInWords(node: NodeConfig): object {
  const { openflow, api, limits, neighbours } = node;
  return {
    node: node.node,
    bridge: node.bridge,
    openflow: {
      listen: openflow.listen.map(remote),
      connect: openflow.connect.map(remote),
      versions: openflow.versions,
      ...(openflow.tls && {
        tls: {
          private_key: openflow.tls.privateKey,
          certificate: openflow.tls.certificate,
          ca_certificate: openflow.tls.caCertificate,
        },
      }),
      inactivity_probe: seconds(openflow.inactivityProbeMs),
    },
    ovs: { vswitchd: node.ovs.vswitchd },
    api: {
      listen: api.listen.map(apiAddress),
      ...(api.tokenFile !== undefined && { token_file: api.tokenFile }),
      trust_loopback: api.trustLoopback,
    },
    state_dir: node.stateDir,
    external_networks: node.externalNetworks.map(network),
    limits: {
      probes_per_second: limits.probesPerSecond,
      packet_in_per_second: limits.packetInPerSecond,
      ...(limits.connectionsPerTenant !== undefined && {
        connections_per_tenant: limits.connectionsPerTenant,
      }),
    },
    neighbours: {
      reachable: seconds(neighbours.reachableMs),
      retransmit: seconds(neighbours.retransmitMs),
      delay: seconds(neighbours.delayMs),
      multicast_solicitations: neighbours.multicastSolicitations,
      unicast_solicitations: neighbours.unicastSolicitations,
      idle: seconds(neighbours.idleMs),
      negative: seconds(neighbours.negativeMs),
      max_per_tenant: neighbours.maxPerTenant,
      max_moves_per_minute: neighbours.maxMovesPerMinute,
    },
  };
}

function bracketed(host: string): string {
  return host.includes(':') ? `[${host}]` : host;
}

function remote(spec: RemoteSpec): string {
  if ('path' in spec) return `${spec.kind}:${spec.path}`;
  const host = bracketed(spec.host);
  const passive = spec.kind === 'ptcp' || spec.kind === 'pssl';
  return passive ? `${spec.kind}:${spec.port}:${host}` : `${spec.kind}:${host}:${spec.port}`;
}

function apiAddress(at: ApiListen): string {
  return at.kind === 'unix' ? `unix:${at.path}` : `tcp:${bracketed(at.host)}:${at.port}`;
}

function network(n: ExternalNetworkConfig): object {
  return {
    name: n.name,
    ports: n.ports.map(port),
    subnets: n.subnets.map(formatPrefix4),
    address: formatIpv4(n.address),
    ...(n.gateway !== undefined && { gateway: formatIpv4(n.gateway) }),
    mac: formatMac(n.mac),
    limits: { adjacencies: n.learning.adjacencies },
  };
}

function port(p: PortRef): object {
  return {
    name: p.name,
    ...(p.vlan !== undefined && { vlan: p.vlan }),
    ...(p.vni !== undefined && { vni: p.vni }),
    ...(p.remote !== undefined && { remote: formatIpv4(p.remote) }),
    ...(p.uplink && { role: 'uplink' }),
    ...(p.bandwidth !== undefined && { bandwidth: p.bandwidth }),
  };
}

/** @param limits those that only the checks of the file know, and that the intent has no place for */
export function tenantInWords(
  tenant: TenantIntent,
  networks: readonly { readonly id: number; readonly name: string }[],
  limits: Readonly<Record<string, unknown>> = {},
): object {
  return {
    tenant: tenant.name,
    id: tenant.id,
    limits: {
      ...limits,
      ...(tenant.connectionLimit !== undefined && { connections: tenant.connectionLimit }),
      ...(tenant.bandwidth !== undefined && { bandwidth: tenant.bandwidth }),
    },
    segments: tenant.segments.map(segment),
    routes: tenant.routes.map((route) => ({
      destination: formatPrefix4(route.destination),
      next_hop: formatIpv4(route.nextHop),
    })),
    load_balancers: loadBalancers(tenant, networks),
    pools: tenant.pools.map(pool),
  };
}

function segment(s: SegmentIntent): object {
  return {
    name: s.name,
    subnets: s.subnets.map((subnet) => formatPrefix4(subnet.prefix)),
    gateway: s.subnets.map((subnet) => formatIpv4(subnet.gateway)),
    mac: formatMac(s.mac),
    probe_address: formatIpv4(s.probeAddress),
    ports: s.ports.map(port),
    limits: { macs: s.learning.macs, adjacencies: s.learning.adjacencies },
  };
}

function loadBalancers(
  tenant: TenantIntent,
  networks: readonly { readonly id: number; readonly name: string }[],
): object[] {
  const names = [...new Set(tenant.listeners.map((listener) => listener.loadBalancer))];
  return names.map((name) => {
    const listeners = tenant.listeners.filter((listener) => listener.loadBalancer === name);
    const { vip, at } = listeners[0]!;
    const home =
      at.kind === 'segment'
        ? { segment: tenant.segments.find((s) => s.id === at.segmentId)?.name }
        : { external_network: networks.find((n) => n.id === at.segmentId)?.name };
    return {
      name,
      vip_address: formatIpv4(vip),
      ...home,
      listeners: listeners.map((listener) => listenerWords(listener, tenant)),
    };
  });
}

function listenerWords(l: ListenerIntent, tenant: TenantIntent): object {
  const served = tenant.pools.find((p) => p.id === l.poolId);
  return {
    name: l.name,
    protocol: l.protocol,
    protocol_port: l.port,
    mode: l.mode,
    ...(served && { default_pool: served.name }),
    ...(l.connectionRate !== undefined && { connection_rate: l.connectionRate }),
    allowed_cidrs: l.allowedCidrs.map(formatPrefix4),
    admin_state_up: l.adminStateUp,
  };
}

function pool(p: PoolIntent): object {
  return {
    name: p.name,
    lb_algorithm: 'MAGLEV',
    session_persistence: p.sessionPersistence,
    slots: p.slots,
    on_all_down: p.onAllDown,
    drain_timeout: seconds(p.drainTimeoutMs),
    flush_tcp_on_down: p.flushTcpOnDown,
    members: p.members.map((m) => ({
      name: m.name,
      address: formatIpv4(m.address),
      protocol_port: m.port,
      weight: m.weight,
      admin_state_up: m.adminStateUp,
      backup: m.backup,
    })),
    ...(p.monitor && { health_monitor: monitor(p.monitor) }),
  };
}

/** Only what its type may have. */
function monitor(m: MonitorIntent): object {
  const http = {
    http_method: m.httpMethod,
    url_path: m.urlPath,
    http_version: m.httpVersion,
    expected_codes: m.expectedCodes
      .map(([from, to]) => (from === to ? `${from}` : `${from}-${to}`))
      .join(','),
    ...(m.domainName !== undefined && { domain_name: m.domainName }),
  };
  return {
    type: m.type,
    delay: seconds(m.delayMs),
    timeout: seconds(m.timeoutMs),
    max_retries: m.maxRetries,
    max_retries_down: m.maxRetriesDown,
    ...(m.type === 'HTTP' && http),
    ...((m.type === 'HTTP' || m.type === 'TCP') && { tcp_close: m.tcpClose }),
    ...(m.type === 'UDP-CONNECT' && { udp_silence: m.udpSilence }),
  };
}
