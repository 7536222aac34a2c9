/** What the API says, as JSON. Commands import these types alone, so nothing here may import anything. */

/** A tenant and a pool by name; absent: all. A pool alone means the pools of that name in every tenant. */
export interface Filter {
  readonly tenant?: string;
  readonly pool?: string;
}

/** Octavia's words. */
export type OperatingStatus = 'ONLINE' | 'OFFLINE' | 'DEGRADED' | 'ERROR' | 'DRAINING' | 'NO_MONITOR';

export interface SwitchStatus {
  readonly connected: boolean;
  /** As the channel names it: `tcp:127.0.0.1:40312`. */
  readonly peer?: string;
  /** Sixteen hexadecimal digits. */
  readonly datapathId?: string;
  readonly version?: string;
  /** ISO 8601: connected, or disconnected, since. */
  readonly since?: string;
  /** Round-trip of the last echo, ms. */
  readonly rttMs?: number;
  /** Why there is no connection. */
  readonly reason?: string;
}

export interface TenantStatus {
  readonly tenant: string;
  readonly id: number;
  /**
   * applied: the switch confirmed the intent. pending: on its way. failed: the switch refused something.
   * kept: the file is wrong, an earlier form runs on. refused: the file is wrong and nothing runs.
   */
  readonly state: 'applied' | 'pending' | 'failed' | 'kept' | 'refused';
  readonly operatingStatus: OperatingStatus;
  /** Counts the changes of the tenant's intent; `appliedGeneration` is the last one that the switch confirmed. */
  readonly generation: number;
  readonly appliedGeneration: number;
  /** Flows that a drift check found different and repaired. */
  readonly drift: number;
  readonly flows: number;
  readonly membersOnline: number;
  readonly members: number;
  /** conntrack entries, where known. */
  readonly connections?: number;
  readonly connectionLimit?: number;
  /** In words, newest first. */
  readonly errors: readonly string[];
}

export interface Status {
  readonly node: string;
  readonly version: string;
  readonly pid: number;
  /** ISO 8601. */
  readonly startedAt: string;
  readonly ready: boolean;
  readonly bridge: string;
  readonly switch: SwitchStatus;
  readonly config: ConfigStatus;
  readonly flowsDesired: number;
  readonly flowsInstalled: number;
  readonly tenants: readonly TenantStatus[];
}

export interface ConfigStatus {
  readonly dir: string;
  /** Counts reloads that changed anything. */
  readonly generation: number;
  readonly loadedAt: string;
  readonly problems: readonly ConfigProblem[];
}

export interface ConfigProblem {
  readonly severity: 'error' | 'warning';
  readonly file: string;
  readonly line: number;
  readonly column: number;
  readonly path: string;
  readonly message: string;
  readonly tenant?: string;
}

export interface MemberHealth {
  readonly tenant: string;
  readonly pool: string;
  readonly member: string;
  readonly address: string;
  readonly port: number;
  readonly weight: number;
  readonly backup: boolean;
  readonly operatingStatus: OperatingStatus;
  /** Last check: 'ok', or why not: "HTTP 503, expected 200". */
  readonly lastResult?: string;
  readonly lastCheckAt?: string;
  /** ISO 8601, of the operating status. */
  readonly since?: string;
  /** Consecutive successes and failures, against max_retries and max_retries_down. */
  readonly rise: number;
  readonly fall: number;
  readonly riseNeeded: number;
  readonly fallNeeded: number;
  readonly rttMs?: number;
}

export interface PoolSlots {
  readonly tenant: string;
  readonly pool: string;
  readonly size: number;
  /** Hexadecimal, equal on all nodes with the same input. */
  readonly digest: string;
  readonly members: readonly {
    readonly member: string;
    readonly address: string;
    readonly port: number;
    readonly serving: boolean;
    readonly slots: number;
    /** 0..1 */
    readonly share: number;
    readonly idealShare: number;
  }[];
}

export interface NeighbourRow {
  readonly tenant: string;
  readonly segment: string;
  readonly address: string;
  readonly mac?: string;
  /** OVS port name. */
  readonly port?: string;
  readonly state: 'INCOMPLETE' | 'REACHABLE' | 'STALE' | 'DELAY' | 'PROBE' | 'FAILED';
  /** Since it last answered; absent: not yet, since the agent started. */
  readonly ageSeconds?: number;
  /** Who needs it: a pool's member, a route, an external network's gateway, or traffic. */
  readonly source: 'member' | 'next-hop' | 'gateway' | 'demand';
}

