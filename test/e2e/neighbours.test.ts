import t from 'tap';
import type { Host } from '../../lab/host.js';
import { neighbours } from '../../lab/observations.js';
import { run } from '../../lab/process.js';
import { httpServer } from '../../lab/services.js';
import { until } from '../../lab/until.js';
import { HealthWorld } from './suites/health-world.js';

const mac = (n: number) => `02:00:00:00:02:${String(n).padStart(2, '0')}`;
const NEW_MAC = '02:00:00:00:99:01';

/** Each is a member; what happens to it is its name. */
const MEMBERS = {
  announced: '10.20.0.11',
  silent: '10.20.0.12',
  moved: '10.20.0.13',
  doubled: '10.20.0.14',
  replugged: '10.20.0.15',
  crooked: '10.20.0.16',
  claimed: '10.20.0.17',
};
type Name = keyof typeof MEMBERS;

const machine = (name: string, address: string, card: string) => ({
  name,
  addresses: [`${address}/24`],
  mac: card,
  gateway: '10.20.0.1',
});
const world = await HealthWorld.create([
  ...Object.entries(MEMBERS).map(([name, address], n) => machine(name, address, mac(11 + n))),
  machine('moved2', MEMBERS.moved, mac(13)),
  machine('doubled2', MEMBERS.doubled, mac(94)),
  machine('liar', '10.20.0.66', mac(66)),
  { name: 'quiet', addresses: ['10.30.0.9/24'], gateway: '10.30.0.1' },
]);
const { lab } = world;
t.teardown(() => lab.close());
const host = (name: Name | 'moved2' | 'doubled2' | 'liar'): Host => world.host(name);
const link = (name: Parameters<typeof host>[0], state: 'up' | 'down') =>
  host(name).exec(['ip', 'link', 'set', 'eth0', state]);

await link('moved2', 'down');
await link('doubled2', 'down');
await asymmetric(host('crooked'));
await Promise.all(
  (['moved2', ...Object.keys(MEMBERS)] as Parameters<typeof host>[0][]).map((name) => httpServer(host(name))),
);

const plugged = [...Object.keys(MEMBERS), 'moved2', 'doubled2', 'liar', 'crooked2'];
world.writeTenant(
  'a',
  `segments:
  - { name: p2, subnets: [10.20.0.0/24], ports: [${plugged.map((name) => `{ name: v-${name} }`).join(', ')}] }
  - { name: p3, subnets: [10.30.0.0/24], ports: [{ name: v-quiet }] }
pools:
  - name: web
    health_monitor: { type: TCP, delay: 1, timeout: 0.8, max_retries: 1, max_retries_down: 10 }
    members:
${Object.entries(MEMBERS)
  .map(([name, address]) => `      - { name: ${name}, address: ${address}, protocol_port: 8080 }`)
  .join('\n')}
`,
);
const agent = await world.start();

const row = async (name: Name) =>
  (await neighbours(agent)).find(({ segment, address }) => segment === 'p2' && address === MEMBERS[name]);
const isAt = (name: Name, card: string, port: string) =>
  until(
    async () => {
      const now = await row(name);
      return now?.mac === card && now.port === port && now.state === 'REACHABLE';
    },
    { what: `${name} at ${card} on ${port}` },
  );
/** What the agent logged of a member's neighbour, or of its verdicts. */
const logged = (message: string, text: string) =>
  agent.process.stdout.split('\n').filter((line) => line.includes(message) && line.includes(text));
const fell = (name: Name) => logged('member ERROR', `"member":"${name}"`);
/** Its last check succeeded at its present place. */
const answers = (name: Name) => world.verdict(`a/web/${name}`, 'ONLINE', 'ok');
const took = (since: number) => `${Date.now() - since} ms`;

for (const name of Object.keys(MEMBERS) as Name[]) if (name !== 'crooked') await answers(name);

await t.test('another MAC, announced by gratuitous ARP', async (t) => {
  await host('announced').setMac(NEW_MAC);
  await host('announced').exec(['arping', '-U', '-c', '1', '-I', 'eth0', MEMBERS.announced], {
    allowFailure: true,
  });
  const since = Date.now();
  await isAt('announced', NEW_MAC, 'v-announced');
  t.comment(took(since));
  await answers('announced');
  t.same(fell('announced'), [], 'it never fell');
});

await t.test('another MAC, of which nothing is said: the silence of the old one tells', async (t) => {
  const since = Date.now();
  await host('silent').setMac('02:00:00:00:99:02');
  await isAt('silent', '02:00:00:00:99:02', 'v-silent');
  t.comment(took(since));
  await answers('silent');
  t.same(fell('silent'), [], 'it never fell');
});

await t.test('the same MAC on another port of the bridge', async (t) => {
  const since = Date.now();
  await link('moved', 'down');
  await link('moved2', 'up');
  await isAt('moved', mac(13), 'v-moved2');
  t.comment(took(since));
  await answers('moved');
  t.same(fell('moved'), [], 'it never fell');
});

