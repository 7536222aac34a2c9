/**
 * The agent killed and started again with 33,000 and 110,000 flows in the switch, while a ping goes every 5 ms through
 * it: when it is ready, which packets were lost. Beside it: receiving the same dump without decoding it. The same again
 * with an HTTP load that takes what processor time there is, and a tap that counts what the agent sends. Then the
 * switch killed: when all flows are back.
 */
import { rmSync, symlinkSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import type { Host } from '../lab/host.js';
import { Lab } from '../lab/lab.js';
import { HttpLoad } from '../lab/load.js';
import { httpServer } from '../lab/services.js';
import { pause, until } from '../lab/until.js';
import '../src/nx-extensions/index.js';
import { Framer } from '../src/ofp/channel/index.js';
import * as wire from '../src/ofp/channel/wire.js';
import { encodeMessage, OFP15, Writer } from '../src/ofp/index.js';
import { median, type Result, result, writeResult } from './harness.js';
import { AgentProcess, cpuSeconds } from './rig/agent-process.js';
import { Tap } from './rig/tap.js';
import { ConfigDir, TRUNK_NAMES, trunks } from './rig/tenants.js';

const BRIDGE = 'br-lb';
const UPLINK = 'uplink0';
/** By nominal number of flows: tenants and slots of each that come near it. */
const SIZES = [
  { nominal: 33_000, tenants: 80, slots: 256 },
  { nominal: 110_000, tenants: 93, slots: 1024 },
];
const ROUNDS = 3;
const SWITCH_ROUNDS = 3;
const PING_INTERVAL_S = 0.005;
/** The signature of our cookies, without the bit of the kinds that the switch learns. */
const OURS = '0x4c42/0x8000000ffff';

/** The tenant whose hosts are real. */
const REAL = `tenant: real
id: 5000
segments:
  - { name: p2, subnets: [10.20.0.0/24], ports: [{ name: v-client }, { name: v-be1 }] }
  - { name: p3, subnets: [10.30.0.0/24], ports: [{ name: v-be2 }] }
load_balancers:
  - name: web
    vip_address: 10.20.0.100
    segment: p2
    listeners: [{ name: http, protocol: TCP, protocol_port: 80, default_pool: web }]
pools:
  - name: web
    slots: 251
    members:
      - { name: be1, address: 10.20.0.2, protocol_port: 8080 }
      - { name: be2, address: 10.30.0.2, protocol_port: 8080 }
    health_monitor: { type: HTTP, delay: 1, timeout: 0.5, max_retries: 2, max_retries_down: 3, url_path: / }
`;

const lab = await Lab.create();
const { vswitch } = lab;
const mgmt = join(vswitch.rundir, `${BRIDGE}.mgmt`);
const DOOR = join(lab.dir, 'switch.sock');

/** What some restarts of the agent took. */
interface Restarts {
  readonly readySeconds: number[];
  readonly cpuSeconds: number[];
}

interface Size {
  readonly flows: number;
  readonly quiet: Restarts;
  readonly loaded: Restarts;
  /** Of the restarts under load. */
  readonly flowMods: number[];
  readonly bytes: number[];
  readonly dumps: Dump[];
  readonly pings: { readonly sent: number; readonly lost: number };
  readonly requests: { readonly sent: number; readonly failed: number };
  readonly switchSeconds: number[];
}

async function hosts(): Promise<Host> {
  await lab.addBridge(BRIDGE);
  for (const name of [UPLINK, ...TRUNK_NAMES])
    await vswitch.vsctl(['add-port', BRIDGE, name, '--', 'set', 'interface', name, 'type=internal']);
  const add = (name: string, address: string, gateway: string) =>
    lab.addHost({ name, addresses: [`${address}/24`], gateway });
  const client = await add('client', '10.20.0.10', '10.20.0.1');
  for (const host of [await add('be1', '10.20.0.2', '10.20.0.1'), await add('be2', '10.30.0.2', '10.30.0.1')])
    await httpServer(host);
  return client;
}

async function size(client: Host, tenants: number, slots: number): Promise<Size> {
  await vswitch.ofctl(BRIDGE, ['del-flows']);
  await vswitch.ofctl(BRIDGE, ['del-groups']);
  await vswitch.ofctl(BRIDGE, ['del-meters']);
  const tap = await Tap.listen(join(lab.dir, 'tap.sock'), mgmt);
  const control = join(vswitch.rundir, `ovs-vswitchd.${vswitch.pid}.ctl`);
  const dir = new ConfigDir(lab.dir, { connect: `unix:${DOOR}`, vswitchd: control, uplink: UPLINK });
  const start = () => AgentProcess.start(dir.config, dir.socket, lab.node.inside([]));
  dir.reset();
  dir.tenants(tenants, { slots, port: trunks });
  dir.file('real', REAL);
  leadTo(mgmt);
  let agent = start();
  await agent.ready();
  await bothServe(agent);

  const ping = client.spawn(['ping', '-i', String(PING_INTERVAL_S), '10.30.0.2']);
  const dumps: Dump[] = [];
  const flowMods: number[] = [];
  const bytes: number[] = [];
  const restarts = async (tapped: boolean): Promise<Restarts> => {
    const found: Restarts = { readySeconds: [], cpuSeconds: [] };
    for (let round = 0; round < ROUNDS; round++) {
      await agent.stop('SIGKILL');
      dumps.push(await dump());
      leadTo(tapped ? tap.path : mgmt);
      tap.reset();
      agent = start();
      found.readySeconds.push((await agent.ready()) / 1000);
      found.cpuSeconds.push(cpuSeconds(agent.process.pid));
      const { bytesFromSwitch } = tap.traffic;
      await pause(2000); // the first probes have their say
      if (!tapped) continue;
      bytes.push(bytesFromSwitch);
      flowMods.push(tap.traffic.flowMods + tap.traffic.groupMods + tap.traffic.meterMods);
    }
    return found;
  };
  const quiet = await restarts(false);
  const load = await HttpLoad.start(client, 'http://10.20.0.100/', 4);
  const loaded = await restarts(true);
  const requests = await load.stop();
  await ping.stop('SIGINT');
  const flows = await countFlows();
  const switchSeconds: number[] = [];
  for (let round = 0; round < SWITCH_ROUNDS; round++) switchSeconds.push(await switchRestart(agent, flows));
  await agent.stop();
  tap.close();
  return {
    flows,
    quiet,
    loaded,
    flowMods,
    bytes,
    dumps,
    pings: pinged(ping.stdout),
    requests: { sent: requests.requests, failed: requests.failed },
    switchSeconds,
  };
}

/** Where the agent's connections go from now on. */
function leadTo(socket: string): void {
  rmSync(DOOR, { force: true });
  symlinkSync(socket, DOOR);
}

async function bothServe(agent: AgentProcess): Promise<void> {
  await until(
    async () => {
      const { tenants } = JSON.parse((await agent.get('/status?tenant=real')).body) as {
        tenants: { membersOnline: number }[];
      };
      return tenants[0]?.membersOnline === 2;
    },
    { what: 'both members', interval: 100, timeout: 30_000 },
  );
}

/** By the numbers of the answers: what is on its way when ping is stopped is not lost. */
function pinged(output: string): { sent: number; lost: number } {
  const answered = new Set([...output.matchAll(/icmp_seq=(\d+) ttl/g)].map(([, seq]) => Number(seq)));
  const sent = Math.max(...answered);
  if (answered.size === 0) throw new Error(`ping said ${output}`);
  return { sent, lost: sent - answered.size };
}

/** Flows without the learned ones: those come and go with the traffic. */
async function countFlows(): Promise<number> {
  const { stdout } = await vswitch.ofctl(BRIDGE, ['dump-aggregate', `cookie=${OURS}`]);
  return Number(/flow_count=(\d+)/.exec(stdout)?.[1]);
}

/** Seconds from the moment that the new switch accepts connections until all flows are back. */
async function switchRestart(agent: AgentProcess, flows: number): Promise<number> {
  await vswitch.kill();
  await until(async () => (await agent.get('/readyz')).status === 503, { what: 'the loss', interval: 10 });
  const starting = vswitch.start();
  await until(accepts, { what: 'the switch', interval: 2, timeout: 30_000 });
  const accepted = performance.now();
  await agent.ready();
  await until(async () => (await countFlows()) === flows, { what: `${flows} flows`, interval: 20 });
  const seconds = (performance.now() - accepted) / 1000;
  await starting;
  return seconds;
}

function accepts(): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(mgmt);
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false));
    socket.once('connect', () => socket.destroy());
  });
}

