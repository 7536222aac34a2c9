/** Codec: slot flow-mods out, flow statistics in; against binary-parser (decodes only) and os-ken (both). */
import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { Parser } from 'binary-parser';
import '../src/nx-extensions/index.js';
import { F } from '../src/nx-extensions/fields.js';
import type { FlowMod, Message } from '../src/ofp/index.js';
import { decodeMessage, encodeMessage, m, OFP13, OFP15, Writer } from '../src/ofp/index.js';
import { median, type Result, rates, result, writeResult } from './harness.js';

const BATCH = 1000;
const ENTRIES = 500;

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

function encodeRates(version: typeof OFP13 | typeof OFP15): number[] {
  return rates(() => {
    w.reset();
    for (let i = 0; i < BATCH; i++) encodeMessage(w, version, i, flows[i]!);
  }, BATCH);
}

const reply: Message = {
  type: 'flow_stats_reply',
  entries: flows.slice(0, ENTRIES).map((f) => ({
    table: f.table,
    priority: f.priority,
    cookie: f.cookie,
    idleTimeout: 0,
    hardTimeout: 0,
    flags: 0,
    durationSec: 12,
    durationNsec: 345,
    packetCount: 6789n,
    byteCount: 1_234_567n,
    match: f.match,
    instructions: f.instructions,
  })),
};
function bytesOf(version: typeof OFP13 | typeof OFP15): Uint8Array {
  const writer = new Writer(1 << 17);
  encodeMessage(writer, version, 1, reply);
  return writer.take();
}
function decodeRates(version: typeof OFP13 | typeof OFP15): number[] {
  const bytes = bytesOf(version);
  return rates(() => {
    decodeMessage(bytes);
  }, ENTRIES);
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
  const bytes = bytesOf(OFP13);
  const parsed = message.parse(bytes) as { entries: { instructions: { body: { table?: number } }[] }[] };
  if (parsed.entries[ENTRIES - 1]?.instructions[1]?.body.table !== 12)
    throw new Error('the binary-parser baseline does not decode the reply');
  return rates(() => {
    message.parse(bytes);
  }, ENTRIES);
}

function osKen(): { encode: number; decode: number } {
  const script = fileURLToPath(new URL('./os-ken/codec.py', import.meta.url));
  const input = Buffer.from(bytesOf(OFP13)).toString('hex');
  return JSON.parse(execFileSync('/usr/bin/python3', [script], { input, encoding: 'utf8' }));
}

const encode13 = encodeRates(OFP13);
const encode15 = encodeRates(OFP15);
const decode13 = decodeRates(OFP13);
const decode15 = decodeRates(OFP15);
const parser = binaryParserRates();
const python = osKen();
const results: Result[] = [
  result('encode_slot_flow_mod', 'per second', encode13, { 'os-ken': python.encode / median(encode13) }),
  result('encode_slot_flow_mod_15', 'per second', encode15),
  result('decode_flow_stats', 'per second', decode13, {
    'binary-parser': median(parser) / median(decode13),
    'os-ken': python.decode / median(decode13),
  }),
  result('decode_flow_stats_15', 'per second', decode15),
  result('decode_flow_stats_binary_parser', 'per second', parser),
  result('encode_slot_flow_mod_os_ken', 'per second', [python.encode]),
  result('decode_flow_stats_os_ken', 'per second', [python.decode]),
];
writeResult('codec', results);
