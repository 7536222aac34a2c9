/**
 * Tenants as the founding estimate counts them (10 VMs, 2 listeners, 8 members, 256 slots each): how long the built
 * agent takes from its start until a real switch has confirmed everything, and how that grows from 1 to 1,000.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pause } from '../lab/until.js';
import { unixctl } from '../src/ovs/index.js';
import { PrivateSwitch } from '../test/differential/channel/private-switch.js';
import { median, type Result, result, writeResult } from './harness.js';
import { AgentProcess, cpuSeconds } from './rig/agent-process.js';
import { Tap } from './rig/tap.js';
import { ConfigDir, portEach, type TenantShape, TRUNK_NAMES, trunks, VMS } from './rig/tenants.js';

const BRIDGE = 'br-lb';
const UPLINK = 'uplink0';
/** The founding documents' table, for 100 tenants. */
const FOUNDING_TENANTS = 100;
const ESTIMATE: readonly {
  readonly tables: readonly number[];
  readonly what: string;
  readonly flows: number;
}[] = [
  { tables: [0], what: 'segments, learning', flows: 2000 },
  { tables: [1, 2], what: 'classification', flows: 0 },
  { tables: [5, 6], what: 'ARP and echo', flows: 800 },
  { tables: [10], what: 'listeners', flows: 200 },
  { tables: [11], what: 'slots', flows: 25_600 },
  { tables: [12], what: 'translation', flows: 800 },
  { tables: [15, 16, 17], what: 'reverse, routed', flows: 0 },
  { tables: [20, 21], what: 'routes, adjacencies', flows: 1500 },
  { tables: [24], what: 'reverse, switched', flows: 800 },
  { tables: [25, 26], what: 'FDB', flows: 1000 },
];
const FOUNDING_TOTAL = 33_000;
const LINE = [1, 10, 100, 1000];
/** Changes of one owner within 20 ms become one. */
const PAST_WINDOW_MS = 30;

const ovs = await PrivateSwitch.start();
const tap = await Tap.listen(join(ovs.dir, 'tap.sock'), ovs.mgmt(BRIDGE));
const control = join(ovs.dir, `ovs-vswitchd.${ovs.pid}.ctl`);
const dir = new ConfigDir(ovs.dir, { connect: `unix:${tap.path}`, vswitchd: control, uplink: UPLINK });

interface Install {
  readonly agent: AgentProcess;
  /** Seconds from the start of the process until /readyz says yes. */
  readonly ready: number;
  /** Seconds from the start of the process until the switch has connected: until then nothing is rendered. */
  readonly connected: number;
  /** Seconds from the first flow-mod to the last commit. */
  readonly sending: number;
  /** Processor seconds of agent and switch: what a machine that others use doesn't blur. */
  readonly cpu: { readonly agent: number; readonly switch: number };
  readonly flows: number;
}

/** An empty switch, a configuration that nobody has seen yet, and a fresh agent. */
async function install(count: number, shape: TenantShape): Promise<Install> {
  await clear();
  dir.reset();
  dir.tenants(count, shape);
  tap.reset();
  const before = cpuSeconds(ovs.pid);
  const agent = AgentProcess.start(dir.config, dir.socket);
  const ready = (await agent.ready(120_000)) / 1000;
  const cpu = { agent: cpuSeconds(agent.process.pid), switch: cpuSeconds(ovs.pid) - before };
  const { firstFlowMod, lastCommit } = tap.traffic;
  return {
    agent,
    ready,
    connected: connected(agent),
    sending: (lastCommit - firstFlowMod) / 1000,
    cpu,
    flows: await ovs.countFlows(BRIDGE),
  };
}

function connected(agent: AgentProcess): number {
  const [line] = agent.logged('switch connected');
  return (Date.parse(String(line!.time)) - (performance.timeOrigin + agent.startedAt)) / 1000;
}

async function clear(): Promise<void> {
  for (const command of ['del-flows', 'del-groups', 'del-meters'])
    await ovs.ofctl(['-OOpenFlow15', command, `unix:${ovs.mgmt(BRIDGE)}`]);
}

async function addPorts(names: readonly string[]): Promise<void> {
  for (let i = 0; i < names.length; i += 250) {
    const part = names.slice(i, i + 250).flatMap((name) => ['--', 'add-port', BRIDGE, name]);
    await ovs.vsctl(part);
  }
}

/** Every VM says who it is, and sends one packet: what the switch and the agent learn of it is in the tables, too. */
async function speak(tenants: number): Promise<void> {
  const { call } = unixctl({ socket: control });
  for (let t = 1; t <= tenants; t++)
    for (let vm = 0; vm < 2 * VMS; vm++) {
      const net = vm < VMS ? '10.20.0' : '10.30.0';
      const host = vm % VMS === 0 ? 10 : 10 + (vm % VMS);
      const { name } = portEach(t, vm);
      for (const frame of [announcement(vm, `${net}.${host}`), datagram(vm, `${net}.${host}`, `${net}.1`)])
        await call('netdev-dummy/receive', name, frame);
    }
}

