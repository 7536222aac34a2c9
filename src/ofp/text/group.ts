/** Groups: `group_id=5,type=select,bucket=weight:10,actions=output:1`. */
import { fieldByName } from '../fields/registry.js';
import type { Match, MatchField, OfpVersion } from '../types/field.js';
import { OFP15 } from '../types/field.js';
import type { Bucket, GroupCommand, GroupMod, GroupType, SelectionMethod } from '../types/message.js';
import { OFPG_ANY, OFPP } from '../types/message.js';
import type { GroupDesc } from '../types/multipart.js';
import { formatActions, parseActions } from './actions.js';
import {
  actionFieldName,
  formatFieldValue,
  parseActionField,
  parseFieldValue,
  toFieldValue,
} from './field-text.js';
import { orderInMatch } from './match-parse.js';
import { formatPort, parseGroupId, parsePort } from './ports.js';
import { integer, required, small, TextError, type Word, words } from './scanner.js';
import { ones } from './values.js';

const COMMANDS: Readonly<Record<GroupCommand, string>> = {
  add: 'ADD',
  modify: 'MOD',
  delete: 'DEL',
  insert_bucket: 'INSERT_BUCKET',
  remove_bucket: 'REMOVE_BUCKET',
};
/** OFPG_BUCKET_* */
const BUCKETS: Readonly<Record<string, number>> = { first: 0xfffffffd, last: 0xfffffffe, all: 0xffffffff };
const TYPES: Readonly<Record<string, GroupType>> = {
  all: 'all',
  select: 'select',
  indirect: 'indirect',
  ff: 'ff',
  fast_failover: 'ff',
};

/** `ADD group_id=1,type=all,bucket=…` */
export function formatGroupMod(g: GroupMod, version: number): string {
  let s = `${COMMANDS[g.command]} `;
  const changesBuckets = g.command === 'insert_bucket' || g.command === 'remove_bucket';
  if (version >= OFP15 && changesBuckets) {
    const id = g.commandBucketId ?? BUCKETS.all;
    const name = Object.keys(BUCKETS).find((n) => BUCKETS[n] === id);
    s += `command_bucket_id:${name ?? id},`;
  }
  return `${s}${formatGroup(g, version, !changesBuckets)}`;
}

/** A group with its buckets. */
export function formatGroup(
  g: Pick<GroupDesc, 'groupId' | 'groupType' | 'buckets' | 'selection'>,
  version: number = OFP15,
  withType = true,
): string {
  const parts = [`group_id=${g.groupId}`];
  if (withType) parts.push(`type=${g.groupType}`);
  if (g.selection) parts.push(...selection(g.selection));
  for (const [i, bucket] of g.buckets.entries())
    parts.push(`bucket=${formatBucket(bucket, i, version, g.groupType)}`);
  return parts.join(',');
}

function selection(s: SelectionMethod): string[] {
  if (s.method === '') return [];
  const parts = [`selection_method=${s.method}`];
  if (s.param !== 0n) parts.push(`selection_method_param=${s.param}`);
  const fields = s.fields.filter((f): f is MatchField => f.field !== null).map(selectionField);
  if (fields.length === 1) parts.push(`fields=${fields[0]}`);
  else if (fields.length > 1) parts.push(`fields(${fields.join(',')})`);
  return parts;
}

/** A value is a mask here. */
function selectionField(f: MatchField): string {
  const name = actionFieldName(f.field);
  const v = BigInt(f.value);
  if (v === ones(f.field.nBits) || v === ones(8 * f.field.nBytes)) return name;
  return `${name}=${formatFieldValue(f.field, f.value)}`;
}

function formatBucket(b: Bucket, index: number, version: number, type: GroupType): string {
  const parts: string[] = [];
  if (version >= OFP15) parts.push(`bucket_id:${b.bucketId ?? index}`);
  const weight = b.weight ?? (type === 'select' ? 1 : 0);
  if (weight !== (type === 'select' ? 1 : 0)) parts.push(`weight:${weight}`);
  if (b.watchPort !== undefined && b.watchPort !== OFPP.ANY)
    parts.push(`watch_port:${formatPort(b.watchPort)}`);
  if (b.watchGroup !== undefined && b.watchGroup !== OFPG_ANY) parts.push(`watch_group:${b.watchGroup}`);
  parts.push(`actions=${formatActions(b.actions)}`);
  return parts.join(',');
}

export interface ParseGroupOptions {
  /** Default: add, or what a leading word says. */
  readonly command?: GroupCommand;
  readonly version?: OfpVersion;
}

