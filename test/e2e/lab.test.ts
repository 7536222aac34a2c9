import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import t from 'tap';
import { Lab } from '../../lab/lab.js';
import { namespacesOf } from '../../lab/namespace.js';
import { OpenflowSniffer } from '../../lab/openflow-sniffer.js';
import { records } from '../../lab/owner.js';
import { RunningProcess, run } from '../../lab/process.js';
import { answer, httpServer, tcpEcho, udpEcho } from '../../lab/services.js';
import { until } from '../../lab/until.js';

const LAB = fileURLToPath(new URL('../../lab/', import.meta.url));

await t.test('hosts of two labs with the same names and addresses stand side by side', async (t) => {
  const labs = await Promise.all([Lab.create(), Lab.create()]);
  t.teardown(() => {
    for (const lab of labs) lab.close();
  });
  for (const [index, lab] of labs.entries()) {
    await lab.addBridge('br-lb');
    await lab.vswitch.ofctl('br-lb', ['add-flow', 'actions=normal']);
    const client = await lab.addHost({
      name: 'client',
      addresses: ['10.9.0.1/24'],
      mac: '02:00:00:00:00:01',
    });
    const server = await lab.addHost({
      name: 'server',
      addresses: ['10.9.0.2/24'],
      mac: '02:00:00:00:00:02',
      ofport: 40 + index,
    });
    const capture = await server.capture({ filter: 'tcp dst port 8080', direction: 'in' });
    await httpServer(server);
    const response = await client.curl('http://10.9.0.2:8080/');
    t.same(answer(response.body), {
      server: 'server',
      client: '10.9.0.1',
      clientPort: String(response.localPort),
    });
    await capture.stop();
    const [first] = capture.seen();
    t.match(first, {
      sourceMac: '02:00:00:00:00:01',
      destinationMac: '02:00:00:00:00:02',
      ttl: 64,
      destinationPort: 8080,
    });
    t.equal(await lab.vswitch.ofport('v-server'), 40 + index);
  }
});

await t.test('echo services answer with the name of their host', async (t) => {
  const lab = await Lab.create();
  t.teardown(() => lab.close());
  await lab.addBridge('br-lb');
  await lab.vswitch.ofctl('br-lb', ['add-flow', 'actions=normal']);
  const client = await lab.addHost({ name: 'client', addresses: ['10.9.0.1/24'] });
  const server = await lab.addHost({ name: 'server', addresses: ['10.9.0.2/24'] });
  await Promise.all([tcpEcho(server, 7), udpEcho(server, 7)]);
  for (const protocol of ['tcp', 'udp']) {
    const script = `exec 3<>/dev/${protocol}/10.9.0.2/7; echo hello >&3; timeout 3 head -n 1 <&3`;
    t.equal((await client.exec(['bash', '-c', script])).stdout, 'server hello\n', protocol);
  }
});

await t.test('flows are read back in parts', async (t) => {
  const lab = await Lab.create();
  t.teardown(() => lab.close());
  await lab.addBridge('br-lb', { protocols: ['OpenFlow13'] });
  const flow = 'table=3,priority=7,cookie=0x1020000054c42,tcp,reg3=1,tp_dst=80,idle_timeout=60,actions=drop';
  await lab.vswitch.ofctl('br-lb', ['add-flow', flow]);
  await lab.vswitch.ofctl('br-lb', ['add-flow', 'actions=drop']);
  const [any, one] = await lab.vswitch.flows('br-lb');
  t.match(any, { table: 0, priority: 32768, match: '', actions: 'drop', idleTimeout: 0 });
  t.match(one, {
    table: 3,
    priority: 7,
    cookie: 0x1020000054c42n,
    match: 'tcp,reg3=0x1,tp_dst=80',
    idleTimeout: 60,
  });
});

