import { type MetricSource, type ReadModel, RefusedError } from '../../../src/agent/read-model.js';
import type { AgentEvent, FlowRow, MemberHealth, MemberRef, Status } from '../../../src/api/types.js';

const names = new Map([
  ['acme', new Map([['web', ['be1', 'be2']]])],
  [
    'umbrella',
    new Map([
      ['web', ['be1']],
      ['dns', ['ns1']],
    ]),
  ],
]);

export const STATUS: Status = {
  node: 'lb-1',
  version: '0.1.0',
  pid: 4711,
  startedAt: '2026-01-02T03:04:05.000Z',
  ready: true,
  bridge: 'br-lb',
  switch: {
    connected: true,
    peer: 'tcp:127.0.0.1:40312',
    datapathId: '00000000000000aa',
    version: 'OpenFlow15',
    since: '2026-01-02T03:04:06.000Z',
    rttMs: 0.42,
  },
  config: { dir: '/etc/hpnn', generation: 3, loadedAt: '2026-01-02T03:04:05.000Z', problems: [] },
  flowsDesired: 420,
  flowsInstalled: 420,
  tenants: [
    {
      tenant: 'acme',
      id: 7,
      state: 'applied',
      operatingStatus: 'DEGRADED',
      generation: 2,
      appliedGeneration: 2,
      drift: 0,
      flows: 300,
      membersOnline: 1,
      members: 2,
      connections: 12,
      connectionLimit: 1000,
      errors: [],
    },
    {
      tenant: 'umbrella',
      id: 8,
      state: 'failed',
      operatingStatus: 'ONLINE',
      generation: 4,
      appliedGeneration: 3,
      drift: 1,
      flows: 120,
      membersOnline: 2,
      members: 2,
      errors: ['OFPBMC_BAD_FIELD: table 10, tcp,reg3=0x8'],
    },
  ],
};

export const HEALTH: MemberHealth[] = [
  {
    tenant: 'acme',
    pool: 'web',
    member: 'be1',
    address: '10.20.0.2',
    port: 8080,
    weight: 1,
    backup: false,
    operatingStatus: 'ONLINE',
    lastResult: 'ok',
    lastCheckAt: '2026-01-02T03:05:00.000Z',
    since: '2026-01-02T03:04:10.000Z',
    rise: 2,
    fall: 0,
    riseNeeded: 2,
    fallNeeded: 3,
    rttMs: 0.8,
  },
  {
    tenant: 'acme',
    pool: 'web',
    member: 'be2',
    address: '10.20.0.3',
    port: 8080,
    weight: 1,
    backup: false,
    operatingStatus: 'ERROR',
    lastResult: 'HTTP 503, expected 200',
    lastCheckAt: '2026-01-02T03:05:01.000Z',
    since: '2026-01-02T03:04:40.000Z',
    rise: 0,
    fall: 3,
    riseNeeded: 2,
    fallNeeded: 3,
  },
];

export const flow = (table: number): FlowRow => ({
  tenant: 'acme',
  owner: 'pool web',
  kind: 'pool',
  table,
  tableName: 'slots',
  priority: 100,
  cookie: '0007050000014c42',
  packets: 5,
  bytes: 500,
  ageSeconds: 9,
  match: 'slot=3',
  actions: 'member be1 → member',
  raw: `table=${table}, priority=100,reg1=0x3 actions=goto_table:12`,
});

/** Empty numbers, to be replaced by those a test is about. */
export function fakeMetrics(): MetricSource {
  const none = (): [] => [];
  return {
    memberStatus: none,
    memberTransitions: none,
    memberSlots: none,
    probesSent: none,
    probesFailed: none,
    probeLatency: none,
    refresh: () => Promise.resolve(),
    probesUnjudged: () => 0,
    connections: none,
    connectionLimit: none,
    limitHits: none,
    drops: none,
    flowsDesired: none,
    flowsInstalled: none,
    flowMods: none,
    bundleLatency: none,
    reconciles: none,
    driftedFlows: none,
    bundlesRefused: () => 0,
    configErrors: () => 0,
    packetIns: none,
    packetOuts: none,
    packetDrops: none,
    neighbours: none,
    duplicateAddresses: none,
    switchConnected: () => 1,
    switchConnects: () => 2,
    switchRtt: () => undefined,
    tenantState: none,
    eventLoopLag: () => ({ p50: 0.001, p99: 0.01, max: 0.02 }),
  };
}

