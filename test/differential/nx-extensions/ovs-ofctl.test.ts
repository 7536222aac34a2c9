import { execFileSync } from 'node:child_process';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import '../../../src/nx-extensions/index.js';
import { allOnes } from '../../../src/ofp/canonical.js';
import {
  type Action,
  decodeMessage,
  encodeActions,
  encodeMessage,
  type Message,
  OFP13,
  OFP15,
  type OfpVersion,
  Writer,
} from '../../../src/ofp/index.js';
import { anyAction } from '../../property/nx-extensions/arbitrary-actions.js';
import { captureCorpus, VERSIONS } from '../corpus/capture.js';

const hex = (b: Uint8Array): string => Buffer.from(b).toString('hex');

/** Statistics of IPFIX have no descriptors. */
const UNKNOWN = /^dump-ipfix/;

function kept(message: Message): string[] {
  const found: string[] = [];
  JSON.stringify(message, (key, value) => {
    if (key === 'type' && /^(raw|experimenter|raw_multipart)$/.test(value)) found.push(value);
    if (key === 'field' && value === null) found.push('raw OXM');
    return typeof value === 'bigint' ? String(value) : key === 'field' && value ? value.name : value;
  });
  return found;
}

describe('all that ovs-ofctl sends is understood, and encoded as it encodes it', () => {
  for (const version of VERSIONS) {
    test(`OpenFlow 1.${version - 10}`, async () => {
      const corpus = await captureCorpus(version);
      expect(corpus.length).toBeGreaterThan(1200);
      const wrong: string[] = [];
      for (const { bytes, text } of corpus) {
        const { message, xid, version: v } = decodeMessage(bytes);
        const w = new Writer();
        encodeMessage(w, v as OfpVersion, xid, message);
        if (hex(w.take()) !== hex(bytes)) wrong.push(`other bytes: ${text}`);
        if (!UNKNOWN.test(text) && kept(message).length > 0) wrong.push(`${kept(message)}: ${text}`);
      }
      expect(wrong).toEqual([]);
    });
  }
});

/**
 * What parse-actions refuses or says in other words: NXAST_WRITE_METADATA is an instruction to it, set_tunnel a
 * set_field, a mask of all ones none; and conjunction goes with nothing but notes.
 */
function isLeftOut(a: Action): boolean {
  if (a.type === 'clone') return a.actions.some((i) => i.type === 'conjunction' || isLeftOut(i));
  if (a.type === 'set_field') return a.mask === allOnes(a.field);
  return a.type === 'write_metadata' || a.type === 'set_tunnel' || a.type === 'set_tunnel64';
}

describe('ovs-ofctl parse-actions takes our bytes and makes the same of them', () => {
  for (const [version, name] of [
    [OFP13, 'OpenFlow13'],
    [OFP15, 'OpenFlow15'],
  ] as const) {
    test(name, () => {
      const actions = fc.sample(anyAction, { numRuns: 2000, seed: 7 }).filter((a) => !isLeftOut(a));
      expect(actions.length).toBeGreaterThan(1500);
      const lines = actions.map((a) => {
        const w = new Writer();
        encodeActions(w, [a], version);
        return hex(w.take());
      });
      const output = execFileSync('ovs-ofctl', ['parse-actions', name], {
        input: `${lines.join('\n')}\n`,
        encoding: 'utf8',
        maxBuffer: 1 << 26,
        stdio: ['pipe', 'pipe', 'ignore'],
      });
      // One block per line of input: the text, then a line per byte that differs.
      const blocks = output.trimEnd().split('\n\n');
      expect(blocks.length).toBe(lines.length);
      const wrong = blocks
        .map((block, i) => ({ block, line: lines[i] }))
        .filter(({ block }) => !block.trim().startsWith('actions=') || block.trim().includes('\n'));
      expect(wrong).toEqual([]);
    });
  }
});
