import { expect, it } from 'vitest';
import { CaptureHub, captureStream } from '../../../src/capture/index.js';
import { F } from '../../../src/nx-extensions/fields.js';
import '../../../src/nx-extensions/index.js';
import type { Tap } from '../../../src/ofp/channel/types.js';
import { encodeMessage, type Message, OFP15, OFPP, Writer } from '../../../src/ofp/index.js';
import { cookieOf, KIND } from '../../../src/pipeline/index.js';
import { TraceNames } from '../../../src/trace/index.js';
import { known, provider, tenants } from '../trace/scene.js';

/** Messages of a connection, each a little later than the one before. */
const pool = cookieOf({ tenant: 1, kind: KIND.pool, object: 10 });
const mod = (table: number): Message => ({
  type: 'flow_mod',
  command: 'add',
  table,
  priority: 100,
  cookie: pool,
  match: [{ field: F.reg4, value: 10 }],
  instructions: [{ type: 'goto_table', table: 12 }],
});
const CONVERSATION: readonly (readonly ['in' | 'out', number, Message])[] = [
  ['out', 1, { type: 'bundle_control', bundleId: 5, control: 'open_request', flags: 3 }],
  ['in', 1, { type: 'bundle_control', bundleId: 5, control: 'open_reply', flags: 3 }],
  ['out', 2, { type: 'bundle_add', bundleId: 5, flags: 3, message: mod(11) }],
  ['out', 3, { type: 'bundle_control', bundleId: 5, control: 'commit_request', flags: 3 }],
  ['in', 3, { type: 'bundle_control', bundleId: 5, control: 'commit_reply', flags: 3 }],
  ['out', 4, { type: 'meter_mod', command: 'add', meterId: 0x03000002, flags: ['kbps'], bands: [] }],
  ['out', 5, mod(250)],
  ['in', 5, { type: 'error', errorType: 5, code: 2, data: new Uint8Array(0) }],
  [
    'in',
    0,
    {
      type: 'packet_in',
      form: 'nxt_packet_in2',
      totalLen: 42,
      reason: 'apply_action',
      table: 5,
      cookie: pool,
      match: [
        { field: F.in_port, value: 11 },
        { field: F.reg3, value: 1 },
        { field: F.reg0, value: 2 },
      ],
      userdata: Uint8Array.of(1),
      data: Buffer.from(`ffffffffffff020000000210080600010800060400010200000002100a14000a0000000000000a140001`, 'hex'),
    },
  ],
  [
    'out',
    6,
    {
      type: 'packet_out',
      inPort: OFPP.CONTROLLER,
      actions: [
        { type: 'set_field', field: F.reg3, value: 2 },
        { type: 'resubmit_table', table: 25 },
      ],
      data: Buffer.from(`ffffffffffff020000000210080600010800060400010200000002100a14000a0000000000000a140001`, 'hex'),
    },
  ],
  ['out', 7, { type: 'group_mod', command: 'add', groupType: 'all', groupId: 0x20002, buckets: [] }],
  ['out', 8, { type: 'flow_stats_request', cookie: 2n << 48n, cookieMask: 0xffffn << 48n }],
  [
    'in',
    8,
    {
      type: 'flow_stats_reply',
      entries: Array.from({ length: 20 }, (_, i) => ({
        table: 11,
        priority: i,
        cookie: pool,
        idleTimeout: 0,
        hardTimeout: 0,
        flags: 0,
        durationSec: 1,
        durationNsec: 0,
        packetCount: 3n,
        byteCount: 180n,
        match: [],
        instructions: [],
      })),
    } as Message,
  ],
  ['in', 9, { type: 'echo_request', data: new Uint8Array(0) }],
  ['out', 9, { type: 'echo_reply', data: new Uint8Array(0) }],
];

async function text(tenant?: number): Promise<string> {
  let tap: Tap | undefined;
  let now = Date.parse('2026-01-02T03:04:05.000Z');
  const hub = new CaptureHub((t) => {
    tap = t;
  });
  const session = hub.open({ rate: 100, now: () => now });
  const names = new TraceNames(tenants, provider, known.ports);
  const peer = { peer: 'tcp:127.0.0.1:40312' };
  const w = new Writer();
  for (const [direction, xid, message] of CONVERSATION) {
    w.pos = 0;
    encodeMessage(w, OFP15, xid, message);
    now += 1.25;
    tap?.(direction, w.take(), peer);
  }
  tap?.('in', Uint8Array.of(6, 14, 0, 12, 0, 0, 0, 1, 0, 0, 0, 0), peer);
  let out = '';
  const options = {
    format: 'text',
    frames: false,
    maxBytes: 1 << 20,
    durationMs: 20,
    about: 'hpnn-agent on lb-1',
    names: {
      subject: ({ tenant: id, owner }: { tenant: number; owner?: Parameters<TraceNames['owner']>[0] }) =>
        `${names.tenantName(id)}${owner ? ` ${names.owner(owner)}` : ''}`,
    },
    ...(tenant === undefined ? {} : { tenant }),
  } as const;
  for await (const chunk of captureStream(session, options, new AbortController().signal))
    out += Buffer.from(chunk).toString();
  return out;
}

it('a conversation as text (`npx vitest run test/golden/capture -u` rewrites it)', async () => {
  await expect(await text()).toMatchFileSnapshot('conversation.txt');
});

it('what is about one tenant alone', async () => {
  await expect(await text(2)).toMatchFileSnapshot('conversation-of-b.txt');
});
