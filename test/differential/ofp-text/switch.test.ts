/** Everything that a real Open vSwitch answers and tells: decoded, printed, encoded again. */
import { beforeAll, describe, expect, test } from 'vitest';
import '../../../src/nx-extensions/text/index.js';
import { decodeMessage, encodeMessage, type OfpVersion, Writer } from '../../../src/ofp/index.js';
import { formatMessage } from '../../../src/ofp/text/index.js';
import { VERSIONS } from '../corpus/capture.js';
import { printedByOfctl } from '../corpus/printed.js';
import { captureSwitch, type SwitchMessage } from '../corpus/switch-replies.js';
import { normalise } from '../normalise.js';

let messages: (SwitchMessage & { readonly printed: string })[];
beforeAll(async () => {
  const captured = await captureSwitch();
  const printed = await printedByOfctl(captured.map((m) => m.bytes));
  messages = captured.map((m, i) => ({ ...m, printed: printed[i]! }));
}, 120_000);

const EVERY_VERSION = [
  'hello',
  'error',
  'features_reply',
  'get_config_reply',
  'barrier_reply',
  'desc_reply',
  'table_stats_reply',
  'table_features_reply',
  'flow_stats_reply',
  'aggregate_reply',
  'port_stats_reply',
  'port_desc_reply',
  'queue_stats_reply',
  'group_desc_reply',
  'group_stats_reply',
  'group_features_reply',
  'meter_config_reply',
  'meter_stats_reply',
  'meter_features_reply',
  'nx_tlv_table_reply',
  'bundle_control',
  'flow_monitor_reply',
  'packet_in',
  'flow_removed',
  'port_status',
];

describe.each(VERSIONS)('OpenFlow %i', (version) => {
  const each = () => messages.filter((m) => m.version === version);

  test('every kind of reply and event was seen', () => {
    const seen = new Set(each().map((m) => decodeMessage(m.bytes).message.type));
    const expected =
      version === 13
        ? [...EVERY_VERSION, 'queue_get_config_reply']
        : [...EVERY_VERSION, 'table_desc_reply', 'queue_desc_reply'];
    expect(expected.filter((type) => !seen.has(type as never))).toEqual([]);
  });

  test('messages print as with ovs-ofctl ofp-print', () => {
    expect(
      each()
        .filter((m) => /decode error|bad OpenFlow/.test(m.printed))
        .map((m) => m.text),
    ).toEqual([]);
    const different = each()
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
      const { version: wire, xid, message } = decodeMessage(m.bytes);
      const w = new Writer();
      encodeMessage(w, wire as OfpVersion, xid, message);
      return Buffer.compare(w.take(), m.bytes) !== 0;
    });
    expect(
      different.map((m) => `${m.text}: ${Buffer.from(m.bytes.subarray(0, 64)).toString('hex')}`),
    ).toEqual([]);
  });
});
