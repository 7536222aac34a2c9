/** tshark reads what a capture writes while a real switch is told its rules. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { tcpCapture } from '../../../lab/pcap.js';
import { run } from '../../../lab/process.js';
import { type Captured, CaptureHub, captureStream } from '../../../src/capture/index.js';
import type { Tap } from '../../../src/ofp/channel/index.js';
import { OFP13, OFP15, OFPP, type OfpVersion } from '../../../src/ofp/index.js';
import { known, PORTS, provider, tenants } from '../../golden/trace/scene.js';
import { World } from '../pipeline/world.js';

let world: World;
let directory: string;
beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), 'capture-'));
  world = await World.create();
  for (const [name, ofport] of Object.entries(PORTS))
    await world.lab.vswitch.vsctl(
      `add-port br-lb ${name} -- set interface ${name} type=internal ofport_request=${ofport}`.split(' '),
    );
}, 60_000);
afterAll(() => {
  world.close();
  rmSync(directory, { recursive: true });
});

const names = { subject: ({ tenant }: { tenant: number }) => `tenant ${tenant}` };
const limits = { maxBytes: 1 << 28, durationMs: 60_000, names, about: 'a test' };
const nothing = new Uint8Array(60).fill(0xff);

/** The whole installation, and a frame of ours that is punted again: as a file, and as raw messages. */
async function captured(version: OfpVersion): Promise<{ file: Uint8Array; messages: Captured[] }> {
  await world.connect(version);
  const hub = new CaptureHub((tap: Tap | undefined) => {
    world.connection.tap = tap;
  });
  const session = hub.open({ rate: 1e6, maxWaiting: 1 << 28 });
  const beside = hub.open({ rate: 1e6, maxWaiting: 1 << 28 });
  await world.install(tenants, provider, known);
  await world.held();
  // A service connection gets no packet-ins without a length.
  world.connection.send({ type: 'set_config', flags: 0, missSendLen: 128 });
  world.connection.send({ type: 'nx_set_packet_in_format', format: 'nxt_packet_in2' });
  const punted = new Promise((resolve) => world.connection.onPacketIn(resolve));
  world.connection.send({
    type: 'packet_out',
    inPort: OFPP.CONTROLLER,
    actions: [{ type: 'output', port: OFPP.CONTROLLER, maxLen: 0xffff }],
    data: nothing,
  });
  await punted;
  const messages = await beside.take(0, new AbortController().signal);
  beside.close();
  const over = new AbortController();
  const parts: Uint8Array[] = [];
  for await (const part of captureStream(
    session,
    { ...limits, format: 'pcapng', frames: true },
    over.signal,
  )) {
    parts.push(part);
    // What came is written before the next wait.
    if (session.backlog === 0 && parts.length > 1) setTimeout(() => over.abort(), 50);
  }
  expect(session.dropped).toBe(0);
  expect(world.connection.tap).toBeUndefined();
  return { file: Buffer.concat(parts), messages };
}

async function tshark(file: Uint8Array, ...options: string[]): Promise<string[]> {
  const path = join(directory, 'capture.pcapng');
  writeFileSync(path, file);
  const { stdout } = await run(['tshark', '-r', path, ...options], { timeout: 120_000 });
  return stdout.split('\n').filter((line) => line !== '');
}

const countOf = (file: Uint8Array, filter: string) =>
  tshark(file, '-Y', filter, '-T', 'fields', '-e', 'frame.number').then((lines) => lines.length);

it('OpenFlow 1.3: each message is a packet that tshark understands', async () => {
  const { file, messages } = await captured(OFP13);
  expect(messages.length).toBeGreaterThan(200);
  expect(await countOf(file, '_ws.malformed || _ws.expert.severity == error')).toBe(0);
  expect(await countOf(file, 'openflow_v4')).toBe(messages.length);
  expect(await countOf(file, 'tcp.analysis.flags')).toBe(0);
  const checked = ['-o', 'tcp.check_checksum:TRUE', '-o', 'ip.check_checksum:TRUE'];
  expect(
    await tshark(file, ...checked, '-Y', 'tcp.checksum.status == "Bad" || ip.checksum.status == "Bad"'),
  ).toEqual([]);
}, 60_000);

it('frames that went to the agent and from it are on an interface of their own', async () => {
  const { file } = await captured(OFP13);
  const fields = ['-e', 'frame.interface_name', '-e', 'frame.packet_flags_direction', '-e', 'eth.dst'];
  const frames = await tshark(file, '-Y', 'frame.interface_id == 1', '-T', 'fields', ...fields);
  // Out and in, as pcapng numbers them; some tsharks write them in hexadecimal.
  const flags = frames.map((line) => line.replace(/0x0*/, ''));
  expect(flags).toEqual(['frames\t2\tff:ff:ff:ff:ff:ff', 'frames\t1\tff:ff:ff:ff:ff:ff']);
}, 60_000);

/* tshark 4.0 fails on matches of OpenFlow 1.5 that end in padding, whoever wrote them. */
it('OpenFlow 1.5: no complaint that it has not about the same messages one by one', async () => {
  const { file, messages } = await captured(OFP15);
  const alone = (direction: string) =>
    tcpCapture(
      messages.filter((m) => m.direction === direction).map((m) => m.bytes),
      6653,
    );
  const openflow = [
    '-d',
    'tcp.port==6653,openflow',
    '-Y',
    '_ws.malformed',
    '-T',
    'fields',
    '-e',
    'frame.number',
  ];
  const complaints =
    (await tshark(alone('in'), ...openflow)).length + (await tshark(alone('out'), ...openflow)).length;
  expect(await countOf(file, '_ws.malformed')).toBe(complaints);
  expect(await countOf(file, 'openflow_v6')).toBe(messages.length);
}, 60_000);
