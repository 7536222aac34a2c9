/** Texts of the specification's actions; ovs-actions(7). */
import { fieldByName } from '../fields/registry.js';
import type { Action } from '../types/action.js';
import type { Field, FieldValue, Subfield } from '../types/field.js';
import { OFPP } from '../types/message.js';
import { type ActionContext, registerActionText } from './action-registry.js';
import {
  actionFieldName,
  formatFieldValue,
  formatSubfield,
  parseActionField,
  parseFieldValue,
  toFieldValue,
} from './field-text.js';
import { formatPort } from './ports.js';
import { integer, required, small, TextError, type Word } from './scanner.js';
import { hexPadded } from './values.js';

const ALL_BYTES = 0xffff;

registerActionText('output', {
  print: ({ port, maxLen }) => {
    if (port === OFPP.CONTROLLER) return `CONTROLLER:${maxLen ?? ALL_BYTES}`;
    return port < 0xffffff00 ? `output:${port}` : formatPort(port);
  },
});

const ethertype = (word: Word): number => small(required(word), word.valueAt, 0xffff, 'Ethernet type');

registerActionText('group', {
  print: (a) => `group:${a.groupId}`,
  words: { group: (w) => [{ type: 'group', groupId: small(required(w), w.valueAt) }] },
});
registerActionText('set_queue', {
  print: (a) => `set_queue:${a.queueId}`,
  words: { set_queue: (w) => [{ type: 'set_queue', queueId: small(required(w), w.valueAt) }] },
});
registerActionText('set_nw_ttl', {
  print: (a) => `mod_nw_ttl:${a.ttl}`,
  words: { mod_nw_ttl: (w) => [{ type: 'set_nw_ttl', ttl: small(required(w), w.valueAt, 255) }] },
});
registerActionText('dec_nw_ttl', { print: () => 'dec_ttl' });
registerActionText('set_mpls_ttl', {
  print: (a) => `set_mpls_ttl(${a.ttl})`,
  words: { set_mpls_ttl: (w) => [{ type: 'set_mpls_ttl', ttl: small(required(w), w.valueAt, 255) }] },
});
registerActionText('dec_mpls_ttl', {
  print: () => 'dec_mpls_ttl',
  words: { dec_mpls_ttl: () => [{ type: 'dec_mpls_ttl' }] },
});
registerActionText('copy_ttl_out', {
  print: () => 'copy_ttl_out',
  words: { copy_ttl_out: () => [{ type: 'copy_ttl_out' }] },
});
registerActionText('copy_ttl_in', {
  print: () => 'copy_ttl_in',
  words: { copy_ttl_in: () => [{ type: 'copy_ttl_in' }] },
});
registerActionText('push_vlan', {
  print: (a) => `push_vlan:${hexPadded(a.ethertype, 4)}`,
  words: { push_vlan: (w) => [{ type: 'push_vlan', ethertype: ethertype(w) }] },
});
registerActionText('pop_vlan', {
  print: () => 'pop_vlan',
  words: { pop_vlan: () => [{ type: 'pop_vlan' }], strip_vlan: () => [{ type: 'pop_vlan' }] },
});
registerActionText('push_mpls', {
  print: (a) => `push_mpls:${hexPadded(a.ethertype, 4)}`,
  words: { push_mpls: (w) => [{ type: 'push_mpls', ethertype: ethertype(w) }] },
});
registerActionText('pop_mpls', {
  print: (a) => `pop_mpls:${hexPadded(a.ethertype, 4)}`,
  words: { pop_mpls: (w) => [{ type: 'pop_mpls', ethertype: ethertype(w) }] },
});
registerActionText('push_pbb', {
  print: (a) => `push_pbb:${hexPadded(a.ethertype, 4)}`,
  words: { push_pbb: (w) => [{ type: 'push_pbb', ethertype: ethertype(w) }] },
});
registerActionText('pop_pbb', { print: () => 'pop_pbb', words: { pop_pbb: () => [{ type: 'pop_pbb' }] } });
registerActionText('meter', { print: (a) => `meter:${a.meterId}` });

