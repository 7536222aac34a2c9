import { until } from '../../../lab/until.js';
import {
  Channel,
  type ChannelOptions,
  type Connection,
  parseRemote,
} from '../../../src/ofp/channel/index.js';
import type { ActiveRemote, PassiveRemote } from '../../../src/ofp/channel/types.js';
import { OFP13, OFP14, OFP15 } from '../../../src/ofp/types/field.js';
import { PrivateSwitch } from './private-switch.js';

export const passive = (text: string) => parseRemote(text) as PassiveRemote;
export const active = (text: string) => parseRemote(text) as ActiveRemote;

export interface LogLine {
  readonly level: 'debug' | 'info' | 'warn';
  readonly text: string;
  readonly [key: string]: unknown;
}

/** A real switch for the tests of a file, and a channel of ours for each test. */
export class Fixture {
  ovs!: PrivateSwitch;
  channel!: Channel;
  /** Every connection that became ready in this test. */
  readonly arrived: Connection[] = [];
  readonly logged: LogLine[] = [];
  #open: Channel | undefined;

  async start(): Promise<void> {
    this.ovs = await PrivateSwitch.start();
  }

  async stop(): Promise<void> {
    await this.ovs.stop();
  }

  async reset(): Promise<void> {
    this.#open?.close('test over');
    this.arrived.length = 0;
    this.logged.length = 0;
    const { stdout } = await this.ovs.vsctl(['list-br']);
    for (const bridge of stdout.split('\n').filter(Boolean)) await this.ovs.vsctl(['del-br', bridge]);
  }

  async open(options: Partial<ChannelOptions>): Promise<Channel> {
    const log = (level: LogLine['level']) => (data: object, text: string) => {
      this.logged.push({ ...data, level, text });
    };
    this.#open?.close('opened anew');
    this.channel = await Channel.open({
      listen: [],
      connect: [],
      versions: [OFP13, OFP14, OFP15],
      logger: { debug: log('debug'), info: log('info'), warn: log('warn') },
      onSwitch: (connection) => this.arrived.push(connection),
      ...options,
    });
    this.#open = this.channel;
    return this.channel;
  }

  /** Listens on all of loopback; returns the target for a bridge's controller. */
  async listen(kind: 'tcp' | 'ssl', options: Partial<ChannelOptions> = {}): Promise<string> {
    const channel = await this.open({ listen: [passive(`p${kind}:0:0.0.0.0`)], ...options });
    return `${kind}:127.0.0.1:${(channel.addresses[0] as { port: number }).port}`;
  }

  /** The `n`th connection, awaited. */
  arrival(n = 1): Promise<Connection> {
    return until(() => this.arrived[n - 1], { interval: 5, what: `connection ${n}` });
  }

  /** A connection to a fresh bridge through its management socket. */
  async connected(bridge: string, options: Partial<ChannelOptions> = {}): Promise<Connection> {
    await this.ovs.addBridge(bridge);
    await this.open({ connect: [active(`unix:${this.ovs.mgmt(bridge)}`)], ...options });
    return this.arrival();
  }

  async bridgeOf(datapathId: bigint): Promise<string | undefined> {
    const { stdout } = await this.ovs.vsctl([
      '--bare',
      '--columns=name',
      'find',
      'bridge',
      `datapath_id=${datapathId.toString(16).padStart(16, '0')}`,
    ]);
    return stdout.trim() || undefined;
  }
}
