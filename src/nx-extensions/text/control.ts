/** Texts of actions that steer: resubmit, controller, conjunction, clone, multipath, bundle, sample … */
import { registerActionText } from '../../ofp/text/action-registry.js';
import { formatActions, parseActions } from '../../ofp/text/actions.js';
import { formatSubfield, parseSubfield } from '../../ofp/text/field-text.js';
import { formatPort, parsePort } from '../../ofp/text/ports.js';
import { required, small, TextError, type Word, words } from '../../ofp/text/scanner.js';
import type { Action } from '../../ofp/types/action.js';
import type { PacketInReason } from '../../ofp/types/message.js';
import { OFPP } from '../../ofp/types/message.js';
import type { BundleAlgorithm, HashFields, MultipathAlgorithm } from '../action-types.js';

const CURRENT_TABLE = 255;
const ALL_BYTES = 0xffff;

registerActionText('resubmit', { print: (a) => `resubmit:${formatPort(a.port)}` });
registerActionText('resubmit_table', {
  print: (a) => formatResubmit(a.port, a.table, ''),
  words: { resubmit: parseResubmit },
});
registerActionText('resubmit_table_ct', { print: (a) => formatResubmit(a.port, a.table, ',ct') });

function formatResubmit(port: number = OFPP.IN_PORT, table = CURRENT_TABLE, ct: string): string {
  if (port !== OFPP.IN_PORT && table === CURRENT_TABLE && ct === '') return `resubmit:${formatPort(port)}`;
  const inPort = port === OFPP.IN_PORT ? '' : formatPort(port);
  return `resubmit(${inPort},${table === CURRENT_TABLE ? '' : table}${ct})`;
}

function parseResubmit(word: Word): Action[] {
  const [portText, tableText, ct] = required(word)
    .split(',')
    .map((t) => t.trim());
  const port = portText === '' ? OFPP.IN_PORT : parsePort(portText!, word.valueAt);
  const table = tableText
    ? small(tableText, word.valueAt + portText!.length + 1, 255, 'table')
    : CURRENT_TABLE;
  if (port === OFPP.IN_PORT && table === CURRENT_TABLE)
    throw new TextError(word.valueAt + 1, 'a port or a table is needed');
  if (ct === 'ct') return [{ type: 'resubmit_table_ct', port, table }];
  if (ct !== undefined) throw new TextError(word.valueAt + 1, `"${ct}" is not ct`);
  return [{ type: 'resubmit_table', port, table }];
}

const REASONS: Readonly<Record<string, string>> = {
  table_miss: 'no_match',
  no_match: 'no_match',
  apply_action: 'action',
  invalid_ttl: 'invalid_ttl',
  action_set: 'action_set',
  group: 'group',
  packet_out: 'packet_out',
};

export function formatReason(reason: PacketInReason): string {
  return typeof reason === 'string' ? REASONS[reason]! : String(reason.unknown);
}

interface ControllerParts {
  maxLen?: number;
  controllerId?: number;
  reason?: PacketInReason;
  userdata?: Uint8Array;
  pause?: boolean;
  meterId?: number;
}

registerActionText('controller', { print: formatController });
registerActionText('controller2', {
  print: formatController,
  words: { controller: parseController, CONTROLLER: parseController },
});

function formatController(a: Readonly<ControllerParts>): string {
  const parts: string[] = [];
  const maxLen = a.maxLen ?? ALL_BYTES;
  if (a.reason !== undefined && a.reason !== 'apply_action') parts.push(`reason=${formatReason(a.reason)}`);
  if (maxLen !== ALL_BYTES) parts.push(`max_len=${maxLen}`);
  if (a.controllerId) parts.push(`id=${a.controllerId}`);
  if (a.userdata && a.userdata.length > 0) parts.push(`userdata=${dotted(a.userdata)}`);
  if (a.pause) parts.push('pause');
  if (a.meterId !== undefined) parts.push(`meter_id=${a.meterId}`);
  const plain = parts.length === 0 || (parts.length === 1 && maxLen !== ALL_BYTES);
  return plain ? `CONTROLLER:${maxLen}` : `controller(${parts.join(',')})`;
}

