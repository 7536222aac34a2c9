import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { type RunningApi, startApi } from '../api/index.js';
import { NeighbourTable } from '../arp/index.js';
import { CaptureHub } from '../capture/index.js';
import { HealthChecker, Histogram } from '../hc/index.js';
import { slicer } from '../loop/turns.js';
import {
  AdminState,
  type ConfigWatch,
  formatProblem,
  IdAllocator,
  LastGood,
  type LoadedConfig,
  loadConfig,
  type NodeConfig,
  type ProviderIntent,
  type TenantIntent,
  watchConfig,
} from '../model/index.js';
import '../nx-extensions/index.js';
import { type ActiveRemote, Channel, type PassiveRemote } from '../ofp/channel/index.js';
import { type Message, OFP13, OFP15 } from '../ofp/index.js';
import { unixctl } from '../ovs/index.js';
import { cryptoRandom, SwitchPacketIo } from '../packetio/index.js';
import { isOurGroup, isOurMeter } from '../pipeline/index.js';
import { DriftCheck, Synchronizer } from '../sync/index.js';
import { systemClock as clock } from './clock.js';
import { ConnectionLimits } from './connection-limits.js';
import { ConntrackFlushes } from './conntrack-flushes.js';
import { Desired } from './desired.js';
import { EventLog } from './event-log.js';
import { FactsStore } from './facts-store.js';
import { Generations } from './generations.js';
import { Intents } from './intents.js';
import type { Loggers } from './logging.js';
import { LoopLag } from './loop-lag.js';
import { Members } from './members.js';
import { Neighbourhood } from './neighbourhood.js';
import type { AgentParts } from './parts.js';
import { RetiredIds } from './retired-ids.js';
import { SwitchSession } from './switch-session.js';
import { VERSION } from './version.js';
import { createReadModel } from './view/index.js';

const OFP_VERSION = { OpenFlow13: OFP13, OpenFlow15: OFP15 } as const;
/** One owner is read back in this many milliseconds, round and round. */
const DRIFT_OWNERS_PER_SECOND = 20;
const BUNDLE_MS = [1, 2.5, 5, 10, 25, 50, 100, 250, 500, 1000, 2500];
/** A limit that is never reached: the switch counts only the connections of zones that have one. */
const COUNTED_ONLY = 0xffff_ffff;

/** A configuration that can't be started with. */
export class StartError extends Error {
  override readonly name = 'StartError';
}

/** Everything of one node, put together. */
export class Agent {
  private channel: Channel | undefined;
  private api: RunningApi | undefined;
  private reloading: Promise<void> = Promise.resolve();
  private adopted = false;
  private watchedProvider: readonly [ProviderIntent, readonly number[]] | undefined;

  static async start(dir: string, loggers: Loggers): Promise<Agent> {
    const log = loggers.get('agent');
    let agent: Agent | undefined;
    let changed = false;
    const watch = watchConfig(dir, () => {
      changed = true;
      agent?.reloadSoon();
    });
    try {
      // Watched before it is read: what changes from now on is seen.
      await watch.ready;
      let lastGood: LastGood | undefined;
      const known = async ({ stateDir }: NodeConfig) => {
        lastGood = await LastGood.open(join(stateDir, 'tenants'), VERSION);
        return lastGood;
      };
      // node.yaml says where ids are kept, and ids are needed to compile: so it is read before the rest.
      const loaded = await loadConfig(dir, { known });
      if (loaded.node === undefined) throw new StartError(loaded.problems.map(formatProblem).join('\n'));
      const { stateDir } = loaded.node;
      const ids = await IdAllocator.open(join(stateDir, 'ids.json'));
      const admin = await AdminState.open(join(stateDir, 'admin.json'));
      lastGood ??= await known(loaded.node);
      const first = await lastGood.fallBack(loaded);
      const made = new Agent(first, loaded.node, loggers, ids, admin, lastGood, watch);
      await made.begin();
      agent = made;
    } catch (error) {
      watch.close();
      throw error;
    }
    if (changed) agent.reloadSoon();
    log.info({ dir, version: VERSION }, 'started');
    return agent;
  }

  private readonly parts: AgentParts;
  private readonly members: Members;
  private readonly neighbourhood: Neighbourhood;
  private readonly limits: ConnectionLimits;
  private readonly retiredIds: RetiredIds;

