import type { OfpVersion } from '../types/field.js';
import type { Message } from '../types/message.js';
import { systemClock } from './clock.js';
import type { Connection } from './connection.js';
import { Dialer } from './dialer.js';
import { Listener } from './listener.js';
import type { ActiveRemote, Clock, ConnectionLimits, Logger, PassiveRemote, Tap, TlsFiles } from './types.js';

/** What a controller's OpenFlow side is made with. */
export interface ChannelOptions {
  /** Where switches connect to us. */
  readonly listen: readonly PassiveRemote[];
  /** Switches that we connect to. */
  readonly connect: readonly ActiveRemote[];
  readonly versions: readonly OfpVersion[];
  /** Needed where a remote is `ssl:` or `pssl:`. */
  readonly tls?: TlsFiles | undefined;
  /** Messages to send on each connection before it is handed out, e.g. the packet-in format. */
  readonly setup?: (connection: Connection) => Iterable<Message>;
  /** A switch is there: called once for each connection that is ready, after an older one of the same datapath was closed. */
  readonly onSwitch: (connection: Connection) => void;
  readonly logger: Logger;
  readonly clock?: Clock;
  readonly limits?: ConnectionLimits;
}

/**
 * All OpenFlow connections of a controller. Switches are told apart by datapath id. Where a second connection
 * of one datapath has shaken hands, it takes the place of the first, which is closed: the first is most often
 * dead without having noticed.
 */
export class Channel {
  private readonly switches = new Map<bigint, Connection>();
  private listeners: Listener[] = [];
  private dialers: Dialer[] = [];
  private tapped: Tap | undefined;

  /** Listens everywhere, then starts to connect. @throws ListenError where one remote can't be listened on; then none is. */
  static async open(options: ChannelOptions): Promise<Channel> {
    const channel = new Channel(options);
    try {
      for (const remote of options.listen)
        channel.listeners.push(await Listener.open(remote, channel.endpoint()));
    } catch (error) {
      channel.close('not started');
      throw error;
    }
    channel.dialers = options.connect.map((remote) => new Dialer(remote, channel.endpoint()));
    return channel;
  }

  private constructor(private readonly options: ChannelOptions) {}

  /** Connections that are ready, by datapath id. */
  get connections(): ReadonlyMap<bigint, Connection> {
    return this.switches;
  }

  /** What is listened on, with the ports that the system chose. */
  get addresses(): readonly PassiveRemote[] {
    return this.listeners.map((listener) => listener.address);
  }

  /** Sees all bytes of all connections from now on, also of later ones; undefined ends that. */
  setTap(tap: Tap | undefined): void {
    this.tapped = tap;
    for (const connection of this.switches.values()) connection.tap = tap;
  }

  /** Closes everything: no listener, no connection, no timer is left. */
  close(reason: string): void {
    for (const listener of this.listeners) listener.close();
    for (const dialer of this.dialers) dialer.close(reason);
    for (const connection of [...this.switches.values()]) connection.close(reason);
  }

  private endpoint() {
    const { versions, setup, logger, limits, tls } = this.options;
    const channel = this;
    return {
      versions,
      logger,
      tls,
      clock: this.options.clock ?? systemClock,
      ...(setup ? { setup } : {}),
      ...(limits ? { limits } : {}),
      get tap() {
        return channel.tapped;
      },
      onConnection: (connection: Connection) => this.admit(connection),
    };
  }

  private admit(connection: Connection): void {
    const { logger } = this.options;
    const { datapathId, peer } = connection;
    const datapath = datapathId.toString(16).padStart(16, '0');
    const older = this.switches.get(datapathId);
    if (older) {
      logger.warn({ datapath, peer, older: older.peer }, 'a second connection of a switch takes over');
      older.close(`replaced by a newer connection of the same switch from ${peer}`);
    }
    this.switches.set(datapathId, connection);
    connection.tap = this.tapped;
    logger.info({ datapath, peer, version: connection.version }, 'switch connected');
    connection.onClose((reason) => {
      if (this.switches.get(datapathId) === connection) this.switches.delete(datapathId);
      logger.info({ datapath, peer, reason }, 'switch disconnected');
    });
    this.options.onSwitch(connection);
  }
}
