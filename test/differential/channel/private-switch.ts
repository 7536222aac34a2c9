import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { RunningProcess, type RunResult, run } from '../../../lab/process.js';
import { until } from '../../../lab/until.js';

const SCHEMA = '/usr/share/openvswitch/vswitch.ovsschema';

/**
 * A real ovs-vswitchd of our own whose devices are all dummies: everything of OpenFlow is there, but it makes no
 * interface, so it needs no namespace and can be reached over loopback.
 */
export class PrivateSwitch {
  readonly dir = mkdtempSync(join(tmpdir(), 'channel-ovs-'));
  readonly #env = {
    OVS_RUNDIR: this.dir,
    OVS_LOGDIR: this.dir,
    OVS_DBDIR: this.dir,
    OVS_SYSCONFDIR: this.dir,
  };
  #database: RunningProcess | undefined;
  #daemon: RunningProcess | undefined;

  static async start(): Promise<PrivateSwitch> {
    const vswitch = new PrivateSwitch();
    process.once('exit', vswitch.#atExit);
    await run(['ovsdb-tool', 'create', join(vswitch.dir, 'conf.db'), SCHEMA], { env: vswitch.#env });
    const socket = join(vswitch.dir, 'db.sock');
    vswitch.#database = new RunningProcess(
      [
        'ovsdb-server',
        join(vswitch.dir, 'conf.db'),
        `--remote=punix:${socket}`,
        '--pidfile',
        '-vconsole:off',
      ],
      { env: vswitch.#env },
    );
    await until(() => vswitch.vsctl(['--no-wait', 'init']).then(() => true), { interval: 20 });
    await vswitch.boot();
    return vswitch;
  }

  get pid(): number {
    return this.#daemon?.pid ?? -1;
  }

  /** Starts ovs-vswitchd; bridges and controllers are in the database, flows are not. */
  async boot(): Promise<void> {
    this.#daemon = new RunningProcess(
      [
        'ovs-vswitchd',
        `unix:${join(this.dir, 'db.sock')}`,
        '--enable-dummy=override',
        '--pidfile',
        `--log-file=${join(this.dir, 'ovs-vswitchd.log')}`,
        '-vconsole:off',
      ],
      { env: this.#env },
    );
    await until(
      () => run(['ovs-appctl', '-t', 'ovs-vswitchd', 'version'], { env: this.#env }).then(() => true),
      {
        interval: 20,
      },
    );
  }

  /** SIGKILL: all flows are forgotten. */
  async kill(): Promise<void> {
    await this.#daemon?.stop('SIGKILL');
  }

  signal(signal: NodeJS.Signals): void {
    this.#daemon?.signal(signal);
  }

  async addBridge(name: string, protocols = 'OpenFlow13,OpenFlow14,OpenFlow15'): Promise<void> {
    await this.vsctl([
      'add-br',
      name,
      '--',
      'set',
      'bridge',
      name,
      `protocols=${protocols}`,
      'fail_mode=secure',
    ]);
  }

  /** `max_backoff` is the shortest that OVS takes: 1 s. */
  async setController(bridge: string, target: string, ...settings: string[]): Promise<void> {
    await this.vsctl([
      'set-controller',
      bridge,
      target,
      '--',
      'set',
      'controller',
      bridge,
      'max_backoff=1000',
      ...settings,
    ]);
  }

  vsctl(argv: readonly string[]): Promise<RunResult> {
    return run(['ovs-vsctl', `--db=unix:${join(this.dir, 'db.sock')}`, '--timeout=20', ...argv], {
      env: this.#env,
    });
  }

  /** Where a bridge lets itself be spoken to. */
  mgmt(bridge: string): string {
    return join(this.dir, `${bridge}.mgmt`);
  }

  ofctl(argv: readonly string[]): Promise<RunResult> {
    return run(['ovs-ofctl', ...argv], { env: this.#env });
  }

  async countFlows(bridge: string, filter = ''): Promise<number> {
    const { stdout } = await this.ofctl([
      '-OOpenFlow15',
      'dump-aggregate',
      `unix:${this.mgmt(bridge)}`,
      ...(filter === '' ? [] : [filter]),
    ]);
    return Number(/flow_count=(\d+)/.exec(stdout)?.[1] ?? Number.NaN);
  }

  async stop(): Promise<void> {
    process.removeListener('exit', this.#atExit);
    this.#daemon?.signal('SIGCONT');
    await this.#daemon?.stop('SIGTERM', 2_000);
    await this.#database?.stop();
    rmSync(this.dir, { recursive: true, force: true });
  }

  readonly #atExit = (): void => {
    this.#daemon?.signal('SIGKILL');
    this.#database?.signal('SIGKILL');
    rmSync(this.dir, { recursive: true, force: true });
  };
}