export interface FdbRow {
  readonly tenant: string;
  readonly segment: string;
  readonly mac: string;
  readonly port: string;
  readonly vlan?: number;
  readonly vni?: number;
  readonly ageSeconds: number;
  readonly idleSeconds?: number;
}

export interface ConnectionRow {
  readonly tenant: string;
  readonly protocol: string;
  readonly source: string;
  readonly sourcePort: number;
  readonly destination: string;
  readonly destinationPort: number;
  /** After translation. */
  readonly member?: string;
  readonly memberAddress?: string;
  readonly memberPort?: number;
  readonly listener?: string;
  readonly state?: string;
  readonly timeoutSeconds?: number;
}

/** What a flow is about, as a filter. */
export type FlowKind =
  | 'node'
  | 'tenant'
  | 'segment'
  | 'listener'
  | 'pool'
  | 'member'
  | 'neighbours'
  | 'learned-mac'
  | 'learned-neighbour'
  | 'learned-answer';

export interface FlowRow {
  /** Absent: the node's own, or of an unknown tenant. */
  readonly tenant?: string;
  /** What it belongs to: `pool web`, `listener web/http`. */
  readonly owner: string;
  /** Absent: not one of ours. */
  readonly kind?: FlowKind;
  readonly table: number;
  readonly tableName: string;
  readonly priority: number;
  /** Sixteen hexadecimal digits. */
  readonly cookie: string;
  readonly packets?: number;
  readonly bytes?: number;
  readonly ageSeconds?: number;
  /** Since the last packet; OpenFlow 1.5. */
  readonly idleSeconds?: number;
  /** In the words of ovs-ofctl, with names in place of numbers. */
  readonly match: string;
  readonly actions: string;
  /** As ovs-ofctl prints it. */
  readonly raw: string;
}

export interface PortRow {
  readonly tenant?: string;
  readonly segment?: string;
  readonly port: string;
  readonly ofport?: number;
  readonly vlan?: number;
  readonly vni?: number;
  readonly state: 'up' | 'down' | 'absent';
  readonly rxPackets?: number;
  readonly txPackets?: number;
  readonly rxDropped?: number;
  readonly txDropped?: number;
}

export interface GroupRow {
  readonly tenant?: string;
  readonly owner: string;
  readonly groupId: number;
  readonly type: string;
  readonly buckets: number;
  readonly packets?: number;
  readonly raw: string;
}

export interface MeterRow {
  readonly tenant?: string;
  readonly owner: string;
  readonly meterId: number;
  /** In words: `500 packets/s`. */
  readonly rate: string;
  readonly packets?: number;
  readonly dropped?: number;
}

/** Packets that a rule or a meter dropped. */
export interface DropRow {
  readonly tenant?: string;
  readonly owner: string;
  /** `empty-pool`, `no-listener` …; of meters `connection-rate`, `bandwidth`, `agent-rate`. */
  readonly reason: string;
  /** In words. */
  readonly about: string;
  readonly packets: number;
  readonly bytes?: number;
}

export interface MemberRef {
  readonly tenant: string;
  readonly pool: string;
  readonly member: string;
}

export interface AdminResult extends MemberRef {
  readonly changed: boolean;
  readonly operatingStatus: OperatingStatus;
}

export interface TraceRequest {
  /** Whose packet; addresses alone don't tell. A flow of ovs-ofctl needs none. */
  readonly tenant?: string;
  /** OVS port, segment or external network that the packet comes from; found by its source address where absent. */
  readonly from?: string;
  /** Of a port that has several. */
  readonly segment?: string;
  /** `tcp 10.20.0.10:40000 > 10.20.0.100:80`, or a flow as ovs-ofctl writes it: `in_port=3,tcp,nw_src=…`. */
  readonly packet: string;
  /** What conntrack is to say at each lookup in turn: `new`, `est,rpl`. Default: new. */
  readonly ctNext?: readonly string[];
  /** Takes the answers from conntrack's own table instead. */
  readonly tracked?: boolean;
}

export interface TraceStep {
  /** Absent: conntrack, or a remark. */
  readonly table?: number;
  readonly tableName?: string;
  /** Whose rule it is: `listener web/http`. */
  readonly owner?: string;
  /** The rule, in names. */
  readonly rule?: string;
  /** In words. */
  readonly text: string;
}

