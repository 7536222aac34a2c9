import type { Capture, Seen } from '../capture.js';
import { answer } from '../services.js';
import { BACKENDS, MACHINES, TENANTS, type TenantName, VIP } from '../two-tenants.js';
import { proven, report, table, title } from './narration.js';
import type { Stage } from './stages.js';

/** At least so many of each client, and more until every backend has served: then a claim about TTLs is about all. */
const REQUESTS = 12;
const MOST_REQUESTS = 100;
const CLIENT = MACHINES[0]!.address;
/** Of the client's connections, the first packet; the agent's probes come from other addresses. */
const FIRST_PACKETS = `tcp dst port 8080 and src host ${CLIENT} and tcp[tcpflags] == tcp-syn`;

/** 2: one VIP, two tenants: who serves whom, and what arrives there. */
export async function requests({ world }: Stage): Promise<void> {
  title(`2. both clients (both ${CLIENT}) ask http://${VIP}/`);
  const captures = new Map<string, Capture>();
  for (const tenant of TENANTS) {
    for (const role of BACKENDS) {
      const host = world.host(tenant, role);
      captures.set(host.name, await host.capture({ filter: FIRST_PACKETS, direction: 'in' }));
    }
  }
  const servedBy = new Map<TenantName, string[]>();
  const clients = new Set<string>();
  for (const tenant of TENANTS) {
    const servers: string[] = [];
    const enough = () => servers.length >= REQUESTS && new Set(servers).size === BACKENDS.length;
    while (!enough() && servers.length < MOST_REQUESTS) {
      const response = await world.host(tenant, 'client').curl(`http://${VIP}/`);
      if (!response.ok)
        throw new Error(
          `request ${servers.length + 1} of client ${tenant} failed: ${response.code} ${response.error}`,
        );
      const { server, client } = answer(response.body);
      servers.push(server);
      clients.add(client);
    }
    servedBy.set(tenant, servers);
    report(`client of ${tenant} was served by ${servers.join(' ')}`);
  }
  const arrived = new Map<string, Seen[]>();
  for (const [name, capture] of captures) {
    await capture.stop();
    arrived.set(name, capture.seen());
  }
  table(
    ['backend', 'served', 'client as seen there', 'TTL', 'from MAC'],
    [...arrived].map(([name, seen]) => [
      name,
      String(seen.length),
      distinct(seen, 'source'),
      distinct(seen, 'ttl'),
      distinct(seen, 'sourceMac'),
    ]),
  );
  judge(servedBy, clients, arrived);
}

function judge(
  servedBy: Map<TenantName, string[]>,
  clients: Set<string>,
  arrived: Map<string, Seen[]>,
): void {
  for (const tenant of TENANTS) {
    const crossed = servedBy.get(tenant)!.filter((server) => !server.startsWith(`${tenant}-`));
    proven(
      `nobody but ${tenant}'s backends served ${tenant}'s client`,
      crossed.length === 0,
      crossed.join(' '),
    );
    const made = servedBy.get(tenant)!.length;
    const packets = BACKENDS.reduce((sum, role) => sum + arrived.get(`${tenant}-${role}`)!.length, 0);
    proven(
      `${made} connections arrived at ${tenant}'s backends, as many as were made`,
      packets === made,
      `${packets}`,
    );
  }
  proven(
    `the backends see the client's own address`,
    clients.size === 1 && clients.has(CLIENT),
    [...clients].join(' '),
  );
  for (const tenant of TENANTS) {
    const ttls = (role: string) => new Set(arrived.get(`${tenant}-${role}`)!.map(({ ttl }) => ttl));
    const near = new Set([...ttls('be1'), ...ttls('be3')]);
    const far = ttls('be2');
    const right = near.size === 1 && near.has(64) && far.size === 1 && far.has(63);
    proven(
      `${tenant}: TTL 64 from the neighbour, 63 from the other segment`,
      right,
      `${[...near]} and ${[...far]}`,
    );
  }
}

function distinct(seen: readonly Seen[], key: keyof Seen): string {
  return [...new Set(seen.map((packet) => packet[key]))].join(' ') || '-';
}
