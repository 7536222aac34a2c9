import { connect, type Socket } from 'node:net';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { F, sub } from '../../../src/nx-extensions/index.js';
import {
  type Action,
  canonicalInstructions,
  canonicalMatch,
  decodeMessage,
  encodeMessage,
  type FlowMod,
  type FlowStats,
  type Match,
  type Message,
  m,
  OFP13,
  OFP15,
  type OfpVersion,
  Writer,
} from '../../../src/ofp/index.js';
import { anyAction } from '../../property/nx-extensions/arbitrary-actions.js';
import { PrivateSwitch } from '../channel/private-switch.js';

const BRIDGE = 'br-nx';
const BARRIER = 0xb0b0;
const FIRST = 0x100;
let vswitch: PrivateSwitch;
beforeAll(async () => {
  vswitch = await PrivateSwitch.start();
  await vswitch.addBridge(BRIDGE);
}, 30_000);
afterAll(() => vswitch.stop());

/** Sends messages and a barrier; resolves with all that came until its reply. */
async function talk(version: OfpVersion, messages: readonly Message[]): Promise<Message[]> {
  const socket: Socket = connect(vswitch.mgmt(BRIDGE));
  const w = new Writer();
  encodeMessage(w, version, 1, { type: 'hello', versions: [version] });
  for (const [i, message] of messages.entries()) encodeMessage(w, version, FIRST + i, message);
  encodeMessage(w, version, BARRIER, { type: 'barrier_request' });
  socket.write(w.take());
  const replies: Message[] = [];
  let pending = Buffer.alloc(0);
  try {
    for await (const chunk of socket) {
      pending = Buffer.concat([pending, chunk]);
      while (pending.length >= 8 && pending.length >= pending.readUInt16BE(2)) {
        const { message, xid } = decodeMessage(pending, 0, pending.readUInt16BE(2));
        pending = pending.subarray(pending.readUInt16BE(2));
        if (xid === BARRIER && message.type === 'barrier_reply') return replies;
        if (message.type === 'error') {
          const { type, code } = { type: message.errorType, code: message.code };
          throw new Error(`${type}/${code}: ${JSON.stringify(messages[xid - FIRST], named)}`);
        }
        replies.push(message);
      }
    }
  } finally {
    socket.destroy();
  }
  throw new Error('the switch hung up');
}

const named = (_: string, v: unknown) =>
  typeof v === 'bigint' ? `${v}` : v && typeof v === 'object' && 'wire' in v && 'name' in v ? v.name : v;

function flow(priority: number, match: Match, actions: readonly Action[]): FlowMod {
  const instructions = [{ type: 'apply_actions', actions }] as const;
  return { type: 'flow_mod', command: 'add', table: 1, priority, cookie: 1n, match, instructions };
}

/** What the switch refuses in a flow: instructions given as actions, and conjunction beside others. */
function isRefused(a: Action): boolean {
  if (a.type === 'clone') return a.actions.some((i) => i.type === 'conjunction' || isRefused(i));
  return a.type === 'write_metadata';
}

const matches: Match[] = [
  [m(F.reg3, 7, 0xffff)],
  [m(F.reg2, 5), m(F.reg3, 7, 0xffff)],
  [m(F.reg3, 7, 0xffff), m(F.reg4, 1), m(F.reg1, 250)],
  [m(F.xreg3, 0x1234_0000_0001n)],
  [m(F.xxreg2, 0xfe80n << 112n)],
  [m(F.in_port, 1), m(F.vlan_tci, 0x1005, 0x1fff)],
  [m(F.dl_type, 0x800), m(F.nw_frag, 1, 1), m(F.nw_ttl, 64)],
  [
    m(F.dl_type, 0x800),
    m(F.nw_proto, 6),
    m(F.tcp_flags, 2, 2),
    m(F.ct_state, 0x21, 0x23),
    m(F.ct_mark, 5, 0xffff),
  ],
  [m(F.tun_id, 5n), m(F.tun_src, 0x0a000001), m(F.pkt_mark, 1)],
  [
    m(F.dl_type, 0x800),
    m(F.ct_state, 0x22, 0x22),
    m(F.ct_nw_proto, 17),
    m(F.ct_nw_src, 0x0a000001),
    m(F.ct_tp_dst, 53),
  ],
  [m(F.conj_id, 7), m(F.dl_type, 0x800)],
];

describe('what a real switch dumps is what was sent, in canonical form', () => {
  for (const version of [OFP13, OFP15] as const) {
    test(`version ${version}`, async () => {
      const actions = fc.sample(anyAction, { numRuns: 600, seed: 11 }).filter((a) => !isRefused(a));
      // resubmit(,,ct) is taken only where the original direction's protocol is known.
      const ip: Match = [m(F.dl_type, 0x800), m(F.ct_state, 0x22, 0x22), m(F.ct_nw_proto, 6)];
      const sent = [
        ...actions.map((a, i) => flow(1000 + i, ip, [a])),
        ...matches.map((match, i) =>
          flow(10_000 + i, match, [{ type: 'reg_move', src: sub(F.reg5, 0, 16), dst: sub(F.reg7, 16, 16) }]),
        ),
      ];
      const clear: FlowMod = { ...flow(0, [], []), command: 'delete', table: 255, instructions: [] };
      const replies = await talk(version, [clear, ...sent, { type: 'flow_stats_request' }]);
      const dumped = new Map<number, FlowStats>();
      for (const r of replies)
        if (r.type === 'flow_stats_reply') for (const entry of r.entries) dumped.set(entry.priority, entry);
      expect(dumped.size).toBe(sent.length);
      for (const mod of sent) {
        const entry = dumped.get(mod.priority)!;
        expect(canonicalMatch(entry.match)).toEqual(canonicalMatch(mod.match));
        expect(canonicalInstructions(entry.instructions)).toEqual(canonicalInstructions(mod.instructions));
      }
    });
  }
});
