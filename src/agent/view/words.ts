import { formatIpv4 } from '../../model/index.js';
import { PUNT, REG, type RegisterField, tableByNumber } from '../../pipeline/index.js';
import type { Names } from './names.js';

/*
 * From the text of ovs-ofctl to the same text with names: `reg4=0x1,reg1=0x3` is `pool=web,slot=3`,
 * `set_field:0x3->reg2,goto_table:12` is `set_field:web/be1->member,goto_table:member`.
 */

/** Whose numbers they are: a segment's id is its tenant's. */
export interface Scope {
  readonly names: Names;
  /** The owner's. */
  readonly tenant: number;
}

/** A match as `formatMatch` writes it. */
export function matchInWords(text: string, scope: Scope): string {
  const inside = { ...scope, tenant: matchedTenant(text) ?? scope.tenant };
  return split(text)
    .map((word) => matchWord(word, inside))
    .join(',');
}

/** Actions as `formatInstructions` writes them; `match` says whose packets they are for. */
export function actionsInWords(text: string, match: string, scope: Scope): string {
  let tenant = matchedTenant(match) ?? scope.tenant;
  return split(text)
    .map((word) => {
      const handedTo = /^set_field:(0x[0-9a-f]+|\d+)->reg3$/.exec(word);
      if (handedTo) tenant = Number(handedTo[1]);
      return actionWord(word, { ...scope, tenant });
    })
    .join(',');
}

function matchedTenant(match: string): number | undefined {
  const id = /(?:^|,)reg3=(0x[0-9a-f]+|\d+)(?:,|$)/.exec(match)?.[1];
  return id === undefined ? undefined : Number(id);
}

/** At the commas that are in no parentheses. */
function split(text: string): string[] {
  const words: string[] = [];
  let depth = 0;
  let from = 0;
  for (let i = 0; i < text.length; i++) {
    const c = text[i];
    if (c === '(') depth++;
    else if (c === ')') depth--;
    else if (c === ',' && depth === 0) {
      words.push(text.slice(from, i));
      from = i + 1;
    }
  }
  words.push(text.slice(from));
  return words;
}

function matchWord(word: string, scope: Scope): string {
  const register = /^(reg\d+|metadata)=(0x[0-9a-f]+|\d+)(?:\/(0x[0-9a-f]+))?$/.exec(word);
  if (register) {
    const parts = inRegister(register[1]!, BigInt(register[2]!), register[3], scope);
    return parts?.map(({ name, value }) => `${name}=${value}`).join(',') ?? word;
  }
  const mark = /^ct_mark=(0x[0-9a-f]+|\d+)(?:\/(0x[0-9a-f]+))?$/.exec(word);
  if (mark) {
    // The mark of a connection is what reg5 was when it was made.
    const parts = inRegister('reg5', BigInt(mark[1]!), mark[2], scope);
    return parts?.map(({ name, value }) => `ct_${name}=${value}`).join(',') ?? word;
  }
  const port = /^in_port=(\d+)$/.exec(word);
  if (port) return `in_port=${scope.names.port(Number(port[1])) ?? port[1]}`;
  const zone = /^ct_zone=(0x[0-9a-f]+|\d+)$/.exec(word);
  if (zone) return `ct_zone=${scope.names.tenant(Number(zone[1])) ?? zone[1]}`;
  return word;
}

function actionWord(word: string, scope: Scope): string {
  const set = /^set_field:(0x[0-9a-f]+|\d+)(?:\/(0x[0-9a-f]+))?->(reg\d+|metadata)$/.exec(word);
  if (set) {
    const parts = inRegister(set[3]!, BigInt(set[1]!), set[2], scope);
    if (parts) return parts.map(({ name, value }) => `set_field:${value}->${name}`).join(',');
  }
  const load = /^load:(0x[0-9a-f]+|\d+)->((?:NXM_NX_REG\d+|OXM_OF_METADATA)\[.*\])$/.exec(word);
  if (load) {
    const field = subfield(load[2]!);
    if (field) return `set_field:${wordOf(field, BigInt(load[1]!), scope)}->${nameOf(field)}`;
  }
  const number = /^(output|goto_table|group|meter):(\d+)$/.exec(word);
  if (number) return `${number[1]}:${numberedWord(number[1]!, Number(number[2]), scope)}`;
  return nested(word, scope);
}

