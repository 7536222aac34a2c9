import { join } from 'node:path';
import { type DumpedFlow, parseFlows } from './flows.js';
import type { Namespace } from './namespace.js';
import { type RunningProcess, type RunResult, run } from './process.js';
import { until } from './until.js';

const SCHEMA = '/usr/share/openvswitch/vswitch.ovsschema';

export interface BridgeOptions {
  /** In the words of OVS; OpenFlow13, 14 and 15 by default. */
  readonly protocols?: readonly string[];
}

/** A private Open vSwitch with the userspace datapath: own run directory, logs and database, inside a node's namespace. */
export class VSwitch {
  readonly rundir: string;
  readonly #environment: Record<string, string>;
  readonly #versions = new Map<string, string>();
  #database: RunningProcess | undefined;
  #daemon: RunningProcess | undefined;

  private constructor(
    readonly node: Namespace,
    dir: string,
  ) {
    this.rundir = dir;
    this.#environment = { OVS_RUNDIR: dir, OVS_LOGDIR: dir, OVS_DBDIR: dir, OVS_SYSCONFDIR: dir };
  }

  /** `dir` exists and is this switch's alone. */
  static async start(node: Namespace, dir: string): Promise<VSwitch> {
    const vswitch = new VSwitch(node, dir);
    await run(['ovsdb-tool', 'create', join(dir, 'conf.db'), SCHEMA]);
    await vswitch.#startDatabase();
    await run(['ovs-vsctl', vswitch.#db, '--no-wait', 'init']);
    await vswitch.start();
    return vswitch;
  }

  /** What a process needs in its environment to find this switch. */
  get environment(): Readonly<Record<string, string>> {
    return this.#environment;
  }

  get pid(): number {
    return this.#daemon?.pid ?? -1;
  }

  async start(): Promise<void> {
    const log = `--log-file=${join(this.rundir, 'ovs-vswitchd.log')}`;
    const daemon = this.node.spawn(
      ['ovs-vswitchd', `unix:${join(this.rundir, 'db.sock')}`, '--pidfile', log, '-vconsole:off'],
      { env: this.#environment },
    );
    this.#daemon = daemon;
    await until(async () => !daemon.running || (await this.appctl(['version'], true)).code === 0, {
      what: 'ovs-vswitchd',
      interval: 20,
    });
    if (!daemon.running) throw new Error(`ovs-vswitchd ended: ${daemon.stderr}`);
    for (const bridge of this.#versions.keys()) {
      await until(() => this.ofctl(bridge, ['show']), { what: `bridge ${bridge}`, interval: 20 });
    }
  }

  /** SIGKILL: the switch forgets all flows and connections, and doesn't come back before `start`. */
  async kill(): Promise<void> {
    await this.#daemon?.stop('SIGKILL');
  }

  async restart(): Promise<void> {
    await this.kill();
    await this.start();
  }

  async addBridge(name: string, options: BridgeOptions = {}): Promise<void> {
    const protocols = options.protocols ?? ['OpenFlow13', 'OpenFlow14', 'OpenFlow15'];
    await this.vsctl([
      'add-br',
      name,
      '--',
      'set',
      'bridge',
      name,
      'datapath_type=netdev',
      'fail_mode=secure',
      `protocols=${protocols.join(',')}`,
    ]);
    this.#versions.set(name, protocols.at(-1)!);
  }

  /** `target` in the words of OVS, e.g. `tcp:127.0.0.1:6653`; that address is the node's own. */
  async setController(bridge: string, target: string, maxBackoffMs = 1000): Promise<void> {
    await this.vsctl([
      'set-controller',
      bridge,
      target,
      '--',
      'set',
      'controller',
      bridge,
      `max_backoff=${maxBackoffMs}`,
    ]);
  }

  async isConnected(bridge: string): Promise<boolean> {
    const { stdout } = await this.vsctl(['get', 'controller', bridge, 'is_connected']);
    return stdout.trim() === 'true';
  }

  vsctl(argv: readonly string[]): Promise<RunResult> {
    return run(['ovs-vsctl', this.#db, '--timeout=20', ...argv], { env: this.#environment });
  }

  /**
   * ovs-ofctl with the newest version that the bridge speaks; the bridge goes behind the command's name:
   * `ofctl('br-lb', ['--bundle', 'replace-flows', '-'], text)`.
   */
  ofctl(bridge: string, argv: readonly string[], input?: string): Promise<RunResult> {
    const version = this.#versions.get(bridge) ?? 'OpenFlow15';
    const command = argv.findIndex((word) => !word.startsWith('-')) + 1;
    const target = `unix:${join(this.rundir, `${bridge}.mgmt`)}`;
    return run(['ovs-ofctl', '-O', version, ...argv.slice(0, command), target, ...argv.slice(command)], {
      env: this.#environment,
      ...(input === undefined ? {} : { input }),
    });
  }

  appctl(argv: readonly string[], allowFailure = false): Promise<RunResult> {
    return run(['ovs-appctl', '-t', 'ovs-vswitchd', ...argv], { env: this.#environment, allowFailure });
  }

  /** Flows of a bridge; `filter` as of ovs-ofctl, e.g. `table=11` or `cookie=0x1/0x1`. */
  async flows(bridge: string, filter = ''): Promise<DumpedFlow[]> {
    const { stdout } = await this.ofctl(bridge, ['dump-flows', ...(filter === '' ? [] : [filter])]);
    return parseFlows(stdout);
  }

  async groups(bridge: string): Promise<string[]> {
    const { stdout } = await this.ofctl(bridge, ['dump-groups']);
    return stdout
      .split('\n')
      .map((line) => line.trim())
      .filter((line) => line.startsWith('group_id='));
  }

  /** Connections the switch tracks, of one zone or all; one line each. */
  async connections(zone?: number): Promise<string[]> {
    const { stdout } = await this.appctl([
      'dpctl/dump-conntrack',
      ...(zone === undefined ? [] : [`zone=${zone}`]),
    ]);
    return stdout.split('\n').filter((line) => line !== '');
  }

  async flushConnections(zone?: number, tuple?: string): Promise<void> {
    await this.appctl([
      'dpctl/flush-conntrack',
      ...(zone === undefined ? [] : [`zone=${zone}`]),
      ...(tuple === undefined ? [] : [tuple]),
    ]);
  }

  async megaflows(): Promise<string[]> {
    const { stdout } = await this.appctl(['dpctl/dump-flows']);
    return stdout.split('\n').filter((line) => line.includes('actions:'));
  }

  /** OpenFlow port number of a port; throws where the switch has none. */
  async ofport(port: string): Promise<number> {
    const { stdout } = await this.vsctl(['get', 'interface', port, 'ofport']);
    const number = Number(stdout.trim());
    if (!(number > 0)) throw new Error(`port ${port} has no OpenFlow number: ${stdout.trim()}`);
    return number;
  }

  get #db(): string {
    return `--db=unix:${join(this.rundir, 'db.sock')}`;
  }

  async #startDatabase(): Promise<void> {
    const socket = join(this.rundir, 'db.sock');
    this.#database = this.node.spawn(
      [
        'ovsdb-server',
        join(this.rundir, 'conf.db'),
        `--remote=punix:${socket}`,
        '--pidfile',
        `--log-file=${join(this.rundir, 'ovsdb-server.log')}`,
        '-vconsole:off',
      ],
      { env: this.#environment },
    );
    const database = this.#database;
    await until(
      async () =>
        !database.running ||
        (await run(['ovsdb-client', 'list-dbs', `unix:${socket}`], { allowFailure: true })).code === 0,
      { what: 'ovsdb-server', interval: 20 },
    );
    if (!database.running) throw new Error(`ovsdb-server ended: ${database.stderr}`);
  }
}