/** A plain one is an output action; NXAST_CONTROLLER2 is needed for userdata, pause and meters. */
function parseController(word: Word): Action[] {
  if (word.delimiter !== '(') {
    const maxLen = word.value ? small(word.value, word.valueAt, ALL_BYTES) : ALL_BYTES;
    return [{ type: 'output', port: OFPP.CONTROLLER, maxLen }];
  }
  const parts: ControllerParts = {};
  for (const w of words(required(word), word.valueAt)) controllerWord(w, parts);
  const { userdata, pause, meterId, ...first } = parts;
  if (userdata || pause || meterId !== undefined) return [{ type: 'controller2', ...parts }];
  if (first.controllerId === undefined && first.reason === undefined)
    return [{ type: 'output', port: OFPP.CONTROLLER, maxLen: first.maxLen ?? ALL_BYTES }];
  return [{ type: 'controller', ...first }];
}

function controllerWord(w: Word, parts: ControllerParts): void {
  switch (w.key) {
    case 'reason': {
      const found = Object.keys(REASONS).find((r) => REASONS[r] === w.value || r === w.value);
      if (found === undefined) throw new TextError(w.valueAt + 1, `unknown reason "${w.value}"`);
      if (found !== 'apply_action') parts.reason = found as PacketInReason;
      return;
    }
    case 'max_len':
      parts.maxLen = small(required(w), w.valueAt, ALL_BYTES);
      return;
    case 'id':
      parts.controllerId = small(required(w), w.valueAt, 0xffff);
      return;
    case 'userdata':
      parts.userdata = parseBytes(required(w), w.valueAt);
      return;
    case 'pause':
      parts.pause = true;
      return;
    case 'meter_id':
      parts.meterId = small(required(w), w.valueAt);
      return;
    default:
      throw new TextError(w.at + 1, `unknown keyword "${w.key}"`);
  }
}

export function dotted(bytes: Uint8Array): string {
  return [...bytes].map((b) => b.toString(16).padStart(2, '0')).join('.');
}

/** Hexadecimal digits, with or without dots between bytes. */
export function parseBytes(text: string, at: number): Uint8Array {
  const digits = text.replaceAll('.', '');
  if (!/^([0-9a-f]{2})*$/i.test(digits)) throw new TextError(at + 1, `"${text}" is not a number of bytes`);
  return Uint8Array.from(digits.match(/../g) ?? [], (b) => Number.parseInt(b, 16));
}

registerActionText('note', {
  print: (a) => `note:${dotted(a.data)}`,
  words: { note: (w) => [{ type: 'note', data: parseBytes(w.value ?? '', w.valueAt) }] },
});
registerActionText('exit', { print: () => 'exit', words: { exit: () => [{ type: 'exit' }] } });
registerActionText('dec_ttl', { print: () => 'dec_ttl' });
registerActionText('dec_ttl_cnt_ids', {
  print: (a) => `dec_ttl(${a.ids.join(',')})`,
  words: {
    dec_ttl: (w) =>
      w.value === undefined
        ? [{ type: 'dec_nw_ttl' }]
        : [
            {
              type: 'dec_ttl_cnt_ids',
              ids: words(w.value, w.valueAt).map((id) => small(id.key, id.at, 0xffff)),
            },
          ],
  },
});
registerActionText('fin_timeout', {
  print: (a) => {
    const parts: string[] = [];
    if (a.idleTimeout) parts.push(`idle_timeout=${a.idleTimeout}`);
    if (a.hardTimeout) parts.push(`hard_timeout=${a.hardTimeout}`);
    return `fin_timeout(${parts.join(',')})`;
  },
  words: {
    fin_timeout: (w) => {
      const n = numbers(w, { idle_timeout: 0xffff, hard_timeout: 0xffff });
      return [{ type: 'fin_timeout', idleTimeout: n.idle_timeout ?? 0, hardTimeout: n.hard_timeout ?? 0 }];
    },
  },
});
registerActionText('pop_queue', {
  print: () => 'pop_queue',
  words: { pop_queue: () => [{ type: 'pop_queue' }], enqueue: parseEnqueue },
});

