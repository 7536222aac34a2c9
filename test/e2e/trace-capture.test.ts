import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { applied, memberIs, membersServing } from '../../lab/observations.js';
import { run } from '../../lab/process.js';
import { answer, httpServer } from '../../lab/services.js';
import { BACKENDS, MACHINES, TENANTS, type TenantName, twoTenants, VIP } from '../../lab/two-tenants.js';
import { until } from '../../lab/until.js';
import type { TraceResult } from '../../src/api/types.js';

/** Two tenants with equal addresses; each is asked about its own packets, and its messages are captured. */
const world = await twoTenants({ protocols: ['OpenFlow13'] });
const { lab, host, configDir } = world;
t.teardown(() => lab.close());

const ports = (tenant: TenantName, segment: string) =>
  MACHINES.filter((m) => m.segment === segment).map(({ role }) => `{ name: v-${tenant}-${role} }`);
for (const tenant of TENANTS) {
  const members = MACHINES.filter(({ role }) => role !== 'client').map(
    ({ role, address }) => `      - { name: ${role}, address: ${address}, protocol_port: 8080 }`,
  );
  writeFileSync(
    join(configDir, 'tenants.d', `${tenant}.yaml`),
    `tenant: ${tenant}
segments:
  - { name: p2, subnets: [10.20.0.0/24], ports: [${ports(tenant, 'p2').join(', ')}] }
  - { name: p3, subnets: [10.30.0.0/24], ports: [${ports(tenant, 'p3').join(', ')}, { name: absent }] }
load_balancers:
  - name: web
    vip_address: ${VIP}
    segment: p2
    listeners:
      - { name: http, protocol: TCP, protocol_port: 80, default_pool: web }
      - { name: dead, protocol: TCP, protocol_port: 81, default_pool: dead }
      - { name: off, protocol: TCP, protocol_port: 82, default_pool: web, admin_state_up: false }
pools:
  - name: web
    slots: 251
    members:
${members.join('\n')}
    health_monitor: { type: TCP, delay: 1, timeout: 0.9, max_retries: 1, max_retries_down: 5 }
  - name: dead
    slots: 13
    members: [{ name: be1, address: 10.20.0.2, protocol_port: 9 }]
    health_monitor: { type: TCP, delay: 1, timeout: 0.5, max_retries: 1, max_retries_down: 1 }
`.replace(', { name: absent }', tenant === 'b' ? ', { name: absent }' : ''),
  );
}
for (const tenant of TENANTS) for (const role of BACKENDS) await httpServer(host(tenant, role));
const agent = await lab.startAgent({ configDir });
await lab.vswitch.setController('br-lb', 'tcp:127.0.0.1:6653');
for (const tenant of TENANTS) {
  for (const role of BACKENDS) await memberIs(agent, `${tenant}/web/${role}`, 'ONLINE', { timeout: 30_000 });
  await memberIs(agent, `${tenant}/dead/be1`, 'ERROR', { timeout: 30_000 });
}
await applied(agent);

const trace = (tenant: string, packet: string, ...more: string[]) =>
  agent.lbctlJson<TraceResult>(['trace', '-t', tenant, packet, ...more]);
const CLIENT = '10.20.0.10';
const fromClient = (tenant: string) => ['--from', `v-${tenant}-client`];

await t.test('a request is traced to the member that really serves it, in each tenant', async (t) => {
  for (const [index, tenant] of TENANTS.entries()) {
    await until(() => membersServing(lab.vswitch, index + 1, BACKENDS.length).then(() => true));
    for (const port of [40001, 40002, 40003]) {
      const result = await trace(tenant, `tcp ${CLIENT}:${port} > ${VIP}:80`, ...fromClient(tenant));
      const served = await host(tenant, 'client').curl(`http://${VIP}/`, ['--local-port', String(port)]);
      t.equal(`${tenant}-${result.member?.replace('web/', '')}`, answer(served.body).server);
      t.match(result, {
        verdict: 'delivered',
        listener: 'web/http',
        output: `v-${result.member?.replace('web/', `${tenant}-`)}`,
      });
    }
  }
});

await t.test('its connection is then found in conntrack, there and back', async (t) => {
  const there = await trace('a', `tcp ${CLIENT}:40001 > ${VIP}:80`, '--tracked', ...fromClient('a'));
  t.equal(there.verdict, 'delivered');
  const member = there.member!.replace('web/', '');
  const { address } = MACHINES.find(({ role }) => role === member)!;
  const back = await trace('a', `tcp ${address}:8080 > ${CLIENT}:40001`, '--tracked');
  t.match(back, { verdict: /delivered|flooded/, output: /v-a-client/, from: `v-a-${member}` });
  t.match(back.steps.map(({ text }) => text).join('\n'), `${VIP}:80 > ${CLIENT}:40001`);
  const none = await trace('a', `tcp ${CLIENT}:49999 > ${VIP}:80`, '--tracked', ...fromClient('a'));
  t.match(none.notes, ['conntrack has no such connection: it would be a new one']);
});

const REASONS: readonly [string, string, RegExp][] = [
  ['an empty pool', `tcp ${CLIENT}:40000 > ${VIP}:81`, /^pool dead has no member that may serve$/],
  ['a listener that is off', `tcp ${CLIENT}:40000 > ${VIP}:82`, /^listener web\/off is switched off/],
  ['no route', `tcp ${CLIENT}:40000 > 10.99.0.1:80`, /^no route to 10\.99\.0\.1$/],
  [
    'a VIP without such a listener',
    `udp ${CLIENT}:40000 > ${VIP}:53`,
    /^VIP 10\.20\.0\.100 has no listener for UDP port 53; it has TCP 80 \(web\/http\)/,
  ],
];
for (const [name, packet, reason] of REASONS)
  await t.test(`${name} is named as the reason`, async (t) => {
    for (const tenant of TENANTS)
      t.match(await trace(tenant, packet, ...fromClient(tenant)), { verdict: 'dropped', reason });
  });

