/** The intent: configuration with ids given out, references resolved, addresses as integers. Plain, frozen data. */

/** An IPv4 address: unsigned, host order. */
export type Ipv4 = number;
export interface Prefix4 {
  readonly address: Ipv4;
  /** 0..32 */
  readonly length: number;
}
/** An Ethernet address, 48 bits. */
export type Mac = bigint;

export interface PortRef {
  /** OVS port name. */
  readonly name: string;
  readonly vlan?: number;
  readonly vni?: number;
  /** A way out to a router that isn't ours: no adjacency is learned from it. */
  readonly uplink: boolean;
  /** Remote end of a tunnel with flow-based remote. */
  readonly remote?: Ipv4;
  /** Bits per second. */
  readonly bandwidth?: number;
}

/** A gateway address and the subnet it serves. */
export interface SegmentSubnet {
  readonly prefix: Prefix4;
  readonly gateway: Ipv4;
}

export interface SegmentIntent {
  /** Inside the tenant, 1..65535: reg0. External networks are segments of the provider tenant. */
  readonly id: number;
  readonly name: string;
  readonly mac: Mac;
  readonly subnets: readonly SegmentSubnet[];
  /** Source of probes and ARP requests, answers ARP and echo. */
  readonly probeAddress: Ipv4;
  readonly ports: readonly PortRef[];
  /** External networks: next hop for clients beyond the subnets. */
  readonly externalGateway?: Ipv4;
  readonly learning: LearnLimits;
}

/** How many entries traffic may make the switch learn for one segment. */
export interface LearnLimits {
  /** MAC addresses, with the port each is behind. None are learned of external networks. */
  readonly macs: number;
  /** IP addresses, with the MAC of each. */
  readonly adjacencies: number;
}

export interface RouteIntent {
  readonly destination: Prefix4;
  readonly nextHop: Ipv4;
  /** Segment whose subnet holds the next hop. */
  readonly segmentId: number;
}

export type Protocol = 'TCP' | 'UDP';

export interface ListenerIntent {
  /** Unique on the node, 1..65535: reg5[0..15] and ct_mark. */
  readonly id: number;
  readonly name: string;
  readonly loadBalancer: string;
  readonly vip: Ipv4;
  /** Where the VIP lives. */
  readonly at:
    | { readonly kind: 'segment'; readonly segmentId: number }
    | { readonly kind: 'external'; readonly segmentId: number };
  readonly protocol: Protocol;
  readonly port: number;
  readonly mode: 'stateful' | 'stateless';
  /** Absent: no default_pool, everything is dropped. */
  readonly poolId?: number;
  /** New connections per second. */
  readonly connectionRate?: number;
  readonly allowedCidrs: readonly Prefix4[];
  readonly adminStateUp: boolean;
}

export interface MemberIntent {
  readonly name: string;
  /** Unique on the node per (tenant, address, port), 1..0xffffff: reg2. Pools with the same endpoint share it. */
  readonly endpointId: number;
  readonly address: Ipv4;
  readonly port: number;
  readonly weight: number;
  readonly adminStateUp: boolean;
  readonly backup: boolean;
}

export type MonitorType = 'TCP' | 'HTTP' | 'UDP-CONNECT' | 'PING';

export interface MonitorIntent {
  readonly type: MonitorType;
  readonly delayMs: number;
  readonly timeoutMs: number;
  readonly maxRetries: number;
  readonly maxRetriesDown: number;
  /** HTTP */
  readonly httpMethod: string;
  readonly urlPath: string;
  readonly httpVersion: '1.0' | '1.1';
  /** Inclusive ranges. */
  readonly expectedCodes: readonly (readonly [number, number])[];
  readonly domainName?: string;
  readonly tcpClose: 'rst' | 'fin';
  readonly udpSilence: 'up' | 'down';
}