function parseEnqueue(word: Word): Action[] {
  const [port, queue] = required(word).split(/[,:]/);
  if (queue === undefined) throw new TextError(word.valueAt + 1, 'a port and a queue expected');
  return [
    { type: 'set_queue', queueId: small(queue.trim(), word.valueAt + port!.length + 1) },
    { type: 'output', port: parsePort(port!.trim(), word.valueAt), maxLen: ALL_BYTES },
    { type: 'pop_queue' },
  ];
}

registerActionText('conjunction', {
  print: (a) => `conjunction(${a.id},${a.clause}/${a.nClauses})`,
  words: {
    conjunction: (w) => {
      const m = /^\s*(\d+|0x[0-9a-f]+)\s*,\s*(\d+)\s*\/\s*(\d+)\s*$/i.exec(required(w));
      if (!m) throw new TextError(w.valueAt + 1, 'conjunction(id,k/n) expected');
      const [clause, nClauses] = [Number(m[2]), Number(m[3])];
      if (nClauses < 2 || nClauses > 64 || clause < 1 || clause > nClauses)
        throw new TextError(
          w.valueAt + 1,
          `clause ${clause} of ${nClauses}: 2 to 64 clauses, counted from 1`,
        );
      return [{ type: 'conjunction', id: small(m[1]!, w.valueAt), clause, nClauses }];
    },
  },
});
registerActionText('clone', {
  print: (a) => `clone(${formatActions(a.actions)})`,
  words: { clone: (w, c) => [{ type: 'clone', actions: parseActions(required(w), c, w.valueAt) }] },
});

const FIELDS: readonly HashFields[] = [
  'eth_src',
  'symmetric_l4',
  'symmetric_l3l4',
  'symmetric_l3l4+udp',
  'nw_src',
  'nw_dst',
  'symmetric_l3',
];
const MULTIPATH: readonly MultipathAlgorithm[] = ['modulo_n', 'hash_threshold', 'hrw', 'iter_hash'];
const BUNDLE: readonly BundleAlgorithm[] = ['active_backup', 'hrw'];

function oneOf<T extends string>(list: readonly T[], text: string | undefined, at: number): T {
  const found = list.find((t) => t === text);
  if (found === undefined) throw new TextError(at + 1, `"${text ?? ''}" is not one of ${list.join(' ')}`);
  return found;
}

registerActionText('multipath', {
  print: (a) =>
    `multipath(${a.fields},${a.basis},${a.algorithm},${a.nLinks},${a.arg ?? 0},${formatSubfield(a.dst)})`,
  words: {
    multipath: (w) => {
      const parts = required(w).split(/[\s,]+/);
      if (parts.length !== 6)
        throw new TextError(w.valueAt + 1, 'multipath(fields,basis,algorithm,n_links,arg,dst) expected');
      return [
        {
          type: 'multipath',
          fields: oneOf(FIELDS, parts[0], w.valueAt),
          basis: small(parts[1]!, w.valueAt, 0xffff),
          algorithm: oneOf(MULTIPATH, parts[2], w.valueAt),
          nLinks: small(parts[3]!, w.valueAt, 65536),
          arg: small(parts[4]!, w.valueAt),
          dst: parseSubfield(parts[5]!, w.valueAt),
        },
      ];
    },
  },
});

