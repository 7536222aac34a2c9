/**
 * Codec: slot flow-mods out; flow statistics and packet-ins in; against binary-parser (decodes only) and os-ken.
 *
 * Rates are per second of CPU time, garbage collection and compilation on other threads included: what else the
 * machine does then disturbs the ratios less. Every baseline gets the bytes that we get and builds objects of
 * every field of every entry; none of the three decodes lazily.
 */
import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { Parser } from 'binary-parser';
import '../src/nx-extensions/index.js';
import { F } from '../src/nx-extensions/fields.js';
import type { FlowMod, FlowStats, Message, OfpVersion } from '../src/ofp/index.js';
import { decodeMessage, encodeMessage, m, OFP13, OFP15, Writer } from '../src/ofp/index.js';
import { cpuRates, median, type Result, result, writeResult } from './harness.js';

const BATCH = 1000;
/** What fits one message on OpenFlow 1.5. */
const ENTRIES = 450;

function slotFlow(slot: number): FlowMod {
  return {
    type: 'flow_mod',
    command: 'add',
    table: 11,
    priority: 100,
    cookie: 0x0007_0500_0001_4c42n,
    match: [m(F.reg4, 1), m(F.reg1, slot)],
    instructions: [
      { type: 'apply_actions', actions: [{ type: 'set_field', field: F.reg2, value: slot % 10 }] },
      { type: 'goto_table', table: 12 },
    ],
  };
}
const flows = Array.from({ length: BATCH }, (_, slot) => slotFlow(slot));
const w = new Writer(1 << 18);

function bytesOf(version: OfpVersion, message: Message): Uint8Array {
  const writer = new Writer(1 << 17);
  encodeMessage(writer, version, 1, message);
  return writer.take();
}

/** As OVS sends them: on 1.5 with the idle time. */
function flowStats(version: OfpVersion): Uint8Array {
  const entries = flows.slice(0, ENTRIES).map(
    (f, slot): FlowStats => ({
      table: f.table,
      priority: f.priority,
      cookie: f.cookie,
      idleTimeout: 0,
      hardTimeout: 0,
      flags: 0,
      durationSec: 12,
      durationNsec: 345 + slot,
      ...(version === OFP15 && { idleSec: slot, idleNsec: 0 }),
      packetCount: BigInt(6789 + slot),
      byteCount: BigInt(1_234_567 + slot * slot),
      match: f.match,
      instructions: f.instructions,
    }),
  );
  return bytesOf(version, { type: 'flow_stats_reply', entries });
}

/** An ARP request that a segment's flow punts, in the standard form that os-ken knows as well. */
const packetIn: Message = {
  type: 'packet_in',
  totalLen: 60,
  reason: 'apply_action',
  table: 3,
  cookie: 0x0007_0300_0001_4c42n,
  match: [m(F.in_port, 5), m(F.metadata, 7n), m(F.reg0, 1), m(F.reg6, 12), m(F.tun_id, 5001n)],
  userdata: new Uint8Array(0),
  data: Uint8Array.from({ length: 60 }, (_, i) => i),
};

/** A flow made and encoded: a message of os-ken's is good for one encoding, so that is what can be compared. */
function makeAndEncodeRates(version: OfpVersion): number[] {
  return cpuRates(() => {
    w.reset();
    for (let i = 0; i < BATCH; i++) encodeMessage(w, version, i, slotFlow(i));
  }, BATCH);
}

function encodeRates(version: OfpVersion): number[] {
  return cpuRates(() => {
    w.reset();
    for (let i = 0; i < BATCH; i++) encodeMessage(w, version, i, flows[i]!);
  }, BATCH);
}

function decodeRates(bytes: Uint8Array, perMessage: number): number[] {
  const calls = Math.ceil(BATCH / perMessage);
  return cpuRates(() => {
    for (let i = 0; i < calls; i++) decodeMessage(bytes);
  }, calls * perMessage);
}

