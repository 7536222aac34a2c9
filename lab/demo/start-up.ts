import { applied, health, membersServing, neighbours } from '../observations.js';
import { httpServer } from '../services.js';
import { BACKENDS, MACHINES, TENANTS } from '../two-tenants.js';
import { pause } from '../until.js';
import { proven, report, table, title } from './narration.js';
import type { Stage } from './stages.js';

/** 1: the agent finds out by itself where the members are and that they are well. */
export async function startUp(stage: Stage): Promise<void> {
  const { lab, configDir, host } = stage.world;
  title('two tenants with the same addresses, on one bridge');
  report(
    `private Open vSwitch and ${TENANTS.length * MACHINES.length} machines, as network namespaces ${lab.id}-…`,
  );
  table(
    ['machine', 'address', 'MAC', 'segment'],
    MACHINES.map(({ role, address, mac, segment }) => [`a-${role}, b-${role}`, address, mac, segment]),
  );
  for (const tenant of TENANTS) for (const role of BACKENDS) await httpServer(host(tenant, role));
  report('an HTTP server (nginx) runs on each backend');

  title('1. the agent resolves and probes the members through OpenFlow');
  stage.agent = await lab.startAgent({ configDir });
  report(`hpnn-agent --config ${configDir}   (pid ${stage.agent.process.pid})`);
  await lab.vswitch.setController('br-lb', 'tcp:127.0.0.1:6653');
  report('ovs-vsctl set-controller br-lb tcp:127.0.0.1:6653');
  await watchMembers(stage);
  for (const index of TENANTS.keys()) await membersServing(lab.vswitch, index + 1, BACKENDS.length);
  await applied(stage.agent);
  const { stdout } = await lab.node.exec(['ip', '-4', '-brief', 'address']);
  const addresses = stdout.split('\n').filter((line) => /\d+\.\d+\.\d+\.\d+/.test(line));
  proven("the node's kernel has no address but 127.0.0.1", addresses.length === 1, addresses.join('; '));
  const { stdout: own } = await lab.node.exec(['ip', 'neigh']);
  proven("the node's kernel knows no neighbour", own.trim() === '', own);
}

/** Tells each step of each member until all are ONLINE. */
async function watchMembers({ agent }: Stage): Promise<void> {
  const told = new Set<string>();
  const tell = (text: string) => {
    if (!told.has(text)) report(text);
    told.add(text);
  };
  const end = Date.now() + 30_000;
  for (;;) {
    for (const { tenant, segment, address, mac, port, state } of await neighbours(agent!)) {
      const known = MACHINES.find((machine) => machine.address === address && machine.role !== 'client');
      if (mac !== undefined && state === 'REACHABLE' && known)
        tell(`${tenant} ${segment} ${address} answered ARP: ${mac} on ${port}`);
    }
    const members = await health(agent!);
    for (const { tenant, pool, member, operatingStatus } of members) {
      if (operatingStatus === 'ONLINE')
        tell(`${tenant} ${pool}/${member} answered TCP probes: ${operatingStatus}`);
    }
    const online = members.filter(({ operatingStatus }) => operatingStatus === 'ONLINE').length;
    if (online === TENANTS.length * BACKENDS.length) break;
    if (Date.now() > end) throw new Error(`only ${online} members are ONLINE: ${JSON.stringify(members)}`);
    await pause(25);
  }
  const found = await neighbours(agent!);
  for (const tenant of TENANTS) {
    for (const { role, address, mac } of MACHINES.filter((machine) => machine.role !== 'client')) {
      const row = found.find((neighbour) => neighbour.tenant === tenant && neighbour.address === address);
      const right = row?.mac === mac && row.port === `v-${tenant}-${role}`;
      if (!right) throw new Error(`${tenant} ${address} was resolved as ${JSON.stringify(row)}`);
    }
  }
}