await t.test('a port that was taken out and comes back under another number', async (t) => {
  const before = await lab.vswitch.ofport('v-replugged');
  await lab.vswitch.vsctl(['del-port', 'br-lb', 'v-replugged']);
  await lab.vswitch.vsctl([
    'add-port',
    'br-lb',
    'v-replugged',
    '--',
    'set',
    'interface',
    'v-replugged',
    'ofport_request=77',
  ]);
  t.not(await lab.vswitch.ofport('v-replugged'), before);
  await until(
    async () =>
      (await lab.vswitch.flows('br-lb', 'table=21')).some(({ actions }) => actions.includes('output:77')),
    { what: 'the way to port 77' },
  );
  await isAt('replugged', mac(15), 'v-replugged');
  await answers('replugged');
  t.same(fell('replugged'), [], 'it never fell');
});

await t.test('two stations answer for one address: the first is kept, the other reported', async (t) => {
  await link('doubled2', 'up');
  await host('doubled2').exec(['arping', '-U', '-c', '1', '-I', 'eth0', MEMBERS.doubled], {
    allowFailure: true,
  });
  await until(() => logged('neighbour duplicate-address', mac(94).replaceAll(':', '')).length > 0, {
    what: 'the duplicate being reported',
  });
  t.match(await row('doubled'), { mac: mac(14), port: 'v-doubled' });
  t.same(fell('doubled'), [], 'it never fell');
  await link('doubled', 'down');
  await isAt('doubled', mac(94), 'v-doubled2');
  t.pass('when the first is silent, the other is taken');
});

await t.test('a station that claims an address and answers no question changes nothing', async (t) => {
  const liar = host('liar');
  await liar.namespace.sysctl({ 'net.ipv4.conf.all.arp_ignore': 8 });
  await liar.exec(['ip', 'addr', 'add', `${MEMBERS.claimed}/32`, 'dev', 'lo']);
  await liar.exec(
    ['arping', '-U', '-c', '3', '-w', '5', '-I', 'eth0', '-s', MEMBERS.claimed, MEMBERS.claimed],
    {
      allowFailure: true,
    },
  );
  await until(async () => (await row('claimed'))?.state === 'REACHABLE', {
    what: 'the end of the verification',
  });
  t.match(await row('claimed'), { mac: mac(17), port: 'v-claimed' });
  await answers('claimed');
  t.same(logged('neighbour moved', MEMBERS.claimed), []);
  t.same(fell('claimed'), [], 'it never fell');
});

await t.test(
  'answers from another card than the one that was asked count for nothing, and are named',
  async (t) => {
    await world.verdict(
      'a/web/crooked',
      'ERROR',
      /^connect timed out: answers came from 02:00:00:00:02:96$/,
      40_000,
    );
    t.match(await row('crooked'), { mac: mac(16), port: 'v-crooked' });
  },
);

await t.test('the first packet to a host that nobody knows waits until the host is found', async (t) => {
  const { code, stdout } = await host('liar').exec(['ping', '-n', '-c', '1', '-W', '5', '10.30.0.9'], {
    allowFailure: true,
  });
  t.equal(code, 0, stdout);
  const found = (await neighbours(agent)).find(({ address }) => address === '10.30.0.9');
  t.match(found, { source: 'demand', state: 'REACHABLE', port: 'v-quiet' });
  await host('liar').exec(['ping', '-n', '-c', '1', '-W', '1', '10.30.0.77'], { allowFailure: true });
  await until(async () => !(await neighbours(agent)).some(({ address }) => address === '10.30.0.77'), {
    what: 'an absent host being forgotten',
  });
});

/** Gives a host a second card, by which it answers what it was asked at the first. */
async function asymmetric(of: Host): Promise<void> {
  const { name } = of.namespace;
  await run([
    'ip',
    '-n',
    lab.node.name,
    'link',
    'add',
    'v-crooked2',
    'type',
    'veth',
    'peer',
    'eth1',
    'netns',
    name,
  ]);
  await run(['ip', '-n', lab.node.name, 'link', 'set', 'v-crooked2', 'up']);
  await of.exec(['ip', 'link', 'set', 'eth1', 'address', mac(96)]);
  await of.exec(['ip', 'link', 'set', 'eth1', 'up']);
  await of.exec(['ethtool', '-K', 'eth1', 'tx', 'off']);
  await of.namespace.sysctl({
    'net.ipv4.conf.all.rp_filter': 0,
    'net.ipv4.conf.eth0.rp_filter': 0,
    'net.ipv4.conf.eth1.rp_filter': 0,
    'net.ipv4.conf.eth1.arp_ignore': 1,
  });
  await of.exec(['ip', 'route', 'add', '10.20.0.1/32', 'dev', 'eth1', 'src', MEMBERS.crooked]);
  await lab.vswitch.vsctl(['add-port', 'br-lb', 'v-crooked2']);
}
