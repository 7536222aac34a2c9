/** An independent reader: tshark finds nothing malformed in what we encode, but for the gaps that it has. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { SEGMENT, tcpCapture } from '../../../lab/pcap.js';
import { run } from '../../../lab/process.js';
import '../../../src/nx-extensions/text/index.js';
import { decodeMessage, encodeMessage, type OfpVersion, Writer } from '../../../src/ofp/index.js';
import { captureCorpus, VERSIONS, type VersionName } from '../corpus/capture.js';
import { captureSwitch, type SwitchMessage } from '../corpus/switch-replies.js';

const PORT = 6653;
let directory: string;
beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), 'tshark-'));
});
afterAll(() => rmSync(directory, { recursive: true }));

async function tshark(messages: readonly Uint8Array[], ...options: string[]): Promise<string[]> {
  const file = join(directory, 'messages.pcap');
  writeFileSync(file, tcpCapture(messages, PORT));
  const { stdout } = await run(['tshark', '-r', file, '-d', `tcp.port==${PORT},openflow`, ...options], {
    timeout: 120_000,
  });
  return stdout.split('\n').filter((line) => line !== '');
}

function again(bytes: Uint8Array): Uint8Array {
  const { version, xid, message } = decodeMessage(bytes);
  const w = new Writer();
  encodeMessage(w, version as OfpVersion, xid, message);
  return w.take();
}

test('a malformed message is found at all', async () => {
  // An OFPT_FLOW_MOD that ends in the middle of its match.
  const broken = Buffer.from(`040e0038${'0'.repeat(8)}${'0'.repeat(80)}0001003080000004`, 'hex');
  expect(await tshark([broken], '-Y', '_ws.malformed')).toHaveLength(1);
});

/**
 * Types of messages that tshark 4.0 calls malformed though Open vSwitch itself wrote them. It doesn't know ONF's flow
 * monitors of OpenFlow 1.3, stumbles over some properties of 1.4, and in 1.5 over most matches that end in padding,
 * statistics and properties.
 */
const GAPS: Readonly<Record<VersionName, readonly string[]>> = {
  13: ['flow_monitor_reply'],
  14: ['port_stats_reply', 'queue_desc_reply', 'queue_stats_reply'],
  15: [
    'aggregate_request',
    'bundle_add',
    'error',
    'flow_mod',
    'flow_monitor_reply',
    'flow_monitor_request',
    'flow_removed',
    'flow_stats_reply',
    'flow_stats_request',
    'group_desc_reply',
    'group_mod',
    'packet_out',
    'port_stats_reply',
    'queue_desc_reply',
    'queue_stats_reply',
    'table_features_reply',
  ],
};

/** Those of `messages` that tshark calls malformed, by index. */
async function malformed(messages: readonly Uint8Array[]): Promise<number[]> {
  const frames = messages.flatMap((m, i) => new Array<number>(Math.ceil(m.length / SEGMENT)).fill(i));
  const lines = await tshark(messages, '-Y', '_ws.malformed', '-T', 'fields', '-e', 'frame.number');
  return lines.map((line) => frames[Number(line) - 1]!);
}

let replies: SwitchMessage[];
beforeAll(async () => {
  replies = await captureSwitch();
}, 120_000);

test.each(VERSIONS)(
  'OpenFlow %i: of all that ovs-ofctl and the switch send, encoded by us, nothing is malformed that is not so in their own bytes, and that only in the listed types',
  async (version) => {
    const sent = (await captureCorpus(version)).map((m) => m.bytes);
    const theirs = [...sent, ...replies.filter((m) => m.version === version).map((m) => m.bytes)];
    const complaints = await malformed(theirs);
    // Each gap of the dissector is shown by bytes that are not ours.
    const types = new Set(complaints.map((i) => decodeMessage(theirs[i]!).message.type));
    expect([...types].sort()).toEqual(GAPS[version]);

    const ours = theirs.map(again);
    expect(await malformed(ours)).toEqual(complaints);
    const fields = ['-T', 'fields', '-e', 'frame.number'];
    const dissected = await tshark(ours, '-Y', 'openflow_v4 || openflow_v5 || openflow_v6', ...fields);
    expect(dissected.length).toBeGreaterThan(1500);
  },
  240_000,
);