registerActionText('bundle', {
  print: (a) =>
    `bundle(${a.fields},${a.basis},${a.algorithm},ofport,members:${a.members.map(formatPort).join(',')})`,
  words: { bundle: (w) => [{ type: 'bundle', ...parseBundle(w, 4).bundle }] },
});
registerActionText('bundle_load', {
  print: (a) =>
    `bundle_load(${a.fields},${a.basis},${a.algorithm},ofport,${formatSubfield(a.dst)},members:${a.members.map(formatPort).join(',')})`,
  words: {
    bundle_load: (w) => {
      const { bundle, parts } = parseBundle(w, 5);
      return [{ type: 'bundle_load', ...bundle, dst: parseSubfield(parts[4]!, w.valueAt) }];
    },
  },
});

function parseBundle(w: Word, n: number) {
  const [head, list] = required(w).split(/(?:members|slaves)\s*[:=]/);
  const parts = head!.split(/[\s,]+/).filter((p) => p !== '');
  if (list === undefined || parts.length !== n || parts[3] !== 'ofport')
    throw new TextError(w.valueAt + 1, `${w.key}(fields,basis,algorithm,ofport,…members:…) expected`);
  const members = list.split(/[\s,]+/).filter((p) => p !== '');
  return {
    parts,
    bundle: {
      fields: oneOf(FIELDS, parts[0], w.valueAt),
      basis: small(parts[1]!, w.valueAt, 0xffff),
      algorithm: oneOf(BUNDLE, parts[2], w.valueAt),
      members: members.map((p) => parsePort(p, w.valueAt)),
    },
  };
}

/** Words that are all `name=number`. */
function numbers(word: Word, limits: Readonly<Record<string, number>>): Record<string, number> {
  const out: Record<string, number> = {};
  for (const w of words(required(word), word.valueAt)) {
    const max = limits[w.key];
    if (max === undefined) throw new TextError(w.at + 1, `unknown keyword "${w.key}"`);
    out[w.key] = small(required(w), w.valueAt, max);
  }
  return out;
}

interface SampleParts {
  readonly probability: number;
  readonly collectorSetId: number;
  readonly obsDomainId: number;
  readonly obsPointId: number;
  readonly samplingPort?: number;
  readonly direction?: 'ingress' | 'egress';
}

function formatSample(a: SampleParts): string {
  let s = `sample(probability=${a.probability},collector_set_id=${a.collectorSetId}`;
  s += `,obs_domain_id=${a.obsDomainId},obs_point_id=${a.obsPointId}`;
  if (a.samplingPort !== undefined && a.samplingPort !== OFPP.ANY)
    s += `,sampling_port=${formatPort(a.samplingPort)}`;
  return `${s}${a.direction === undefined ? '' : `,${a.direction}`})`;
}

registerActionText('sample', { print: formatSample, words: { sample: parseSample } });
registerActionText('sample2', { print: formatSample });
registerActionText('sample3', { print: formatSample });

function parseSample(word: Word): Action[] {
  const all = words(required(word), word.valueAt);
  const direction = all.find((w) => w.key === 'ingress' || w.key === 'egress')?.key as
    | 'ingress'
    | 'egress'
    | undefined;
  const parts: Record<string, number> = {};
  for (const w of all) {
    if (w.value === undefined) continue;
    parts[w.key] = w.key === 'sampling_port' ? parsePort(w.value, w.valueAt) : small(w.value, w.valueAt);
  }
  const sample = {
    probability: parts.probability ?? 0,
    collectorSetId: parts.collector_set_id ?? 0,
    obsDomainId: parts.obs_domain_id ?? 0,
    obsPointId: parts.obs_point_id ?? 0,
  };
  if (sample.probability < 1 || sample.probability > 65535)
    throw new TextError(word.valueAt + 1, 'probability=1…65535 expected');
  const samplingPort = parts.sampling_port;
  if (direction !== undefined)
    return [
      { type: 'sample3', ...sample, direction, ...(samplingPort === undefined ? {} : { samplingPort }) },
    ];
  return [
    samplingPort === undefined ? { type: 'sample', ...sample } : { type: 'sample2', ...sample, samplingPort },
  ];
}