const hex = (...bytes: number[]) => Buffer.from(bytes).toString('hex');
const octets = (address: string) => address.split('.').map(Number);
const macOf = (vm: number) => [2, 0, 0, 0, 0, vm + 1];

function announcement(vm: number, address: string): string {
  const arp = [0, 1, 8, 0, 6, 4, 0, 2, ...macOf(vm), ...octets(address), ...macOf(vm), ...octets(address)];
  return hex(255, 255, 255, 255, 255, 255, ...macOf(vm), 8, 6, ...arp.flat());
}

function datagram(vm: number, from: string, to: string): string {
  const ip = [0x45, 0, 0, 28, 0, 0, 0, 0, 64, 17, 0, 0, ...octets(from), ...octets(to)];
  return hex(255, 255, 255, 255, 255, 255, ...macOf(vm), 8, 0, ...ip, 0, 9, 0, 9, 0, 8, 0, 0);
}

/** By pipeline table: ours, and of those the learned. */
async function perTable(): Promise<Map<number, { all: number; learned: number }>> {
  const { stdout } = await ovs.ofctl(['-OOpenFlow15', 'dump-flows', `unix:${ovs.mgmt(BRIDGE)}`]);
  const counts = new Map<number, { all: number; learned: number }>();
  for (const line of stdout.split('\n')) {
    const table = /table=(\d+)/.exec(line)?.[1];
    if (table === undefined || !line.includes('actions=')) continue;
    const count = counts.get(Number(table)) ?? { all: 0, learned: 0 };
    count.all++;
    if (line.slice(0, line.indexOf('actions=')).includes('idle_timeout=')) count.learned++;
    counts.set(Number(table), count);
  }
  return counts;
}

async function printTables(): Promise<void> {
  const counts = await perTable();
  const rows = ESTIMATE.map(({ tables, what, flows }) => {
    const sum = { all: 0, learned: 0 };
    for (const table of tables) {
      sum.all += counts.get(table)?.all ?? 0;
      sum.learned += counts.get(table)?.learned ?? 0;
    }
    return [
      tables.join(' '),
      what,
      `${sum.all}`,
      sum.learned > 0 ? `${sum.learned}` : '',
      flows > 0 ? `${flows}` : '',
    ];
  });
  const all = [...counts.values()].reduce((n, c) => n + c.all, 0);
  const learned = [...counts.values()].reduce((n, c) => n + c.learned, 0);
  printed([
    ['table', 'what', 'flows', 'learned', 'estimate'],
    ...rows,
    ['', 'all', `${all}`, `${learned}`, `${FOUNDING_TOTAL}`],
  ]);
}

function printed(rows: readonly (readonly string[])[]): void {
  const widths = rows[0]!.map((_, i) => Math.max(...rows.map((row) => row[i]!.length)));
  for (const row of rows)
    console.log(
      row.map((cell, i) => (i < 2 ? cell.padEnd(widths[i]!) : cell.padStart(widths[i]!))).join('  '),
    );
}

/** The estimate itself: a port for each VM, on a switch that has nothing yet. */
async function founding(): Promise<Result[]> {
  const shape = { slots: 256, port: portEach };
  const ports = Array.from({ length: FOUNDING_TENANTS }, (_, i) =>
    Array.from({ length: 2 * VMS }, (_, vm) => portEach(i + 1, vm).name),
  ).flat();
  await addPorts(ports);
  const starts: Install[] = [];
  const ofctl: number[] = [];
  const added: { seconds: number; lag: number }[] = [];
  for (let round = 0; round < 3; round++) {
    const started = await install(FOUNDING_TENANTS, shape);
    starts.push(started);
    if (round === 0) {
      await speak(FOUNDING_TENANTS);
      await printTables();
    }
    await started.agent.stop();
    ofctl.push(await byOfctl());
    added.push(await addedToRunning(FOUNDING_TENANTS, shape));
  }
  await ovs.vsctl(ports.flatMap((name) => ['--', 'del-port', BRIDGE, name]));
  return [
    result(
      'founding_flows',
      'flows',
      starts.map((s) => s.flows),
    ),
    result(
      'founding_first_install',
      's',
      starts.map((s) => s.ready),
    ),
    result(
      'founding_rendered_installed_confirmed',
      's',
      starts.map((s) => s.ready - s.connected),
    ),
    result(
      'founding_first_install_sending',
      's',
      starts.map((s) => s.sending),
      { ofctl: median(starts.map((s) => s.sending)) / median(ofctl) },
    ),
    result('founding_ovs_ofctl_bundle', 's', ofctl),
    result(
      'founding_added_to_running_agent',
      's',
      added.map((a) => a.seconds),
    ),
    result(
      'founding_added_worst_loop_lag',
      'ms',
      added.map((a) => a.lag),
    ),
  ];
}

/** Seconds that `ovs-ofctl --bundle` takes to put all flows back; groups and meters stay, because flows name them. */
async function byOfctl(): Promise<number> {
  const target = `unix:${ovs.mgmt(BRIDGE)}`;
  const { stdout } = await ovs.ofctl(['-OOpenFlow15', '--no-stats', 'dump-flows', target]);
  const flows = stdout
    .split('\n')
    .filter((line) => line.includes('actions=') && !line.includes('idle_timeout='))
    .map((line) => line.trim());
  const file = join(ovs.dir, 'flows.txt');
  writeFileSync(file, flows.join('\n'));
  await ovs.ofctl(['-OOpenFlow15', 'del-flows', target]);
  const start = performance.now();
  await ovs.ofctl(['-OOpenFlow15', '--bundle', 'add-flows', target, file]);
  return (performance.now() - start) / 1000;
}

