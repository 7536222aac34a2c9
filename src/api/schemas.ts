/** Requests, checked; and answers, described for /openapi.json. The same shapes as in types.ts. */
import { z } from 'zod';

const name = z.string().min(1).max(63);
const time = z.string().meta({ description: 'ISO 8601' });

export const filter = z.strictObject({
  tenant: name.optional().meta({ description: 'Only this tenant' }),
  pool: name.optional().meta({ description: 'Only pools of this name' }),
});
const count = (max: number, standard: number) => z.coerce.number().int().min(1).max(max).default(standard);
export const connectionsQuery = filter.extend({ limit: count(1_000_000, 10_000) });
export const FLOW_KINDS = [
  'node',
  'tenant',
  'segment',
  'listener',
  'pool',
  'member',
  'neighbours',
  'learned-mac',
  'learned-neighbour',
  'learned-answer',
] as const;
export const flowsQuery = filter.extend({
  table: z.coerce.number().int().min(0).max(254).optional(),
  kind: z.enum(FLOW_KINDS).optional().meta({ description: 'What the flows are about' }),
});
export const eventsQuery = z.strictObject({
  tenant: name.optional(),
  since: z.coerce.number().int().min(0).optional(),
});

export const memberRef = z.strictObject({ tenant: name, pool: name, member: name });
export const traceRequest = z.strictObject({
  tenant: name.optional().meta({ description: 'Needed unless the packet is a flow of ovs-ofctl' }),
  from: z
    .string()
    .min(1)
    .max(63)
    .optional()
    .meta({ description: 'OVS port, segment or external network the packet comes from' }),
  segment: name.optional().meta({ description: 'Of a port that has several' }),
  packet: z
    .string()
    .min(3)
    .max(1000)
    .meta({ examples: ['tcp 10.20.0.10:40000 > 10.20.0.100:80'] }),
  ctNext: z
    .array(z.string().max(50))
    .max(16)
    .optional()
    .meta({ description: 'What conntrack says, lookup by lookup', examples: [['new'], ['est,rpl']] }),
  tracked: z.boolean().optional().meta({ description: "Take the answers from conntrack's table" }),
});
export const captureRequest = z.strictObject({
  format: z.enum(['text', 'pcapng']).default('text'),
  tenant: name.optional(),
  classes: z.array(z.string().max(40)).max(40).optional(),
  frames: z.boolean().default(true),
  rate: z
    .number()
    .int()
    .min(1)
    .max(1_000_000)
    .optional()
    .meta({ description: 'Messages per second beyond which they are dropped; default 10,000' }),
  maxBytes: z
    .number()
    .int()
    .min(1000)
    .max(2 ** 40)
    .optional()
    .meta({ description: 'Ends the capture; default 1 GiB' }),
  durationSeconds: z
    .number()
    .min(0.1)
    .max(86_400)
    .optional()
    .meta({ description: 'Ends the capture; default an hour' }),
});
export const applyRequest = z.strictObject({
  wait: z.number().min(0).max(3600).optional().meta({ description: 'Seconds to wait for the switch' }),
  tenant: name.optional().meta({ description: 'Wait for this tenant alone' }),
});
export const planRequest = filter.extend({
  dir: z
    .string()
    .regex(/^\/[^\0]{0,4000}$/, 'must be an absolute path')
    .optional()
    .meta({ description: "A directory on the agent's machine; without one its own" }),
});
export const empty = z.strictObject({});
export const logRequest = z.strictObject({
  module: z.string().min(1).max(40),
  level: z.string().min(1).max(20),
});

const text = z.string();
const num = z.number();
const numbers = z.record(text, num);
const status = z.enum(['ONLINE', 'OFFLINE', 'DEGRADED', 'ERROR', 'DRAINING', 'NO_MONITOR']);
const configProblem = z.object({
  severity: z.enum(['error', 'warning']),
  file: text,
  line: num,
  column: num,
  path: text,
  message: text,
  tenant: text.optional(),
});
const tenantStatus = z.object({
  tenant: text,
  id: num,
  state: z.enum(['applied', 'pending', 'failed', 'kept', 'refused']),
  operatingStatus: status,
  generation: num,
  appliedGeneration: num,
  drift: num,
  flows: num,
  membersOnline: num,
  members: num,
  connections: num.optional(),
  connectionLimit: num.optional(),
  errors: z.array(text),
});

