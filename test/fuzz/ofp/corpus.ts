/** What the fuzzers start from: every message in every version, and Nicira's with their nested actions. */
import fc from 'fast-check';
import '../../../src/nx-extensions/index.js';
import {
  type Action,
  encodeMessage,
  type Message,
  m,
  OfpEncodeError,
  type OfpVersion,
  oxm,
  VERSIONS,
  Writer,
} from '../../../src/ofp/index.js';
import { anyAction } from '../../property/nx-extensions/arbitrary-actions.js';
import type { Random } from '../../property/ofp/random.js';
import { messageSamples } from '../../property/ofp/samples.js';

/** Encoded, or `undefined` where the version can't say it. */
function encoded(version: OfpVersion, message: Message): Uint8Array | undefined {
  const w = new Writer();
  try {
    encodeMessage(w, version, 7, message);
  } catch (e) {
    if (e instanceof OfpEncodeError) return undefined;
    throw e;
  }
  return w.take();
}

/** `actions` inside as many clones and ct actions, one in the other. */
export function nested(actions: readonly Action[], levels: number): readonly Action[] {
  for (let i = 0; i < levels; i++)
    actions = [i % 2 === 0 ? { type: 'clone', actions } : { type: 'ct', commit: true, zone: i, actions }];
  return actions;
}

const userdata = Uint8Array.of(3, 1, 2);
const packet = {
  type: 'packet_in',
  form: 'nxt_packet_in2',
  totalLen: 60,
  reason: 'apply_action',
  table: 3,
  cookie: 0x0007_0300_0001_4c42n,
  match: [m(oxm.in_port, 5), m(oxm.metadata, 7n)],
  userdata,
  data: new Uint8Array(60).fill(0xa5),
} as const;

/** Nicira's messages; their actions come in flows, buckets and packet-outs below. */
const NICIRA: readonly Message[] = [
  packet,
  { ...packet, continuation: new Uint8Array(40).fill(9) },
  { type: 'nx_resume', packet: { ...packet, continuation: new Uint8Array(24).fill(9) } },
  { type: 'nx_set_controller_id', controllerId: 4 },
  { type: 'nx_set_packet_in_format', format: 'nxt_packet_in2' },
  { type: 'nx_flow_mod_table_id', set: true },
  { type: 'nx_role_request', role: 'master' },
  { type: 'nx_role_reply', role: 'slave' },
  { type: 'nx_ct_flush_zone', zone: 7 },
  { type: 'nx_ct_flush', zone: 7, protocol: 6, original: { src: 0x0a000001, dst: 0x0a000002, dstPort: 80 } },
  {
    type: 'nx_ct_flush',
    zone: 7,
    protocol: 58,
    original: { src: 1n << 120n },
    reply: { icmpId: 1, icmpType: 8 },
  },
  { type: 'nx_tlv_table_mod', command: 'add', maps: [{ optClass: 0xffff, optType: 1, optLen: 4, index: 2 }] },
  { type: 'nx_tlv_table_request' },
  { type: 'nx_tlv_table_reply', maxOptionSpace: 256, maxFields: 64, maps: [] },
  { type: 'flow_monitor_cancel', monitorId: 3 },
  { type: 'flow_monitor_paused' },
  { type: 'flow_monitor_resumed' },
];

/** Random actions, as often as possible inside others, in every message that can hold them. */
function withActions(actions: readonly Action[]): Message[] {
  const instructions = [{ type: 'apply_actions', actions }] as const;
  const flow: Message = {
    type: 'flow_mod',
    command: 'add',
    table: 1,
    priority: 1,
    cookie: 1n,
    match: [m(oxm.in_port, 1)],
    instructions,
  };
  return [
    flow,
    { type: 'packet_out', inPort: 0xfffffffd, actions, data: new Uint8Array(14) },
    {
      type: 'group_mod',
      command: 'add',
      groupType: 'select',
      groupId: 1,
      buckets: [{ actions }, { actions }],
    },
    { type: 'bundle_add', bundleId: 1, flags: 1, message: flow, xid: 7 } as Message,
  ];
}

/** Valid messages; the same for the same seed. */
export function corpus(random: Random, seed: number, perSample = 8): Uint8Array[] {
  const all: Uint8Array[] = [];
  const add = (version: OfpVersion, message: Message): void => {
    const bytes = encoded(version, message);
    if (bytes !== undefined) all.push(bytes);
  };
  const actions = fc.sample(fc.array(anyAction, { minLength: 1, maxLength: 4 }), { seed, numRuns: 60 });
  for (const version of VERSIONS) {
    for (const sample of Object.values(messageSamples))
      for (let i = 0; i < perSample; i++) {
        const message = sample(random, version);
        if (message !== undefined) add(version, message);
      }
    for (const message of NICIRA) add(version, message);
    actions.forEach((list, i) => {
      for (const message of withActions(nested(list, i % 7))) add(version, message);
    });
  }
  return all;
}