await t.test('changes are counted on the wire, inside bundles and outside', async (t) => {
  const lab = await Lab.create();
  t.teardown(() => lab.close());
  await lab.addBridge('br-lb');
  await lab.vswitch.setController('br-lb', 'ptcp:6653:127.0.0.1');
  const flows = Array.from({ length: 500 }, (_, index) => `table=1,reg1=${index},actions=drop`).join('\n');
  for (const [version, bundle] of [
    ['OpenFlow13', '--bundle'],
    ['OpenFlow15', '--bundle'],
    ['OpenFlow13', '--no-stats'],
  ] as const) {
    const sniffer = await OpenflowSniffer.start(lab, { listener: 'switch' });
    const argv = ['ovs-ofctl', '-O', version, bundle, 'add-flows', 'tcp:127.0.0.1:6653', '-'];
    await until(() => lab.node.exec(argv, { input: flows }), { what: 'the switch listening' });
    await lab.node.exec([
      'ovs-ofctl',
      '-O',
      version,
      'add-group',
      'tcp:127.0.0.1:6653',
      `group_id=${version.slice(-2)}${bundle.length},type=all`,
    ]);
    t.match(await sniffer.stop(), { flowMods: 500, groupMods: 1, meterMods: 0 }, `${version} ${bundle}`);
  }
});

await t.test('the switch can be killed and comes back with its ports', async (t) => {
  const lab = await Lab.create();
  t.teardown(() => lab.close());
  await lab.addBridge('br-lb');
  await lab.addHost({ name: 'h', addresses: ['10.9.0.1/24'], ofport: 5 });
  await lab.vswitch.ofctl('br-lb', ['add-flow', 'table=9,actions=drop']);
  const before = lab.vswitch.pid;
  await lab.vswitch.restart();
  t.not(lab.vswitch.pid, before);
  t.equal(await lab.vswitch.ofport('v-h'), 5);
  t.same(await lab.vswitch.flows('br-lb'), [], 'fail-mode secure: it knows nothing');
});

await t.test('a lab whose owner was killed is collected, whole', async (t) => {
  const script = `import('${LAB}lab.ts').then(async ({ Lab }) => {
    const lab = await Lab.create();
    await lab.addBridge('br-lb');
    await lab.addHost({ name: 'h', addresses: ['10.9.0.1/24'] });
    console.log('made ' + lab.id + ' ' + lab.dir + ' ' + lab.vswitch.pid);
    setInterval(() => {}, 1000);
  })`;
  const owner = new RunningProcess([process.execPath, '--import', 'tsx', '-e', script], {
    env: { HPNN_LAB_RUN: 'orphans' },
  });
  await owner.says(/^made /m);
  const [, id, dir, pid] = owner.stdout.trim().split(' ') as [string, string, string, string];
  t.equal(namespacesOf(`${id}-`).length, 2);
  await owner.stop('SIGKILL');
  t.match(
    records().find(({ lab }) => lab === id),
    { alive: false },
  );
  const { stdout } = await run([process.execPath, '--import', 'tsx', `${LAB}main.ts`, 'check', 'orphans'], {
    allowFailure: true,
  });
  t.match(stdout, `lab ${id} was left behind`);
  t.same(namespacesOf(`${id}-`), []);
  t.notOk(existsSync(dir));
  await until(() => !existsSync(`/proc/${pid}`), { what: 'the end of its switch' });
});

await t.test('a lab ends with its owner, interrupted or failed', async (t) => {
  const script = (then: string) => `import('${LAB}lab.ts').then(async ({ Lab }) => {
    const lab = await Lab.create();
    console.log('made ' + lab.id + ' ' + lab.dir);
    ${then}
  })`;
  for (const [then, status] of [
    ['setInterval(() => {}, 1000)', 130],
    ['throw new Error("on purpose")', 1],
  ] as const) {
    const owner = new RunningProcess([process.execPath, '--import', 'tsx', '-e', script(then)]);
    await owner.says(/^made /m);
    const [, id, dir] = owner.stdout.trim().split(' ') as [string, string, string];
    t.equal(status === 130 ? await owner.stop('SIGINT') : await owner.exited, status);
    t.same(namespacesOf(`${id}-`), []);
    t.notOk(existsSync(dir));
  }
});
