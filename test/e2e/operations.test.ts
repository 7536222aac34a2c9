import { spawn } from 'node:child_process';
import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import t from 'tap';
import { HttpLoad } from '../../lab/load.js';
import { applied, disturbances, tenantFlows } from '../../lab/observations.js';
import { run } from '../../lab/process.js';
import { VIP } from '../../lab/two-tenants.js';
import { until } from '../../lab/until.js';
import { serving } from './suites/serving.js';

const path = (file: string) => fileURLToPath(new URL(`../../${file}`, import.meta.url));
const has = async (...argv: string[]) => {
  try {
    return (await run(argv, { allowFailure: true })).code === 0;
  } catch {
    return false;
  }
};

const dropped = ['setpriv', '--bounding-set=-all', '--inh-caps=-all', '--no-new-privs'];
/** Whether this machine lets us do without capabilities, and the files here are readable then. */
const bare = await has(...dropped, path('bin/hpnn-agent'), '--version');
const machine = ['unshare', '--mount', '--net', '--pid', '--fork', '--kill-child', '--mount-proc'];
const ownMachine = await has(...machine, 'mount', '-t', 'tmpfs', 'none', '/run');
const systemdNotify = await has('systemd-notify', '--version');
const world = await serving();
const { lab, configDir, host } = world.world;
t.teardown(() => lab.close());

await t.test('--check says what is wrong, and takes part in nothing', async (t) => {
  const check = (...argv: string[]) =>
    lab.node.exec([path('bin/hpnn-agent'), '--check', ...argv], { allowFailure: true });
  const right = await check(configDir);
  t.equal(right.code, 0);
  t.equal(right.stdout, `${configDir}: 2 tenants, 0 errors, 0 warnings\n`);
  t.equal(right.stderr, '');
  const dir = join(lab.dir, 'wrong');
  cpSync(configDir, dir, { recursive: true });
  const file = join(dir, 'tenants.d', 'a.yaml');
  writeFileSync(file, readFileSync(file, 'utf8').replace('slots: 251', 'slotz: 251'));
  const wrong = await check(dir);
  t.equal(wrong.code, 1);
  t.match(wrong.stderr, /a\.yaml:\d+:\d+ pools\[0\]\.slotz: /);
  t.match(wrong.stdout, /1 errors?/);
});

await t.test(
  'an upgrade: stopped, replaced and started under load, no request fails, no flow moves',
  async (t) => {
    const before = await Promise.all([1, 2].map((id) => tenantFlows(lab.vswitch, id)));
    const load = await HttpLoad.start(host('a', 'client'), `http://${VIP}/`);
    t.equal(await world.agent.stop(), 0, 'exit status');
    const meanwhile = (await load.sample()).requests;
    await until(async () => (await load.sample()).requests > meanwhile + 20, {
      what: 'requests without an agent',
    });
    world.agent = await lab.startAgent({ configDir });
    await applied(world.agent);
    t.equal(await world.agent.metric('hpnn_flow_mods_total'), 0);
    t.equal(await world.agent.metric('hpnn_reconciles_total', { result: 'equal' }), 1);
    const served = (await load.sample()).requests;
    await until(async () => (await load.sample()).requests > served + 20, {
      what: 'requests with the new one',
    });
    const sum = await load.stop();
    t.equal(sum.failed, 0, `${sum.requests} requests`);
    for (const [index, flows] of before.entries())
      t.same(disturbances(flows, await tenantFlows(lab.vswitch, index + 1)), []);
  },
);

await t.test('log levels change while it runs', async (t) => {
  t.equal((await world.agent.lbctl(['log', 'openflow:debug'])).code, 0);
  t.equal((await world.agent.lbctl(['log', 'config:silent'])).code, 0);
  const { levels } = await world.agent.json<{ levels: Record<string, string> }>('/log');
  t.equal(levels.openflow, 'debug');
  t.equal(levels.config, 'silent');
  const wrong = await world.agent.lbctl(['log', 'openflow:loud'], true);
  t.equal(wrong.code, 2);
});