export interface PoolIntent {
  /** Unique on the node, 1..0xffffff: reg4 and multipath basis. */
  readonly id: number;
  readonly name: string;
  readonly sessionPersistence: 'NONE' | 'SOURCE_IP';
  readonly slots: number;
  readonly onAllDown: 'closed' | 'open';
  readonly drainTimeoutMs: number;
  /** Flush TCP entries of a failed member too; UDP entries always are. */
  readonly flushTcpOnDown: boolean;
  readonly members: readonly MemberIntent[];
  readonly monitor?: MonitorIntent;
}

export interface TenantIntent {
  /** 1..65279: reg3 and ct zone. */
  readonly id: number;
  readonly name: string;
  /** conntrack entries; absent: the node's default. */
  readonly connectionLimit?: number;
  readonly bandwidth?: number;
  readonly segments: readonly SegmentIntent[];
  readonly routes: readonly RouteIntent[];
  readonly listeners: readonly ListenerIntent[];
  readonly pools: readonly PoolIntent[];
}

/** Tenant id of the node itself: external networks are its segments. */
export const PROVIDER_TENANT = 65535;

export interface ProviderIntent {
  readonly networks: readonly SegmentIntent[];
}

/** OVS remote syntax, parsed; the same shape as the channel's `Remote`. */
export type RemoteSpec =
  | { readonly kind: 'ptcp' | 'pssl' | 'tcp' | 'ssl'; readonly host: string; readonly port: number }
  | { readonly kind: 'punix' | 'unix'; readonly path: string };

export type ApiListen =
  | { readonly kind: 'unix'; readonly path: string }
  | { readonly kind: 'tcp'; readonly host: string; readonly port: number };

/** Paths of PEM files. */
export interface TlsConfig {
  readonly privateKey: string;
  readonly certificate: string;
  readonly caCertificate: string;
}

/** Timers and bounds of the neighbour table; RFC 4861 section 10 where it has the constant. */
export interface NeighbourSettings {
  readonly reachableMs: number;
  readonly retransmitMs: number;
  readonly delayMs: number;
  readonly multicastSolicitations: number;
  readonly unicastSolicitations: number;
  /** How long an unused entry is kept that no member, route or gateway needs. */
  readonly idleMs: number;
  /** How long a target that didn't answer isn't asked again. */
  readonly negativeMs: number;
  readonly maxPerTenant: number;
  /** Changes of MAC or port per minute above which an entry is damped. */
  readonly maxMovesPerMinute: number;
}

export interface NodeLimits {
  readonly probesPerSecond: number;
  readonly packetInPerSecond: number;
  /** conntrack entries of a tenant that has no limit of its own; absent: unlimited. */
  readonly connectionsPerTenant?: number;
}

export interface ApiConfig {
  readonly listen: readonly ApiListen[];
  /** Bearer token that allows mutations on TCP. */
  readonly token?: string;
  /** File holding the token, read at start. */
  readonly tokenFile?: string;
  /** Mutations from a loopback address need no token. */
  readonly trustLoopback: boolean;
}

export interface ExternalNetworkConfig {
  readonly name: string;
  readonly mac: Mac;
  readonly subnets: readonly Prefix4[];
  readonly address: Ipv4;
  readonly gateway?: Ipv4;
  readonly ports: readonly PortRef[];
  readonly learning: LearnLimits;
}

/** node.yaml, checked and with defaults filled in. */
export interface NodeConfig {
  readonly node: string;
  readonly bridge: string;
  readonly openflow: {
    readonly listen: readonly RemoteSpec[];
    readonly connect: readonly RemoteSpec[];
    /** Preferred first. */
    readonly versions: readonly ('OpenFlow13' | 'OpenFlow15')[];
    readonly tls?: TlsConfig;
    /** Silence after which an echo request is sent, and again after which the connection is closed; 0: never. */
    readonly inactivityProbeMs: number;
  };
  /** unixctl socket of ovs-vswitchd, or 'auto' to look in the usual run directory. */
  readonly ovs: { readonly vswitchd: string };
  readonly api: ApiConfig;
  readonly stateDir: string;
  readonly externalNetworks: readonly ExternalNetworkConfig[];
  readonly limits: NodeLimits;
  readonly neighbours: NeighbourSettings;
}
