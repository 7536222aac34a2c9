import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { parse } from 'yaml';
import { HttpLoad, TcpSession } from '../../lab/load.js';
import { applied, memberIs } from '../../lab/observations.js';
import { tcpEcho } from '../../lab/services.js';
import { BACKENDS, VIP } from '../../lab/two-tenants.js';
import { until } from '../../lab/until.js';
import { MEMBERS, serving } from './suites/serving.js';

const { world, agent } = await serving({ extra: { a: 'limits: { connections: 40 }\n' } });
const { lab, configDir, host } = world;
t.teardown(() => lab.close());
const fileOf = (tenant: string) => join(configDir, 'tenants.d', `${tenant}.yaml`);
const text = async () => (await agent.get('/metrics')).body;
const metric = (name: string, labels: Readonly<Record<string, string>> = {}) => agent.metric(name, labels);
const reaches = (name: string, labels: Readonly<Record<string, string>>, wanted: (n: number) => boolean) =>
  until(async () => wanted(await metric(name, labels)), { what: `${name} ${JSON.stringify(labels)}` });

/** Names with their labels, without values. */
async function series(): Promise<string[]> {
  return (await text())
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) => line.slice(0, line.lastIndexOf(' ')))
    .sort();
}

await t.test('what the agent knows by itself', async (t) => {
  t.equal(await metric('hpnn_member_status', { status: 'ONLINE' }), MEMBERS);
  for (const tenant of ['a', 'b']) {
    t.equal(await metric('hpnn_member_slots', { tenant }), 251);
    t.equal(await metric('hpnn_tenant_state', { tenant, state: 'applied' }), 1);
    const flows = await metric('hpnn_flows_desired', { tenant });
    t.ok(flows > 251);
    t.equal(await metric('hpnn_flows_installed', { tenant }), flows);
  }
  t.equal(await metric('hpnn_openflow_connected'), 1);
  t.ok((await metric('hpnn_bundle_latency_seconds_count')) > 0);
  t.ok((await metric('hpnn_bundle_latency_seconds_sum')) > 0);
  t.ok((await metric('hpnn_packet_out_total', { way: 'route' })) > 0, 'probes');
  t.ok((await metric('hpnn_packet_out_total', { way: 'segment' })) > 0, 'ARP');
  await reaches('hpnn_openflow_rtt_seconds', {}, (n) => n > 0 && n < 5);
});

await t.test('packets dropped by rules are those that the switch counts', async (t) => {
  await host('a', 'client').curl(`http://${VIP}:81/`, ['--connect-timeout', '1']);
  const dropped = async () =>
    (await lab.vswitch.flows('br-lb', 'table=2'))
      .filter((flow) => flow.line.includes(`nw_dst=${VIP} actions=drop`) && /reg3=(0x1|1)\b/.test(flow.line))
      .reduce((sum, flow) => sum + flow.packets, 0);
  // The datapath's own counters reach the rules within seconds.
  await until(async () => (await dropped()) > 0, { what: 'the rule having counted' });
  await until(
    async () =>
      (await metric('hpnn_dropped_packets_total', { tenant: 'a', reason: 'vip-without-listener' })) ===
      (await dropped()),
    { what: 'the same number' },
  );
  t.equal(await metric('hpnn_dropped_packets_total', { tenant: 'b', reason: 'vip-without-listener' }), 0);
});

await t.test('connections are counted with and without a limit, and so is what exceeds it', async (t) => {
  const load = await HttpLoad.start(host('a', 'client'), `http://${VIP}/`, 8, 1000);
  await reaches('hpnn_limit_hits_total', { tenant: 'a', limit: 'connections' }, (n) => n > 0);
  await load.stop();
  t.equal(await metric('hpnn_limit_hits_total', { tenant: 'b', limit: 'connections' }), 0);
  t.equal(await metric('hpnn_connections_limit', { tenant: 'a' }), 40);
  t.notMatch(await text(), /hpnn_connections_limit\{tenant="b"\}/);
  for (const role of BACKENDS) await tcpEcho(host('b', role), 9000);
  writeFileSync(
    fileOf('b'),
    readFileSync(fileOf('b'), 'utf8').replace(
      '    listeners:\n',
      '    listeners:\n      - { name: echo, protocol: TCP, protocol_port: 90, default_pool: echo }\n',
    ) +
      `  - name: echo\n    slots: 31\n    members: [{ name: be1, address: 10.20.0.2, protocol_port: 9000 }]\n`,
  );
  await memberIs(agent, 'b/echo/be1', 'NO_MONITOR');
  await applied(agent);
  const session = await TcpSession.open(host('b', 'client'), VIP, 90);
  await until(
    async () => {
      const counted = await metric('hpnn_connections', { tenant: 'b' });
      return counted > 0 && counted === (await lab.vswitch.connections(2)).length;
    },
    { what: "b's connections", timeout: 60_000 },
  );
  t.equal((await session.close()).error, '');
});

