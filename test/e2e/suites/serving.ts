import type { Agent } from '../../../lab/agent.js';
import { allOnline, applied, membersServing } from '../../../lab/observations.js';
import { httpServer } from '../../../lab/services.js';
import {
  BACKENDS,
  TENANTS,
  type TwoTenants,
  type TwoTenantsOptions,
  twoTenants,
} from '../../../lab/two-tenants.js';

export const MEMBERS = TENANTS.length * BACKENDS.length;

export interface Serving {
  readonly world: TwoTenants;
  agent: Agent;
}

/** The two tenants with an HTTP server on each backend, the agent connected, every member ONLINE and with slots. */
export async function serving(
  options: TwoTenantsOptions = {},
  serve: (world: TwoTenants) => Promise<void> = httpServers,
): Promise<Serving> {
  const world = await twoTenants(options);
  await serve(world);
  const agent = await world.lab.startAgent({ configDir: world.configDir });
  await world.lab.vswitch.setController('br-lb', 'tcp:127.0.0.1:6653');
  await allOnline(agent, MEMBERS, { timeout: 30_000 });
  for (const index of TENANTS.keys()) await membersServing(world.lab.vswitch, index + 1, BACKENDS.length);
  await applied(agent);
  return { world, agent };
}

async function httpServers(world: TwoTenants): Promise<void> {
  for (const tenant of TENANTS) for (const role of BACKENDS) await httpServer(world.host(tenant, role));
}

/** Names of servers that belong to another tenant than `tenant`. */
export function strangers(servers: Readonly<Record<string, number>>, tenant: string): string[] {
  return Object.keys(servers).filter((server) => !server.startsWith(`${tenant}-`));
}
