import t from 'tap';
import { health } from '../../lab/observations.js';
import { httpServer, program, udpEcho } from '../../lab/services.js';
import { until } from '../../lab/until.js';
import { type Conversation, Conversations, smooth } from './suites/conversations.js';
import { HealthWorld } from './suites/health-world.js';

/** Of every check here. */
const TIMEOUT_MS = 400;
const TIMES = 'delay: 0.5, timeout: 0.4, max_retries: 1, max_retries_down: 2';

/** So that nothing is sent twice because the machine is busy. */
const PATIENT = 'delay: 2, timeout: 2, max_retries: 1, max_retries_down: 2';

/** Port and verdict of each server of lab/programs/odd-servers.mjs. */
const HTTP: Record<string, [port: number, status: 'ONLINE' | 'ERROR', reason: string]> = {
  good: [8001, 'ONLINE', 'ok'],
  huge: [8002, 'ONLINE', 'ok'],
  bytes: [8003, 'ONLINE', 'ok'],
  chunked: [8004, 'ONLINE', 'ok'],
  interim: [8005, 'ONLINE', 'ok'],
  mute: [8006, 'ERROR', 'no answer to the request in time'],
  drip: [8007, 'ERROR', 'answer not complete in time'],
  interims: [8008, 'ERROR', 'answers 1xx without end'],
  reset: [8009, 'ERROR', 'connection reset'],
  fin: [8010, 'ERROR', 'closed before an answer'],
  half: [8011, 'ERROR', 'closed before an answer'],
  banner: [8012, 'ERROR', 'not HTTP'],
  unwell: [8013, 'ERROR', 'HTTP 503, expected 200,202-204'],
};
const MAC = '02:00:00:00:02:02';

const world = await HealthWorld.create([
  { name: 'be', addresses: ['10.20.0.2/24'], mac: MAC, gateway: '10.20.0.1' },
  { name: 'silent', addresses: ['10.20.0.4/24'], gateway: '10.20.0.1' },
  { name: 'router', addresses: ['10.20.0.254/24'], gateway: '10.20.0.1' },
  { name: 'other', addresses: ['10.20.0.2/24'], mac: MAC, gateway: '10.20.0.1' },
]);
t.teardown(() => world.lab.close());
const [be, silent, router, other] = ['be', 'silent', 'router', 'other'].map((name) => world.host(name));

// Answers ARP; of everything else that it is told it says nothing.
await silent!.exec(['ip', 'route', 'add', 'blackhole', '10.20.0.1/32']);
await router!.namespace.sysctl({ 'net.ipv4.ip_forward': 1, 'net.ipv4.icmp_ratelimit': 0 });
await router!.exec(['ip', 'addr', 'add', '10.50.0.2/32', 'dev', 'lo']);
// One such error a second is all that the router sends to one address: one member has it.
await router!.exec(['ip', 'route', 'add', 'unreachable', '10.50.0.9/32']);
await Promise.all([
  httpServer(be!),
  httpServer(router!),
  httpServer(other!, 8070),
  udpEcho(be!, 9001),
  program(be!, 'udp-mute.mjs', ['9002']),
  program(be!, 'odd-servers.mjs', [
    String(TIMEOUT_MS),
    ...Object.entries(HTTP).map(([kind, [port]]) => `${port}=${kind}`),
    ...[8101, 8102, 8103, 8104].map((port) => `${port}=good`),
  ]),
]);
const captured = await be!.capture({ filter: 'tcp and portrange 8101-8104' });

const pool = (name: string, monitor: string, members: Record<string, string>, times = TIMES) => `
  - name: ${name}
    health_monitor: { ${monitor}, ${times} }
    members:
${Object.entries(members)
  .map(([member, at]) => {
    const [address, port] = at.split(':');
    return `      - { name: ${member}, address: ${address}, protocol_port: ${port} }`;
  })
  .join('\n')}`;
const segments = (ports: string) => `segments:
  - { name: p2, subnets: [10.20.0.0/24], ports: [${ports}] }
`;
world.writeTenant(
  'a',
  `${segments('{ name: v-be }, { name: v-silent }, { name: v-router }')}routes:
  - { destination: 10.50.0.0/24, next_hop: 10.20.0.254 }
pools:
${pool('tcp', 'type: TCP', {
  nginx: '10.20.0.2:8080',
  closed: '10.20.0.2:8070',
  absent: '10.20.0.9:80',
  silent: '10.20.0.4:80',
  routed: '10.50.0.2:8080',
  unreachable: '10.50.0.9:80',
})}
${pool('http', 'type: HTTP, url_path: /health, expected_codes: "200,202-204"', {
  nginx: '10.20.0.2:8080',
  closed: '10.20.0.2:8070',
  silent: '10.20.0.4:80',
  ...Object.fromEntries(Object.entries(HTTP).map(([kind, [port]]) => [kind, `10.20.0.2:${port}`])),
})}
${pool('udp', 'type: UDP-CONNECT', {
  echo: '10.20.0.2:9001',
  mute: '10.20.0.2:9002',
  closed: '10.20.0.2:9003',
})}
${pool('dns', 'type: UDP-CONNECT, udp_silence: down', { echo: '10.20.0.2:9001', mute: '10.20.0.2:9002' })}
${pool('ping', 'type: PING', {
  here: '10.20.0.2:1',
  silent: '10.20.0.4:1',
  routed: '10.50.0.2:1',
  absent: '10.20.0.9:1',
})}
${pool('rst', 'type: TCP', { one: '10.20.0.2:8101' }, PATIENT)}
${pool('fin', 'type: TCP, tcp_close: fin', { one: '10.20.0.2:8102' }, PATIENT)}
${pool('http-rst', 'type: HTTP', { one: '10.20.0.2:8103' }, PATIENT)}
${pool('http-fin', 'type: HTTP, tcp_close: fin', { one: '10.20.0.2:8104' }, PATIENT)}
`,
);
// The same address and card; what is closed at the one is open at the other, and the other way round.
world.writeTenant(
  'b',
  `${segments('{ name: v-other }')}pools:
${pool('tcp', 'type: TCP', { nginx: '10.20.0.2:8080', closed: '10.20.0.2:8070' })}
`,
);
await world.start();