export interface TraceResult {
  readonly tenant?: string;
  /** Port that the packet came in by. */
  readonly from: string;
  readonly packet: string;
  /** The flow that the switch was asked about. */
  readonly flow: string;
  /** What had to be made up. */
  readonly notes: readonly string[];
  readonly steps: readonly TraceStep[];
  /** answered: by the switch itself, ARP or echo. unknown: only conntrack could tell. */
  readonly verdict: 'delivered' | 'answered' | 'flooded' | 'to agent' | 'dropped' | 'unknown';
  /** "pool web has no member that may serve" */
  readonly reason?: string;
  readonly listener?: string;
  readonly slot?: number;
  readonly member?: string;
  /** Port, or ports where it was flooded. */
  readonly output?: string;
  /** What ofproto/trace printed. */
  readonly raw: string;
}

export interface ConfigPlan {
  readonly problems: readonly ConfigProblem[];
  readonly changes: readonly {
    readonly tenant: string;
    readonly owner: string;
    readonly op: 'add' | 'modify' | 'delete';
    readonly kind: 'flow' | 'group' | 'meter';
    /** As ovs-ofctl writes it. */
    readonly text: string;
    /** Of a `modify`: what is there now. */
    readonly was?: string;
  }[];
  /** Settings of node.yaml that would take effect only at the next start. */
  readonly restartNeeded: readonly string[];
  readonly summary: readonly {
    readonly tenant: string;
    readonly add: number;
    readonly modify: number;
    readonly delete: number;
  }[];
}

export interface ConfigApplied {
  /** Of the tenant that was named, else of the configuration. */
  readonly generation: number;
  readonly problems: readonly ConfigProblem[];
  /** The switch confirmed everything in time. */
  readonly confirmed: boolean;
  readonly failed: readonly { readonly tenant: string; readonly errors: readonly string[] }[];
  readonly flowMods: number;
  readonly elapsedMs: number;
}

/** The configuration as it is applied, with defaults, ids and derived addresses; for people and scripts. */
export interface ConfigShown {
  readonly dir: string;
  readonly generation: number;
  /** What node.yaml could say to mean the same, every default written; tokens are left out. */
  readonly node: unknown;
  readonly tenants: readonly {
    readonly tenant: string;
    /** Absent: nothing on the disk says it any more. */
    readonly file?: string;
    /** What the file could say to mean the same. */
    readonly config: unknown;
    /** Numbers in the switch: of the tenant and its ct zone, of segments, listeners, pools and members by name. */
    readonly ids: {
      readonly tenant: number;
      readonly segments: Readonly<Record<string, number>>;
      readonly listeners: Readonly<Record<string, number>>;
      readonly pools: Readonly<Record<string, number>>;
      readonly members: Readonly<Record<string, number>>;
    };
  }[];
}

export interface FlowDifference {
  readonly tenant?: string;
  readonly owner: string;
  readonly kind: 'flow' | 'group' | 'meter';
  /**
   * missing: desired, not installed. extra: ours, installed, not desired. different: it does something else.
   * foreign: without our mark, so somebody else's.
   */
  readonly difference: 'missing' | 'extra' | 'different' | 'foreign';
  readonly desired?: string;
  readonly installed?: string;
}

export interface DiffResult {
  readonly equal: boolean;
  readonly differences: readonly FlowDifference[];
  readonly compared: number;
}

export interface LogLevels {
  readonly levels: Readonly<Record<string, string>>;
}

export interface AgentEvent {
  /** Increases by one. */
  readonly seq: number;
  readonly at: string;
  /** `member`, `tenant`, `switch`, `config`, `neighbour`, `drain`, `limit` */
  readonly type: string;
  readonly tenant?: string;
  readonly pool?: string;
  readonly member?: string;
  /** In words. */
  readonly text: string;
  readonly data?: Readonly<Record<string, unknown>>;
}

export interface CaptureRequest {
  readonly format: 'text' | 'pcapng';
  readonly tenant?: string;
  /** Message classes to keep: `flow_mod`, `packet_in`, `bundle` …; absent: all. */
  readonly classes?: readonly string[];
  /** pcapng: also the frames punted and injected, on an interface of their own. */
  readonly frames: boolean;
  /** Messages per second beyond which they are dropped. */
  readonly rate?: number;
  /** What ends the capture. */
  readonly maxBytes?: number;
  readonly durationSeconds?: number;
}

/** RFC 9457, application/problem+json. */
export interface ProblemDocument {
  readonly type: string;
  readonly title: string;
  readonly status: number;
  readonly detail: string;
  readonly instance?: string;
  /** What would be right. */
  readonly hint?: string;
  readonly errors?: readonly { readonly path: string; readonly message: string }[];
}
