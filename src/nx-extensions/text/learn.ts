/** Texts of learn. */

import { fieldByName } from '../../ofp/fields/registry.js';
import { registerActionText } from '../../ofp/text/action-registry.js';
import {
  actionFieldName,
  formatFieldValue,
  formatSubfield,
  parseFieldValue,
  parseSubfield,
  toFieldValue,
} from '../../ofp/text/field-text.js';
import { integer, required, small, TextError, type Word, words } from '../../ofp/text/scanner.js';
import { hex, ones } from '../../ofp/text/values.js';
import type { Action } from '../../ofp/types/action.js';
import type { Field, Subfield } from '../../ofp/types/field.js';
import type { Learn, LearnSpec } from '../action-types.js';

const DEFAULT_PRIORITY = 32768;
type Learn2 = Learn & { readonly limit?: number; readonly resultDst?: Subfield };

registerActionText('learn', { print: formatLearn, words: { learn: parseLearn } });
registerActionText('learn2', { print: formatLearn });

function formatLearn(a: Learn2): string {
  const parts = [`table=${a.table}`];
  if (a.idleTimeout) parts.push(`idle_timeout=${a.idleTimeout}`);
  if (a.hardTimeout) parts.push(`hard_timeout=${a.hardTimeout}`);
  if (a.finIdleTimeout) parts.push(`fin_idle_timeout=${a.finIdleTimeout}`);
  if (a.finHardTimeout) parts.push(`fin_hard_timeout=${a.finHardTimeout}`);
  if (a.priority !== undefined && a.priority !== DEFAULT_PRIORITY) parts.push(`priority=${a.priority}`);
  if (a.sendFlowRem) parts.push('send_flow_rem');
  if (a.deleteLearned) parts.push('delete_learned');
  if (a.cookie) parts.push(`cookie=${hex(a.cookie)}`);
  if (a.limit) parts.push(`limit=${a.limit}`);
  if (a.resultDst) parts.push(`result_dst=${formatSubfield(a.resultDst)}`);
  return `learn(${[...parts, ...a.specs.map(formatSpec)].join(',')})`;
}

function formatSpec(s: LearnSpec): string {
  switch (s.type) {
    case 'match': {
      if ('src' in s) {
        const [dst, src] = [formatSubfield(s.dst), formatSubfield(s.src)];
        return dst === src ? dst : `${dst}=${src}`;
      }
      const { field, nBits } = s.dst;
      if (nBits === field.nBits) return `${actionFieldName(field)}=${formatFieldValue(field, s.value)}`;
      return `${formatSubfield(s.dst)}=${hex(s.value)}`;
    }
    case 'load':
      return `load:${'src' in s ? formatSubfield(s.src) : hex(s.value)}->${formatSubfield(s.dst)}`;
    case 'output':
      return `output:${formatSubfield(s.src)}`;
  }
}

function parseLearn(word: Word): Action[] {
  const learn: { -readonly [K in keyof Learn2]: Learn2[K] } = { table: 1, specs: [] };
  const specs: LearnSpec[] = [];
  for (const w of words(word.value ?? '', word.valueAt)) {
    const n = (max: number) => small(required(w), w.valueAt, max, w.key);
    switch (w.key) {
      case 'table':
        learn.table = n(254);
        break;
      case 'idle_timeout':
        learn.idleTimeout = n(0xffff);
        break;
      case 'hard_timeout':
        learn.hardTimeout = n(0xffff);
        break;
      case 'fin_idle_timeout':
        learn.finIdleTimeout = n(0xffff);
        break;
      case 'fin_hard_timeout':
        learn.finHardTimeout = n(0xffff);
        break;
      case 'priority':
        learn.priority = n(0xffff);
        break;
      case 'limit':
        learn.limit = n(0xffffffff);
        break;
      case 'cookie':
        learn.cookie = integer(required(w), w.valueAt, ones(64));
        break;
      case 'send_flow_rem':
        learn.sendFlowRem = true;
        break;
      case 'delete_learned':
        learn.deleteLearned = true;
        break;
      case 'result_dst':
        learn.resultDst = parseSubfield(required(w), w.valueAt);
        break;
      default:
        specs.push(parseSpec(w));
    }
  }
  const all = { ...learn, specs };
  const second = learn.limit !== undefined || learn.resultDst !== undefined;
  return [second ? { type: 'learn2', ...all } : { type: 'learn', ...all }];
}

function parseSpec(w: Word): LearnSpec {
  if (w.key === 'output') return { type: 'output', src: parseSubfield(required(w), w.valueAt, true) };
  if (w.key === 'load') return parseLoad(w);
  if (!w.key.includes('[')) {
    const field = matchField(w);
    if (field === undefined) throw new TextError(w.at + 1, `unknown keyword "${w.key}"`);
    const { value } = parseFieldValue(field, required(w), w.valueAt);
    return { type: 'match', dst: whole(field), value };
  }
  const dst = parseSubfield(w.key, w.at);
  if (w.value === undefined) return { type: 'match', dst, src: dst };
  if (w.value.includes('[')) return { type: 'match', dst, src: parseSubfield(w.value, w.valueAt) };
  if (dst.nBits === dst.field.nBits)
    return { type: 'match', dst, value: parseFieldValue(dst.field, w.value, w.valueAt).value };
  return { type: 'match', dst, value: toFieldValue(dst.field, integer(w.value, w.valueAt, ones(dst.nBits))) };
}

/** In learn, in_port is the 16-bit one. */
function matchField(w: Word): Field | undefined {
  return fieldByName(w.key === 'in_port' ? 'in_port_nxm' : w.key);
}

function whole(field: Field): Subfield {
  return { field, ofs: 0, nBits: field.nBits };
}

function parseLoad(w: Word): LearnSpec {
  const text = required(w);
  const i = text.indexOf('->');
  if (i < 0) throw new TextError(w.valueAt + 1, 'load needs "->"');
  const dst = parseSubfield(text.slice(i + 2), w.valueAt + i + 2);
  const left = text.slice(0, i);
  if (left.includes('[')) return { type: 'load', dst, src: parseSubfield(left, w.valueAt) };
  if (/^(0x[0-9a-f]+|\d+)$/i.test(left))
    return { type: 'load', dst, value: toFieldValue(dst.field, integer(left, w.valueAt, ones(dst.nBits))) };
  return { type: 'load', dst, value: parseFieldValue(dst.field, left, w.valueAt).value };
}
