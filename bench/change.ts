/**
 * One member goes down in one of 100 pools of 251 slots and 10 members: what is sent, and how long it takes from the
 * moment that the agent knows until the switch has confirmed it. Beside it: sending the whole pool again.
 */
import { connect } from 'node:net';
import { join } from 'node:path';
import { Desired } from '../src/agent/desired.js';
import { FactsStore } from '../src/agent/facts-store.js';
import { compile, IdAllocator, loadConfig, type TenantIntent } from '../src/model/index.js';
import '../src/nx-extensions/index.js';
import { Connection, systemClock } from '../src/ofp/channel/index.js';
import { type Message, OFP15 } from '../src/ofp/index.js';
import { isOurGroup, isOurMeter, renderPool } from '../src/pipeline/index.js';
import { Synchronizer } from '../src/sync/index.js';
import { PrivateSwitch } from '../test/differential/channel/private-switch.js';
import { median, result, writeResult } from './harness.js';
import { AgentProcess } from './rig/agent-process.js';
import { Tap } from './rig/tap.js';
import { ConfigDir, TRUNK_NAMES, trunks } from './rig/tenants.js';

const BRIDGE = 'br-lb';
const TENANTS = 100;
const SHAPE = { slots: 251, members: 10, port: trunks };
const ROUNDS = 50;
/** Changes of one owner within 20 ms would be one. */
const APART_MS = 40;

const log = { debug() {}, info() {}, warn: (data: object, text: string) => console.error(text, data) };
const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

const ovs = await PrivateSwitch.start();
const tap = await Tap.listen(join(ovs.dir, 'tap.sock'), ovs.mgmt(BRIDGE));
const dir = new ConfigDir(ovs.dir, {
  connect: `unix:${tap.path}`,
  vswitchd: join(ovs.dir, `ovs-vswitchd.${ovs.pid}.ctl`),
  uplink: 'uplink0',
});

interface Transitions {
  /** ms from the fact until the commit is confirmed. */
  readonly down: number[];
  readonly up: number[];
  readonly flowMods: number[];
  /** Flow-mods that carried another tenant's cookie, in all rounds. */
  readonly strangers: number;
  /** ms for the whole pool in one bundle on the same connection. */
  readonly wholePool: number[];
}

/** The agent's own parts between a fact and the switch, without a process or an API around them. */
async function transitions(): Promise<Transitions> {
  const connection = await Connection.open(connect(tap.path), 'switch', {
    versions: [OFP15],
    logger: log,
    clock: systemClock,
  });
  const { tenants, provider } = await compile(await loadConfig(dir.config), IdAllocator.inMemory());
  const facts = new FactsStore();
  facts.replacePorts(new Map(['uplink0', ...TRUNK_NAMES].map((name, i) => [name, i + 1])));
  const all = [...tenants.values()];
  for (const { pools } of all)
    for (const pool of pools) facts.setServing(pool.id, new Set(pool.members.map((m) => m.endpointId)));
  const sync = new Synchronizer({ clock: systemClock, log, isOurGroup, isOurMeter });
  const desired = new Desired(sync, facts);
  desired.setProvider(provider);
  for (const tenant of all) desired.setTenant(tenant);
  await desired.renderAll();
  await sync.readBack(connection);
  await sync.resume();
  await sync.settled();
  if (sync.failures().length > 0) throw new Error(`refused: ${sync.failures()[0]!.error}`);
  console.log(`${sync.summary().installedFlows} flows of ${all.length} tenants are in the switch`);

  const change = async (tenant: TenantIntent, without: number | undefined): Promise<number> => {
    const pool = tenant.pools[0]!;
    const endpoints = pool.members.map((m) => m.endpointId).filter((id) => id !== without);
    await pause(APART_MS);
    tap.reset();
    const start = performance.now();
    facts.setServing(pool.id, new Set(endpoints));
    desired.servingChanged(tenant.id, pool.id);
    await sync.settled();
    return performance.now() - start;
  };
  const found = { down: [] as number[], up: [] as number[], flowMods: [] as number[], strangers: 0 };
  const wholePool: number[] = [];
  for (let round = -5; round < ROUNDS; round++) {
    const tenant = all[(round + TENANTS) % TENANTS]!;
    const pool = tenant.pools[0]!;
    const member = pool.members[(round + 5) % pool.members.length]!.endpointId;
    const down = await change(tenant, member);
    const { flowMods, byTenant } = tap.traffic;
    const up = await change(tenant, undefined);
    const again = await resend(connection, tenant);
    if (round < 0) continue; // warms up
    found.down.push(down);
    found.up.push(up);
    found.flowMods.push(flowMods);
    found.strangers += flowMods - (byTenant.get(tenant.id) ?? 0);
    wholePool.push(again);
  }
  connection.close('measured');
  return { ...found, wholePool };
}

async function resend(connection: Connection, tenant: TenantIntent): Promise<number> {
  const pool = tenant.pools[0]!;
  const { flows } = renderPool(tenant, pool, new Set(pool.members.map((m) => m.endpointId)));
  const messages = flows.map((flow): Message => ({ type: 'flow_mod', command: 'add', ...flow }));
  await pause(APART_MS);
  const start = performance.now();
  const outcome = await connection.bundle(messages);
  if (!outcome.ok) throw new Error('the pool was refused');
  return performance.now() - start;
}

/** The whole agent: from the POST that drains a member, through its state on the disk, until the commit passes the tap. */
async function drained(): Promise<{ ms: number[]; flowMods: number[] }> {
  const agent = AgentProcess.start(dir.config, dir.socket);
  await agent.ready();
  const found = { ms: [] as number[], flowMods: [] as number[] };
  for (let i = 0; i < 30; i++) {
    const member = { tenant: `t${1 + i}`, pool: 'web', member: `be${i % 10}` };
    for (const path of ['/drain', '/enable']) {
      await pause(APART_MS);
      tap.reset();
      const start = performance.now();
      await agent.post(path, member);
      while (tap.traffic.commits === 0) await pause(1);
      if (path !== '/drain') continue;
      found.ms.push(tap.traffic.lastCommit - start);
      found.flowMods.push(tap.traffic.flowMods);
    }
  }
  await agent.stop();
  return found;
}

try {
  await ovs.addBridge(BRIDGE);
  await ovs.vsctl(['uplink0', ...TRUNK_NAMES].flatMap((name) => ['--', 'add-port', BRIDGE, name]));
  dir.reset();
  dir.tenants(TENANTS, SHAPE);
  const t = await transitions();
  const whole = await drained();
  console.log(
    `one member down: ${Math.min(...t.flowMods)} to ${Math.max(...t.flowMods)} flow-mods of ${SHAPE.slots}, ` +
      `other tenants: ${t.strangers}`,
  );
  writeResult('change', [
    result('member_down_flow_mods', 'flow-mods', t.flowMods, {
      whole_pool: median(t.flowMods) / SHAPE.slots,
    }),
    result('member_down_commit_ms', 'ms', t.down, { whole_pool: median(t.down) / median(t.wholePool) }),
    result('member_up_commit_ms', 'ms', t.up),
    result('other_tenants_flow_mods', 'flow-mods', [t.strangers]),
    result('drain_request_to_commit_ms', 'ms', whole.ms),
    result('drain_flow_mods', 'flow-mods', whole.flowMods),
  ]);
} finally {
  tap.close();
  await ovs.stop();
}
