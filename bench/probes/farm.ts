import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Host } from '../../lab/host.js';
import { Lab } from '../../lab/lab.js';
import { type RunningProcess, run } from '../../lab/process.js';
import { httpServer } from '../../lab/services.js';
import type { Fall, Sample } from './agent.js';

const AGENT = fileURLToPath(new URL('agent.ts', import.meta.url));
/** An nginx listens on each. A TCP check never leaves the kernel there: its RST comes before anybody accepts. */
const PORTS = [8080, 8081] as const;

export interface Members {
  /** Addresses of each tenant that are members. */
  readonly addresses: number;
  readonly ports: readonly number[];
  /** YAML of the monitor. */
  readonly monitor: string;
}

/**
 * A lab whose one host is all members: a cable for each tenant, with many addresses; one kernel and two nginx
 * answer. That is the cheapest responder that is still a real stack.
 */
export class Farm {
  private agent: RunningProcess | undefined;
  private readonly configDir: string;

  private constructor(
    readonly lab: Lab,
    private readonly host: Host,
    private readonly servers: readonly RunningProcess[],
    private readonly tenants: number,
  ) {
    this.configDir = join(lab.dir, 'config');
    mkdirSync(join(this.configDir, 'tenants.d'), { recursive: true });
  }

  /** Tenants, and addresses of each. */
  static async create(tenants: number, addressesOfEach: number): Promise<Farm> {
    const lab = await Lab.create();
    await lab.addBridge();
    const host = await lab.addHost({ name: 'farm', addresses: [] });
    const farm = host.namespace;
    const cables: string[] = [];
    const addresses: string[] = [];
    const ports: string[] = [];
    for (let tenant = 1; tenant <= tenants; tenant++) {
      cables.push(
        `link add v${tenant} type veth peer name f${tenant} netns ${farm.name}`,
        `link set v${tenant} up`,
      );
      addresses.push(`link set f${tenant} up`);
      for (let n = 0; n < addressesOfEach; n++)
        addresses.push(`addr add ${addressOf(tenant, n)}/24 dev f${tenant}`);
      ports.push('--', 'add-port', 'br-lb', `v${tenant}`);
    }
    await ip(lab.node.name, cables);
    await ip(farm.name, addresses);
    // Without the offload their checksums are filled in before the frames reach the switch.
    const offloads = Array.from({ length: tenants }, (_, n) => `ethtool -K f${n + 1} tx off`);
    await farm.exec(['sh', '-c', offloads.join(';')]);
    await lab.vswitch.vsctl(ports.slice(1));
    await farm.sysctl({
      'net.ipv4.tcp_max_syn_backlog': 65_536,
      'net.ipv4.tcp_syncookies': 0,
      'net.core.somaxconn': 65_536,
    });
    const servers: RunningProcess[] = [];
    for (const port of PORTS) servers.push(await httpServer(host, port));
    return new Farm(lab, host, servers, tenants);
  }

  /** Starts the agent with these members; resolves when all are ONLINE. */
  async start(members: Members): Promise<void> {
    const { lab, configDir } = this;
    writeFileSync(
      join(configDir, 'node.yaml'),
      `node: bench
bridge: br-lb
openflow: { listen: ["ptcp:6653:127.0.0.1"] }
api: { listen: ["unix:${join(lab.dir, 'agent.sock')}"] }
state_dir: ${join(lab.dir, 'state')}
limits: { probes_per_second: 200000, packet_in_per_second: 200000 }
`,
    );
    this.write(members);
    this.agent = lab.node.spawn([process.execPath, '--import', 'tsx', AGENT, configDir], {
      env: lab.vswitch.environment,
    });
    await this.agent.says(/^ready$/m, 60_000);
    await lab.vswitch.setController('br-lb', 'tcp:127.0.0.1:6653');
    await this.allOnline(members);
  }

  /** Other members, or another monitor, while the agent runs. */
  async change(members: Members): Promise<void> {
    this.write(members);
    await this.ask('reload');
    await this.allOnline(members);
  }

  sample(): Promise<Sample> {
    return this.ask<Sample>('sample');
  }

  /** Lets all members with the first port fail at once: their server is killed. Milliseconds from then on. */
  async fell(members: number): Promise<Fall> {
    const down = this.ask<Fall>(`fallen ${members}`, 120_000);
    await this.servers[0]!.stop('SIGKILL');
    const killed = Date.now();
    const offset = performance.now();
    const { firstVerdict, lastVerdict, confirmed } = await down;
    // The other process's clock: its now is ours.
    const theirs = await this.ask<number>('now');
    const shift = theirs - (offset + (Date.now() - killed));
    const since = (at: number) => at - offset - shift;
    return {
      firstVerdict: since(firstVerdict),
      lastVerdict: since(lastVerdict),
      confirmed: since(confirmed),
    };
  }

  async halfOpen(): Promise<number> {
    const { stdout } = await this.host.exec(['ss', '-Htan', 'state', 'syn-recv']);
    return stdout.split('\n').filter((line) => line !== '').length;
  }

  close(): void {
    this.lab.close();
  }

  private async allOnline(members: Members): Promise<void> {
    const wanted = this.tenants * members.addresses * members.ports.length;
    const end = Date.now() + 90_000;
    for (;;) {
      const { online, members } = await this.sample();
      if (online === wanted && members === wanted) return;
      if (Date.now() > end) throw new Error(`${online} of ${wanted} members are ONLINE`);
      await new Promise((resolve) => setTimeout(resolve, 250));
    }
  }

  private write({ addresses, ports, monitor }: Members): void {
    for (let tenant = 1; tenant <= this.tenants; tenant++) {
      const members: string[] = [];
      for (let n = 0; n < addresses; n++)
        for (const port of ports)
          members.push(
            `      - { name: m${n}-${port}, address: ${addressOf(tenant, n)}, protocol_port: ${port} }`,
          );
      writeFileSync(
        join(this.configDir, 'tenants.d', `t${tenant}.yaml`),
        `tenant: t${tenant}
segments:
  - { name: s, subnets: [10.${tenant}.0.0/24], ports: [{ name: v${tenant} }] }
load_balancers:
  - { name: lb, vip_address: 10.${tenant}.0.250, segment: s, listeners: [{ name: l, protocol: TCP, protocol_port: 80, default_pool: p }] }
pools:
  - name: p
    slots: ${addresses > 25 ? 1021 : 251}
    health_monitor: ${monitor}
    members:
${members.join('\n')}
`,
      );
    }
  }

  private async ask<T>(command: string, timeout = 30_000): Promise<T> {
    const { agent } = this;
    if (agent === undefined) throw new Error('the agent was not started');
    const before = agent.stdout.length;
    agent.child.stdin?.write(`${command}\n`);
    const end = Date.now() + timeout;
    for (;;) {
      const at = agent.stdout.indexOf('\n', before);
      if (at >= 0) return JSON.parse(agent.stdout.slice(before, at)) as T;
      if (!agent.running) throw new Error(`the agent ended: ${agent.stderr}`);
      if (Date.now() > end) throw new Error(`no answer to ${command}`);
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
  }
}

function addressOf(tenant: number, n: number): string {
  return `10.${tenant}.0.${n + 2}`;
}

async function ip(namespace: string, commands: readonly string[]): Promise<void> {
  await run(['ip', '-n', namespace, '-batch', '-'], { input: `${commands.join('\n')}\n` });
}
