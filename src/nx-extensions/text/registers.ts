/** Texts of actions on fields: load, move, stack, output to a register. */
import { registerActionText } from '../../ofp/text/action-registry.js';
import {
  actionFieldName,
  formatSubfield,
  parseActionField,
  parseSubfield,
  toFieldValue,
} from '../../ofp/text/field-text.js';
import { formatPort, parsePort, portNumber } from '../../ofp/text/ports.js';
import { integer, required, small, TextError, words } from '../../ofp/text/scanner.js';
import { arrow, formatSetField, maskRuns, registerMaskedSetField } from '../../ofp/text/standard-actions.js';
import { hex, ones } from '../../ofp/text/values.js';
import type { Action } from '../../ofp/types/action.js';
import { OFP15 } from '../../ofp/types/field.js';

const ALL_BYTES = 0xffff;

registerActionText('reg_load', {
  print: (a) => `load:${hex(a.value)}->${formatSubfield(a.dst)}`,
  words: {
    load: (w) => {
      const { left, right, leftAt, rightAt } = arrow(w);
      const dst = parseSubfield(right, rightAt);
      const value = integer(left, leftAt, ones(dst.nBits));
      return [{ type: 'reg_load', dst, value: toFieldValue(dst.field, value) }];
    },
  },
});
registerActionText('reg_load2', { print: (a) => formatSetField(a.field, a.value) });
registerActionText('reg_move', {
  print: (a) => `move:${formatSubfield(a.src)}->${formatSubfield(a.dst)}`,
  words: {
    move: (w) => {
      const { left, right, leftAt, rightAt } = arrow(w);
      const src = parseSubfield(left, leftAt);
      const dst = parseSubfield(right, rightAt);
      if (src.nBits !== dst.nBits)
        throw new TextError(leftAt + 1, `${left} has ${src.nBits} bits, ${right} has ${dst.nBits}`);
      return [{ type: 'reg_move', src, dst }];
    },
  },
});

/** Before OpenFlow 1.5 ovs-ofctl writes a masked set_field as loads of the runs of its mask. */
registerMaskedSetField((field, value, mask, { version }) => {
  if (version === undefined || version >= OFP15) return undefined;
  return maskRuns(field, value, mask).map((run): Action => ({ type: 'reg_load', ...run }));
});

registerActionText('output_reg', {
  print: (a) => `output:${formatSubfield(a.src)}`,
  words: { output: (w) => parseOutput(required(w), w.valueAt, w.delimiter) },
});
registerActionText('output_reg2', { print: (a) => `output:${formatSubfield(a.src)}` });
registerActionText('output_trunc', {
  print: (a) => `output(port=${formatPort(a.port)},max_len=${a.maxLen})`,
});

function parseOutput(text: string, at: number, delimiter: string): Action[] {
  if (delimiter === '(') return [parseTruncated(text, at)];
  if (portNumber(text) !== undefined) return [{ type: 'output', port: portNumber(text)! }];
  const src = parseSubfield(text, at, true);
  const short = src.field.ids.some((id) => id.experimenter === undefined);
  return [{ type: short ? 'output_reg' : 'output_reg2', src, maxLen: ALL_BYTES }];
}

function parseTruncated(text: string, at: number): Action {
  let port: number | undefined;
  let maxLen: number | undefined;
  for (const word of words(text, at)) {
    if (word.key === 'port') port = parsePort(required(word), word.valueAt);
    else if (word.key === 'max_len') maxLen = small(required(word), word.valueAt);
    else throw new TextError(word.at + 1, `unknown keyword "${word.key}"`);
  }
  if (port === undefined || maxLen === undefined)
    throw new TextError(at + 1, 'output(port=…,max_len=…) expected');
  return { type: 'output_trunc', port, maxLen };
}

registerActionText('stack_push', {
  print: (a) => `push:${formatSubfield(a.src)}`,
  words: { push: (w) => [{ type: 'stack_push', src: parseSubfield(required(w), w.valueAt) }] },
});
registerActionText('stack_pop', {
  print: (a) => `pop:${formatSubfield(a.dst)}`,
  words: { pop: (w) => [{ type: 'stack_pop', dst: parseSubfield(required(w), w.valueAt) }] },
});
registerActionText('delete_field', {
  print: (a) => `delete_field:${actionFieldName(a.field)}`,
  words: { delete_field: (w) => [{ type: 'delete_field', field: parseActionField(required(w), w.valueAt) }] },
});
registerActionText('set_tunnel', { print: (a) => `set_tunnel:${hex(a.tunId)}` });
registerActionText('set_tunnel64', {
  print: (a) => `set_tunnel64:${hex(a.tunId)}`,
  words: {
    set_tunnel: (w) => [setTunnel(integer(required(w), w.valueAt, ones(64)))],
    set_tunnel64: (w) => [setTunnel(integer(required(w), w.valueAt, ones(64)))],
  },
});

/** ovs-ofctl sends a set_field since OpenFlow 1.2. */
function setTunnel(value: bigint): Action {
  return { type: 'set_field', field: parseActionField('tun_id', 0), value };
}

registerActionText('write_metadata', {
  print: (a) => `write_metadata:${hex(a.metadata)}${a.mask === ones(64) ? '' : `/${hex(a.mask)}`}`,
});
registerActionText('check_pkt_larger', {
  print: (a) => `check_pkt_larger(${a.pktLen})->${formatSubfield(a.dst)}`,
  words: {
    check_pkt_larger: (w) => {
      if (!w.suffix.startsWith('->')) throw new TextError(w.end + 1, '"->" and a bit expected');
      const dst = parseSubfield(w.suffix.slice(2), w.end - w.suffix.length + 2);
      if (dst.nBits !== 1) throw new TextError(w.end + 1, 'the result is one bit');
      return [{ type: 'check_pkt_larger', pktLen: small(required(w), w.valueAt, 0xffff), dst }];
    },
  },
});