const says = (pool: string, rows: Record<string, ['ONLINE' | 'ERROR', string]>) =>
  t.test(`${pool}: verdicts and why`, async (t) => {
    for (const [member, [status, reason]] of Object.entries(rows)) {
      await world.verdict(`${pool}/${member}`, status, reason);
      t.pass(`${member} is ${status}: ${reason}`);
    }
  });

await says('a/tcp', {
  nginx: ['ONLINE', 'ok'],
  closed: ['ERROR', 'connect refused'],
  absent: ['ERROR', 'no ARP answer from 10.20.0.9 on a/p2'],
  silent: ['ERROR', 'connect timed out'],
  routed: ['ONLINE', 'ok'],
  unreachable: ['ERROR', 'ICMP host unreachable from 10.20.0.254'],
});
await says('b/tcp', { nginx: ['ERROR', 'connect refused'], closed: ['ONLINE', 'ok'] });
await says('a/http', {
  nginx: ['ONLINE', 'ok'],
  closed: ['ERROR', 'connect refused'],
  silent: ['ERROR', 'connect timed out'],
  ...Object.fromEntries(Object.entries(HTTP).map(([kind, [, status, reason]]) => [kind, [status, reason]])),
});
await says('a/udp', {
  echo: ['ONLINE', 'ok'],
  mute: ['ONLINE', 'ok'],
  closed: ['ERROR', 'ICMP port unreachable from 10.20.0.2'],
});
await says('a/dns', { echo: ['ONLINE', 'ok'], mute: ['ERROR', 'no answer'] });
await says('a/ping', {
  here: ['ONLINE', 'ok'],
  silent: ['ERROR', 'no echo reply'],
  routed: ['ONLINE', 'ok'],
  absent: ['ERROR', 'no ARP answer from 10.20.0.9 on a/p2'],
});

await t.test('lbctl health says the same, with round-trip times of those that answer', async (t) => {
  const { stdout } = await world.agent.lbctl(['health', '-t', 'a', '-p', 'tcp']);
  const lines = stdout.split('\n');
  t.match(
    lines.find((line) => line.includes('absent')),
    /ERROR.* no ARP answer from 10\.20\.0\.9 on a\/p2$/,
  );
  const row = (await health(world.agent)).find(({ pool, member }) => pool === 'tcp' && member === 'nginx');
  t.ok(row?.rttMs !== undefined && row.rttMs > 0 && row.rttMs < TIMEOUT_MS, `${row?.rttMs} ms`);
});

await t.test('what a backend sees of checks: none leaves anything behind', async (t) => {
  const ports = [8101, 8102, 8103, 8104];
  // What was sent twice, on a busy machine, is another story.
  const checks = (port: number) => new Conversations(captured.frames(), port).finished.filter(smooth);
  await until(() => ports.every((port) => checks(port).length >= 3), {
    what: 'three checks of each kind',
    timeout: 60_000,
    interval: 500,
  });
  const [rst, fin, httpRst, httpFin] = ports.map(checks);
  const of = ({ segments }: Conversation, flag: string) =>
    segments.filter(({ flags }) => flags.includes(flag));
  const said = ({ segments }: Conversation) =>
    segments.map(({ from, flags }) => `${from} ${flags}`).join('; ');
  t.same(
    rst!.map(said).filter((text) => text !== 'client SYN; server SYN,ACK; client RST'),
    [],
    `rst: three packets each, in ${rst!.length} checks`,
  );
  t.same(
    rst!.filter((check) => of(check, 'RST')[0]?.seq !== (check.iss + 1) >>> 0).map(said),
    [],
    'rst: where the server expects the next byte',
  );
  const clean = (check: Conversation) =>
    of(check, 'RST').length === 0 &&
    of(check, 'FIN').some(({ from }) => from === 'client') &&
    of(check, 'FIN').some(({ from }) => from === 'server') &&
    check.segments.at(-1)?.flags === 'ACK';
  for (const [name, closed] of Object.entries({ fin, httpFin }))
    t.same(closed!.filter((check) => !clean(check)).map(said), [], `${name}: closed by both sides, no RST`);
  t.same(
    httpRst!
      .filter(
        (check) => of(check, 'RST').length === 0 || of(check, 'RST').some(({ from }) => from !== 'client'),
      )
      .map(said),
    [],
    'HTTP, rst: ended by the client',
  );
  const halfOpen = await be!.exec(['ss', '-Htan', 'state', 'syn-recv']);
  t.equal(halfOpen.stdout, '', 'nothing is half open');
});
