import t from 'tap';
import { health, neighbours } from '../../lab/observations.js';
import { flood, httpServer } from '../../lab/services.js';
import { pause, until } from '../../lab/until.js';
import { HealthWorld } from './suites/health-world.js';

const GATEWAY_MAC = '02:42:0a:14:00:01';
const FLOOD_MS = 10_000;
const MEMBERS = [2, 3, 4];

// Both tenants have everything in common; in a there is one more machine.
const world = await HealthWorld.create([
  ...['a', 'b'].flatMap((tenant) =>
    MEMBERS.map((n) => ({
      name: `${tenant}-be${n}`,
      addresses: [`10.20.0.${n}/24`],
      mac: `02:00:00:00:02:0${n}`,
      gateway: '10.20.0.1',
    })),
  ),
  { name: 'a-flooder', addresses: ['10.20.0.66/24'], gateway: '10.20.0.1' },
]);
const { lab } = world;
t.teardown(() => lab.close());
await Promise.all(
  ['a', 'b'].flatMap((tenant) => MEMBERS.map((n) => httpServer(world.host(`${tenant}-be${n}`)))),
);
for (const tenant of ['a', 'b']) {
  const ports = [...MEMBERS.map((n) => `v-${tenant}-be${n}`), ...(tenant === 'a' ? ['v-a-flooder'] : [])];
  const pool = (name: string, monitor: string, port: number) => `
  - name: ${name}
    health_monitor: { ${monitor}, delay: 1, timeout: 1, max_retries: 1, max_retries_down: 3 }
    members:
${MEMBERS.map((n) => `      - { name: be${n}, address: 10.20.0.${n}, protocol_port: ${port} }`).join('\n')}`;
  world.writeTenant(
    tenant,
    `id: ${tenant === 'a' ? 1 : 2}
segments:
  - { name: p2, subnets: [10.20.0.0/24], mac: "${GATEWAY_MAC}", ports: [${ports.map((name) => `{ name: ${name} }`).join(', ')}] }
pools:${pool('tcp', 'type: TCP', 8080)}${pool('http', 'type: HTTP', 8080)}${pool('ping', 'type: PING', 9)}
  - name: closed
    health_monitor: { type: TCP, delay: 1, timeout: 1, max_retries: 1, max_retries_down: 3 }
    members:
      - { name: be2, address: 10.20.0.2, protocol_port: 9 }
`,
  );
}
const agent = await world.start();
const POOLS = ['tcp', 'http', 'ping'];
for (const tenant of ['a', 'b']) {
  for (const pool of POOLS)
    for (const n of MEMBERS) await world.verdict(`${tenant}/${pool}/be${n}`, 'ONLINE', 'ok');
  await world.verdict(`${tenant}/closed/be2`, 'ERROR', 'connect refused');
}
const placesOf = async (tenant: string) =>
  (await neighbours(agent))
    .filter((row) => row.tenant === tenant && row.source !== 'demand')
    .map(({ address, mac, port }) => `${address} ${mac} ${port}`)
    .sort();

await t.test('a tenant that floods changes no verdict and no neighbour of another', async (t) => {
  const before = await placesOf('b');
  t.equal(before.length, MEMBERS.length);
  // Verdicts are logged a little after they can be seen.
  await until(
    async () =>
      (await health(agent)).every(
        ({ tenant, pool, member, operatingStatus }) =>
          agent.process.stdout
            .split('\n')
            .findLast((line) => line.includes(`"tenant":"${tenant}","pool":"${pool}","member":"${member}"`))
            ?.includes(`"msg":"member ${operatingStatus}"`) === true,
      ),
    { what: 'every verdict being logged' },
  );
  const quiet = agent.process.stdout.length;
  const running = await flood(world.host('a-flooder'), GATEWAY_MAC);
  await pause(FLOOD_MS);
  const during = await placesOf('b');
  const { sent: packets, seconds } = await running.stop();
  const rate = Math.round(packets / seconds);
  t.comment(`${packets} packets, ${rate} a second`);
  const punted = await Promise.all(
    ['arp', 'probe', 'nextHop'].map(
      async (cls) => `${cls} ${await agent.metric('hpnn_packet_in_total', { class: cls })}`,
    ),
  );
  t.comment(`handed to the agent: ${punted.join(', ')}`);
  t.same(during, before, 'neighbours of b while it lasts');
  t.same(await placesOf('b'), before, 'and after it');
  const lines = agent.process.stdout.slice(quiet).split('\n');
  t.same(
    lines.filter((line) => line.includes('"module":"health"') && line.includes('"tenant":"b"')),
    [],
    'no verdict of b has changed',
  );
  t.same(
    lines.filter((line) => line.includes('"module":"neighbours"') && line.includes('"tenant":2')),
    [],
    'nor a neighbour of it',
  );
  for (const pool of POOLS) for (const n of MEMBERS) await world.verdict(`b/${pool}/be${n}`, 'ONLINE', 'ok');
});
