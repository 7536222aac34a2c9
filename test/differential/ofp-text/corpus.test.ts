/** Everything that ovs-ofctl can be told to send: decoded, printed, encoded again, and parsed from the text. */
import { beforeAll, describe, expect, test } from 'vitest';
import '../../../src/nx-extensions/text/index.js';
import {
  decodeMessage,
  encodeMessage,
  type Message,
  type OfpVersion,
  Writer,
} from '../../../src/ofp/index.js';
import { formatFlow, formatMessage, parseFlow, parseGroup, parseMeter } from '../../../src/ofp/text/index.js';
import { type CorpusMessage, captureCorpus, VERSIONS, type VersionName } from '../corpus/capture.js';
import { printedByOfctl } from '../corpus/printed.js';
import { normalise } from '../normalise.js';

const WIRE: Readonly<Record<VersionName, OfpVersion>> = { 13: 4, 14: 5, 15: 6 };

/**
 * What a text doesn't define. Lengths of tun_metadata in actions come from the switch's table of options;
 * ovs-ofctl 3.1 writes the value of ERSPAN and GTP-U fields in the place of their masks; it masks the two bits of
 * NXM_NX_IP_ECN in OpenFlow 1.5 though they are the whole field.
 */
const UNDEFINED_BY_TEXT =
  /tun_(erspan|gtpu)_|actions=.*(tun_metadata\d|TUN_METADATA\d)|load:0x3->NXM_NX_IP_ECN/i;
/** Statistics that are no part of the codec, kept raw. */
const OPAQUE = /^NXST_IPFIX/;

const corpora = new Map<VersionName, { messages: CorpusMessage[]; printed: string[] }>();
beforeAll(async () => {
  for (const version of VERSIONS) {
    const messages = await captureCorpus(version);
    corpora.set(version, { messages, printed: await printedByOfctl(messages.map((m) => m.bytes)) });
  }
}, 120_000);

test('there are at least 1,500 distinct messages in each version', () => {
  for (const { messages } of corpora.values()) expect(messages.length).toBeGreaterThan(1500);
});

describe.each(VERSIONS)('OpenFlow %i', (version) => {
  const each = () =>
    corpora.get(version)!.messages.map((m, i) => ({ ...m, printed: corpora.get(version)!.printed[i]! }));

  test('messages print as with ovs-ofctl ofp-print', () => {
    const compared = each().filter((m) => !OPAQUE.test(m.printed));
    expect(compared.filter((m) => /decode error|truncated|bad OpenFlow/.test(m.printed))).toEqual([]);
    const different = compared
      .map((m) => ({
        text: m.text,
        ours: normalise(formatMessage(decodeMessage(m.bytes))),
        theirs: normalise(m.printed),
      }))
      .filter((m) => m.ours !== m.theirs);
    expect(different).toEqual([]);
  });

  test('messages re-encode to the same bytes', () => {
    const different = each().filter((m) => {
      const { message, xid } = decodeMessage(m.bytes);
      return hex(encoded(version, xid, message)) !== hex(m.bytes);
    });
    expect(different.map((m) => m.text)).toEqual([]);
  });

  test('texts parse and encode to the bytes of ovs-ofctl', () => {
    const different = each()
      .filter((m) => ['flow', 'group', 'meter'].includes(m.kind) && !UNDEFINED_BY_TEXT.test(m.text))
      .map((m) => ({
        text: m.text,
        ours: hex(encoded(version, xidOf(m.bytes), parsed(m))),
        theirs: hex(m.bytes),
      }))
      .filter((m) => m.ours !== m.theirs);
    expect(different).toEqual([]);
  });

  test('what is printed of a flow parses to a flow that prints the same', () => {
    const flows = each()
      .filter((m) => m.kind === 'flow' && m.text.includes('actions=') && !UNDEFINED_BY_TEXT.test(m.text))
      .map((m) => decodeMessage(m.bytes).message);
    const different = flows
      .map((f) => (f.type === 'flow_mod' ? formatFlow(f) : ''))
      .map((text) => ({ text, again: formatFlow(parseFlow(text)) }))
      .filter(({ text, again }) => text !== again);
    expect(different).toEqual([]);
  });
});

function parsed(m: CorpusMessage): Message {
  const version = WIRE[m.version];
  if (m.kind === 'flow') return parseFlow(m.text, { version });
  if (m.kind === 'group') return parseGroup(m.text, { version });
  const [command, ...rest] = m.text.split(' ');
  const what = command!.startsWith('add') ? 'add' : command!.startsWith('mod') ? 'modify' : 'delete';
  return parseMeter(rest.join(' '), what);
}

function encoded(version: VersionName, xid: number, message: Message): Uint8Array {
  const w = new Writer();
  encodeMessage(w, WIRE[version], xid, message);
  return w.take();
}

function xidOf(bytes: Uint8Array): number {
  return new DataView(bytes.buffer, bytes.byteOffset).getUint32(4);
}

function hex(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('hex');
}
