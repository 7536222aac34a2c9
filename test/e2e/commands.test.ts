import { rmSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { connect } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import t from 'tap';
import { TcpSession } from '../../lab/load.js';
import { applied, disturbances, neighbours, status, tenantFlows } from '../../lab/observations.js';
import { RunningProcess, run } from '../../lab/process.js';
import { until } from '../../lab/until.js';
import { answers } from '../../src/api/schemas.js';
import type { ConfigPlan, DropRow, FlowRow } from '../../src/api/types.js';
import { GoldenFile, normalise } from './suites/golden.js';
import { replaceIn, threeTenants } from './suites/three-tenants.js';

/** Every command and route against one agent with three tenants and a real switch. */
const world = await threeTenants();
const { lab, agent, configDir, host } = world;
t.teardown(async () => {
  await agent.stop();
  lab.close();
});
const BIN = fileURLToPath(new URL('../../bin', import.meta.url));
const LBCTL = join(BIN, 'lbctl');
const golden = new GoldenFile(new URL('../golden/cli/lab.txt', import.meta.url));
const lbctl = (...argv: string[]) => agent.lbctl(argv, true);

// Connections and learned entries to show: each client has spoken, and one connection stays open.
const session = await TcpSession.open(host('out'), '192.168.5.100', 80);
await until(async () => (await host('acme-c').curl('http://10.20.0.100/')).ok, { what: 'an answer' });
await host('blue-c').curl('http://10.20.0.100/', ['--max-time', '0.5']);
await host('out').curl('http://192.168.5.100:81/', ['--max-time', '0.5']);
await until(async () => (await neighbours(agent)).filter(({ mac }) => mac !== undefined).length >= 5, {
  what: 'every neighbour being known',
});
await until(async () => (await agent.json<unknown[]>('/fdb')).length === 7, { what: '7 learned MACs' });
await applied(agent);

await t.test('what commands show, as it should be', async (t) => {
  const commands = [
    'status',
    'status --brief',
    'status -t blue',
    'health',
    'slots',
    'neigh',
    'neigh -p web',
    'fdb',
    'conns -t core',
    'flows -t acme --kind listener',
    'flows -t core --kind neighbours',
    'flows -p app --kind pool',
    'flows -t core --kind neighbours --raw',
    'ports',
    'ports -p app',
    'groups',
    'meters -t blue',
    'drops -p empty',
    'diff-flows',
    'diff-flows -t acme',
    'config show -t core',
    'config plan',
    'config check',
    'log --no-headings',
  ];
  const results = await inPairs(commands, (command) => lbctl(...command.split(' ')));
  for (const [n, { code, stdout }] of results.entries()) {
    const command = `lbctl ${commands[n]}`;
    const text = normalise(stdout, lab.dir);
    t.equal(text, golden.expect(command, text), command);
    t.equal(code, 0, command);
  }
});

await t.test('routes answer as /openapi.json describes', async (t) => {
  const routes = {
    '/status': answers.status,
    '/health': answers.health,
    '/slots': answers.slots,
    '/neighbours': answers.neighbours,
    '/fdb': answers.fdb,
    '/connections': answers.connections,
    '/flows': answers.flows,
    '/flows?tenant=acme&kind=pool&table=11': answers.flows,
    '/ports': answers.ports,
    '/groups': answers.groups,
    '/meters': answers.meters,
    '/drops': answers.drops,
    '/diff-flows': answers.diff,
    '/config': answers.shown,
    '/log': answers.levels,
    '/healthz': answers.health_z,
    '/readyz': answers.ready_z,
  };
  for (const [path, schema] of Object.entries(routes)) {
    const value = await agent.json(path);
    const parsed = schema.safeParse(value);
    t.same(parsed.error?.issues ?? [], [], path);
    t.same(parsed.data, value, `${path} says nothing else`);
    if (Array.isArray(value)) t.ok(value.length > 0, `${path} has rows`);
  }
  const { paths } = await agent.json<{ paths: Record<string, unknown> }>('/openapi.json');
  for (const path of Object.keys(routes)) t.ok(paths[path.split('?')[0]!], `${path} is described`);
});

await t.test('the switch has as many flows as are shown, with their counters', async (t) => {
  const rows = await agent.json<FlowRow[]>('/flows');
  const dumped = await lab.vswitch.flows('br-lb');
  t.same(
    rows.map(({ table, priority, cookie }) => `${table} ${priority} ${cookie}`).sort(),
    dumped.map((f) => `${f.table} ${f.priority} ${f.cookie.toString(16).padStart(16, '0')}`).sort(),
  );
  const drops = await agent.json<DropRow[]>('/drops');
  const dropped = (owner: string) => drops.find((row) => row.owner === owner && row.packets > 0)?.reason;
  t.equal(dropped('listener dns/off'), 'listener-refuses');
  t.equal(dropped('pool empty'), 'empty-pool');
});

await t.test('CSV and JSON', async (t) => {
  for (const command of ['flows -t blue', 'ports']) {
    const argv = command.split(' ');
    const csv = (await lbctl(...argv, '-f', 'csv')).stdout.trimEnd().split('\n');
    const bare = (await lbctl(...argv, '-f', 'csv', '--no-headings')).stdout.trimEnd().split('\n');
    const json = JSON.parse((await lbctl(...argv, '-f', 'json')).stdout) as unknown[];
    t.equal(csv.length, json.length + 1, `${command}: a line for each row and one of headings`);
    t.equal(bare.length, json.length, `${command} --no-headings`);
    t.match(csv[0], /^[a-z_]+(,[a-z_]+)+$/);
  }
});

/** A command that doesn't end by itself. */
function follow(...argv: string[]): RunningProcess {
  return new RunningProcess([LBCTL, '--remote', `unix:${agent.socket}`, ...argv]);
}

await t.test('drain and enable, and what events tell of it', async (t) => {
  const events = follow('events', '-t', 'acme');
  const saw = async (what: RegExp) => t.resolves(events.says(what), String(what));
  // An event that was sent before the stream began isn't in it.
  await until(
    async () => {
      await lbctl('drain', 'acme/web/be2');
      await lbctl('enable', 'acme/web/be2');
      return events.stdout.includes('be2');
    },
    { what: 'the stream of events' },
  );
  for (const [command, expected] of [
    ['drain acme/web/be1', 'acme/web/be1: DRAINING\n'],
    ['drain acme/web/be1', 'acme/web/be1: DRAINING (was so already)\n'],
    ['enable acme/web/be1', 'acme/web/be1: ONLINE\n'],
  ] as const) {
    const { code, stdout } = await lbctl(...command.split(' '));
    t.equal(stdout, expected);
    t.equal(code, 0);
  }
  await saw(/ drain acme\/web\/be1: /);
  t.equal(await events.stop('SIGINT'), 0, 'Ctrl-C is the end');
});

await t.test('--watch shows again until Ctrl-C', async (t) => {
  const watch = follow('status', '--brief', '--watch', '0.1');
  await watch.says(/(lab: ready.*\s+){2}/);
  t.equal(await watch.stop('SIGINT'), 0);
});

await t.test('completion knows the names', async (t) => {
  const script = `source <(lbctl completion bash)
COMP_WORDS=(lbctl "$@"); COMP_CWORD=$#; _lbctl; echo "\${COMPREPLY[@]}"`;
  const complete = async (...words: string[]) => {
    const env = { HPNN_API: `unix:${agent.socket}`, PATH: `${BIN}:${process.env.PATH}` };
    return (await run(['bash', '-c', script, 'bash', ...words], { env })).stdout.trim();
  };
  t.equal(await complete('health', '-t', ''), 'acme blue core');
  t.equal(await complete('drain', 'core/'), 'core/app/app1');
  t.equal(await complete('flows', '--kind', 'learned-m'), 'learned-mac');
});

await t.test('what the switch holds is compared with what it should hold', async (t) => {
  const ofctl = (...argv: string[]) => lab.vswitch.ofctl('br-lb', argv);
  const slots = (await agent.json<FlowRow[]>('/flows?tenant=core&kind=pool')).filter(
    (flow) => flow.priority === 100,
  );
  const [one, other] = slots.map(({ raw }) => `table=11,priority=100,${/reg1=[^ ]+/.exec(raw)![0]}`) as [
    string,
    string,
  ];
  await ofctl('add-flow', 'table=25,priority=7,cookie=0x1234,actions=drop');
  const seen = new Set<string>();
  const differences = [
    'core pool app: flow different',
    'core pool app: flow missing',
    '(node) nobody of ours: flow foreign',
  ];
  // Drift is repaired meanwhile: look until each difference was seen.
  await until(
    async () => {
      await ofctl('add-flow', `${one},cookie=0x${slots[0]!.cookie},actions=drop`);
      await ofctl('--strict', 'del-flows', other);
      const { code, stdout } = await lbctl('diff-flows');
      for (const difference of differences)
        if (code === 2 && stdout.includes(difference)) seen.add(difference);
      return seen.size === differences.length;
    },
    { what: 'all kinds of differences', timeout: 60_000 },
  );
  await ofctl('del-flows', 'cookie=0x1234/-1');
  await until(async () => (await lbctl('diff-flows')).code === 0, {
    what: 'everything being repaired',
    timeout: 60_000,
  });
  const core = (await status(agent)).tenants.find(({ tenant }) => tenant === 'core');
  t.ok((core?.drift ?? 0) > 0, 'drift is counted for its tenant');
  t.same(
    (await status(agent)).tenants.filter(({ drift }) => drift > 0).map(({ tenant }) => tenant),
    ['core'],
  );
});

await t.test('a plan tells what applying sends, and changes nothing', async (t) => {
  const next = world.copy('next');
  const file = join(next, 'tenants.d', 'acme.yaml');
  replaceIn(file, 'protocol_port: 80, default_pool: web', 'protocol_port: 8000, default_pool: web');
  const before = await tenantFlows(lab.vswitch, 7);
  const { code, stdout } = await lbctl('config', 'plan', next);
  const text = normalise(stdout, lab.dir);
  t.equal(text, golden.expect('lbctl config plan NEXT', text));
  t.equal(code, 0);
  t.same(disturbances(before, await tenantFlows(lab.vswitch, 7)), [], 'nothing was changed');
  const plan = await agent.lbctlJson<ConfigPlan>(['config', 'plan', next]);

  const blue = await tenantFlows(lab.vswitch, 8);
  world.edit('acme', 'protocol_port: 80, default_pool: web', 'protocol_port: 8000, default_pool: web');
  const applying = await lbctl('config', 'apply', '--wait', '20', '-t', 'acme');
  t.equal(applying.code, 0, applying.stdout + applying.stderr);
  t.match(applying.stdout, /^generation \d+: .* confirmed by the switch/);
  const identity = (flow: { table: number; priority: number; match: string; actions: string }) =>
    `${flow.table} ${flow.priority} ${flow.match} ${flow.actions}`;
  const was = new Set(before.map(identity));
  const is = new Set((await tenantFlows(lab.vswitch, 7)).map(identity));
  const count = (op: string) => plan.changes.filter((c) => c.kind === 'flow' && c.op === op).length;
  const [gone, came] = [[...was].filter((f) => !is.has(f)).length, [...is].filter((f) => !was.has(f)).length];
  t.equal(came, count('add') + count('modify'), 'what came');
  t.equal(gone, count('delete') + count('modify'), 'what went');
  t.same(disturbances(blue, await tenantFlows(lab.vswitch, 8)), [], 'another tenant was left alone');
  t.equal((await lbctl('config', 'plan')).stdout, 'nothing to change\n');
  t.equal((await lbctl('config', 'plan', next)).stdout, 'nothing to change\n');
  const rows = (await status(agent)).tenants;
  t.equal(
    rows.find(({ tenant }) => tenant === 'blue')?.generation,
    1,
    'only one tenant has a new generation',
  );
  const acme = rows.find(({ tenant }) => tenant === 'acme')!;
  t.equal(acme.appliedGeneration, acme.generation);
  t.ok(acme.generation > 1);
});

await t.test('exit statuses', async (t) => {
  const nobody = ['--remote', 'unix:/nowhere/agent.sock'];
  const cases = [
    [0, ['status'], /^$/],
    [1, [], /Usage: lbctl/],
    [1, ['statsu'], /Did you mean status/],
    [1, ['flows', '--kind', 'wrong'], /Allowed choices/],
    [1, ['drain', 'acme'], /TENANT\/POOL\/MEMBER/],
    [1, [...nobody, 'status'], /can't reach the agent/],
    [2, ['health', '-t', 'acne'], /There is no tenant "acne"; did you mean "acme"\?/],
    [2, ['slots', '-p', 'nope'], /There is no pool "nope"/],
    [2, ['drain', 'acme/web/be9'], /There is no member "be9"/],
    [2, ['log', 'health:loud'], /unknown level "loud"/],
    [2, ['config', 'plan', '/nowhere'], /nowhere\/tenants\.d/],
    [2, ['config', 'plan', '-t', 'nobody'], /no tenant "nobody"/],
  ] as const;
  const results = await inPairs(cases, ([, words]) => lbctl(...words));
  for (const [n, [wanted, words, why]] of cases.entries()) {
    const { code, stderr } = results[n]!;
    t.equal(code, wanted, `lbctl ${words.join(' ')}: ${stderr}`);
    t.match(stderr, why);
  }
});

await t.test('a file that is wrong, and a switch that is away', async (t) => {
  world.edit('blue', 'slots: 5', 'slotz: 5');
  const wrong = await lbctl('config', 'apply', '--wait', '20');
  t.equal(wrong.code, 2);
  t.match(wrong.stderr, /blue\.yaml:\d+:\d+ pools\[0\].*slotz/);
  t.match((await lbctl('status')).stdout, /^blue +8 +kept /m);
  world.edit('blue', 'slotz: 5', 'slots: 5');
  const dune = join(configDir, 'tenants.d', 'dune.yaml');
  writeFileSync(dune, 'tenant: dune\nsegmentz: []\n');
  const refused = await until(
    async () => (await status(agent)).tenants.find(({ tenant }) => tenant === 'dune'),
    { what: 'dune being refused' },
  );
  t.match(refused, { state: 'refused', flows: 0 });
  rmSync(dune);
  t.equal((await lbctl('config', 'apply', '--wait', '20')).code, 0);
  t.equal((await agent.get('/readyz')).status, 200);

  await lab.vswitch.vsctl(['del-controller', 'br-lb']);
  await until(async () => (await agent.get('/readyz')).status === 503, { what: 'not being ready' });
  world.edit('acme', 'protocol_port: 8000', 'protocol_port: 80');
  const late = await lbctl('config', 'apply', '--wait', '0.2', '-t', 'acme');
  t.equal(late.code, 65, late.stdout + late.stderr);
  t.match(late.stdout, /NOT confirmed in time/);
  for (const command of ['flows', 'fdb', 'ports', 'groups', 'meters', 'drops', 'diff-flows']) {
    const { code, stderr } = await lbctl(command);
    t.equal(code, 2, command);
    t.match(stderr, /No switch can be asked/);
  }
  t.equal((await lbctl('health')).code, 0, 'what the agent knows itself is told');
  await lab.vswitch.setController('br-lb', 'tcp:127.0.0.1:6653');
  await applied(agent);
  t.equal((await agent.get('/readyz')).status, 200);
});

await t.test('hostile requests get an answer and cost nothing', async (t) => {
  const slow = connect(agent.socket);
  let answer = '';
  slow.on('data', (data) => {
    answer += data;
  });
  slow.on('error', () => {});
  slow.write('GET /status HTTP/1.1\r\nhost: x\r\n');
  for (const [method, path, body, wanted] of [
    ['POST', '/drain', JSON.stringify({ tenant: 7, pool: [], member: null }), 400],
    ['POST', '/drain', '{"tenant":', 400],
    ['POST', '/drain', JSON.stringify({ tenant: 'acme', pool: 'web', member: 'be1', extra: 1 }), 400],
    ['POST', '/drain', JSON.stringify({ tenant: '__proto__', pool: 'web', member: 'be1' }), 404],
    ['POST', '/config/plan', JSON.stringify({ dir: '../etc' }), 400],
    ['POST', '/config/apply', JSON.stringify({ wait: 1e9 }), 400],
    ['POST', '/config/apply', JSON.stringify({ wait: 1, tenant: 'nobody' }), 404],
    ['POST', '/log', JSON.stringify({ module: 'x'.repeat(1000), level: 'debug' }), 400],
    ['POST', '/status', '{}', 405],
    ['DELETE', '/health', undefined, 405],
    ['GET', '/flows?table=1e3', undefined, 400],
    ['GET', '/flows?kind=everything', undefined, 400],
    ['GET', '/flows?tenant=acme&tenant=blue', undefined, 400],
    ['GET', '/connections?limit=99999999999', undefined, 400],
    ['GET', '/health?tenant=%00', undefined, 404],
    ['GET', `/${'a'.repeat(60_000)}`, undefined, 431],
    ['GET', '/flow', undefined, 404],
  ] as const) {
    const { status: code, body: text } = await ask(method, path, body);
    const what = `${method} ${path.slice(0, 60)} ${(body ?? '').slice(0, 60)}`;
    t.equal(code, wanted, `${what}: ${text.slice(0, 200)}`);
    t.match(JSON.parse(text), { type: 'about:blank', status: wanted, detail: /\S/ }, 'a problem document');
  }
  t.equal((await ask('POST', '/drain', '{"tenant":"', 1 << 30)).status, 413, 'a huge body');
  await until(() => answer !== '', { what: 'the slow client being answered' });
  t.match(answer, /^HTTP\/1\.1 408 /);
  slow.destroy();
  const up = (await agent.json<{ operatingStatus: string }[]>('/health')).map((row) => row.operatingStatus);
  t.same(up.sort(), ['NO_MONITOR', 'ONLINE', 'ONLINE', 'ONLINE'], 'checks went on');
});

await t.test('at the end', async (t) => {
  t.equal((await session.close()).error, '', 'a connection lived through all of it');
  t.same(golden.close(), [], 'no command of the golden file is left out');
});

/** Two at a time, which is what a small machine can do; results in the order of the items. */
async function inPairs<T, R>(items: readonly T[], work: (item: T) => Promise<R>): Promise<R[]> {
  const results: R[] = [];
  let next = 0;
  const worker = async () => {
    while (next < items.length) {
      const n = next++;
      results[n] = await work(items[n]!);
    }
  };
  await Promise.all([worker(), worker()]);
  return results;
}

/** @param announced bytes of a body of which only `body` is sent: whoever refuses it needn't read it */
function ask(
  method: string,
  path: string,
  body: string | undefined,
  announced?: number,
): Promise<{ status: number; body: string }> {
  return new Promise((resolve, reject) => {
    const headers = {
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...(announced === undefined ? {} : { 'content-length': announced }),
    };
    const options = { socketPath: agent.socket, method, path, headers, agent: false, timeout: 20_000 };
    const outgoing = request(options, (incoming) => {
      let text = '';
      incoming.setEncoding('utf8').on('data', (part: string) => {
        text += part;
      });
      incoming.on('end', () => {
        resolve({ status: incoming.statusCode ?? 0, body: text });
        outgoing.destroy();
      });
      incoming.on('error', reject);
    });
    outgoing.on('timeout', () => outgoing.destroy(new Error(`${method} ${path}: no answer`)));
    outgoing.on('error', reject);
    if (announced === undefined) outgoing.end(body);
    else outgoing.write(body);
  });
}
