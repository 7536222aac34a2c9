/**
 * Connections through a VIP: 20,000 at a time, twice with a flush of conntrack between, by the pipeline as it is and
 * by the founding documents' rule, which hashes and commits every packet of a client. They take turns on one switch
 * with the same hosts. Then how many megaflows established connections take.
 */
import { fileURLToPath } from 'node:url';
import type { Host } from '../lab/host.js';
import { httpServer, tcpEcho } from '../lab/services.js';
import { twoTenants, VIP } from '../lab/two-tenants.js';
import { pause, until } from '../lab/until.js';
import { median, type Result, result, writeResult } from './harness.js';
import { cpuSeconds } from './rig/agent-process.js';

const CONNECTIONS = 20_000;
const CONCURRENCY = 20;
const ROUNDS = 3;
const STANDING = 500;
/** In ms: long after the last connection was opened, so that only what goes on uses a megaflow. */
const OPENED = 5_000;
/** In s: every connection sends twice meanwhile. */
const IN_USE = 2;
const LISTENER_TABLE = 10;

const program = (name: string) => fileURLToPath(new URL(`./rig/${name}`, import.meta.url));

interface Run {
  readonly ok: number;
  readonly failed: number;
  readonly seconds: number;
  readonly errors: Readonly<Record<string, number>>;
}
interface Measured extends Run {
  readonly megaflows: number;
  /** Processor time of the switch, µs per connection. */
  readonly switchCpu: number;
}
type Rule = 'ours' | 'founding';

const world = await twoTenants({
  extra: { a: '', b: '' },
  monitor: '{ type: TCP, delay: 2, timeout: 1, max_retries: 2, max_retries_down: 3 }',
});
const { lab } = world;
const { vswitch } = lab;

/** Flows of the listener table as the agent made them, and as the founding documents have them. */
async function listenerTables(): Promise<Record<Rule, string>> {
  const { stdout } = await vswitch.ofctl('br-lb', ['--no-stats', 'dump-flows', `table=${LISTENER_TABLE}`]);
  const ours = stdout
    .split('\n')
    .filter((line) => line.includes('actions='))
    .map((line) => line.trim());
  const hashing = ours.filter((line) => /ct_state=\+new-rel\+trk|ct_state=-rel\+new\+trk/.test(line));
  const founding = hashing
    .filter((line) => line.includes('multipath') && !line.includes('ct_nw')) // without those of fragments
    .map((line) => line.replace(/ct_state=[^,]*,/, 'ct_state=-trk,'));
  if (founding.length === 0) throw new Error(`no rule of a listener in:\n${stdout}`);
  const miss = ours.filter((line) => /priority=0/.test(line));
  return { ours: ours.join('\n'), founding: [...founding, ...miss].join('\n') };
}

let tables: Record<Rule, string> | undefined;
async function use(rule: Rule): Promise<void> {
  tables ??= await listenerTables();
  await vswitch.ofctl('br-lb', ['del-flows', `table=${LISTENER_TABLE}`]);
  await vswitch.ofctl('br-lb', ['--bundle', 'add-flows', '-'], tables[rule]);
  await vswitch.flushConnections();
  // Revalidation gives a megaflow of the rule before other actions, and leaves it as narrow as it was.
  await vswitch.appctl(['dpctl/del-flows']);
}

async function load(client: Host): Promise<Measured> {
  const before = cpuSeconds(vswitch.pid);
  const argv = [program('http-connections.mjs'), VIP, '80', `${CONNECTIONS}`, `${CONCURRENCY}`];
  const { stdout } = await client.exec([process.execPath, ...argv], { timeout: 180_000 });
  const run = JSON.parse(stdout) as Run;
  const megaflows = (await vswitch.megaflows()).length;
  const switchCpu = ((cpuSeconds(vswitch.pid) - before) * 1e6) / CONNECTIONS;
  if (run.failed > 0) console.error(`failed: ${JSON.stringify(run.errors)}`);
  return { ...run, megaflows, switchCpu };
}

/** Megaflows in use by {@link STANDING} connections that each send a line every second. */
async function established(client: Host): Promise<number> {
  const argv = [program('standing-connections.mjs'), VIP, '80', `${STANDING}`, '1000'];
  const process_ = client.spawn([process.execPath, ...argv]);
  await process_.says(/^ready$/m, 60_000);
  await pause(OPENED);
  const megaflows = await megaflowsInUse();
  await process_.stop();
  const report = JSON.parse(process_.stdout.trim().split('\n').at(-1)!) as { open: number; errors: number };
  if (report.open !== STANDING || report.errors > 0) throw new Error(JSON.stringify(report));
  return megaflows;
}