  private constructor(
    loaded: LoadedConfig,
    node: NodeConfig,
    private readonly loggers: Loggers,
    ids: IdAllocator,
    admin: AdminState,
    private readonly lastGood: LastGood,
    private readonly watch: ConfigWatch,
  ) {
    const events = new EventLog();
    const facts = new FactsStore();
    const intents = new Intents(loaded.dir, ids, loggers.get('config'), loaded);
    const syncLog = loggers.get('sync');
    const bundleMs = new Histogram(BUNDLE_MS);
    const sync = new Synchronizer({
      clock,
      log: syncLog,
      isOurGroup,
      isOurMeter,
      observer: { bundleCommitted: (_tenants, _mods, ms) => bundleMs.observe(ms) },
    });
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
    const flushes = new ConntrackFlushes({ log: syncLog, connection: () => sync.connection });
    const generations = new Generations(sync);
    const vswitchd = unixctl({ socket: node.ovs.vswitchd });
    const session = new SwitchSession({
      sync,
      facts,
      desired,
      log: loggers.get('openflow'),
      onAttach: (connection) => {
        // Not before the rules are there: what is asked through an empty pipeline, nobody answers.
        void sync.settled().then(() => {
          if (connection.open) packetIo.attach(connection);
        });
        events.add({ type: 'switch', text: `connected from ${connection.peer}` });
        void this.limits.apply();
      },
      onDetach: (reason) => {
        packetIo.detach();
        events.add({ type: 'switch', text: `disconnected: ${reason}` });
      },
      onAdopted: () => this.takeOver(),
      onReady: () => {
        flushes.resume();
        void this.retiredIds.review();
      },
    });
    this.members = new Members({
      health,
      admin,
      facts,
      desired,
      events,
      log: loggers.get('health'),
      sync,
      flushes,
    });
    this.limits = new ConnectionLimits({
      vswitchd,
      log: loggers.get('agent'),
      wanted: () => limitsOf(intents.tenants.values(), node),
      isOurs: (zone) => ids.nameOf('tenant', zone) !== undefined,
    });
    this.retiredIds = new RetiredIds({
      ids,
      sync,
      flushes,
      log: loggers.get('config'),
      waiting: () => intents.waiting,
      compileAgain: () => this.reloadSoon(),
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
      generations,
      flushes,
      session,
      packetIo,
      neighbours,
      health,
      vswitchd,
      captures: new CaptureHub((tap) => this.channel?.setTap(tap)),
      bundleMs,
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

  /** As `reload`; that it failed is only logged. */
  reloadSoon(): void {
    this.reload().catch(() => undefined);
  }

  /** Reads the directory again; what is wrong is logged and left as it was. Rejects when ids can't be saved. */
  reload(): Promise<void> {
    const done = this.reloading.then(() => this.applyIntents());
    // One that fails (numbers that can't be written down) must not end all later ones.
    this.reloading = done.catch((error: Error) =>
      this.loggers.get('config').error({ reason: error.message }, 'the configuration was not applied'),
    );
    return done;
  }

  /** The switch keeps forwarding by what it has. */
  async stop(): Promise<void> {
    this.watch.close();
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
    this.parts.drift.start();
  }

  private async applyIntents(): Promise<void> {
    const { intents, desired, events, generations } = this.parts;
    const pause = slicer();
    const change = await intents.reload();
    if (change.provider || intents.generation === 1) desired.setProvider(intents.provider);
    for (const tenant of change.removed) {
      desired.removeTenant(tenant);
      this.members.removeTenant(tenant);
      this.neighbourhood.removeTenant(tenant);
      generations.forget(tenant.id);
      events.add({ type: 'tenant', tenant: tenant.name, text: 'removed' });
      await pause();
    }
    // A public VIP's rules look up the network, so a changed provider changes every tenant.
    for (const tenant of change.provider ? intents.tenants.values() : change.tenants) {
      desired.setTenant(tenant);
      generations.handedOver(tenant.id, intents.generationOf(tenant.name));
      await pause();
    }
    if (change.restartNeeded.length > 0) {
      this.loggers.get('config').warn({ keys: change.restartNeeded }, 'takes effect at the next start');
    }
    events.add({
      type: 'config',
      text: `${change.tenants.length} changed, ${change.removed.length} removed`,
    });
    intents
      .writeDown(this.lastGood)
      .catch((error: Error) =>
        this.loggers
          .get('config')
          .error({ reason: error.message }, 'the configuration in force was not written down'),
      );
    void this.retiredIds.review();
    if (!this.adopted) return;
    await this.watchTenants(change.provider ? [...intents.tenants.values()] : change.tenants, false);
    void this.limits.follow();
  }

  /** The facts of the first switch are known: from now on they are kept by probes and ARP. */
  private async takeOver(): Promise<void> {
    this.adopted = true;
    await this.watchTenants([...this.parts.intents.tenants.values()], true);
  }

  private async watchTenants(tenants: readonly TenantIntent[], adopt: boolean): Promise<void> {
    const { intents } = this.parts;
    const pause = slicer();
    const publicVips = [...intents.tenants.values()].flatMap((t) =>
      t.listeners.filter((l) => l.at.kind === 'external').map((l) => l.vip),
    );
    if (adopt || !isDeepStrictEqual(this.watchedProvider, [intents.provider, publicVips])) {
      this.watchedProvider = [intents.provider, publicVips];
      this.neighbourhood.setProvider(intents.provider, publicVips, adopt);
    }
    for (const tenant of tenants) {
      // Gone meanwhile, or another form of it is in force, which is watched by who brought it.
      if (intents.tenants.get(tenant.name) !== tenant) continue;
      this.neighbourhood.setTenant(tenant, adopt);
      this.members.setTenant(tenant);
      await pause();
    }
  }
}

/** Limit of each tenant's connections, by its zone. */
function limitsOf(tenants: Iterable<TenantIntent>, node: NodeConfig): Map<number, number> {
  const fallback = node.limits.connectionsPerTenant ?? COUNTED_ONLY;
  return new Map([...tenants].map((tenant) => [tenant.id, tenant.connectionLimit ?? fallback]));
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
