import type { Agent } from '../agent.js';
import { HttpLoad } from '../load.js';
import {
  disturbances,
  health,
  memberIs,
  membersServing,
  movedSlots,
  slotFlows,
  slots,
  tenantFlows,
} from '../observations.js';
import { httpServer, stopServer } from '../services.js';
import { BACKENDS, VIP } from '../two-tenants.js';
import { pause } from '../until.js';
import { proven, report, table, title } from './narration.js';
import { running, type Stage } from './stages.js';

/** 3: one backend of `a` goes and comes back. */
export async function failure(stage: Stage): Promise<void> {
  const { world } = stage;
  const { vswitch } = world.lab;
  const agent = running(stage);
  title('3. a backend of a is killed');
  const before = await slotFlows(vswitch, 1);
  const ofB = await tenantFlows(vswitch, 2);
  const own = (await slots(agent))
    .find(({ tenant }) => tenant === 'a')!
    .members.find(({ member }) => member === 'be1')!;
  await showSlots(agent);

  const load = await HttpLoad.start(world.host('a', 'client'), `http://${VIP}/`);
  await stopServer(world.host('a', 'be1'));
  report("a-be1's server was killed");
  await watchFall(agent);
  await membersServing(vswitch, 1, BACKENDS.length - 1);
  const during = await slotFlows(vswitch, 1);
  const moved = movedSlots(before, during);
  await showSlots(agent);
  const formerly = new Set(moved.map((slot) => before.get(slot)));
  proven(
    `${moved.length} of ${before.size} slots moved, all that a-be1 had`,
    moved.length === own.slots,
    `it had ${own.slots}`,
  );
  proven('no slot of another backend moved', formerly.size === 1, [...formerly].join('; '));

  const then = await load.sample();
  report(`until then ${then.failed} of ${then.requests} requests of a met the dead server`);
  await pause(2000);
  const sum = await load.stop();
  const since = Object.entries(sum.servers).map(
    ([server, count]) => [server, count - (then.servers[server] ?? 0)] as const,
  );
  report(`since then ${sum.requests - then.requests} requests: ${served(since)}`);
  proven(
    'none of them failed',
    sum.requests > then.requests && sum.failed === then.failed,
    JSON.stringify(sum.errors),
  );
  const touched = disturbances(ofB, await tenantFlows(vswitch, 2));
  proven(
    `the ${ofB.length} flows of b are as old as before, their counters never went back`,
    touched.length === 0,
    touched.join('; '),
  );

  await httpServer(world.host('a', 'be1'));
  report("a-be1's server is back");
  await memberIs(agent, 'a/web/be1', 'ONLINE');
  report('a web/be1 is ONLINE');
  await membersServing(vswitch, 1, BACKENDS.length);
  const different = movedSlots(before, await slotFlows(vswitch, 1));
  proven('the old table is back, slot by slot', different.length === 0, `${different.length} differ`);
}

/** Tells each failed check until the member is down. */
async function watchFall(agent: Agent): Promise<void> {
  const told = new Set<string>();
  const end = Date.now() + 20_000;
  while (Date.now() < end) {
    const row = (await health(agent)).find(({ tenant, member }) => tenant === 'a' && member === 'be1')!;
    const text =
      row.operatingStatus === 'ERROR'
        ? `a web/be1 is ERROR (${row.lastResult})`
        : `a web/be1: ${row.fall} of ${row.fallNeeded} failed checks in a row (${row.lastResult})`;
    if (!told.has(text) && (row.fall > 0 || row.operatingStatus === 'ERROR')) report(text);
    told.add(text);
    if (row.operatingStatus === 'ERROR') return;
    await pause(25);
  }
  throw new Error('a-be1 was killed, and stays up for the agent');
}

async function showSlots(agent: Agent): Promise<void> {
  const pools = await slots(agent);
  table(
    ['tenant', 'slots of be1', 'be2', 'be3', 'digest'],
    pools.map((pool) => [
      pool.tenant,
      ...['be1', 'be2', 'be3'].map((name) =>
        String(pool.members.find(({ member }) => member === name)?.slots ?? 0),
      ),
      pool.digest,
    ]),
  );
}

function served(servers: readonly (readonly [string, number])[]): string {
  return servers
    .filter(([, count]) => count > 0)
    .sort()
    .map(([server, count]) => `${count} by ${server}`)
    .join(', ');
}