/** Parses a group as `ovs-ofctl add-group` takes it; `modify …`, `insert_bucket …` in front give the command. */
export function parseGroup(text: string, options: ParseGroupOptions = {}): GroupMod {
  const m = /^\s*(add|modify|add_or_mod|delete|insert_bucket|remove_bucket)(?=\s|$)\s*/.exec(text);
  const command = (m?.[1] as GroupCommand | undefined) ?? options.command ?? 'add';
  const at = m?.[0].length ?? 0;
  const [head, ...buckets] = splitBuckets(text.slice(at), at);
  const group = new GroupWords(command);
  for (const word of words(head!.text, head!.at)) group.take(word);
  return group.build(buckets.map((b) => parseBucket(b.text, b.at, options.version)));
}

/** The head and what follows each `bucket=`. */
function splitBuckets(text: string, base: number): { text: string; at: number }[] {
  const starts = [...text.matchAll(/(?:^|[\s,])bucket\s*=\s*/g)];
  const parts = [{ text: text.slice(0, starts[0]?.index ?? text.length), at: base }];
  for (const [i, start] of starts.entries()) {
    const from = start.index + start[0].length;
    parts.push({ text: text.slice(from, starts[i + 1]?.index ?? text.length), at: base + from });
  }
  return parts;
}

class GroupWords {
  #groupId: number | undefined;
  #type: GroupType | undefined;
  #commandBucketId: number | undefined;
  #method: string | undefined;
  #param = 0n;
  #fields: Match = [];

  constructor(readonly command: GroupCommand) {}

  take(w: Word): void {
    switch (w.key) {
      case 'group_id':
        this.#groupId = parseGroupId(required(w), w.valueAt);
        return;
      case 'type':
        this.#type = TYPES[required(w)];
        if (this.#type === undefined)
          throw new TextError(w.valueAt + 1, `"${w.value}" is not one of ${Object.keys(TYPES).join(' ')}`);
        return;
      case 'command_bucket_id':
        this.#commandBucketId = BUCKETS[required(w)] ?? small(w.value!, w.valueAt);
        return;
      case 'selection_method':
        this.#method = required(w);
        return;
      case 'selection_method_param':
        this.#param = integer(required(w), w.valueAt, ones(64));
        return;
      case 'fields':
        this.#fields = words(required(w), w.valueAt)
          .map(parseSelectionField)
          .sort((a, b) => orderInMatch(a.field) - orderInMatch(b.field));
        return;
      default:
        throw new TextError(w.at + 1, `unknown keyword "${w.key}"`);
    }
  }

  build(buckets: readonly Bucket[]): GroupMod {
    const all = this.command === 'delete';
    if (this.#groupId === undefined && !all) throw new TextError(1, 'group_id=… expected');
    const needsType = this.command === 'add' || this.command === 'modify';
    if (this.#type === undefined && needsType) throw new TextError(1, 'type=… expected');
    return {
      type: 'group_mod',
      command: this.command,
      groupType: this.#type ?? 'all',
      groupId: this.#groupId ?? 0xfffffffc,
      buckets: buckets.map((b) =>
        this.#type === 'select' && b.weight === undefined ? { ...b, weight: 1 } : b,
      ),
      ...(this.#commandBucketId === undefined ? {} : { commandBucketId: this.#commandBucketId }),
      ...(this.#method === undefined
        ? {}
        : { selection: { method: this.#method, param: this.#param, fields: this.#fields } }),
    };
  }
}

function parseSelectionField(w: Word): MatchField {
  const field = fieldByName(w.key) ?? parseActionField(w.key, w.at);
  if (w.value === undefined) return { field, value: toFieldValue(field, ones(8 * field.nBytes)) };
  return { field, value: parseFieldValue(field, w.value, w.valueAt).value };
}

const BUCKET_WORDS = /^(bucket_id|weight|watch_port|watch_group|actions)$/;

function parseBucket(text: string, at: number, version: OfpVersion | undefined): Bucket {
  const bucket: { -readonly [K in keyof Bucket]: Bucket[K] } = { actions: [] };
  const all = words(text, at);
  let i = 0;
  for (; i < all.length && BUCKET_WORDS.test(all[i]!.key); i++) {
    const w = all[i]!;
    if (w.key === 'actions') break;
    if (w.key === 'bucket_id') bucket.bucketId = small(required(w), w.valueAt, 0xffffff00);
    else if (w.key === 'weight') bucket.weight = small(required(w), w.valueAt, 0xffff);
    else if (w.key === 'watch_port') bucket.watchPort = parsePort(required(w), w.valueAt);
    else bucket.watchGroup = parseGroupId(required(w), w.valueAt);
  }
  const first = all[i];
  if (first === undefined) return bucket;
  const from = first.key === 'actions' ? first.valueAt : first.at;
  bucket.actions = parseActions(text.slice(from - at), { version }, from);
  return bucket;
}