/** An agent that runs already reads the files: seconds until all is confirmed, and ms that its loop was late at worst. */
async function addedToRunning(count: number, shape: TenantShape): Promise<{ seconds: number; lag: number }> {
  await clear();
  dir.reset();
  const agent = AgentProcess.start(dir.config, dir.socket);
  await agent.ready();
  await agent.loopLag();
  dir.tenants(count, shape);
  const start = performance.now();
  await agent.apply();
  const seconds = (performance.now() - start) / 1000;
  const lag = await agent.loopLag();
  await agent.stop();
  return { seconds, lag };
}

/** One more tenant line: first install, memory, and what it takes to change one tenant among so many. */
async function point(count: number, slots: number): Promise<{ row: string[]; results: Result[] }> {
  const shape = { slots, port: trunks };
  const rounds = count > 100 ? 1 : 3;
  const installs: Install[] = [];
  const lag: number[] = [];
  const rss: number[] = [];
  const peak: number[] = [];
  const reload: number[] = [];
  const drain: number[] = [];
  for (let round = 0; round < rounds; round++) {
    const { agent, ...rest } = await install(count, shape);
    installs.push({ agent, ...rest });
    const memory = agent.memory();
    rss.push(memory.now);
    peak.push(memory.peak);
    for (let i = 0; i < 15; i++) {
      dir.tenant(1, shape, 2 + (i % 2));
      await pause(PAST_WINDOW_MS);
      const start = performance.now();
      await agent.apply();
      reload.push(performance.now() - start);
    }
    drain.push(...(await drains(agent)));
    await agent.stop();
    if (count <= 100) lag.push((await addedToRunning(count, shape)).lag);
  }
  const ready = installs.map((i) => i.ready);
  const flows = installs[0]!.flows;
  const name = `${count}${slots === 256 ? '' : `_of_${slots}_slots`}`;
  return {
    row: [
      `${count}`,
      `${slots}`,
      `${flows}`,
      median(ready).toFixed(2),
      `${Math.round((median(ready) * 1e6) / flows)}`,
      median(installs.map((i) => i.cpu.agent)).toFixed(2),
      median(installs.map((i) => i.cpu.switch)).toFixed(2),
      `${Math.round(median(rss))}`,
      `${Math.round(median(peak))}`,
      lag.length > 0 ? median(lag).toFixed(1) : '',
      median(reload).toFixed(1),
      median(drain).toFixed(1),
    ],
    results: [
      result(`tenants_${name}_flows`, 'flows', [flows]),
      result(`tenants_${name}_ready`, 's', ready),
      result(
        `tenants_${name}_rendered_installed_confirmed`,
        's',
        installs.map((i) => i.ready - i.connected),
      ),
      result(
        `tenants_${name}_agent_cpu`,
        's',
        installs.map((i) => i.cpu.agent),
      ),
      result(`tenants_${name}_rss`, 'MiB', rss),
      result(`tenants_${name}_rss_peak`, 'MiB', peak),
      ...(lag.length > 0 ? [result(`tenants_${name}_worst_loop_lag`, 'ms', lag)] : []),
      result(`tenants_${name}_one_reload`, 'ms', reload),
      result(`tenants_${name}_one_drain`, 'ms', drain),
    ],
  };
}

/** Milliseconds from asking to take one member out until the switch has confirmed it. */
async function drains(agent: AgentProcess): Promise<number[]> {
  const times: number[] = [];
  const member = { tenant: 't1', pool: 'web', member: 'be1' };
  for (let i = 0; i < 10; i++) {
    for (const path of ['/drain', '/enable']) {
      tap.reset();
      const start = performance.now();
      await agent.post(path, member);
      while (tap.traffic.commits === 0) await new Promise((resolve) => setTimeout(resolve, 1));
      if (path === '/drain') times.push(tap.traffic.lastCommit - start);
      await pause(PAST_WINDOW_MS);
    }
  }
  return times;
}

try {
  await ovs.addBridge(BRIDGE);
  await addPorts([UPLINK]);
  const results = await founding();
  await addPorts(TRUNK_NAMES);
  const rows = [];
  for (const [count, slots] of [...LINE.map((n) => [n, 256] as const), [100, 1024] as const]) {
    const { row, results: more } = await point(count, slots);
    rows.push(row);
    results.push(...more);
  }
  console.log();
  printed([
    [
      'tenants',
      'slots',
      'flows',
      'ready s',
      'µs/flow',
      'agent CPU s',
      'switch CPU s',
      'RSS MiB',
      'peak',
      'reload ms',
      'drain ms',
    ],
    ...rows,
  ]);
  console.log();
  writeResult('tenants', results);
} finally {
  tap.close();
  await ovs.stop();
}
