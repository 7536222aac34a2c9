import { join } from 'node:path';
import { type RunningApi, startApi } from '../api/index.js';
import { NeighbourTable } from '../arp/index.js';
import { HealthChecker } from '../hc/index.js';
import {
  AdminState,
  type ConfigWatch,
  formatProblem,
  IdAllocator,
  type LoadedConfig,
  loadConfig,
  type NodeConfig,
  watchConfig,
} from '../model/index.js';
import '../nx-extensions/index.js';
import { type ActiveRemote, Channel, type PassiveRemote } from '../ofp/channel/index.js';
import { type Message, OFP13, OFP15 } from '../ofp/index.js';
import { deleteLimit, setLimit, unixctl } from '../ovs/index.js';
import { cryptoRandom, SwitchPacketIo } from '../packetio/index.js';
import { isOurGroup, isOurMeter } from '../pipeline/index.js';
import { DriftCheck, Synchronizer } from '../sync/index.js';
import { systemClock as clock } from './clock.js';
import { Desired } from './desired.js';
import { EventLog } from './event-log.js';
import { FactsStore } from './facts-store.js';
import { Intents } from './intents.js';
import type { Loggers } from './logging.js';
import { LoopLag } from './loop-lag.js';
import { Members } from './members.js';
import { Neighbourhood } from './neighbourhood.js';
import type { AgentParts } from './parts.js';
import { SwitchSession } from './switch-session.js';
import { VERSION } from './version.js';
import { createReadModel } from './view/index.js';

const OFP_VERSION = { OpenFlow13: OFP13, OpenFlow15: OFP15 } as const;
/** One owner is read back in this many milliseconds, round and round. */
const DRIFT_OWNERS_PER_SECOND = 20;

/** A configuration that can't be started with. */
export class StartError extends Error {
  override readonly name = 'StartError';
}

/** Everything of one node, put together. */
export class Agent {
  private watch: ConfigWatch | undefined;
  private channel: Channel | undefined;
  private api: RunningApi | undefined;
  private reloading: Promise<void> = Promise.resolve();
  private adopted = false;

  static async start(dir: string, loggers: Loggers): Promise<Agent> {
    const log = loggers.get('agent');
    // node.yaml says where ids are kept, and ids are needed to compile: so it is read before the rest.
    const loaded = await loadConfig(dir);
    if (loaded.node === undefined) throw new StartError(loaded.problems.map(formatProblem).join('\n'));
    const { stateDir } = loaded.node;
    const ids = await IdAllocator.open(join(stateDir, 'ids.json'));
    const admin = await AdminState.open(join(stateDir, 'admin.json'));
    const agent = new Agent(loaded, loaded.node, loggers, ids, admin);
    await agent.begin();
    log.info({ dir, node: loaded.node.node, version: VERSION }, 'started');
    return agent;
  }

  private readonly parts: AgentParts;
  private readonly members: Members;
  private readonly neighbourhood: Neighbourhood;

  private constructor(
    private readonly loaded: LoadedConfig,
    node: NodeConfig,
    private readonly loggers: Loggers,
    ids: IdAllocator,
    admin: AdminState,
  ) {
    const events = new EventLog();
    const facts = new FactsStore();
    const intents = new Intents(loaded.dir, ids, loggers.get('config'), loaded);
    const syncLog = loggers.get('sync');
    const sync = new Synchronizer({ clock, log: syncLog, isOurGroup, isOurMeter });
    const desired = new Desired(sync, facts);
    const packetIo = new SwitchPacketIo({
      clock,
      limits: { packetsPerSecond: node.limits.packetInPerSecond },
    });
    const neighbours = new NeighbourTable({
      io: packetIo,
      clock,
      random: cryptoRandom,
      settings: node.neighbours,
    });
    const health = new HealthChecker({
      io: packetIo,
      arp: neighbours,
      clock,
      random: cryptoRandom,
      limits: { probesPerSecond: node.limits.probesPerSecond },
    });
    const session = new SwitchSession({
      sync,
      facts,
      desired,
      log: loggers.get('openflow'),
      onAttach: (connection) => {
        packetIo.attach(connection);
        events.add({ type: 'switch', text: `connected from ${connection.peer}` });
        void this.limitConnections();
      },
      onDetach: (reason) => {
        packetIo.detach();
        events.add({ type: 'switch', text: `disconnected: ${reason}` });
      },
      onAdopted: () => this.takeOver(),
    });
    this.members = new Members({
      health,
      admin,
      facts,
      desired,
      events,
      log: loggers.get('health'),
      connection: () => session.connection,
    });
    this.neighbourhood = new Neighbourhood(neighbours, facts, desired);
    this.parts = {
      startedAt: new Date(),
      node,
      intents,
      ids,
      admin,
      facts,
      desired,
      sync,
      drift: new DriftCheck(sync, { clock, log: syncLog, ownersPerSecond: DRIFT_OWNERS_PER_SECOND }),
      session,
      packetIo,
      neighbours,
      health,
      vswitchd: unixctl({ socket: node.ovs.vswitchd }),
      events,
      lag: new LoopLag(),
      loggers,
      adminChanged: (tenantId, poolId) => this.members.adminChanged(tenantId, poolId),
      reload: () => this.reload(),
    };
    neighbours.onEvent((event) => {
      loggers.get('neighbours').info(printable(event), `neighbour ${event.type}`);
      const tenant = intents.byId(event.tenant)?.name;
      events.add({
        type: 'neighbour',
        ...(tenant ? { tenant } : {}),
        text: event.type,
        data: printable(event),
      });
    });
  }