/** Megaflows that forwarded something just now. */
async function megaflowsInUse(): Promise<number> {
  const used = (line: string) => Number(/used:([\d.]+)s/.exec(line)?.[1] ?? Number.POSITIVE_INFINITY);
  return (await vswitch.megaflows()).filter((line) => used(line) < IN_USE).length;
}

async function everybodyServes(agent: { json<T>(path: string): Promise<T> }): Promise<void> {
  await until(
    async () => {
      const { tenants } = await agent.json<{ tenants: { membersOnline: number }[] }>('/status');
      return tenants.every((t) => t.membersOnline === 3);
    },
    { what: 'all members online', interval: 100, timeout: 30_000 },
  );
}

function compared(
  metric: string,
  unit: string,
  of: Record<Rule, Measured[]>,
  pick: (m: Measured) => number,
): Result {
  const [ours, theirs] = [of.ours.map(pick), of.founding.map(pick)];
  const base = median(theirs);
  return result(metric, unit, ours, base > 0 ? { founding_pipeline: median(ours) / base } : undefined);
}

try {
  const client = world.host('a', 'client');
  const backends = (['be1', 'be2', 'be3'] as const).map((role) => world.host('a', role));
  const servers = await Promise.all(backends.map((host) => httpServer(host)));
  const others = await Promise.all(
    (['be1', 'be2', 'be3'] as const).map((role) => httpServer(world.host('b', role))),
  );
  await vswitch.setController('br-lb', 'tcp:127.0.0.1:6653');
  const agent = await lab.startAgent({ configDir: world.configDir });
  await everybodyServes(agent);
  // The agent would put its own flows back; the switch forwards without it.
  await agent.stop();

  const measured: Record<Rule, Measured[]> = { ours: [], founding: [] };
  for (let round = 0; round < ROUNDS; round++)
    for (const rule of ['ours', 'founding'] as const) {
      await use(rule);
      const first = await load(client);
      await vswitch.flushConnections();
      const second = await load(client);
      measured[rule].push(first, second);
    }

  await Promise.all([...servers, ...others].map((server) => server.stop('SIGKILL')));
  const echoes = await Promise.all(backends.map((host) => tcpEcho(host)));
  const standing: Record<Rule, number> = { ours: 0, founding: 0 };
  for (const rule of ['ours', 'founding'] as const) {
    await use(rule);
    standing[rule] = await established(client);
  }
  await Promise.all(echoes.map((echo) => echo.stop('SIGKILL')));

  const perSecond = (m: Measured) => m.ok / m.seconds;
  const row = (rule: Rule) => [
    rule === 'ours' ? 'this pipeline' : 'founding documents',
    `${measured[rule].reduce((n, m) => n + m.ok, 0)}`,
    `${measured[rule].reduce((n, m) => n + m.failed, 0)}`,
    median(measured[rule].map(perSecond)).toFixed(0),
    median(measured[rule].map((m) => m.switchCpu)).toFixed(0),
    median(measured[rule].map((m) => m.megaflows)).toFixed(0),
    `${standing[rule]}`,
  ];
  console.log(
    '\nrule                 connections  failed  per second  switch CPU µs each  megaflows after  established',
  );
  for (const rule of ['ours', 'founding'] as const) {
    const [name, ...numbers] = row(rule);
    const widths = [11, 6, 10, 18, 15, 11];
    console.log(`${name!.padEnd(19)}  ${numbers.map((n, i) => n.padStart(widths[i]!)).join('  ')}`);
  }
  console.log(`(established: megaflows of ${STANDING} connections that all send, in use)\n`);
  writeResult('connections', [
    compared('failed', 'connections', measured, (m) => m.failed),
    compared('time_per_connection', 'ms', measured, (m) => (m.seconds * 1000) / m.ok),
    compared('connections_per_second', 'per second', measured, perSecond),
    compared('switch_cpu_per_connection', 'µs', measured, (m) => m.switchCpu),
    compared('megaflows_after_20000', 'megaflows', measured, (m) => m.megaflows),
    result('established_megaflows', 'megaflows', [standing.ours], {
      founding_pipeline: standing.ours / standing.founding,
    }),
  ]);
} finally {
  lab.close();
}