function numberedWord(what: string, id: number, { names }: Scope): string {
  switch (what) {
    case 'output':
      return names.port(id) ?? String(id);
    case 'goto_table':
      return tableByNumber(id)?.name ?? String(id);
    case 'group':
      return names.group(id);
    default:
      return names.meter(id);
  }
}

/** Words inside of other words: tables, registers, meters, classes of packets. */
function nested(word: string, { names }: Scope): string {
  return word
    .replace(/\btable=(\d+)/g, (all, id: string) => {
      const table = tableByNumber(Number(id));
      return table ? `table=${table.name}` : all;
    })
    .replace(/^resubmit\(,(\d+)/, (_, id: string) => `resubmit(,${tableByNumber(Number(id))?.name ?? id}`)
    .replace(/\b(?:NXM_NX_REG\d+|OXM_OF_METADATA)\[[^\]]*\]/g, (text) => {
      const field = subfield(text);
      return field ? nameOf(field) : text;
    })
    .replace(/\bmeter_id=(\d+)/, (_, id: string) => `meter=${names.meter(Number(id))}`)
    .replace(/\buserdata=([0-9a-f]{2})\b/, (all, byte: string) => {
      const cls = Object.entries(PUNT).find(([, value]) => value === Number.parseInt(byte, 16))?.[0];
      return cls ? `class=${cls}` : all;
    });
}

const FIELDS: readonly RegisterField[] = Object.values(REG);

/** The parts of a register that a mask covers; undefined where it covers bits that nobody has a name for. */
function inRegister(
  register: string,
  value: bigint,
  maskText: string | undefined,
  scope: Scope,
): { readonly name: string; readonly value: string }[] | undefined {
  const fields = FIELDS.filter((f) => f.field.name === register);
  const bits = (f: RegisterField) => ((1n << BigInt(f.nBits)) - 1n) << BigInt(f.ofs);
  const named = fields.reduce((all, f) => all | bits(f), 0n);
  const mask = maskText === undefined ? named : BigInt(maskText);
  if (fields.length === 0 || (mask & ~named) !== 0n || (value & ~named) !== 0n) return undefined;
  const covered = fields.filter((f) => (mask & bits(f)) !== 0n);
  if (covered.some((f) => (mask & bits(f)) !== bits(f))) return undefined;
  return covered.map((f) => ({
    name: nameOf(f),
    value: wordOf(f, (value & bits(f)) >> BigInt(f.ofs), scope),
  }));
}

/** `NXM_NX_REG3[0..15]`, `NXM_NX_REG5[16]`, `NXM_NX_REG1[]`: the field that begins there and has as many bits or more. */
function subfield(text: string): RegisterField | undefined {
  const match = /^(?:NXM_NX_REG(\d+)|OXM_OF_METADATA)\[(\d*)(?:\.\.(\d+))?\]$/.exec(text);
  if (!match) return undefined;
  const name = match[1] === undefined ? 'metadata' : `reg${match[1]}`;
  const whole = match[2] === '';
  const ofs = whole ? 0 : Number(match[2]);
  const last = match[3] === undefined ? ofs : Number(match[3]);
  return FIELDS.find(
    (f) =>
      f.field.name === name && f.ofs === ofs && (whole ? f.nBits === f.field.nBits : last < f.ofs + f.nBits),
  );
}

/** `byHeader` is `by_header`, as the words of ovs-ofctl are written. */
function nameOf(f: RegisterField): string {
  return f.name.replace(/[A-Z]/g, (c) => `_${c.toLowerCase()}`);
}

function wordOf(f: RegisterField, value: bigint, { names, tenant }: Scope): string {
  const n = Number(value);
  switch (f) {
    case REG.segment:
      return n === 0 ? '0' : names.segment(tenant, n);
    case REG.tenant:
      return names.tenant(n) ?? String(n);
    case REG.pool:
      return names.pool(n);
    case REG.member:
      return n === 0 ? '0' : names.member(n);
    case REG.listener:
      return n === 0 ? '0' : names.listener(n);
    case REG.nextHop:
      return formatIpv4(n);
    case REG.vlan:
      return String(n & 0xfff);
    default:
      return String(n);
  }
}
