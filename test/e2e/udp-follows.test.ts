import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { type UdpReport, UdpSession } from '../../lab/load.js';
import { allOnline, disturbances, memberIs, tenantFlows } from '../../lab/observations.js';
import type { RunningProcess } from '../../lab/process.js';
import { udpEcho } from '../../lab/services.js';
import { BACKENDS, TENANTS, VIP } from '../../lab/two-tenants.js';
import { until } from '../../lab/until.js';
import { MEMBERS, serving } from './suites/serving.js';

/*
 * UDP has no end: conntrack keeps a steady sender with its member for as long as it sends. So it has to be made to
 * follow when that member fails or is removed, in its own tenant's zone only.
 */

const PORT = 53;
/** Between two datagrams of a sender. */
const INTERVAL_MS = 20;
const MONITOR = '{ type: UDP-CONNECT, delay: 1, timeout: 0.5, max_retries: 1, max_retries_down: 2 }';
const echoes = new Map<string, RunningProcess>();

const { world, agent } = await serving({ monitor: MONITOR }, async ({ configDir, host }) => {
  for (const tenant of TENANTS) {
    for (const role of BACKENDS) echoes.set(`${tenant}-${role}`, await udpEcho(host(tenant, role)));
    edit(configDir, tenant, (text) =>
      text.replace('protocol: TCP, protocol_port: 80', `protocol: UDP, protocol_port: ${PORT}`),
    );
  }
});
const { lab, host, configDir } = world;
t.teardown(() => lab.close());

const sender = await UdpSession.open(host('a', 'client'), VIP, PORT, INTERVAL_MS);
const beside = await UdpSession.open(host('b', 'client'), VIP, PORT);
const ofB = await tenantFlows(lab.vswitch, 2);
const entriesOfB = await entries(2);

await t.test('a steady sender goes on with another member when its own fails', async (t) => {
  const first = await server();
  await echoes.get(first)!.stop('SIGKILL');
  const row = await memberIs(agent, `a/web/${first.slice(2)}`, 'ERROR');
  const run = await movedFrom(first);
  t.comment(`${run.first - Date.parse(row.since ?? '')} ms after the verdict`);
  t.same(await tuples(1, first), [], 'conntrack knows the failed member no more');

  // Back again: who is served stays where it is.
  echoes.set(first, await udpEcho(host('a', first.slice(2) as 'be1')));
  await allOnline(agent, MEMBERS);
  const { answers } = run;
  await until(async () => (await last(sender)).answers > answers + 50, { what: '50 more answers' });
  t.equal(await server(), run.server);
});

await t.test('and when its own is removed from the configuration', async (t) => {
  const { server: first, answers } = await last(sender);
  const changed = Date.now();
  edit(configDir, 'a', (text) =>
    text.replace(new RegExp(`^ *- \\{ name: ${first.slice(2)}, .*\\n`, 'm'), ''),
  );
  const run = await movedFrom(first);
  t.comment(`${run.first - changed} ms after the file was written`);
  // In the sender's own time, which a busy machine stretches as it does the agent's.
  const late = (await sender.sample()).runs.at(-2)!.answers - answers;
  t.ok(
    late <= 1000 / INTERVAL_MS,
    `${late} datagrams more went to the removed member: less than a second of them`,
  );
  t.same(await tuples(1, first), [], 'conntrack knows the removed member no more');
  await allOnline(agent, MEMBERS - 1);
});

await t.test('while the identical tenant beside it is left alone', async (t) => {
  t.same(disturbances(ofB, await tenantFlows(lab.vswitch, 2)), [], 'its flows');
  t.same(await entries(2), entriesOfB, 'its connections');
  const sum = await beside.close();
  t.equal(sum.runs.length, 1, `one server answered all the time: ${JSON.stringify(sum.runs)}`);
  t.ok(sum.received >= sum.sent - 5, `${sum.received} of ${sum.sent} datagrams came back`);
  await sender.close();
});

async function last(session: UdpSession): Promise<UdpReport['runs'][number]> {
  return (await session.sample()).runs.at(-1)!;
}

async function server(): Promise<string> {
  return (await last(sender)).server;
}

/** Awaits that another than `former` answers, steadily. */
function movedFrom(former: string): Promise<UdpReport['runs'][number]> {
  return until(
    async () => {
      const run = await last(sender);
      return run.server !== former && run.answers > 10 && run;
    },
    { what: `another server than ${former}` },
  );
}

/** Connections of a zone through the VIP, without what changes by itself. */
async function entries(zone: number): Promise<string[]> {
  return (await lab.vswitch.connections(zone))
    .filter((line) => line.startsWith('udp,') && line.includes(`dst=${VIP},`))
    .sort();
}

async function tuples(zone: number, member: string): Promise<string[]> {
  const { address } = host(member.startsWith('a') ? 'a' : 'b', member.slice(2) as 'be1');
  return (await entries(zone)).filter((line) => line.includes(`reply=(src=${address},`));
}

function edit(dir: string, tenant: string, change: (text: string) => string): void {
  const file = join(dir, 'tenants.d', `${tenant}.yaml`);
  const text = readFileSync(file, 'utf8');
  const changed = change(text);
  if (changed === text) throw new Error(`nothing to change in ${file}`);
  writeFileSync(file, changed);
}