registerActionText('set_field', {
  print: (a) => formatSetField(a.field, a.value, a.mask),
  words: {
    set_field: parseSetField,
    mod_dl_src: assign('dl_src'),
    mod_dl_dst: assign('dl_dst'),
    mod_nw_src: assign('nw_src'),
    mod_nw_dst: assign('nw_dst'),
    mod_nw_ecn: assign('nw_ecn'),
    mod_nw_tos: (w) => [
      { type: 'set_field', field: named('ip_dscp', w), value: small(required(w), w.valueAt, 255) >> 2 },
    ],
    mod_tp_src: assignPort('src'),
    mod_tp_dst: assignPort('dst'),
    mod_vlan_vid: (w, c) => vlan(c, named('vlan_vid', w), 0x1000 | small(required(w), w.valueAt, 0xfff)),
    mod_vlan_pcp: (w, c) => vlan(c, named('vlan_pcp', w), small(required(w), w.valueAt, 7)),
    set_mpls_label: assign('mpls_label'),
    set_mpls_tc: assign('mpls_tc'),
  },
});
registerActionText('copy_field', { print: (a) => `move:${formatSubfield(a.src)}->${formatSubfield(a.dst)}` });

/** `set_field:0x10/0xf0->reg2` */
export function formatSetField(field: Field, value: FieldValue, mask?: FieldValue): string {
  return `set_field:${formatFieldValue(field, value, mask)}->${actionFieldName(field)}`;
}

/** The two sides of `…->…`, with their offsets. */
export function arrow(word: Word): { left: string; right: string; leftAt: number; rightAt: number } {
  const text = required(word);
  const i = text.indexOf('->');
  if (i < 0) throw new TextError(word.valueAt + 1, `${word.key} needs "->"`);
  return {
    left: text.slice(0, i),
    right: text.slice(i + 2),
    leftAt: word.valueAt,
    rightAt: word.valueAt + i + 2,
  };
}

function parseSetField(word: Word, context: ActionContext): Action[] {
  const { left, right, leftAt, rightAt } = arrow(word);
  const field = parseActionField(right, rightAt);
  if (!field.writable) throw new TextError(rightAt + 1, `${field.name} cannot be written`);
  const parsed = parseFieldValue(field, left, leftAt);
  if (parsed.mask === undefined || lowerMasked === undefined)
    return [{ type: 'set_field', field, ...parsed }];
  return (
    lowerMasked(field, BigInt(parsed.value), BigInt(parsed.mask), context) ?? [
      { type: 'set_field', field, ...parsed },
    ]
  );
}

type LowerMasked = (
  field: Field,
  value: bigint,
  mask: bigint,
  context: ActionContext,
) => Action[] | undefined;
let lowerMasked: LowerMasked | undefined;

/** How a masked set_field is written where the version's set_field takes no mask. */
export function registerMaskedSetField(lower: LowerMasked): void {
  lowerMasked = lower;
}

/** Runs of ones in a mask, from the lowest, as subfields with their values. */
export function maskRuns(field: Field, value: bigint, mask: bigint): { dst: Subfield; value: FieldValue }[] {
  const runs: { dst: Subfield; value: FieldValue }[] = [];
  for (let ofs = 0; mask >> BigInt(ofs) !== 0n; ) {
    if (((mask >> BigInt(ofs)) & 1n) === 0n) {
      ofs++;
      continue;
    }
    let nBits = 0;
    while (nBits < 64 && (mask >> BigInt(ofs + nBits)) & 1n) nBits++;
    const part = (value >> BigInt(ofs)) & ((1n << BigInt(nBits)) - 1n);
    runs.push({ dst: { field, ofs, nBits }, value: toFieldValue(field, part) });
    ofs += nBits;
  }
  return runs;
}

function named(name: string, word: Word): Field {
  const field = fieldByName(name);
  if (field === undefined) throw new TextError(word.at + 1, `no field ${name} is registered`);
  return field;
}

function assign(name: string) {
  return (word: Word): Action[] => {
    const field = named(name, word);
    return [{ type: 'set_field', field, value: parseFieldValue(field, required(word), word.valueAt).value }];
  };
}

const TRANSPORT: Readonly<Record<number, string>> = { 6: 'tcp', 17: 'udp', 132: 'sctp' };

function assignPort(end: 'src' | 'dst') {
  return (word: Word, context: ActionContext): Action[] => {
    const protocol = TRANSPORT[context.protocol ?? -1];
    if (protocol === undefined)
      throw new TextError(word.at + 1, `${word.key} needs a match of tcp, udp or sctp`);
    const value = Number(integer(required(word), word.valueAt, 0xffff, 'port'));
    return [{ type: 'set_field', field: named(`${protocol}_${end}`, word), value }];
  };
}

/** OpenFlow 1.0's actions put a header where there is none. */
function vlan(context: ActionContext, field: Field, value: number): Action[] {
  const set: Action = { type: 'set_field', field, value };
  return context.hasVlan ? [set] : [{ type: 'push_vlan', ethertype: 0x8100 }, set];
}
