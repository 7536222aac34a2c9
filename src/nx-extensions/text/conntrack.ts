/** Texts of ct, nat and ct_clear. */
import { type ActionContext, registerActionText } from '../../ofp/text/action-registry.js';
import { formatAction, parseActions } from '../../ofp/text/actions.js';
import { formatSubfield, parseSubfield } from '../../ofp/text/field-text.js';
import { required, small, TextError, type Word, words } from '../../ofp/text/scanner.js';
import { formatIpv4, formatIpv6, parseIpv4, parseIpv6 } from '../../ofp/text/values.js';
import type { Action, ActionOf } from '../../ofp/types/action.js';
import type { Nat } from '../action-types.js';

const ALGS: Readonly<Record<string, number>> = { ftp: 21, tftp: 69 };

registerActionText('ct', { print: formatCt, words: { ct: parseCt } });
registerActionText('ct_clear', {
  print: () => 'ct_clear',
  words: { ct_clear: () => [{ type: 'ct_clear' }] },
});
registerActionText('nat', { print: formatNat, words: { nat: (w) => [parseNat(w)] } });

function formatCt(a: ActionOf<'ct'>): string {
  const parts: string[] = [];
  if (a.commit) parts.push('commit');
  if (a.force) parts.push('force');
  if (a.table !== undefined) parts.push(`table=${a.table}`);
  if (typeof a.zone === 'object') parts.push(`zone=${formatSubfield(a.zone)}`);
  else if (a.zone) parts.push(`zone=${a.zone}`);
  const nested = a.actions ?? [];
  const exec = nested.filter((n) => n.type !== 'nat');
  for (const n of nested) if (n.type === 'nat') parts.push(formatAction(n));
  if (exec.length > 0) parts.push(`exec(${exec.map(formatAction).join(',')})`);
  if (a.alg) parts.push(`alg=${Object.keys(ALGS).find((name) => ALGS[name] === a.alg) ?? a.alg}`);
  return `ct(${parts.join(',')})`;
}

function parseCt(word: Word, context: ActionContext): Action[] {
  const ct: { -readonly [K in keyof ActionOf<'ct'>]: ActionOf<'ct'>[K] } = { type: 'ct' };
  const nats: Action[] = [];
  const exec: Action[] = [];
  for (const w of words(word.value ?? '', word.valueAt)) {
    switch (w.key) {
      case 'commit':
        ct.commit = true;
        break;
      case 'force':
        ct.force = true;
        break;
      case 'table':
        ct.table = small(required(w), w.valueAt, 254, 'table');
        break;
      case 'zone':
        ct.zone = /^(\d|0x)/.test(required(w))
          ? small(w.value!, w.valueAt, 0xffff)
          : parseSubfield(w.value!, w.valueAt);
        break;
      case 'nat':
        nats.push(parseNat(w));
        break;
      case 'exec':
        exec.push(...parseActions(required(w), context, w.valueAt));
        break;
      case 'alg':
        ct.alg = ALGS[required(w)] ?? small(w.value!, w.valueAt, 0xffff, 'alg');
        break;
      default:
        throw new TextError(w.at + 1, `unknown keyword "${w.key}"`);
    }
  }
  if (ct.force && !ct.commit) throw new TextError(word.at + 1, 'force needs commit');
  const actions = [...nats, ...exec];
  return [actions.length === 0 ? ct : { ...ct, actions }];
}

function formatNat(a: Nat): string {
  if (a.kind === undefined) return 'nat';
  const range = formatRange(a);
  const parts = [`${a.kind}${range === '' ? '' : `=${range}`}`];
  if (a.persistent) parts.push('persistent');
  if (a.hash) parts.push('hash');
  if (a.random) parts.push('random');
  return `nat(${parts.join(',')})`;
}

function formatRange(a: Nat): string {
  const [min, max] = a.ipv6Min !== undefined ? [a.ipv6Min, a.ipv6Max] : [a.ipv4Min, a.ipv4Max];
  const brackets = a.ipv6Min !== undefined && a.portMin !== undefined;
  const address = (v: number | bigint) => {
    const text = a.ipv6Min !== undefined ? formatIpv6(v) : formatIpv4(v);
    return brackets ? `[${text}]` : text;
  };
  let s = min === undefined ? '' : address(min);
  if (min !== undefined && max !== undefined && max !== min) s += `-${address(max)}`;
  if (a.portMin !== undefined) {
    s += `:${a.portMin}`;
    if (a.portMax !== undefined && a.portMax !== a.portMin) s += `-${a.portMax}`;
  }
  return s;
}

function parseNat(word: Word): Action {
  let nat: Nat = {};
  for (const w of words(word.value ?? '', word.valueAt)) {
    if (w.key === 'src' || w.key === 'dst')
      nat = { ...nat, kind: w.key, ...parseRange(w.value ?? '', w.valueAt) };
    else if ((w.key === 'persistent' || w.key === 'hash' || w.key === 'random') && w.value === undefined)
      nat = { ...nat, [w.key]: true };
    else throw new TextError(w.at + 1, `unknown keyword "${w.key}"`);
  }
  return { type: 'nat', ...nat };
}

/** `10.0.0.1-10.0.0.9:1000-2000`, `[2001:db8::1]:80`, `2001:db8::1`. */
function parseRange(text: string, at: number): Nat {
  if (text === '') return {};
  const bad = () => new TextError(at + 1, `"${text}" is not a range of addresses and ports`);
  const m =
    /^(?:(\d[\d.]*)(?:-(\d[\d.]*))?|\[([^\]]+)\](?:-\[([^\]]+)\])?)?(?::(\d+)(?:-(\d+))?)?$/.exec(text) ??
    /^()()([0-9a-f:.]+)(?:-([0-9a-f:.]+))?()()$/i.exec(text);
  if (!m) throw bad();
  const [, v4min, v4max, v6min, v6max, portMin, portMax] = m;
  let nat: Nat = {};
  if (v4min) {
    const min = parseIpv4(v4min);
    const max = v4max ? parseIpv4(v4max) : undefined;
    if (min === undefined || (v4max && max === undefined)) throw bad();
    if (min !== 0n)
      nat = { ...nat, ipv4Min: Number(min), ...(max === undefined ? {} : { ipv4Max: Number(max) }) };
  }
  if (v6min) {
    const min = parseIpv6(v6min);
    const max = v6max ? parseIpv6(v6max) : undefined;
    if (min === undefined || (v6max && max === undefined)) throw bad();
    nat = { ...nat, ipv6Min: min, ...(max === undefined ? {} : { ipv6Max: max }) };
  }
  if (portMin) nat = { ...nat, portMin: small(portMin, at, 0xffff, 'port') };
  if (portMax) nat = { ...nat, portMax: small(portMax, at, 0xffff, 'port') };
  return nat;
}