/** Answers by route. */
export const answers = {
  status: z.object({
    node: text,
    version: text,
    pid: num,
    startedAt: time,
    ready: z.boolean(),
    bridge: text,
    switch: z.object({
      connected: z.boolean(),
      peer: text.optional(),
      datapathId: text.optional(),
      version: text.optional(),
      since: time.optional(),
      rttMs: num.optional(),
      reason: text.optional(),
    }),
    config: z.object({ dir: text, generation: num, loadedAt: time, problems: z.array(configProblem) }),
    flowsDesired: num,
    flowsInstalled: num,
    tenants: z.array(tenantStatus),
  }),
  health: z.array(
    z.object({
      tenant: text,
      pool: text,
      member: text,
      address: text,
      port: num,
      weight: num,
      backup: z.boolean(),
      operatingStatus: status,
      lastResult: text.optional(),
      lastCheckAt: time.optional(),
      since: time.optional(),
      rise: num,
      fall: num,
      riseNeeded: num,
      fallNeeded: num,
      rttMs: num.optional(),
    }),
  ),
  slots: z.array(
    z.object({
      tenant: text,
      pool: text,
      size: num,
      digest: text,
      members: z.array(
        z.object({
          member: text,
          address: text,
          port: num,
          serving: z.boolean(),
          slots: num,
          share: num,
          idealShare: num,
        }),
      ),
    }),
  ),
  neighbours: z.array(
    z.object({
      tenant: text,
      segment: text,
      address: text,
      mac: text.optional(),
      port: text.optional(),
      state: z.enum(['INCOMPLETE', 'REACHABLE', 'STALE', 'DELAY', 'PROBE', 'FAILED']),
      ageSeconds: num.optional(),
      source: z.enum(['member', 'next-hop', 'gateway', 'demand']),
    }),
  ),
  fdb: z.array(
    z.object({
      tenant: text,
      segment: text,
      mac: text,
      port: text,
      vlan: num.optional(),
      vni: num.optional(),
      ageSeconds: num,
      idleSeconds: num.optional(),
    }),
  ),
  connections: z.array(
    z.object({
      tenant: text,
      protocol: text,
      source: text,
      sourcePort: num,
      destination: text,
      destinationPort: num,
      member: text.optional(),
      memberAddress: text.optional(),
      memberPort: num.optional(),
      listener: text.optional(),
      state: text.optional(),
      timeoutSeconds: num.optional(),
    }),
  ),
  flows: z.array(
    z.object({
      tenant: text.optional(),
      owner: text,
      kind: z.enum(FLOW_KINDS).optional(),
      table: num,
      tableName: text,
      priority: num,
      cookie: text,
      packets: num.optional(),
      bytes: num.optional(),
      ageSeconds: num.optional(),
      idleSeconds: num.optional(),
      match: text,
      actions: text,
      raw: text,
    }),
  ),
  ports: z.array(
    z.object({
      tenant: text.optional(),
      segment: text.optional(),
      port: text,
      ofport: num.optional(),
      vlan: num.optional(),
      vni: num.optional(),
      state: z.enum(['up', 'down', 'absent']),
      rxPackets: num.optional(),
      txPackets: num.optional(),
      rxDropped: num.optional(),
      txDropped: num.optional(),
    }),
  ),
  groups: z.array(
    z.object({
      tenant: text.optional(),
      owner: text,
      groupId: num,
      type: text,
      buckets: num,
      packets: num.optional(),
      raw: text,
    }),
  ),
  meters: z.array(
    z.object({
      tenant: text.optional(),
      owner: text,
      meterId: num,
      rate: text,
      packets: num.optional(),
      dropped: num.optional(),
    }),
  ),
  drops: z.array(
    z.object({
      tenant: text.optional(),
      owner: text,
      reason: text,
      about: text,
      packets: num,
      bytes: num.optional(),
    }),
  ),
  diff: z.object({
    equal: z.boolean(),
    compared: num,
    differences: z.array(
      z.object({
        tenant: text.optional(),
        owner: text,
        kind: z.enum(['flow', 'group', 'meter']),
        difference: z.enum(['missing', 'extra', 'different', 'foreign']),
        desired: text.optional(),
        installed: text.optional(),
      }),
    ),
  }),
  admin: z.object({ tenant: text, pool: text, member: text, changed: z.boolean(), operatingStatus: status }),
  trace: z.object({
    tenant: text.optional(),
    from: text,
    packet: text,
    flow: text,
    notes: z.array(text),
    steps: z.array(
      z.object({
        table: num.optional(),
        tableName: text.optional(),
        owner: text.optional(),
        rule: text.optional(),
        text,
      }),
    ),
    verdict: z.enum(['delivered', 'answered', 'flooded', 'to agent', 'dropped', 'unknown']),
    reason: text.optional(),
    listener: text.optional(),
    slot: num.optional(),
    member: text.optional(),
    output: text.optional(),
    raw: text,
  }),
  check: z.object({ problems: z.array(configProblem) }),
  plan: z.object({
    problems: z.array(configProblem),
    changes: z.array(
      z.object({
        tenant: text,
        owner: text,
        op: z.enum(['add', 'modify', 'delete']),
        kind: z.enum(['flow', 'group', 'meter']),
        text,
        was: text.optional(),
      }),
    ),
    restartNeeded: z.array(text),
    summary: z.array(z.object({ tenant: text, add: num, modify: num, delete: num })),
  }),
  applied: z.object({
    generation: num,
    problems: z.array(configProblem),
    confirmed: z.boolean(),
    failed: z.array(z.object({ tenant: text, errors: z.array(text) })),
    flowMods: num,
    elapsedMs: num,
  }),
  shown: z.object({
    dir: text,
    generation: num,
    node: z.unknown(),
    tenants: z.array(
      z.object({
        tenant: text,
        file: text.optional(),
        config: z.unknown(),
        ids: z.object({
          tenant: num,
          segments: numbers,
          listeners: numbers,
          pools: numbers,
          members: numbers,
        }),
      }),
    ),
  }),
  levels: z.object({ levels: z.record(text, text) }),
  health_z: z.object({ status: z.literal('ok') }),
  ready_z: z.object({ ready: z.boolean(), reason: text.optional() }),
} as const;

export const problemDocument = z.object({
  type: text,
  title: text,
  status: num,
  detail: text,
  instance: text.optional(),
  hint: text.optional(),
  errors: z.array(z.object({ path: text, message: text })).optional(),
});