await t.test('ARP, echo and another segment', async (t) => {
  t.match(await trace('b', `arp ${CLIENT} > 10.20.0.1`, ...fromClient('b')), {
    verdict: 'answered',
    output: 'v-b-client',
  });
  t.match(await trace('b', 'icmp 10.30.0.2 > 10.30.0.1'), { verdict: 'answered', from: 'v-b-be2' });
  const routed = await trace('b', `icmp ${CLIENT} > 10.30.0.2`, ...fromClient('b'));
  t.match(routed, { verdict: 'delivered', output: 'v-b-be2' });
  t.match(routed.steps.find(({ table }) => table === 20)?.text, /in segment p3 .*TTL falls to 63/);
});

await t.test('a flow of ovs-ofctl, the raw trace, and text', async (t) => {
  const flow = `in_port=v-b-client,arp,arp_op=1,arp_spa=${CLIENT},arp_tpa=10.20.0.1`;
  const raw = await agent.lbctl(['trace', flow, '--raw']);
  t.match(raw.stdout, /^Flow: arp,in_port=\d+,[\s\S]*Datapath actions: /);
  const { stdout } = await agent.lbctl(['trace', flow]);
  t.match(
    stdout,
    /^b: in_port=v-b-client,arp,.*\n 0 ingress +port v-b-client is in segment p2 of tenant b\n/,
  );
  t.match(stdout, /\n=> answered: out by v-b-client\n$/);
});

await t.test('what cannot be traced is said, with exit status 2', async (t) => {
  const packet = `tcp ${CLIENT}:40000 > ${VIP}:80`;
  for (const [words, said] of [
    [['-t', 'c', packet], /no tenant "c"/],
    [['-t', 'a', packet, '--from', 'v-b-client'], /v-b-client is no port and no segment of tenant a/],
    [['-t', 'b', packet, '--from', 'absent'], /port absent of segment p3 is not on bridge br-lb/],
    [['-t', 'a', 'tcp everything', '--from', 'v-a-client'], /isn't a packet/],
    [['-t', 'a', packet, '--from', 'v-a-client', '--ct-next', 'old'], /"old" is no state of conntrack/],
  ] as const) {
    const { code, stderr } = await agent.lbctl(['trace', ...words], true);
    t.equal(code, 2);
    t.match(stderr, said);
  }
});

/** Captures while a member of each tenant is drained and enabled, over and over. */
async function captureChanges(...options: string[]) {
  let over = false;
  const capturing = agent.lbctl(['capture', ...options, '--duration', '3']).finally(() => {
    over = true;
  });
  while (!over)
    for (const tenant of ['b', 'a'])
      for (const command of ['drain', 'enable']) await agent.lbctl([command, `${tenant}/web/be1`]);
  return capturing;
}

await t.test('a capture of one tenant, as a file that tshark reads', async (t) => {
  const file = join(lab.dir, 'capture.pcapng');
  t.match((await captureChanges('-t', 'a', '-o', file)).stderr, /^lbctl: \d+ bytes written to /);
  const tshark = async (...options: string[]) =>
    (await run(['tshark', '-r', file, ...options], { timeout: 60_000 })).stdout.split('\n').filter(Boolean);
  t.same(await tshark('-Y', '_ws.malformed'), [], 'nothing malformed');
  t.same(await tshark('-Y', 'tcp.analysis.flags && frame.interface_id == 0'), [], 'streams without holes');
  const messages = await tshark('-Y', 'openflow_v4', '-T', 'fields', '-e', 'frame.comment');
  t.ok(messages.length > 20, `${messages.length} messages`);
  t.same(
    messages.filter((comment) => !/^a( |,|$)/.test(comment)),
    [],
    "all about a's",
  );
  t.ok(messages.some((comment) => /^a pool web/.test(comment)));
  t.ok(messages.some((comment) => /, \d+\.\d\d ms after the request$/.test(comment)));
  const fields = ['-T', 'fields', '-e', 'ip.src', '-e', 'ip.dst'];
  const frames = await tshark('-Y', 'frame.interface_id == 1 && tcp', ...fields);
  for (const way of ['10.20.0.1\t10.20.0.2', '10.20.0.2\t10.20.0.1'])
    t.ok(frames.includes(way), `health checks ${way.replace('\t', ' > ')} among ${frames.length} frames`);
});

await t.test('a capture as text, of some classes', async (t) => {
  const { stdout } = await captureChanges('-t', 'b', '--class', 'flow_mod', 'bundle');
  t.match(stdout, /^-- hpnn-agent .*\n-- connection \S*127\.0\.0\.1:\d+\n/);
  const lines = stdout.split('\n').filter((line) => /^\d\d:/.test(line));
  const form =
    /^\d\d:\d\d:\d\d\.\d{6} ([<>] bundle|> flow_mod) +xid=0x[0-9a-f]+ b( pool web)?( after [0-9.]+ ms)? {2}/;
  t.ok(lines.length > 10, `${lines.length} messages`);
  t.same(
    lines.filter((line) => !form.test(line)),
    [],
  );
  t.match(stdout, /FLOW_MOD .*table:11 .*reg1=/);
  t.match(stdout, /after [0-9.]+ ms {2}.*COMMIT_REPLY/);
  t.match(stdout, /\n-- the time is over\n$/);
});

await t.test('a capture that cannot be is refused', async (t) => {
  const { code, stderr } = await agent.lbctl(['capture', '--class', 'flowmod'], true);
  t.match([code, stderr], [2, 'lbctl: there is no class of messages "flowmod"; did you mean flow_mod?\n']);
});