await t.test(
  'without any capability, as the unit has it, the agent serves and tells that it is ready',
  { skip: !(systemdNotify && bare) && 'there is no systemd-notify here, or no way without capabilities' },
  async (t) => {
    await world.agent.stop();
    const socket = join(lab.dir, 'notify');
    const manager = spawn(
      '/usr/bin/python3',
      [
        '-uc',
        `import socket, sys
s = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
s.bind(sys.argv[1])
print("bound")
while True: print(s.recv(4096).decode().replace("\\n", " "))`,
        socket,
      ],
      { stdio: ['ignore', 'pipe', 'inherit'] },
    );
    let told = '';
    manager.stdout.setEncoding('utf8').on('data', (text: string) => {
      told += text;
    });
    t.teardown(() => manager.kill());
    await until(() => told.includes('bound'), { what: 'the socket' });
    const child = lab.node.spawn([...dropped, ...[path('bin/hpnn-agent'), '--config', configDir]], {
      env: { ...lab.vswitch.environment, NOTIFY_SOCKET: socket },
    });
    await until(() => !child.running || told.includes('READY=1'), { what: 'readiness' });
    t.ok(child.running, child.stderr);
    await applied(world.agent);
    const { tenants } = await world.agent.json<{ tenants: { connections?: number }[] }>('/status');
    t.ok(
      tenants.every(({ connections }) => connections !== undefined),
      'vswitchd answers',
    );
    t.ok((await host('a', 'client').curl(`http://${VIP}/`)).ok);
    t.equal(await child.stop('SIGTERM'), 0);
    t.match(told, /STOPPING=1/);
  },
);

await t.test(
  'what the images do, done by hand: a switch, an agent, two tenants with equal addresses',
  { skip: !ownMachine && 'no file systems of its own' },
  async (t) => {
    // A machine of its own: the paths that the images have, on file systems that nobody else sees. The agent is root
    // without any capability, since the image's user might not be allowed to read this directory.
    const script = `set -euo pipefail
mount -t tmpfs none /run && mkdir /run/netns /run/hpnn
mount -t tmpfs none /etc/openvswitch && mount -t tmpfs none /var/log/openvswitch
cp -r ${path('docker/config')} /run/config
sed -i s,/var/lib/hpnn,/run/state, /run/config/node.yaml
ip link set lo up
export PATH=${path('docker')}:${path('bin')}:$PATH SOCKET_GROUP=0 TENANTS='red blue'
unset OVS_RUNDIR OVS_LOGDIR OVS_DBDIR OVS_SYSCONFDIR
ovs.sh >/run/ovs.log 2>&1 &
until ip netns exec blue-be2 true 2>/dev/null; do sleep 0.1; done
${bare ? dropped.join(' ') : ''} hpnn-agent --config /run/config >/run/agent.log 2>&1 &
until [ "$(lbctl health -f csv --no-headings 2>/dev/null | grep -c ,ONLINE,)" = 4 ]; do sleep 0.2; done
for tenant in red blue; do
  for n in 1 2 3 4 5 6 7 8; do ip netns exec $tenant-client curl -sS --max-time 3 http://10.20.0.100/; done
done
lbctl status -f csv --no-headings
lbctl status --brief
`;
    const { stdout, stderr, code } = await run([...machine, 'timeout', '120', 'bash', '-c', script], {
      allowFailure: true,
      timeout: 150_000,
    });
    t.equal(code, 0, stderr);
    const lines = stdout.split('\n');
    const answers = (tenant: string) =>
      lines.filter((line) => new RegExp(`^${tenant}-be[12]$`).test(line)).length;
    t.equal(answers('red'), 8, stdout);
    t.equal(answers('blue'), 8);
    t.equal(lines.filter((line) => /^(red|blue),.*applied/.test(line)).length, 2, stdout);
  },
);