await t.test('what a connection rate takes away', async (t) => {
  const before = readFileSync(fileOf('b'), 'utf8');
  writeFileSync(fileOf('b'), before.replace('mode: stateful', 'mode: stateful, connection_rate: 5'));
  await until(async () => (await text()).includes('limit="connection_rate"'), { what: 'the meter' });
  const load = await HttpLoad.start(host('b', 'client'), `http://${VIP}/`, 8, 500);
  await reaches('hpnn_limit_hits_total', { tenant: 'b', limit: 'connection_rate' }, (n) => n > 0);
  t.ok((await load.stop()).failed > 0, 'and clients feel it');
  writeFileSync(fileOf('b'), before);
  await applied(agent);
});

await t.test('transitions, and what a pool without members drops', async (t) => {
  const to = (status: string) => metric('hpnn_member_transitions_total', { pool: 'web', to: status });
  const [drained, online] = [await to('DRAINING'), await to('ONLINE')];
  for (const role of BACKENDS) await agent.post('/drain', { tenant: 'b', pool: 'web', member: role });
  t.equal((await to('DRAINING')) - drained, 3);
  await until(async () => (await metric('hpnn_member_slots', { tenant: 'b', pool: 'web' })) === 0);
  t.notOk((await host('b', 'client').curl(`http://${VIP}/`, ['--connect-timeout', '1'])).ok);
  // Served again at once: what was dropped meanwhile is counted all the same.
  for (const role of BACKENDS) await agent.post('/enable', { tenant: 'b', pool: 'web', member: role });
  await reaches('hpnn_dropped_packets_total', { tenant: 'b', reason: 'empty-pool' }, (n) => n > 0);
  t.equal((await to('ONLINE')) - online, 3);
  t.equal(await metric('hpnn_dropped_packets_total', { tenant: 'a', reason: 'empty-pool' }), 0);
});

await t.test('1,000 pools come and go: the series are those of before', async (t) => {
  const before = await series();
  const pools = Array.from(
    { length: 1000 },
    (_, i) => `  - name: p${i}
    slots: 11
    members: [{ name: m, address: 10.9.${1 + (i >> 7)}.${1 + (i & 127)}, protocol_port: 80 }]
`,
  ).join('');
  writeFileSync(
    fileOf('c'),
    `tenant: c
limits: { slots: 11000, members: 1000 }
segments:
  - { name: s, subnets: [10.9.0.0/16], gateway: [10.9.255.254], ports: [] }
pools:
${pools}`,
  );
  await until(async () => (await metric('hpnn_member_slots', { tenant: 'c' })) === 11_000, {
    what: 'the slots of 1,000 pools',
    timeout: 60_000,
  });
  const many = await series();
  t.equal(many.filter((name) => name.startsWith('hpnn_member_status{tenant="c"')).length, 1000);
  rmSync(fileOf('c'));
  await until(async () => !(await text()).includes('tenant="c"'), { what: 'the end of c', timeout: 60_000 });
  const after = await series();
  t.same(
    after.filter((name) => !before.includes(name)),
    [],
    'none stayed',
  );
  t.same(
    before.filter((name) => !after.includes(name)),
    [],
    'none is missing',
  );
});

await t.test('dashboard and alert rules ask for series with labels that exist', async (t) => {
  const read = (file: string) =>
    readFileSync(new URL(`../../docs/monitoring/${file}`, import.meta.url), 'utf8');
  const alerts = parse(read('alerts.yml')) as { groups: { rules: { expr: string }[] }[] };
  const dashboard = JSON.parse(read('grafana.json')) as { panels: { targets: { expr: string }[] }[] };
  const expressions = [
    ...alerts.groups.flatMap((group) => group.rules),
    ...dashboard.panels.flatMap((panel) => panel.targets),
  ].map(({ expr }) => expr);
  t.ok(expressions.length > 20);
  const real = await series();
  const labelsOf = (name: string) =>
    real
      .filter((one) => one.startsWith(`${name}{`) || one === name)
      .map((one) => [...one.matchAll(/(\w+)="/g)].map(([, label]) => label!));
  for (const expr of expressions) {
    const grouped = [...expr.matchAll(/\bby \(([^)]*)\)/g)].flatMap(([, list]) => list!.split(/,\s*/));
    for (const [, name, matcher = ''] of expr.matchAll(/\b(hpnn_\w+)(?:\{([^}]*)\})?/g)) {
      const matched = [...matcher.matchAll(/(\w+)=/g)].map(([, label]) => label!);
      const wanted = [...grouped, ...matched].filter((label) => label !== 'instance' && label !== 'le');
      const found = labelsOf(name!);
      t.ok(found.length > 0, `${name} of ${expr}`);
      t.ok(
        found.every((labels) => wanted.every((label) => labels.includes(label))),
        `labels ${wanted.join(', ')} of ${name}`,
      );
    }
  }
});
