import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { Agent, type AgentOptions } from './agent.js';
import { Capture, type CaptureOptions } from './capture.js';
import { Host, type HostOptions } from './host.js';
import { Namespace } from './namespace.js';
import { claim, dismantle } from './owner.js';
import { type BridgeOptions, VSwitch } from './vswitch.js';

export interface LabOptions {
  /** A letter, then up to 9 letters or digits; made up by default. Names of namespaces begin with it. */
  readonly id?: string;
}

export interface LabHostOptions extends HostOptions {
  /** Bridge that the host is plugged into, `br-lb` by default. */
  readonly bridge?: string;
}

/**
 * A world of its own: a node (namespace with a private Open vSwitch and the agent) and hosts (namespaces) on
 * its ports. Several stand side by side. It ends with {@link Lab.close}, or with the process that made it.
 */
export class Lab {
  readonly #hosts = new Map<string, Host>();

  private constructor(
    readonly id: string,
    /** Removed with the lab: put configuration and captures here. */
    readonly dir: string,
    readonly node: Namespace,
    readonly vswitch: VSwitch,
  ) {}

  static async create(options: LabOptions = {}): Promise<Lab> {
    const id = options.id ?? `l${Math.random().toString(36).slice(2, 8)}`;
    const dir = claim(id);
    try {
      const node = await Namespace.create(`${id}-node`);
      // The kernel of the node has no address on any port and shall not speak there on its own account.
      await node.sysctl({ 'net.ipv6.conf.all.disable_ipv6': 1, 'net.ipv6.conf.default.disable_ipv6': 1 });
      const rundir = join(dir, 'ovs');
      mkdirSync(rundir);
      return new Lab(id, dir, node, await VSwitch.start(node, rundir));
    } catch (error) {
      dismantle(id, dir);
      throw error;
    }
  }

  addBridge(name = 'br-lb', options: BridgeOptions = {}): Promise<void> {
    return this.vswitch.addBridge(name, options);
  }

  async addHost(options: LabHostOptions): Promise<Host> {
    const host = await Host.create(this.id, this.node, this.dir, options);
    const request =
      options.ofport === undefined
        ? []
        : ['--', 'set', 'interface', host.port, `ofport_request=${options.ofport}`];
    await this.vswitch.vsctl(['add-port', options.bridge ?? 'br-lb', host.port, ...request]);
    this.#hosts.set(host.name, host);
    return host;
  }

  host(name: string): Host {
    const host = this.#hosts.get(name);
    if (host === undefined) throw new Error(`no host ${name} in this lab`);
    return host;
  }

  /** Frames at a port of the bridge: `in` is what the host sent, `out` what the switch delivers. */
  capturePort(port: string, options: Omit<CaptureOptions, 'device'> = {}): Promise<Capture> {
    return Capture.start(this.node, this.dir, { ...options, device: port });
  }

  /** Starts `hpnn-agent` on the node. */
  startAgent(options: AgentOptions): Promise<Agent> {
    return Agent.start(this.node, this.vswitch, this.dir, options);
  }

  close(): void {
    dismantle(this.id, this.dir);
  }
}