  /** Reads the directory again; what is wrong is logged and left as it was. */
  reload(): Promise<void> {
    this.reloading = this.reloading.then(() => this.applyIntents());
    return this.reloading;
  }

  /** The switch keeps forwarding by what it has. */
  async stop(): Promise<void> {
    this.watch?.close();
    this.parts.drift.stop();
    this.members.stop();
    this.channel?.close('the agent stops');
    this.parts.lag.stop();
    await this.api?.close();
  }

  private async begin(): Promise<void> {
    const { node, session } = this.parts;
    const { loggers } = this;
    this.parts.lag.start();
    await this.reload();
    const { openflow, api } = node;
    const channel = await Channel.open({
      listen: openflow.listen as readonly PassiveRemote[],
      connect: openflow.connect as readonly ActiveRemote[],
      versions: openflow.versions.map((name) => OFP_VERSION[name]),
      ...(openflow.tls ? { tls: openflow.tls } : {}),
      setup: () => [...setup()],
      onSwitch: (connection) => session.connected(connection),
      logger: loggers.get('openflow'),
      limits: { probeInterval: openflow.inactivityProbeMs },
    });
    this.channel = channel;
    try {
      this.api = await startApi({
        model: createReadModel(this.parts),
        log: loggers.get('api'),
        version: VERSION,
        listen: api.listen,
        trustLoopback: api.trustLoopback,
        ...(api.token === undefined ? {} : { token: api.token }),
        ...(api.tokenFile === undefined ? {} : { tokenFile: api.tokenFile }),
      });
    } catch (error) {
      channel.close('not started');
      throw error;
    }
    this.watch = watchConfig(this.loaded.dir, () => void this.reload());
    this.parts.drift.start();
  }

  private async applyIntents(): Promise<void> {
    const { intents, desired, events } = this.parts;
    const change = await intents.reload();
    if (change.provider || intents.generation === 1) desired.setProvider(intents.provider);
    for (const tenant of change.removed) {
      desired.removeTenant(tenant);
      this.members.removeTenant(tenant);
      this.neighbourhood.removeTenant(tenant);
      events.add({ type: 'tenant', tenant: tenant.name, text: 'removed' });
    }
    // A public VIP's rules look up the network, so a changed provider changes every tenant.
    for (const tenant of change.provider ? intents.tenants.values() : change.tenants)
      desired.setTenant(tenant);
    if (change.restartNeeded.length > 0) {
      this.loggers.get('config').warn({ keys: change.restartNeeded }, 'takes effect at the next start');
    }
    events.add({
      type: 'config',
      text: `${change.tenants.length} changed, ${change.removed.length} removed`,
    });
    if (!this.adopted) return;
    this.watchTenants(change.provider ? [...intents.tenants.values()] : change.tenants, false);
    void this.limitConnections();
  }

  /** The facts of the first switch are known: from now on they are kept by probes and ARP. */
  private takeOver(): void {
    this.adopted = true;
    this.watchTenants([...this.parts.intents.tenants.values()], true);
  }

  private watchTenants(tenants: readonly Parameters<Members['setTenant']>[0][], adopt: boolean): void {
    const { intents } = this.parts;
    const publicVips = [...intents.tenants.values()].flatMap((t) =>
      t.listeners.filter((l) => l.at.kind === 'external').map((l) => l.vip),
    );
    this.neighbourhood.setProvider(intents.provider, publicVips, adopt);
    for (const tenant of tenants) {
      this.neighbourhood.setTenant(tenant, adopt);
      this.members.setTenant(tenant);
    }
  }

  /** conntrack limits aren't OpenFlow; where vswitchd can't be asked, tenants run without. */
  private async limitConnections(): Promise<void> {
    const { intents, node, vswitchd } = this.parts;
    for (const tenant of intents.tenants.values()) {
      const limit = tenant.connectionLimit ?? node.limits.connectionsPerTenant;
      const done =
        limit === undefined ? deleteLimit(vswitchd, tenant.id) : setLimit(vswitchd, tenant.id, limit);
      await done.catch((error: Error) => {
        const level = limit === undefined ? 'debug' : 'warn';
        this.loggers
          .get('agent')
          [level]({ tenant: tenant.name, reason: error.message }, 'connection limit not set');
      });
    }
  }
}

/** Packet-ins with metadata; and, on a service connection, packet-ins at all: ofproto gives it none without a length. */
function* setup(): Generator<Message> {
  yield { type: 'set_config', flags: 0, missSendLen: 128 };
  yield { type: 'nx_set_packet_in_format', format: 'nxt_packet_in2' };
}

function printable(event: object): Record<string, unknown> {
  const hex = (value: unknown) => (typeof value === 'bigint' ? value.toString(16).padStart(12, '0') : value);
  return Object.fromEntries(Object.entries(event).map(([key, value]) => [key, hex(value)]));
}
