import { join } from 'node:path';
import { Host } from '../../../lab/host.js';
import { Lab } from '../../../lab/lab.js';
import { answer } from '../../../lab/services.js';
import { until } from '../../../lab/until.js';
import '../../../src/nx-extensions/index.js';
import type { ProviderIntent, TenantIntent } from '../../../src/model/types.js';
import { Channel, type Connection } from '../../../src/ofp/channel/index.js';
import type { Message, OfpVersion } from '../../../src/ofp/index.js';
import {
  type Facts,
  type Flow,
  type OwnerState,
  renderNode,
  renderTenant,
} from '../../../src/pipeline/index.js';

/** A private switch with hosts, that gets rendered flows over a channel of ours. */
export class World {
  #channel: Channel | undefined;
  connection!: Connection;

  private constructor(readonly lab: Lab) {}

  static async create(): Promise<World> {
    const world = new World(await Lab.create());
    await world.lab.addBridge();
    return world;
  }

  /** A host with a /24; `ofport` becomes its OpenFlow port. */
  host(name: string, address: string, mac: string, gateway: string, ofport: number): Promise<Host> {
    return this.lab.addHost({ name, addresses: [`${address}/24`], mac, gateway, ofport });
  }

  /** A machine on a cable of its own behind `router`, with a small MTU; it ends with the lab. */
  async farHost(router: Host, name: string, gateway: string, address: string, mtu: number): Promise<Host> {
    const far = await Host.create(this.lab.id, router.namespace, this.lab.dir, {
      name,
      addresses: [`${address}/24`],
      gateway,
    });
    const { namespace } = router;
    await namespace.exec(['ip', 'addr', 'add', `${gateway}/24`, 'dev', far.port]);
    await namespace.exec(['ip', 'link', 'set', far.port, 'mtu', String(mtu)]);
    return far;
  }

  async connect(version: OfpVersion): Promise<void> {
    this.#channel?.close('again');
    const arrived: Connection[] = [];
    this.#channel = await Channel.open({
      listen: [],
      connect: [{ kind: 'unix', path: join(this.lab.vswitch.rundir, 'br-lb.mgmt') }],
      versions: [version],
      onSwitch: (connection) => arrived.push(connection),
      logger: { debug: () => {}, info: () => {}, warn: () => {} },
    });
    this.connection = await until(() => arrived[0], { what: 'the switch' });
  }

  async clear(): Promise<void> {
    const { vswitch } = this.lab;
    await vswitch.ofctl('br-lb', ['del-flows']);
    await vswitch.ofctl('br-lb', ['del-groups']);
    await vswitch.ofctl('br-lb', ['del-meters']);
    await vswitch.flushConnections();
  }

  /** Replaces all that the switch has by what is rendered. Throws what the switch refuses. */
  async install(
    tenants: readonly TenantIntent[],
    provider: ProviderIntent,
    facts: Facts,
  ): Promise<OwnerState[]> {
    const states = [
      ...renderNode(provider, facts),
      ...tenants.flatMap((tenant) => renderTenant(tenant, facts, provider)),
    ];
    await this.clear();
    await this.apply(states);
    return states;
  }

  async apply(states: readonly OwnerState[]): Promise<void> {
    const meters = states.flatMap((s) =>
      s.meters.map((m) => ({ type: 'meter_mod', command: 'add', ...m }) as const),
    );
    const groups = states.flatMap((s) =>
      s.groups.map((g) => ({ type: 'group_mod', command: 'add', ...g }) as const),
    );
    const flows = states.flatMap((s) =>
      s.flows.map((f) => ({ type: 'flow_mod', command: 'add', ...f }) as const),
    );
    const messages: Message[] = [...groups, ...flows];
    const outcomes = [await this.connection.batch(meters), await this.connection.bundle(messages)];
    for (const [i, outcome] of outcomes.entries())
      if (!outcome.ok) {
        const first = outcome.refusals[0]!;
        const what = [meters, messages][i]![first.index ?? -1];
        const text = JSON.stringify(what, (key, v) =>
          typeof v === 'bigint' ? `0x${v.toString(16)}` : key === 'field' ? v.name : v,
        );
        throw new Error(`${first.error}: ${text}`);
      }
  }

  /** All flows of the switch. */
  async held(): Promise<Flow[]> {
    const flows: Flow[] = [];
    for await (const part of this.connection.multipart({ type: 'flow_stats_request' }))
      if (part.type === 'flow_stats_reply') flows.push(...part.entries);
    return flows;
  }

  close(): void {
    this.#channel?.close('done');
    this.lab.close();
  }
}

/** Who answered how often: bodies of `n` requests, or the errors. */
export async function ask(host: Host, url: string, n: number): Promise<Record<string, number>> {
  const seen: Record<string, number> = {};
  for (let i = 0; i < n; i++) {
    const { ok, body, error, code } = await host.curl(url, ['--max-time', '15']);
    const key = ok ? `${answer(body).server} for ${answer(body).client}` : `failed ${code} ${error}`;
    seen[key] = (seen[key] ?? 0) + 1;
  }
  return seen;
}
