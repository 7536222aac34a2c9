/** The form of a file in tenants.d; what can be said of single values. Relations are in check-tenant.ts. */
import { z } from 'zod';
import { flag, ipv4, listOf, mac, name, pattern, prefix4, scalarOf, seconds, whole } from './scalars.js';
import { parseBandwidth, parseExpectedCodes } from './units.js';

export const MAX_TENANT_ID = 65279;

/** Bits per second. */
const bandwidth = (description: string) =>
  scalarOf(parseBandwidth, { description, examples: ['500M', '10G', 64000] });

/** Ports of the bridge that make up a segment. */
export const portSchema = z
  .strictObject({
    // OFPT port names have 16 bytes with their terminator
    name: pattern(/^[!-~]{1,15}$/, 'a port name of Open vSwitch has 1 to 15 visible characters', {
      description: 'Name of the port in Open vSwitch',
    }),
    vlan: whole(1, 4094, 'VLAN of a trunk port that belongs to the segment').optional(),
    vni: whole(0, 0xffffff, 'Tunnel key of a tunnel port with options:key=flow').optional(),
    remote: ipv4('Remote end of a tunnel port with options:remote_ip=flow', '192.0.2.7').optional(),
    role: z
      .enum(['uplink'])
      .meta({ description: "uplink: leads to a router that isn't ours; no adjacency is learned from it" })
      .optional(),
    bandwidth: bandwidth('What the port may send into the segment, bits per second').optional(),
  })
  .meta({ description: 'A port of the bridge' });

const learnable = (what: string) => whole(1, 65536, `${what} learned from traffic at most`);
const macs = learnable('MAC addresses').default(1024);
/** Of external networks too, where no MACs are learned. */
export const adjacencies = learnable('IP addresses with their MAC').default(4096);

const segmentSchema = z
  .strictObject({
    name: name('Name of the segment, unique in the tenant'),
    subnets: listOf(prefix4('A subnet of the segment'), 64, 'Subnets of the segment').min(1, {
      error: 'is empty; a segment needs at least one subnet, like 10.20.0.0/24',
    }),
    gateway: listOf(
      ipv4('Gateway address of the subnet at the same place of the list'),
      64,
      'Gateway address of each subnet; default: the first address of each',
    ).optional(),
    mac: mac('MAC address of the gateway; default: derived from tenant and segment').optional(),
    probe_address: ipv4(
      'Source of health probes and ARP requests; default: the first gateway address',
      '10.20.0.253',
    ).optional(),
    ports: listOf(portSchema, 4096, 'Ports of the bridge that belong to the segment').default([]),
    limits: z
      .strictObject({ macs, adjacencies })
      .meta({
        description:
          'What the segment may make the switch learn; beyond it frames are flooded and next hops resolved by ARP',
      })
      .prefault({}),
  })
  .meta({ description: 'A layer 2 network of the tenant' });

const routeSchema = z
  .strictObject({
    destination: prefix4('Where to', '0.0.0.0/0'),
    next_hop: ipv4('By whom: an address in a subnet of one of the segments', '10.20.0.254'),
  })
  .meta({ description: 'A static route' });

const listenerSchema = z
  .strictObject({
    name: name('Name of the listener, unique in its load balancer'),
    protocol: z.enum(['TCP', 'UDP']).meta({ description: 'Transport protocol' }),
    protocol_port: whole(1, 65535, 'Port of the VIP'),
    mode: z
      .enum(['stateful', 'stateless'])
      .meta({
        description:
          'stateful: connection tracking and NAT; stateless: headers are rewritten both ways, no state anywhere',
      })
      .default('stateful'),
    default_pool: name('Pool that serves; without one everything is dropped').optional(),
    connection_rate: whole(1, 10_000_000, 'New connections per second; more are dropped').optional(),
    allowed_cidrs: listOf(
      prefix4('A client network'),
      1024,
      'Client networks that may connect; empty: all',
    ).default([]),
    admin_state_up: flag('false: everything is dropped').default(true),
  })
  .meta({ description: 'A protocol and port of the VIP' });

const loadBalancerSchema = z
  .strictObject({
    name: name('Name of the load balancer, unique in the tenant'),
    vip_address: ipv4('The virtual address', '10.20.0.100'),
    segment: name('Segment the VIP lives in').optional(),
    external_network: name('External network of node.yaml the VIP lives in').optional(),
    listeners: listOf(listenerSchema, 1024, 'Listeners').default([]),
  })
  .meta({ description: 'A VIP and its listeners' });

const memberSchema = z
  .strictObject({
    name: name('Name of the member, unique in its pool'),
    address: ipv4('Address of the member', '10.20.0.2'),
    protocol_port: whole(1, 65535, 'Port of the member'),
    weight: whole(0, 256, 'Share of the slots in proportion to the others; 0: none').default(1),
    admin_state_up: flag('false: the member serves nobody').default(true),
    backup: flag('true: serves only when no other member can').default(false),
  })
  .meta({ description: 'A server of the pool' });

