import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import t from 'tap';
import { isLearned } from '../../lab/flows.js';
import { Lab } from '../../lab/lab.js';
import { applied } from '../../lab/observations.js';
import { pause } from '../../lab/until.js';

/*
 * kill -9 at moments spread over an agent's start and its first changes, on the real switch. Whatever a killed agent
 * left half done, its successor ends with exactly what an agent gives that finds the switch empty.
 */

const AGENT = fileURLToPath(new URL('../../bin/hpnn-agent', import.meta.url));
const TENANTS = 10;
/** What an agent has said when it is killed, and for how many ms it has gone on since. Before each look again. */
const KILLS = [
  [/"msg":"started"/, 0],
  [/"msg":"switch read back"/, 0],
  [/"msg":"switch read back"/, 5],
  [/"msg":"switch read back"/, 15],
  [/"msg":"switch read back"/, 40],
] as const;
const LOOKS = 2;

const lab = await Lab.create();
t.teardown(() => lab.close());
const { vswitch, node } = lab;
const configDir = join(lab.dir, 'config');
mkdirSync(join(configDir, 'tenants.d'), { recursive: true });
writeFileSync(
  join(configDir, 'node.yaml'),
  `node: ${lab.id}
bridge: br-lb
openflow: { listen: [], connect: ["unix:${join(vswitch.rundir, 'br-lb.mgmt')}"] }
api: { listen: ["unix:${join(lab.dir, 'agent.sock')}"] }
state_dir: ${join(lab.dir, 'state')}
`,
);
await lab.addBridge('br-lb');

let form = 0;
const left: number[] = [];
for (let look = 1; look <= LOOKS; look++) {
  await t.test(
    `after ${look * KILLS.length} kills the switch holds what is wanted, and nothing else`,
    async (t) => {
      for (const [said, ms] of KILLS) {
        configure(++form);
        const agent = node.spawn([AGENT, '--config', configDir], { env: { ...vswitch.environment } });
        await agent.says(said);
        await pause(ms);
        await agent.stop('SIGKILL');
        left.push((await contents()).length);
      }
      const found = await converged();
      await wipe();
      const wanted = await converged();
      t.ok(wanted.length > 3000, `${wanted.length} flows, groups and meters`);
      t.same(
        found.filter((line) => !wanted.includes(line)),
        [],
        'nothing that is not wanted',
      );
      t.same(
        wanted.filter((line) => !found.includes(line)),
        [],
        'nothing is missing',
      );
    },
  );
}
t.comment(`entries in the switch at each kill: ${left.join(' ')}`);

/** What the switch holds when an agent has done all it wants. */
async function converged(): Promise<string[]> {
  const agent = await lab.startAgent({ configDir });
  await applied(agent, { timeout: 30_000 });
  await agent.stop();
  return contents();
}

async function contents(): Promise<string[]> {
  const flows = (await vswitch.flows('br-lb')).filter((flow) => !isLearned(flow));
  const meters = (await vswitch.ofctl('br-lb', ['dump-meters'])).stdout.match(/meter=.*\n.*/g) ?? [];
  return [
    ...flows.map((f) => `${f.cookie} ${f.table} ${f.priority} ${f.match} ${f.actions}`),
    ...(await vswitch.groups('br-lb')),
    ...meters,
  ].sort();
}

async function wipe(): Promise<void> {
  await vswitch.ofctl('br-lb', ['del-flows']);
  await vswitch.ofctl('br-lb', ['del-groups']);
  await vswitch.ofctl('br-lb', ['del-meters']);
}

/** Every form differs from the one before in names, slots, members, listeners, and in who is there at all. */
function configure(n: number): void {
  for (let tenant = 1; tenant <= TENANTS; tenant++) {
    const there = (n + tenant) % 5 !== 0;
    const members = [2, 3, 4, 5].filter((host) => (host + n) % 4 !== 0);
    writeFileSync(
      join(configDir, 'tenants.d', `t${tenant}.yaml`),
      there
        ? `tenant: t${tenant}
segments:
  - name: front
    subnets: [10.20.0.0/24]
    ports: [{ name: v${tenant} }]
load_balancers:
  - name: web
    vip_address: 10.20.0.100
    segment: front
    listeners:
      - { name: l${n % 3}, protocol: TCP, protocol_port: 80, default_pool: p${n % 2}, connection_rate: ${100 + n} }
pools:
${[n % 2, 2].map((p) => poolYaml(`p${p}`, p === 2 ? 127 : 200 + n, members)).join('')}`
        : `tenant: t${tenant}\n`,
    );
  }
}

function poolYaml(name: string, slots: number, hosts: readonly number[]): string {
  const members = hosts.map((h) => `      - { name: m${h}, address: 10.20.0.${h}, protocol_port: 8080 }\n`);
  return `  - name: ${name}\n    slots: ${slots}\n    members:\n${members.join('')}`;
}
