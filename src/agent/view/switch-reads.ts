import { ChannelError } from '../../ofp/channel/index.js';
import type { SwitchConnection } from '../../ofp/channel/types.js';
import type {
  FlowStats,
  GroupDesc,
  GroupStats,
  Message,
  MeterConfig,
  MeterStats,
  PortDesc,
  PortStats,
  TableStats,
} from '../../ofp/index.js';
import type { AgentParts } from '../parts.js';
import { RefusedError } from '../read-model.js';

type Switch = SwitchConnection<Message>;
/** Replies that are lists. */
interface Entries {
  flow_stats_reply: FlowStats;
  table_stats_reply: TableStats;
  port_stats_reply: PortStats;
  port_desc_reply: PortDesc;
  group_desc_reply: GroupDesc;
  group_stats_reply: GroupStats;
  meter_config_reply: MeterConfig;
  meter_stats_reply: MeterStats;
}

/** The switch, once it has been read. @throws RefusedError where none is there */
export function switchOf(parts: Pick<AgentParts, 'session'>): Switch {
  const { connection, state } = parts.session;
  if (connection) return connection;
  const reason = state.state === 'waiting' ? state.reason : 'it is being read';
  throw new RefusedError(
    'unavailable',
    `No switch can be asked: ${reason}.`,
    'lbctl status shows the connection',
  );
}

/** All entries of a reply in parts. @throws RefusedError where the switch doesn't answer */
export async function entriesOf<T extends keyof Entries>(
  connection: Switch,
  request: Message,
  type: T,
): Promise<Entries[T][]> {
  const entries: Entries[T][] = [];
  try {
    for await (const part of connection.multipart(request)) {
      if (part.type === type) entries.push(...(part as unknown as { entries: Entries[T][] }).entries);
    }
  } catch (error) {
    throw refusal(error);
  }
  return entries;
}

function refusal(error: unknown): unknown {
  if (!(error instanceof ChannelError)) return error;
  if (error.code === 'timeout') return new RefusedError('timeout', 'The switch did not answer in time.');
  return new RefusedError('unavailable', `The switch can't be asked: ${error.message}.`);
}

/** Which flows: all those whose cookie has these bits. */
export interface FlowScope {
  readonly table?: number;
  readonly cookie: bigint;
  readonly cookieMask: bigint;
}

export const EVERY_FLOW: FlowScope = { cookie: 0n, cookieMask: 0n };
/** About as many flows are asked for at once: the switch forwards nothing new while it writes an answer. */
const SLICE = 2000;
/** Flows are divided by the low bits of their owner's number, which pools and members count up. */
const OBJECT_SHIFT = 16n;
const MAX_SLICE_BITS = 10;

export async function countFlows(connection: Switch, scope: FlowScope): Promise<number> {
  let count = 0;
  try {
    for await (const part of connection.multipart({ type: 'aggregate_request', ...scope })) {
      if (part.type === 'aggregate_reply') count += part.flowCount;
    }
  } catch (error) {
    throw refusal(error);
  }
  return count;
}

/**
 * Flows with their counters, in slices by table and owner: neither side ever holds them all, and the next slice is
 * asked for when the one before was taken. Flows that come or go meanwhile may be missed.
 */
export async function* flowSlices(connection: Switch, scope: FlowScope): AsyncGenerator<FlowStats[]> {
  const count = await countFlows(connection, scope);
  if (count <= SLICE || isOneOwner(scope)) {
    if (count > 0) yield flowsOf(connection, scope);
    return;
  }
  if (scope.table === undefined) {
    const tables = await entriesOf(connection, { type: 'table_stats_request' }, 'table_stats_reply');
    for (const { table, activeCount } of tables) {
      if (activeCount > 0) yield* flowSlices(connection, { ...scope, table });
    }
    return;
  }
  const bits = Math.min(MAX_SLICE_BITS, Math.ceil(Math.log2(count / SLICE)));
  const mask = ((1n << BigInt(bits)) - 1n) << OBJECT_SHIFT;
  for (let slice = 0n; slice < 1n << BigInt(bits); slice++) {
    const cookie = scope.cookie | (slice << OBJECT_SHIFT);
    const flows = await flowsOf(connection, { ...scope, cookie, cookieMask: scope.cookieMask | mask });
    if (flows.length > 0) yield flows;
  }
}

function isOneOwner({ cookieMask }: FlowScope): boolean {
  return cookieMask === 0xffff_ffff_ffff_ffffn;
}

function flowsOf(connection: Switch, scope: FlowScope): Promise<FlowStats[]> {
  return entriesOf(connection, { type: 'flow_stats_request', ...scope }, 'flow_stats_reply');
}
