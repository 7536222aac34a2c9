/**
 * Installs slot flows into a real ovs-vswitchd of its own, in bundles of 1,024: ours against `ovs-ofctl --bundle`,
 * os-ken, and the limit, which is the same bytes encoded beforehand. The contenders take turns.
 */
import { rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { fileURLToPath } from 'node:url';
import { run } from '../lab/process.js';
import '../src/nx-extensions/index.js';
import { Connection, Framer, systemClock } from '../src/ofp/channel/index.js';
import * as wire from '../src/ofp/channel/wire.js';
import { encodeMessage, fieldByName, type Message, OFP15, Writer } from '../src/ofp/index.js';
import { PrivateSwitch } from '../test/differential/channel/private-switch.js';
import { median, type Result, result, writeResult } from './harness.js';
import { PingedBridge, type Pings } from './rig/pinged-bridge.js';

const PER_BUNDLE = 1024;
const BRIDGE = 'br0';
const OS_KEN = fileURLToPath(new URL('os-ken/install.py', import.meta.url));
/** Rounds by number of flows; os-ken takes so long that three have to do. */
const ROUNDS = new Map([
  [1_024, 9],
  [25_600, 5],
  [102_400, 5],
]);
const OS_KEN_ROUNDS = 3;

const logger = { debug() {}, info() {}, warn: (data: object, text: string) => console.error(text, data) };
const field = (name: string) => fieldByName(name)!;
const [REG1, REG2, REG4] = ['reg1', 'reg2', 'reg4'].map(field) as [
  ReturnType<typeof field>,
  ReturnType<typeof field>,
  ReturnType<typeof field>,
];

function slotFlow(n: number): Message {
  return {
    type: 'flow_mod',
    command: 'add',
    table: 11,
    priority: 100,
    cookie: BigInt(n),
    match: [
      { field: REG1, value: n % PER_BUNDLE },
      { field: REG4, value: Math.floor(n / PER_BUNDLE) + 1 },
    ],
    instructions: [
      { type: 'apply_actions', actions: [{ type: 'set_field', field: REG2, value: (n % 16) + 1 }] },
      { type: 'goto_table', table: 12 },
    ],
  };
}

function* flows(first: number, count: number): Generator<Message> {
  for (let n = first; n < first + count; n++) yield slotFlow(n);
}

/** A result with the ratios of its median to those of baselines. */
function compared(
  metric: string,
  unit: string,
  values: readonly number[],
  baselines: Readonly<Record<string, readonly number[]>>,
): Result {
  const ratios = Object.entries(baselines).map(([name, theirs]) => [name, median(values) / median(theirs)]);
  return result(metric, unit, values, Object.fromEntries(ratios) as Record<string, number>);
}

const seconds = async (work: () => Promise<unknown>): Promise<number> => {
  const begin = performance.now();
  await work();
  return (performance.now() - begin) / 1000;
};

function open(mgmt: string): Promise<Connection> {
  return Connection.open(connect(mgmt), 'switch', {
    versions: [OFP15],
    logger,
    clock: systemClock,
  });
}

async function bundles(connection: Connection, count: number): Promise<void> {
  const outcomes: Promise<{ ok: boolean }>[] = [];
  for (let first = 0; first < count; first += PER_BUNDLE)
    outcomes.push(connection.bundle(flows(first, Math.min(PER_BUNDLE, count - first))));
  for (const outcome of await Promise.all(outcomes))
    if (!outcome.ok) throw new Error(JSON.stringify(outcome));
}

async function batch(connection: Connection, count: number): Promise<void> {
  const outcome = await connection.batch(flows(0, count));
  if (!outcome.ok) throw new Error(JSON.stringify(outcome.refusals[0]));
}

/** The bundles as bytes, each committed without waiting for what came before. */
function encoded(count: number): Uint8Array[] {
  const w = new Writer(1 << 20);
  const chunks: Uint8Array[] = [];
  let xid = 1;
  for (let first = 0, id = 1; first < count; first += PER_BUNDLE, id++) {
    wire.writeBundleControl(w, OFP15, ++xid, id, wire.OFPBCT.OPEN);
    for (const flow of flows(first, Math.min(PER_BUNDLE, count - first))) {
      const start = wire.beginBundleAdd(w, OFP15, ++xid, id);
      encodeMessage(w, OFP15, xid, flow);
      wire.endBundleAdd(w, start);
      if (w.pos < 65_536) continue;
      chunks.push(w.take());
      w.reset();
    }
    wire.writeBundleControl(w, OFP15, ++xid, id, wire.OFPBCT.COMMIT);
  }
  chunks.push(w.take());
  return chunks;
}

/** Sends the bytes and counts the commits. */
async function replay(ovs: PrivateSwitch, chunks: readonly Uint8Array[], commits: number): Promise<number> {
  const socket = connect(ovs.mgmt(BRIDGE));
  const framer = new Framer();
  const w = new Writer();
  wire.writeHello(w, [OFP15], 1);
  socket.write(w.take());
  await new Promise((resolve) => socket.once('data', resolve)); // its hello
  const time = await seconds(
    () =>
      new Promise<void>((resolve, reject) => {
        let left = commits;
        socket.on('data', (chunk) => {
          framer.push(chunk);
          for (let m = framer.next(); m !== undefined; m = framer.next()) {
            if (wire.typeOf(m) === wire.OFPT.ERROR) reject(new Error('refused'));
            if (wire.readBundleControl(m) === wire.OFPBCT.COMMIT + 1 && --left === 0) resolve();
          }
        });
        for (const chunk of chunks) socket.write(chunk);
      }),
  );
  socket.destroy();
  return time;
}

function text(count: number): string {
  let lines = '';
  for (let n = 0; n < count; n++) {
    const match = `reg1=${n % PER_BUNDLE},reg4=${Math.floor(n / PER_BUNDLE) + 1}`;
    lines += `table=11,priority=100,cookie=${n},${match} actions=set_field:${(n % 16) + 1}->reg2,goto_table:12\n`;
  }
  return lines;
}

async function empty(ovs: PrivateSwitch, expected: number): Promise<void> {
  const there = await ovs.countFlows(BRIDGE);
  if (there !== expected) throw new Error(`${there} flows are in the switch, not ${expected}`);
  await ovs.ofctl(['-OOpenFlow15', 'del-flows', `unix:${ovs.mgmt(BRIDGE)}`]);
}

async function size(ovs: PrivateSwitch, count: number): Promise<Result[]> {
  const file = join(ovs.dir, 'flows.txt');
  writeFileSync(file, text(count));
  const chunks = encoded(count);
  const commits = Math.ceil(count / PER_BUNDLE);
  const connection = await open(ovs.mgmt(BRIDGE));
  const mgmt = `unix:${ovs.mgmt(BRIDGE)}`;
  const contenders: Record<string, () => Promise<number>> = {
    ours: () => seconds(() => bundles(connection, count)),
    'ovs-ofctl': () => seconds(() => ovs.ofctl(['-OOpenFlow15', '--bundle', 'add-flows', mgmt, file])),
    replay: () => replay(ovs, chunks, commits),
    batch: () => seconds(() => batch(connection, count)),
    'os-ken': async () =>
      Number((await run(['/usr/bin/python3', OS_KEN, ovs.mgmt(BRIDGE), `${count}`, `${PER_BUNDLE}`])).stdout),
  };
  const times: Record<string, number[]> = {};
  const rounds = ROUNDS.get(count)!;
  // The first round warms up code and switch and is not counted.
  for (let round = -1; round < rounds; round++)
    for (const [name, contender] of Object.entries(contenders)) {
      if (name === 'os-ken' && (round < 0 || round >= OS_KEN_ROUNDS)) continue;
      const time = await contender();
      await empty(ovs, count);
      if (round >= 0) times[name] = [...(times[name] ?? []), time];
    }
  connection.close('measured');
  const { ours, batch: plain, ...baselines } = times;
  return [
    compared(`install_${count}`, 's', ours!, baselines),
    compared(`install_${count}_without_bundles`, 's', plain!, { bundles: ours! }),
  ];
}

/** Round trips of echoes on a second connection, and how late our own event loop was, while flows go in. */
async function disturbance(ovs: PrivateSwitch): Promise<Result[]> {
  const [connection, second] = [await open(ovs.mgmt(BRIDGE)), await open(ovs.mgmt(BRIDGE))];
  const stalls: number[] = [];
  const worstEcho: number[] = [];
  const echoes: { idle: number[]; busy: number[] } = { idle: [], busy: [] };
  const echo: Message = { type: 'echo_request', data: new Uint8Array(0) };
  for (let round = 0; round < 3; round++) {
    for (let i = 0; i < 200; i++) echoes.idle.push((await seconds(async () => second.request(echo))) * 1000);
    const delay = monitorEventLoopDelay({ resolution: 1 });
    delay.enable();
    let done = false;
    const install = bundles(connection, 102_400).finally(() => {
      done = true;
    });
    const busy: number[] = [];
    while (!done) {
      busy.push((await seconds(async () => second.request(echo))) * 1000);
      await new Promise((resolve) => setTimeout(resolve, 2));
    }
    await install;
    delay.disable();
    stalls.push(delay.max / 1e6);
    worstEcho.push(Math.max(...busy));
    echoes.busy.push(...busy);
    await empty(ovs, 102_400);
  }
  connection.close('measured');
  second.close('measured');
  return [
    result('worst_stall_ms', 'ms', stalls),
    compared('echo_during_install_ms', 'ms', echoes.busy, { idle: echoes.idle }),
    compared('worst_echo_during_install_ms', 'ms', worstEcho, { idle: echoes.idle }),
  ];
}

/**
 * Forwarding while 102,400 flows go in: a ping every 2 ms through the bridge. Ours in bundles of 1,024, beside the same
 * flows in one bundle, and beside nothing at all, which says what the machine itself does.
 */
async function forwarding(): Promise<Result[]> {
  const count = 102_400;
  const bridge = await PingedBridge.start();
  try {
    const file = join(ovs.dir, 'flows.txt');
    writeFileSync(file, text(count));
    const connection = await open(bridge.mgmt);
    const contenders: Record<string, () => Promise<unknown>> = {
      idle: () => new Promise((resolve) => setTimeout(resolve, 700)),
      ours: () => bundles(connection, count),
      'one bundle': () => bridge.ofctl(['--bundle', 'add-flows', file]),
    };
    const met: Record<string, Pings[]> = { idle: [], ours: [], 'one bundle': [] };
    for (let round = 0; round < ROUNDS.get(count)!; round++)
      for (const [name, work] of Object.entries(contenders)) {
        met[name]!.push(await bridge.during(work));
        await bridge.forward();
      }
    connection.close('measured');
    const worst = (name: string) => met[name]!.map((p) => p.worst);
    return [
      compared('worst_ping_during_install_ms', 'ms', worst('ours'), {
        idle: worst('idle'),
        'one bundle': worst('one bundle'),
      }),
      result('worst_ping_idle_ms', 'ms', worst('idle')),
      result('worst_ping_during_one_bundle_ms', 'ms', worst('one bundle')),
      result(
        'pings_lost_during_install',
        'packets',
        met.ours!.map((p) => p.lost),
      ),
    ];
  } finally {
    bridge.close();
  }
}

const ovs = await PrivateSwitch.start();
try {
  await ovs.addBridge(BRIDGE);
  const results: Result[] = [];
  for (const count of ROUNDS.keys()) results.push(...(await size(ovs, count)));
  results.push(...(await disturbance(ovs)));
  results.push(...(await forwarding()));
  writeResult('install', results);
  rmSync(join(ovs.dir, 'flows.txt'), { force: true });
} finally {
  await ovs.stop();
}