/** The same reply, 1.3, with binary-parser; counts and paddings are constants, which spares it some work. */
function binaryParserRates(): number[] {
  const oxmTlv = new Parser()
    .endianness('big')
    .uint16('class')
    .uint8('field')
    .uint8('length')
    .buffer('value', { length: 'length' });
  const action = new Parser()
    .endianness('big')
    .uint16('type')
    .uint16('len')
    .nest('oxm', { type: oxmTlv })
    .seek(4);
  const apply = new Parser().endianness('big').seek(4).array('actions', {
    type: action,
    length: 1,
  });
  const goto = new Parser().endianness('big').uint8('table').seek(3);
  const instruction = new Parser()
    .endianness('big')
    .uint16('type')
    .uint16('len')
    .choice('body', { tag: 'type', choices: { 1: goto, 4: apply } });
  const entry = new Parser()
    .endianness('big')
    .uint16('length')
    .uint8('table')
    .seek(1)
    .uint32('durationSec')
    .uint32('durationNsec')
    .uint16('priority')
    .uint16('idleTimeout')
    .uint16('hardTimeout')
    .uint16('flags')
    .seek(4)
    .uint64('cookie')
    .uint64('packetCount')
    .uint64('byteCount')
    .uint16('matchType')
    .uint16('matchLength')
    .array('match', { type: oxmTlv, length: 2 })
    .seek(4)
    .array('instructions', { type: instruction, length: 2 });
  const message = new Parser().endianness('big').seek(16).array('entries', { type: entry, length: ENTRIES });
  const bytes = flowStats(OFP13);
  const parsed = message.parse(bytes) as { entries: { instructions: { body: { table?: number } }[] }[] };
  if (parsed.entries[ENTRIES - 1]?.instructions[1]?.body.table !== 12)
    throw new Error('the binary-parser baseline does not decode the reply');
  return cpuRates(() => {
    message.parse(bytes);
  }, ENTRIES);
}

interface Rates {
  readonly makeAndEncode: number;
  readonly encode: number;
  readonly flows: number;
  readonly packetIns: number;
}
function osKen(version: OfpVersion): Rates {
  const script = fileURLToPath(new URL('./os-ken/codec.py', import.meta.url));
  const input = [flowStats(version), bytesOf(version, packetIn)]
    .map((bytes) => `${Buffer.from(bytes).toString('hex')}\n`)
    .join('');
  return JSON.parse(
    execFileSync('/usr/bin/python3', [script, `${ENTRIES}`, `${BATCH}`], { input, encoding: 'utf8' }),
  );
}

const ratio = (baseline: number, ours: readonly number[]): number => baseline / median(ours);

function measure(version: OfpVersion, suffix: string): Result[] {
  const made = makeAndEncodeRates(version);
  const encode = encodeRates(version);
  const decode = decodeRates(flowStats(version), ENTRIES);
  const punts = decodeRates(bytesOf(version, packetIn), 1);
  const parser = version === OFP13 ? binaryParserRates() : undefined;
  const python = osKen(version);
  return [
    result(`encode_slot_flow_mod${suffix}`, UNIT, made, { 'os-ken': ratio(python.makeAndEncode, made) }),
    result(`encode_made_slot_flow_mod${suffix}`, UNIT, encode, { 'os-ken': ratio(python.encode, encode) }),
    result(`decode_flow_stats${suffix}`, UNIT, decode, {
      ...(parser && { 'binary-parser': ratio(median(parser), decode) }),
      'os-ken': ratio(python.flows, decode),
    }),
    result(`decode_packet_in${suffix}`, UNIT, punts, { 'os-ken': ratio(python.packetIns, punts) }),
    ...(parser ? [result('decode_flow_stats_binary_parser', UNIT, parser)] : []),
    result(`encode_slot_flow_mod_os_ken${suffix}`, UNIT, [python.makeAndEncode]),
    result(`encode_made_slot_flow_mod_os_ken${suffix}`, UNIT, [python.encode]),
    result(`decode_flow_stats_os_ken${suffix}`, UNIT, [python.flows]),
    result(`decode_packet_in_os_ken${suffix}`, UNIT, [python.packetIns]),
  ];
}

const UNIT = 'per CPU second';
writeResult('codec', [...measure(OFP13, ''), ...measure(OFP15, '_15')]);
