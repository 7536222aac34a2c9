import { expect, test } from 'vitest';
import '../../../src/nx-extensions/index.js';
import {
  decodeMessage,
  encodeMessage,
  type FlowMonitor,
  type Message,
  m,
  OFP13,
  OFP15,
  type OfpVersion,
  oxm,
  splitRequest,
  Writer,
} from '../../../src/ofp/index.js';

const monitor = (i: number): FlowMonitor => ({
  monitorId: i,
  flags: 7,
  table: i % 250,
  command: 'add',
  match: i % 3 === 0 ? [m(oxm.in_port, i)] : [],
});
const monitors = (n: number): Message => ({
  type: 'flow_monitor_request',
  monitors: Array.from({ length: n }, (_, i) => monitor(i)),
});

function said(version: OfpVersion, message: Message): Message {
  const w = new Writer();
  encodeMessage(w, version, 9, message);
  expect(w.pos).toBeLessThanOrEqual(0xffff);
  return decodeMessage(w.take()).message;
}

test.each([OFP13, OFP15] as const)(
  'version %i: a list that is too long goes in parts, none lost, none twice',
  (version) => {
    const parts = splitRequest(monitors(10_000), version).map((part) => said(version, part));
    expect(parts.length).toBeGreaterThan(4);
    const flags = parts.map((part) => 'more' in part && part.more === true);
    expect(flags).toEqual([...flags.slice(1).map(() => true), false]);
    const ids = parts.flatMap((p) =>
      p.type === 'flow_monitor_request' ? p.monitors.map((e) => e.monitorId) : [],
    );
    expect(ids).toEqual(Array.from({ length: 10_000 }, (_, i) => i));
  },
);

test('parts are filled: one more entry would not fit', () => {
  const parts = splitRequest(monitors(10_000), OFP15);
  for (const [i, part] of parts.slice(0, -1).entries()) {
    const next = parts[i + 1]!;
    if (part.type !== 'flow_monitor_request' || next.type !== 'flow_monitor_request')
      return expect.unreachable();
    const fuller = { ...part, monitors: [...part.monitors, next.monitors[0]!] };
    expect(() => said(OFP15, fuller)).toThrow(/too-long/);
  }
});

test('what fits stays as it is; what can not be split is refused', () => {
  const small = monitors(3);
  expect(splitRequest(small, OFP15)).toEqual([small]);
  expect(splitRequest({ type: 'table_features_request' }, OFP13)).toEqual([
    { type: 'table_features_request' },
  ]);
  const match = [{ field: null, raw: new Uint8Array(66_000) }];
  expect(() => splitRequest({ type: 'flow_stats_request', match }, OFP15)).toThrow(/too-long/);
  const raw: Message = {
    type: 'raw_multipart',
    direction: 'request',
    multipartType: 99,
    data: new Uint8Array(66_000),
  };
  expect(() => splitRequest(raw, OFP15)).toThrow(/raw_multipart: \d+ bytes.*too-long/);
  const huge: Message = { type: 'flow_monitor_request', monitors: [{ ...monitor(1), match }] };
  expect(() => splitRequest(huge, OFP15)).toThrow(/too-long/);
});