export const monitorSchema = z
  .strictObject({
    type: z.enum(['TCP', 'HTTP', 'UDP-CONNECT', 'PING']).meta({ description: 'How members are checked' }),
    delay: seconds(0.1, 3600, 'Time from one check to the next').default(2),
    timeout: seconds(0.05, 600, 'Time a whole check may take; at most delay').default(1),
    max_retries: whole(1, 100, 'Consecutive successes to go ONLINE (rise)').default(2),
    max_retries_down: whole(1, 100, 'Consecutive failures to go ERROR (fall)').default(3),
    http_method: z
      .enum(['GET', 'HEAD', 'OPTIONS', 'POST', 'PUT', 'DELETE', 'PATCH', 'TRACE'])
      .meta({ description: 'HTTP only; default GET' })
      .optional(),
    url_path: pattern(
      /^\/[!-~]{0,1023}$/,
      'a path begins with / and has no spaces; write it percent-encoded',
      {
        description: 'HTTP only; default /',
      },
    ).optional(),
    http_version: z
      .enum(['1.0', '1.1'], { error: 'must be "1.0" or "1.1", in quotes' })
      .meta({ description: 'HTTP only; default "1.1"' })
      .optional(),
    expected_codes: scalarOf(parseExpectedCodes, {
      description: 'HTTP only: status codes that mean success; default 200',
      examples: ['200,202,204-206'],
    }).optional(),
    domain_name: pattern(
      /^[A-Za-z0-9_]([A-Za-z0-9_.-]{0,251}[A-Za-z0-9_])?(:[0-9]{1,5})?$/,
      'a host name is needed, like www.example.test',
      { description: "HTTP only: the Host header; default: the member's address" },
    ).optional(),
    tcp_close: z
      .enum(['rst', 'fin'])
      .meta({ description: 'TCP and HTTP: how the connection of a check is ended; default rst' })
      .optional(),
    udp_silence: z
      .enum(['up', 'down'])
      .meta({ description: 'UDP-CONNECT: what no answer at all means; default up' })
      .optional(),
  })
  .meta({ description: 'Health monitor' });

const poolSchema = z
  .strictObject({
    name: name('Name of the pool, unique in the tenant'),
    lb_algorithm: z
      .enum(['MAGLEV'])
      .meta({ description: 'How slots are given to members' })
      .default('MAGLEV'),
    session_persistence: z
      .enum(['NONE', 'SOURCE_IP'])
      .meta({
        description: 'NONE: hash over addresses and ports; SOURCE_IP: over the client address only',
      })
      .default('NONE'),
    slots: whole(1, 65536, 'Size of the Maglev table; primes spread best: 251 509 1021 2039 4093').default(
      251,
    ),
    on_all_down: z
      .enum(['closed', 'open'])
      .meta({ description: 'When no member can serve: drop (closed), or use all of them (open)' })
      .default('closed'),
    drain_timeout: seconds(0, 86400, 'How long connections of a draining member may stay').default(300),
    flush_tcp_on_down: flag('Forget TCP connections of a failed member; UDP is always forgotten').default(
      false,
    ),
    members: listOf(memberSchema, 4096, 'Members').default([]),
    health_monitor: monitorSchema.optional(),
  })
  .meta({ description: 'Members that serve together' });

const limitsSchema = z
  .strictObject({
    connections: whole(1, 0xffffffff, 'Connection tracking entries').optional(),
    members: whole(1, 65536, 'Members of all pools').optional(),
    slots: whole(1, 0xffffff, 'Slots of all pools').optional(),
    listeners: whole(1, 65535, 'Listeners of all load balancers').optional(),
    bandwidth: bandwidth('What all ports of the tenant may send together, bits per second').optional(),
  })
  .meta({ description: 'What the tenant may use at most' });

export const tenantSchema = z
  .strictObject({
    tenant: name('Name of the tenant, unique on the node'),
    id: whole(
      1,
      MAX_TENANT_ID,
      'Number of the tenant and its ct zone; default: given out and remembered',
    ).optional(),
    limits: limitsSchema.default({}),
    segments: listOf(segmentSchema, 1024, 'Segments').default([]),
    routes: listOf(routeSchema, 4096, 'Static routes').default([]),
    load_balancers: listOf(loadBalancerSchema, 1024, 'Load balancers').default([]),
    pools: listOf(poolSchema, 1024, 'Pools').default([]),
  })
  .meta({ title: 'hpnn tenant', description: 'A tenant: one file of tenants.d' });

export type TenantFile = z.output<typeof tenantSchema>;
export type PortFile = z.output<typeof portSchema>;
export type SegmentFile = TenantFile['segments'][number];
export type LoadBalancerFile = TenantFile['load_balancers'][number];
export type PoolFile = TenantFile['pools'][number];
export type MonitorFile = z.output<typeof monitorSchema>;
