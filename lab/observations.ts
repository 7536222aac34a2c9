import type { MemberHealth, NeighbourRow, PoolSlots, Status } from '../src/api/types.js';
import type { Agent } from './agent.js';
import { type DumpedFlow, identity, isLearned, tenantOf } from './flows.js';
import { type UntilOptions, until } from './until.js';
import type { VSwitch } from './vswitch.js';

/** Looks at an agent and its switch that the demo and the tests share. */

export function status(agent: Agent): Promise<Status> {
  return agent.json<Status>('/status');
}

export function health(agent: Agent): Promise<MemberHealth[]> {
  return agent.json<MemberHealth[]>('/health');
}

export function slots(agent: Agent): Promise<PoolSlots[]> {
  return agent.json<PoolSlots[]>('/slots');
}

export function neighbours(agent: Agent): Promise<NeighbourRow[]> {
  return agent.json<NeighbourRow[]>('/neighbours');
}

/** Awaits that the switch is connected and has confirmed everything of every tenant. */
export async function applied(agent: Agent, options: UntilOptions = {}): Promise<Status> {
  return until(
    async () => {
      const now = await status(agent);
      const done = now.tenants.length > 0 && now.tenants.every(({ state }) => state === 'applied');
      return now.switch.connected && now.ready && done && now;
    },
    { what: 'every tenant being applied', ...options },
  );
}

/** Awaits a member's operating status; `member` as `TENANT/POOL/MEMBER`. */
export async function memberIs(
  agent: Agent,
  member: string,
  wanted: MemberHealth['operatingStatus'],
  options: UntilOptions = {},
): Promise<MemberHealth> {
  return until(
    async () =>
      (await health(agent)).find(
        (row) => `${row.tenant}/${row.pool}/${row.member}` === member && row.operatingStatus === wanted,
      ),
    { what: `${member} being ${wanted}`, ...options },
  );
}

export async function allOnline(agent: Agent, members: number, options: UntilOptions = {}): Promise<void> {
  await until(
    async () => {
      const rows = await health(agent);
      return rows.length === members && rows.every(({ operatingStatus }) => operatingStatus === 'ONLINE');
    },
    { what: `${members} members being ONLINE`, ...options },
  );
}

/** The installed slots of a tenant: what is matched → what is done. */
export async function slotFlows(vswitch: VSwitch, tenant: number): Promise<Map<string, string>> {
  const flows = (await vswitch.flows('br-lb', 'table=11')).filter((flow) => tenantOf(flow) === tenant);
  return new Map(flows.map((flow) => [flow.match, flow.actions]));
}

/** Awaits that so many members have slots in the switch: a verdict gets there only at the end of its window. */
export async function membersServing(vswitch: VSwitch, tenant: number, members: number): Promise<void> {
  await until(
    async () => {
      const serving = new Set((await slotFlows(vswitch, tenant)).values());
      serving.delete('drop');
      return serving.size === members;
    },
    { what: `${members} members of tenant ${tenant} having slots` },
  );
}

/** Slots whose action is another now. Throws when a slot came or went. */
export function movedSlots(
  before: ReadonlyMap<string, string>,
  after: ReadonlyMap<string, string>,
): string[] {
  if (before.size !== after.size) throw new Error(`${before.size} slots became ${after.size}`);
  return [...before.keys()].filter((slot) => {
    if (!after.has(slot)) throw new Error(`slot ${slot} is gone`);
    return after.get(slot) !== before.get(slot);
  });
}

/** Everything of one tenant that the agent installed: learned flows come and go with traffic. */
export async function tenantFlows(vswitch: VSwitch, tenant: number): Promise<DumpedFlow[]> {
  return (await vswitch.flows('br-lb')).filter((flow) => tenantOf(flow) === tenant && !isLearned(flow));
}

/**
 * In words, what happened to flows that nobody should have touched: gone, new, installed again (their duration
 * began anew) or reset (their counters went back). Empty when they were left alone.
 */
export function disturbances(before: readonly DumpedFlow[], after: readonly DumpedFlow[]): string[] {
  const now = new Map(after.map((flow) => [identity(flow), flow]));
  const found: string[] = [];
  for (const flow of before) {
    const later = now.get(identity(flow));
    now.delete(identity(flow));
    if (later === undefined) found.push(`gone: ${flow.line}`);
    else if (later.duration < flow.duration) found.push(`installed again: ${later.line}`);
    else if (later.packets < flow.packets) found.push(`counters reset: ${later.line}`);
  }
  for (const flow of now.values()) found.push(`new: ${flow.line}`);
  return found;
}
