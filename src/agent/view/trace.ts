import type { TraceRequest, TraceResult } from '../../api/types.js';
import type { TenantIntent } from '../../model/index.js';
import { F } from '../../nx-extensions/fields.js';
import { dumpConntrack, UnixctlError } from '../../ovs/index.js';
import { adoptNeighbours, type Flow, REG, type ResolvedNeighbour, TABLES } from '../../pipeline/index.js';
import {
  type Ask,
  checkRawFlow,
  explain,
  findTracked,
  flowOf,
  isRawFlow,
  type PacketSpec,
  parsePacket,
  placePacket,
  runTrace,
  TraceError,
  TraceNames,
  type TraceWorld,
} from '../../trace/index.js';
import type { AgentParts } from '../parts.js';
import { RefusedError } from '../read-model.js';

/** The part of the agent that a trace needs. */
export type TraceParts = Pick<AgentParts, 'node' | 'intents' | 'facts' | 'session' | 'vswitchd'>;

/** A packet's way through the switch as it is now. @throws RefusedError */
export async function traceOf(parts: TraceParts, request: TraceRequest): Promise<TraceResult> {
  try {
    return await trace(parts, request);
  } catch (error) {
    if (error instanceof TraceError) throw new RefusedError(error.code, error.message, error.hint);
    if (error instanceof UnixctlError) throw refusedBySwitch(error);
    throw error;
  }
}

async function trace(parts: TraceParts, request: TraceRequest): Promise<TraceResult> {
  const { intents, facts, node, vswitchd } = parts;
  const names = new TraceNames([...intents.tenants.values()], intents.provider, facts.ports);
  const ask: Ask = (command, ...args) => vswitchd.call(command, ...args);
  const asked = isRawFlow(request.packet) ? rawFlow(parts, request) : await packetFlow(parts, request);
  const { passes, raw } = await runTrace(ask, {
    bridge: node.bridge,
    flow: asked.flow,
    tracked: asked.tracked,
    ...(request.ctNext === undefined ? {} : { ctNext: request.ctNext }),
  });
  const { tenant = request.tenant, ...explanation } = explain(passes, names);
  return {
    ...explanation,
    ...(tenant === undefined ? {} : { tenant }),
    from: asked.from ?? names.port(passes[0]!.flow.get('in_port') ?? ''),
    packet: request.packet,
    flow: asked.flow,
    notes: asked.notes,
    raw,
  };
}

interface Asked {
  readonly flow: string;
  readonly from?: string;
  readonly notes: readonly string[];
  readonly tracked?: ReturnType<typeof findTracked>;
}

function rawFlow(parts: TraceParts, request: TraceRequest): Asked {
  const clash = (['from', 'segment', 'tracked'] as const).find((key) => request[key] !== undefined);
  if (clash !== undefined)
    throw new TraceError('invalid', `"${clash}" goes with a packet, not with a flow that says its in_port`);
  const flow = checkRawFlow(request.packet);
  // The switch has its own idea of names; the configuration's are told to it as numbers.
  return {
    flow: flow.replace(/(^|,)in_port="?([^,"]+)"?/, (all, before: string, name: string) => {
      const ofport = parts.facts.ports.get(name);
      return ofport === undefined ? all : `${before}in_port=${ofport}`;
    }),
    notes: [],
  };
}

async function packetFlow(parts: TraceParts, request: TraceRequest): Promise<Asked> {
  const { intents, facts, node } = parts;
  if (request.tenant === undefined)
    throw new TraceError('invalid', "whose packet? Addresses alone don't tell", 'name the tenant');
  const tenant = intents.tenants.get(request.tenant);
  if (tenant === undefined) throw new TraceError('not-found', `there is no tenant ${request.tenant}`);
  const packet = parsePacket(request.packet);
  if (!packet.ok) throw new TraceError('invalid', packet.why);
  const world: TraceWorld = {
    tenant,
    provider: intents.provider,
    bridge: node.bridge,
    ports: facts.ports,
    neighbour: (id, segment, address) => neighbourOf(parts, id, segment, address),
  };
  const place = await placePacket(world, packet.value, request.from, request.segment);
  const notes = [...place.notes];
  let tracked: Asked['tracked'];
  if (request.tracked) {
    tracked = await lookUp(parts, tenant, packet.value);
    if (tracked === undefined) notes.push('conntrack has no such connection: it would be a new one');
  }
  return { flow: flowOf(packet.value, place), from: place.port.name, notes, tracked };
}

async function lookUp({ vswitchd }: TraceParts, tenant: TenantIntent, packet: PacketSpec) {
  return findTracked(await dumpConntrack(vswitchd, tenant.id), packet);
}

/** What the resolver found, else what the switch has learned. */
async function neighbourOf(
  { facts, session }: TraceParts,
  tenant: number,
  segment: number,
  address: number,
): Promise<ResolvedNeighbour | undefined> {
  const resolved = facts.neighbours.get(`${tenant}/${segment}`)?.find((n) => n.address === address);
  if (resolved !== undefined || session.connection === undefined) return resolved;
  const match = [
    { field: F.dl_type, value: 0x0800 },
    { field: REG.segment.field, value: segment },
    { field: REG.tenant.field, value: tenant },
    { field: REG.nextHop.field, value: address },
  ];
  const flows: Flow[] = [];
  const request = { type: 'flow_stats_request', table: TABLES.adjacency.number, match } as const;
  for await (const part of session.connection.multipart(request))
    if (part.type === 'flow_stats_reply') flows.push(...part.entries);
  return adoptNeighbours(flows)[0];
}

function refusedBySwitch(error: UnixctlError): RefusedError {
  if (error.code !== 'unreachable')
    return new RefusedError(error.code === 'timeout' ? 'timeout' : 'invalid', error.message);
  return new RefusedError(
    'unavailable',
    `ovs-vswitchd's control socket can't be reached: ${error.message}`,
    'ovs.vswitchd in node.yaml names it',
  );
}
