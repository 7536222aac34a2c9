import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Agent } from '../../../lab/agent.js';
import type { Host } from '../../../lab/host.js';
import { Lab, type LabHostOptions } from '../../../lab/lab.js';
import { health } from '../../../lab/observations.js';
import { until } from '../../../lab/until.js';
import type { MemberHealth } from '../../../src/api/types.js';

/** A lab with hosts and tenants of its own; see {@link healthWorld}. */
export class HealthWorld {
  readonly configDir: string;
  private running: Agent | undefined;

  private constructor(readonly lab: Lab) {
    this.configDir = join(lab.dir, 'config');
  }

  static async create(hosts: readonly LabHostOptions[]): Promise<HealthWorld> {
    const lab = await Lab.create();
    await lab.addBridge();
    for (const host of hosts) await lab.addHost(host);
    const world = new HealthWorld(lab);
    mkdirSync(join(world.configDir, 'tenants.d'), { recursive: true });
    return world;
  }

  get agent(): Agent {
    if (this.running === undefined) throw new Error('the agent was not started');
    return this.running;
  }

  host(name: string): Host {
    return this.lab.host(name);
  }

  /** (Re)writes a tenant's file; `yaml` is all but its name. A running agent takes it over by itself. */
  writeTenant(name: string, yaml: string): void {
    writeFileSync(join(this.configDir, 'tenants.d', `${name}.yaml`), `tenant: ${name}\n${yaml}`);
  }

  /** @param node YAML at the top level of node.yaml */
  async start(node = ''): Promise<Agent> {
    const { lab, configDir } = this;
    writeFileSync(
      join(configDir, 'node.yaml'),
      `node: ${lab.id}
bridge: br-lb
openflow: { listen: ["ptcp:6653:127.0.0.1"] }
api: { listen: ["unix:${join(lab.dir, 'agent.sock')}"] }
state_dir: ${join(lab.dir, 'state')}
${node}`,
    );
    this.running = await lab.startAgent({ configDir });
    await lab.vswitch.setController('br-lb', 'tcp:127.0.0.1:6653');
    return this.running;
  }

  /** Awaits a member's status with its reason in words; `member` as `TENANT/POOL/MEMBER`. */
  async verdict(
    member: string,
    status: MemberHealth['operatingStatus'],
    reason: string | RegExp,
    timeout = 20_000,
  ): Promise<MemberHealth> {
    const fits = (text: string) => (typeof reason === 'string' ? text === reason : reason.test(text));
    return until(
      async () => {
        const rows = await health(this.agent);
        const row = rows.find((r) => `${r.tenant}/${r.pool}/${r.member}` === member);
        if (row?.operatingStatus === status && fits(row.lastResult ?? '')) return row;
        throw new Error(`${row?.operatingStatus}: ${row?.lastResult}`);
      },
      { what: `${member} being ${status} for ${reason}`, timeout },
    );
  }
}
