import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { HttpLoad } from '../../lab/load.js';
import { applied, disturbances, status, tenantFlows } from '../../lab/observations.js';
import { run } from '../../lab/process.js';
import { VIP } from '../../lab/two-tenants.js';
import { until } from '../../lab/until.js';
import type { TenantStatus } from '../../src/api/types.js';
import { serving } from './suites/serving.js';

const { world, agent } = await serving();
const { lab, configDir, host } = world;
t.teardown(() => lab.close());
const fileOf = (tenant: string) => join(configDir, 'tenants.d', `${tenant}.yaml`);
const good = readFileSync(fileOf('a'), 'utf8');
const problems = async () => (await status(agent)).config.problems;

/** Replaces a's file and awaits what becomes of it. */
async function change(text: string, state: TenantStatus['state']): Promise<TenantStatus> {
  writeFileSync(fileOf('a'), text);
  return until(
    async () => (await status(agent)).tenants.find((row) => row.tenant === 'a' && row.state === state),
    {
      what: `a being ${state}`,
    },
  );
}

const lineOf = (text: string, part: string) => text.slice(0, text.indexOf(part)).split('\n').length;

for (const [name, wrong, part] of [
  ['an unknown key', good.replace('slots: 251', 'slotz: 251'), 'slotz'],
  ['no YAML at all', `${good}\n  - : [`, ''],
  [
    'a gateway outside its segment',
    good.replace('subnets: [10.20.0.0/24]', 'subnets: [10.20.0.0/24]\n    gateway: [10.99.0.1]'),
    '10.99.0.1',
  ],
  ['a reference to nothing', good.replace('default_pool: web', 'default_pool: wet'), 'default_pool: wet'],
] as const) {
  await t.test(`${name} is named with its place; the tenant goes on as it was`, async (t) => {
    const before = await Promise.all([1, 2].map((id) => tenantFlows(lab.vswitch, id)));
    const load = await HttpLoad.start(host('a', 'client'), `http://${VIP}/`);
    await change(wrong, 'kept');
    const found = (await problems()).filter(({ severity }) => severity === 'error');
    t.ok(found.length > 0);
    t.ok(
      found.every(
        ({ file, line, column, message }) =>
          file.endsWith('a.yaml') && line > 0 && column > 0 && message !== '',
      ),
    );
    if (part !== '')
      t.ok(
        found.some(({ line }) => line === lineOf(wrong, part)),
        `line ${lineOf(wrong, part)}: ${JSON.stringify(found)}`,
      );
    const sum = await load.stop();
    t.equal(sum.failed, 0, `${sum.requests} requests meanwhile`);
    await change(good, 'applied');
    t.same(await problems(), [], 'nothing is wrong any more');
    for (const [index, flows] of before.entries()) {
      t.same(
        disturbances(flows, await tenantFlows(lab.vswitch, index + 1)),
        [],
        `flows of tenant ${index + 1}`,
      );
    }
  });
}

await t.test('a port that the bridge has not is told in the status of its tenant only', async (t) => {
  writeFileSync(
    fileOf('a'),
    good.replace('{ name: v-a-client }', '{ name: v-a-client }\n      - { name: v-nowhere }'),
  );
  const row = await until(
    async () =>
      (await status(agent)).tenants.find(
        ({ tenant, errors }) => tenant === 'a' && errors.some((text) => text.includes('v-nowhere')),
      ),
    { what: 'the status of a naming v-nowhere' },
  );
  t.ok(row);
  t.same((await status(agent)).tenants.find(({ tenant }) => tenant === 'b')?.errors, []);
  t.ok((await host('a', 'client').curl(`http://${VIP}/`)).ok, 'a is served');
  writeFileSync(fileOf('a'), good);
  await applied(agent);
});

await t.test('an agent that starts while a file is wrong leaves its tenant as it ran', async (t) => {
  const before = await Promise.all([1, 2].map((id) => tenantFlows(lab.vswitch, id)));
  const load = await HttpLoad.start(host('a', 'client'), `http://${VIP}/`);
  await agent.kill();
  writeFileSync(fileOf('a'), good.replace('slots: 251', 'slotz: 251'));
  writeFileSync(join(lab.dir, 'state', 'tenants', 'b.parsed'), 'hpnn-parsed-1 damaged');
  const again = await lab.startAgent({ configDir });
  Object.assign(agent, again);
  const { tenants } = await until(
    async () => {
      const now = await status(again);
      return now.ready && now.switch.connected && now;
    },
    { what: 'the new agent being ready' },
  );
  t.equal(tenants.find(({ tenant }) => tenant === 'a')?.state, 'kept');
  t.equal(
    tenants.find(({ tenant }) => tenant === 'b')?.state,
    'applied',
    'its damaged record counts for nothing',
  );
  t.ok(
    (await problems()).some(({ line }) => line === lineOf(good, 'slots: 251')),
    'the place is named',
  );
  const sum = await load.stop();
  t.equal(sum.failed, 0, `${sum.requests} requests meanwhile`);
  for (const [index, flows] of before.entries())
    t.same(
      disturbances(flows, await tenantFlows(lab.vswitch, index + 1)),
      [],
      `flows of tenant ${index + 1}`,
    );
  writeFileSync(fileOf('a'), good);
  await applied(again);
  t.same(await problems(), []);
});

const start = (dir: string) =>
  lab.node.exec([new URL('../../bin/hpnn-agent', import.meta.url).pathname, '--config', dir], {
    allowFailure: true,
    timeout: 15_000,
    env: lab.vswitch.environment,
  });

await t.test('a second agent ends with a message about the busy port', async (t) => {
  const dir = join(lab.dir, 'second');
  await run(['cp', '-r', configDir, dir]);
  const node = readFileSync(join(dir, 'node.yaml'), 'utf8');
  writeFileSync(
    join(dir, 'node.yaml'),
    node.replace('agent.sock', 'second.sock').replace('/state', '/state2'),
  );
  const { code, stdout, stderr } = await start(dir);
  t.ok(code > 0 && code < 128, `exit status ${code}`);
  t.match(stdout + stderr, /6653/);
  t.notMatch(stdout + stderr, /\n {4}at /, 'no stack trace');
});

await t.test('a broken node.yaml ends the start with its place', async (t) => {
  const dir = join(lab.dir, 'broken');
  await run(['cp', '-r', configDir, dir]);
  writeFileSync(
    join(dir, 'node.yaml'),
    'node: x\nbridge: br-lb\nopenflow: { listen: [ptcp:66530:127.0.0.1] }\n',
  );
  const { code, stdout, stderr } = await start(dir);
  t.ok(code > 0 && code < 128, `exit status ${code}`);
  t.match(stdout + stderr, /node\.yaml:3:\d+/);
  t.notMatch(stdout + stderr, /\n {4}at /, 'no stack trace');
});

await t.test('without a switch the agent waits and says so', async (t) => {
  // Open vSwitch forgets all flows when its last controller is taken away, and when it gets its first.
  await lab.vswitch.vsctl(['del-controller', 'br-lb']);
  const row = await until(
    async () => (await status(agent)).switch.connected === false && (await status(agent)),
    { what: 'disconnection' },
  );
  t.ok(row.switch.reason, 'why');
  t.equal((await agent.get('/healthz')).status, 200);
  t.equal((await agent.get('/readyz')).status, 503);
  await lab.vswitch.setController('br-lb', 'tcp:127.0.0.1:6653');
  await applied(agent);
  t.ok((await host('a', 'client').curl(`http://${VIP}/`)).ok, 'everything is back');
});
