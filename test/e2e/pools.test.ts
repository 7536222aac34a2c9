import t from 'tap';
import { health, slots, tenantFlows } from '../../lab/observations.js';
import { httpServer, stopServer } from '../../lab/services.js';
import { until } from '../../lab/until.js';
import { HealthWorld } from './suites/health-world.js';

const MEMBERS = [2, 3, 4];
const world = await HealthWorld.create(
  MEMBERS.map((n) => ({ name: `be${n}`, addresses: [`10.20.0.${n}/24`], gateway: '10.20.0.1' })),
);
t.teardown(() => world.lab.close());
for (const n of MEMBERS) await httpServer(world.host(`be${n}`));
const captured = await world.host('be4').capture({ filter: 'tcp dst port 8080' });

interface Pool {
  readonly monitor?: string;
  /** YAML at the level of the pool. */
  readonly extra?: string;
  /** YAML of each member beside its address. */
  readonly members: Readonly<Record<number, string>>;
}
const POOLS: Record<string, Pool> = {
  backup: { members: { 2: '', 3: '', 4: 'backup: true' } },
  closed: { members: { 2: '', 3: '' } },
  open: { extra: 'on_all_down: open', members: { 2: '', 3: '' } },
  parked: { members: { 2: '', 3: 'weight: 0', 4: 'admin_state_up: false' } },
};
function write(pools: Record<string, Pool>): void {
  const shown = Object.entries(pools).map(
    ([name, { monitor, extra, members }]) => `
  - name: ${name}
    ${extra ?? 'slots: 251'}
    health_monitor: { type: TCP, delay: 0.5, timeout: 0.5, max_retries: 1, max_retries_down: 2, ${monitor ?? 'tcp_close: rst'} }
    members:
${Object.entries(members)
  .map(
    ([n, more]) =>
      `      - { name: be${n}, address: 10.20.0.${n}, protocol_port: 8080${more === '' ? '' : `, ${more}`} }`,
  )
  .join('\n')}`,
  );
  world.writeTenant(
    'a',
    `id: 1
segments:
  - { name: p2, subnets: [10.20.0.0/24], ports: [${MEMBERS.map((n) => `{ name: v-be${n} }`).join(', ')}] }
pools:${shown.join('')}
`,
  );
}
write(POOLS);
const agent = await world.start();

/** Awaits that these members, and no others, hold slots of a pool. */
const serve = (pool: string, members: readonly number[]) =>
  until(
    async () => {
      const row = (await slots(agent)).find((one) => one.pool === pool);
      const holders = row?.members.filter((member) => member.slots > 0).map(({ member }) => member) ?? [];
      if (holders.join() === members.map((n) => `be${n}`).join()) return true;
      throw new Error(holders.join());
    },
    { what: `slots of ${pool} being with ${members.join(' ') || 'nobody'}` },
  );
const is = (member: string, status: Parameters<typeof world.verdict>[1]) =>
  world.verdict(`a/${member}`, status, /^/);

await t.test('who serves while all are up', async (t) => {
  for (const n of [2, 3, 4]) await is(`backup/be${n}`, 'ONLINE');
  await serve('backup', [2, 3]);
  t.pass('a backup waits');
  await serve('parked', [2]);
  await is('parked/be3', 'DRAINING');
  await is('parked/be4', 'OFFLINE');
  t.pass('weight 0 and admin_state_up false get nothing');
});

await t.test('a member of several pools is checked once for all of them', async (t) => {
  const before = (await health(agent)).filter(({ member }) => member === 'be2');
  t.equal(before.length, 4);
  const checks = async () =>
    new Set((await health(agent)).filter(({ member }) => member === 'be2').map((row) => row.rttMs));
  t.equal((await checks()).size, 1, 'all four tell the same round trip');
  const from = captured.frames().length;
  await until(() => captured.frames().length >= from + 20, { what: '10 checks of be4' });
  const frames = captured.frames().slice(from);
  const seconds = frames.at(-1)!.time - frames[0]!.time;
  t.ok(seconds > 3.5, `10 checks, each a SYN and a RST, in ${seconds.toFixed(1)} s: one every half second`);
});

await t.test('the primaries fail: the backup serves, a closed pool drops, an open one goes on', async (t) => {
  await stopServer(world.host('be2'));
  await stopServer(world.host('be3'));
  await is('backup/be3', 'ERROR');
  await serve('backup', [4]);
  await serve('closed', []);
  await serve('open', [2, 3]);
  const drops = await until(
    async () => {
      const flows = (await tenantFlows(world.lab.vswitch, 1)).filter(({ table }) => table === 11);
      const empty = flows.filter(({ actions }) => actions === 'drop');
      return empty.length > 0 && empty;
    },
    { what: 'the closed pool dropping' },
  );
  t.ok(drops.length > 0);
  await httpServer(world.host('be2'));
  await is('backup/be2', 'ONLINE');
  await serve('backup', [2]);
  await serve('closed', [2]);
  await serve('open', [2]);
  t.pass('the first primary that is back serves alone');
  await httpServer(world.host('be3'));
  await serve('backup', [2, 3]);
});

await t.test('another monitor takes over while the agent runs, verdicts are kept', async (t) => {
  write({ ...POOLS, closed: { ...POOLS.closed!, monitor: 'tcp_close: fin' } });
  await until(
    async () => {
      const rows = (await health(agent)).filter(({ member }) => member === 'be2');
      return new Set(rows.map(({ rttMs }) => rttMs)).size === 2;
    },
    { what: 'two checks of be2, one for each monitor' },
  );
  await serve('closed', [2, 3]);
  t.same(
    agent.process.stdout.split('\n').filter((line) => line.includes('"to":"OFFLINE"')),
    [],
    'nobody went back to OFFLINE',
  );
});
