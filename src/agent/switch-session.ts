import type { Connection } from '../ofp/channel/index.js';
import { type Message, OFPP } from '../ofp/index.js';
import type { Synchronizer } from '../sync/index.js';
import { adoptFacts } from './adopt.js';
import type { Desired } from './desired.js';
import type { FactsStore } from './facts-store.js';
import type { Logger } from './logging.js';

export type SessionState =
  | { readonly state: 'waiting'; readonly since: number; readonly reason: string }
  | { readonly state: 'reading' | 'ready'; readonly since: number; readonly connection: Connection };

export interface SwitchSessionOptions {
  readonly sync: Synchronizer;
  readonly facts: FactsStore;
  readonly desired: Desired;
  readonly log: Logger;
  /** Frames can be sent and received from now on, or no more. */
  readonly onAttach: (connection: Connection) => void;
  readonly onDetach: (reason: string) => void;
  /** The first switch after the start was read: facts taken over from it stand. */
  readonly onAdopted: () => Promise<void>;
  /** The switch's contents are known and changes go to it. */
  readonly onReady: () => void;
}

/** The life of one bridge's connection: ports, read-back, difference, and from then on every change. */
export class SwitchSession {
  state: SessionState = { state: 'waiting', since: Date.now(), reason: 'no switch has connected yet' };
  /** How often a switch connected. */
  connects = 0;
  private adopted = false;

  constructor(private readonly options: SwitchSessionOptions) {}

  get connection(): Connection | undefined {
    return this.state.state === 'ready' ? this.state.connection : undefined;
  }

  /** Takes a connection that has shaken hands; an earlier one is closed. */
  connected(connection: Connection): void {
    const { log, onDetach, sync } = this.options;
    if (this.state.state !== 'waiting') this.state.connection.close('another bridge connected');
    this.connects++;
    this.state = { state: 'reading', since: Date.now(), connection };
    connection.onMessage((message) => this.unsolicited(message));
    connection.onClose((reason) => {
      if (this.state.state === 'waiting' || this.state.connection !== connection) return;
      this.state = { state: 'waiting', since: Date.now(), reason };
      sync.detach();
      onDetach(reason);
    });
    void this.takeOver(connection).catch((error: unknown) => {
      log.warn({ err: error, peer: connection.peer }, 'the switch could not be read');
      connection.close('the switch could not be read');
    });
  }

  private async takeOver(connection: Connection): Promise<void> {
    const { sync, facts, desired, log, onAttach, onAdopted, onReady } = this.options;
    const started = performance.now();
    facts.replacePorts(await readPorts(connection));
    await desired.renderAll();
    if (this.adopted) await sync.readBack(connection);
    else {
      // What the switch forwards by is the best that is known about members and neighbours after a restart.
      await sync.readBack(connection, (entry) => adoptFacts(entry, facts, desired));
      this.adopted = true;
      await onAdopted();
    }
    if (!connection.open) return;
    onAttach(connection);
    const differences = await sync.resume();
    if (this.state.state === 'waiting' || this.state.connection !== connection) return;
    this.state = { ...this.state, state: 'ready' };
    onReady();
    log.info(
      { differences, flows: sync.summary().installedFlows, ms: Math.round(performance.now() - started) },
      'switch read back',
    );
  }

  private unsolicited(message: Message): void {
    if (message.type !== 'port_status') return;
    const { facts, desired } = this.options;
    const { name, portNo } = message.port;
    if (portNo >= OFPP.UNSET && portNo !== OFPP.LOCAL) return;
    // A port that was renumbered is deleted under its old number after it was added under the new one.
    if (message.reason === 'delete' && facts.ports.get(name) !== portNo) return;
    const changed = facts.setPort(name, message.reason === 'delete' ? undefined : portNo);
    if (changed.size > 0) desired.portsChanged(changed);
  }
}

async function readPorts(connection: Connection): Promise<Map<string, number>> {
  const ports = new Map<string, number>();
  for await (const part of connection.multipart({ type: 'port_desc_request' })) {
    if (part.type !== 'port_desc_reply') continue;
    for (const port of part.entries) ports.set(port.name, port.portNo);
  }
  return ports;
}