interface Dump {
  readonly seconds: number;
  readonly bytes: number;
}

/** A dump of all flows whose contents nobody looks at. */
async function dump(): Promise<Dump> {
  const socket = connect(mgmt);
  const framer = new Framer();
  const w = new Writer();
  wire.writeHello(w, [OFP15], 1);
  encodeMessage(w, OFP15, 2, { type: 'flow_stats_request' });
  const start = performance.now();
  let bytes = 0;
  socket.write(w.take());
  await new Promise<void>((resolve, reject) => {
    socket.on('error', reject);
    socket.on('data', (chunk) => {
      bytes += chunk.length;
      framer.push(chunk);
      for (let m = framer.next(); m !== undefined; m = framer.next())
        // OFPMPF_REPLY_MORE is bit 0 of the flags behind the type of a multipart reply.
        if (wire.typeOf(m) === wire.OFPT.MULTIPART_REPLY && ((m[11] ?? 0) & 1) === 0) resolve();
    });
  });
  socket.destroy();
  return { seconds: (performance.now() - start) / 1000, bytes };
}

function resultsOf(nominal: number, r: Size): Result[] {
  const { quiet, loaded } = r;
  return [
    result(`flow_mods_${nominal}`, 'changes', r.flowMods),
    result(`ready_seconds_${nominal}`, 's', quiet.readySeconds, {
      dump: median(quiet.readySeconds) / median(r.dumps.map((d) => d.seconds)),
    }),
    result(`agent_cpu_${nominal}`, 's', quiet.cpuSeconds),
    result(`ready_seconds_under_load_${nominal}`, 's', loaded.readySeconds),
    result(`agent_cpu_under_load_${nominal}`, 's', loaded.cpuSeconds),
    result(
      `read_back_${nominal}`,
      'MB',
      r.bytes.map((b) => b / 1e6),
      { dump: median(r.bytes) / median(r.dumps.map((d) => d.bytes)) },
    ),
    result(`pings_lost_${nominal}`, 'packets', [r.pings.lost]),
    result(`requests_failed_${nominal}`, 'requests', [r.requests.failed]),
    result(`switch_restart_seconds_${nominal}`, 's', r.switchSeconds),
  ];
}

try {
  const client = await hosts();
  const results: Result[] = [];
  for (const { nominal, tenants, slots } of SIZES) {
    const r = await size(client, tenants, slots);
    console.log(
      `${r.flows} flows: ${r.pings.sent} pings and ${r.requests.sent} requests during ${2 * ROUNDS} restarts, ` +
        `${r.pings.lost} and ${r.requests.failed} lost`,
    );
    results.push(...resultsOf(nominal, r));
  }
  writeResult('restart', results);
} finally {
  lab.close();
}