export interface FakeModel extends ReadModel {
  readonly calls: { method: string; argument: unknown }[];
  emit(event: AgentEvent): void;
  readonly subscribers: Set<(event: AgentEvent) => void>;
  broken: boolean;
  flowCount: number;
}

export function fakeModel(metrics: MetricSource = fakeMetrics()): FakeModel {
  const calls: FakeModel['calls'] = [];
  const subscribers = new Set<(event: AgentEvent) => void>();
  const kept: AgentEvent[] = [];
  const note = <T>(method: string, argument: unknown, value: T): Promise<T> => {
    calls.push({ method, argument });
    return model.broken ? Promise.reject(new Error('secret detail')) : Promise.resolve(value);
  };
  const only = <T extends { tenant: string }>(rows: readonly T[], { tenant }: { tenant?: string }): T[] =>
    rows.filter((row) => tenant === undefined || row.tenant === tenant);
  const admin = (ref: MemberRef, operatingStatus: 'DRAINING' | 'ONLINE') => ({
    ...ref,
    changed: true,
    operatingStatus,
  });
  const model: FakeModel = {
    calls,
    subscribers,
    broken: false,
    flowCount: 3,
    emit: (event) => {
      kept.push(event);
      for (const handler of subscribers) handler(event);
    },
    names: () => names,
    status: (f) => note('status', f, { ...STATUS, tenants: only(STATUS.tenants, f) }),
    ready: () => (model.broken ? { ready: false, reason: 'no switch' } : { ready: true }),
    health: (f) => note('health', f, only(HEALTH, f)),
    slots: (f) =>
      note('slots', f, [
        {
          tenant: 'acme',
          pool: 'web',
          size: 251,
          digest: '0123456789abcdef',
          members: [
            {
              member: 'be1',
              address: '10.20.0.2',
              port: 8080,
              serving: true,
              slots: 251,
              share: 1,
              idealShare: 0.5,
            },
            {
              member: 'be2',
              address: '10.20.0.3',
              port: 8080,
              serving: false,
              slots: 0,
              share: 0,
              idealShare: 0.5,
            },
          ],
        },
      ]),
    neighbours: (f) =>
      note('neighbours', f, [
        {
          tenant: 'acme',
          segment: 'p2',
          address: '10.20.0.2',
          mac: '02:00:00:00:00:02',
          port: 'v-a-be1',
          state: 'REACHABLE',
          ageSeconds: 4,
          source: 'member',
        },
      ]),
    fdb: (f) =>
      note('fdb', f, [
        {
          tenant: 'acme',
          segment: 'p2',
          mac: '02:00:00:00:00:02',
          port: 'trunk0',
          vlan: 120,
          ageSeconds: 60,
          idleSeconds: 1,
        },
      ]),
    connections: (f, limit) =>
      note('connections', { ...f, limit }, [
        {
          tenant: 'acme',
          protocol: 'tcp',
          source: '10.20.0.10',
          sourcePort: 40000,
          destination: '10.20.0.100',
          destinationPort: 80,
          member: 'web/be1',
          memberAddress: '10.20.0.2',
          memberPort: 8080,
          listener: 'web/http',
          state: 'ESTABLISHED',
          timeoutSeconds: 86300,
        },
      ]),
    async *flows(f) {
      calls.push({ method: 'flows', argument: f });
      if (model.broken)
        throw new RefusedError('unavailable', 'No switch is connected.', 'look at lbctl status');
      for (let i = 0; i < model.flowCount; i++) yield flow(f.table ?? 11);
    },
    ports: (f) =>
      note('ports', f, [
        {
          tenant: 'acme',
          segment: 'p2',
          port: 'v-a-be1',
          ofport: 3,
          state: 'up',
          rxPackets: 10,
          txPackets: 20,
          rxDropped: 0,
          txDropped: 0,
        },
      ]),
    groups: (f) =>
      note('groups', f, [
        {
          tenant: 'acme',
          owner: 'segment p2',
          groupId: 458753,
          type: 'all',
          buckets: 3,
          packets: 9,
          raw: 'group_id=458753,type=all',
        },
      ]),
    meters: (f) =>
      note('meters', f, [
        {
          tenant: 'acme',
          owner: 'listener web/http',
          meterId: 5,
          rate: '500 packets/s',
          packets: 1000,
          dropped: 3,
        },
      ]),
    drops: (f) =>
      note('drops', f, [
        {
          tenant: 'acme',
          owner: 'pool web',
          reason: 'empty-pool',
          about: 'no member serves',
          packets: 12,
          bytes: 888,
        },
      ]),
    diffFlows: (f) => note('diffFlows', f, { equal: true, differences: [], compared: 420 }),
    drain: (ref) => note('drain', ref, admin(ref, 'DRAINING')),
    enable: (ref) => note('enable', ref, admin(ref, 'ONLINE')),
    trace: (request) =>
      note('trace', request, {
        ...request,
        from: request.from ?? 'v-a-c',
        flow: 'in_port=3,tcp',
        notes: [],
        steps: [
          {
            table: 0,
            tableName: 'ingress',
            owner: 'segment p2',
            rule: 'in_port=v-a-c, priority 200',
            text: 'port v-a-c is in segment p2',
          },
          { table: 11, tableName: 'slots', text: 'slot 17 belongs to member be1' },
        ],
        verdict: 'delivered',
        listener: 'web/http',
        slot: 17,
        member: 'web/be1',
        output: 'v-a-be1',
        raw: 'Flow: tcp',
      }),
    async *capture(request, signal) {
      calls.push({ method: 'capture', argument: request });
      yield Buffer.from('> flow_mod xid=1\n');
      await new Promise<void>((resolve) => {
        signal.addEventListener('abort', () => resolve());
        if (request.durationSeconds !== undefined) setTimeout(resolve, request.durationSeconds * 1000);
      });
      calls.push({ method: 'captureEnd', argument: undefined });
    },
    configCheck: () => note('configCheck', undefined, { problems: [] }),
    configPlan: (f, dir) =>
      note('configPlan', dir === undefined ? f : { ...f, dir }, {
        problems: [],
        changes: [
          {
            tenant: 'acme',
            owner: 'pool web',
            op: 'add',
            kind: 'flow',
            text: 'table=11,priority=100,reg1=0x3 actions=goto_table:12',
          },
        ],
        summary: [{ tenant: 'acme', add: 1, modify: 0, delete: 0 }],
        restartNeeded: [],
      }),
    configApply: (waitMs, tenant) =>
      note('configApply', tenant === undefined ? waitMs : { waitMs, tenant }, {
        generation: 4,
        problems: [],
        confirmed: waitMs !== 0,
        failed: [],
        flowMods: 1,
        elapsedMs: 12,
      }),
    configShow: (f) =>
      note('configShow', f, {
        dir: '/etc/hpnn',
        generation: 3,
        node: { node: 'lb-1' },
        tenants: [
          {
            tenant: 'acme',
            file: '/etc/hpnn/tenants.d/acme.yaml',
            config: { tenant: 'acme', id: 7 },
            ids: {
              tenant: 7,
              segments: { p2: 1 },
              listeners: {},
              pools: { web: 1 },
              members: { 'web/be1': 1 },
            },
          },
        ],
      }),
    logLevels: () => ({ levels: { agent: 'info', health: 'info' } }),
    setLogLevel: (module, level) => {
      if (module !== 'health')
        throw new RefusedError('invalid', `unknown module "${module}"`, 'one of any, agent, health');
      return { levels: { agent: 'info', health: level } };
    },
    onEvent: (handler) => {
      subscribers.add(handler);
      return () => subscribers.delete(handler);
    },
    eventsSince: (seq) => kept.filter((event) => event.seq > seq),
    metrics,
  };
  return model;
}
