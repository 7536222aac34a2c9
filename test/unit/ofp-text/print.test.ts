/** What ovs-ofctl never prints, because it doesn't know it or refuses it: nothing is lost, nothing throws. */
import { describe, expect, test } from 'vitest';
import '../../../src/nx-extensions/text/index.js';
import { decodeMessage, type Message, m, oxm } from '../../../src/ofp/index.js';
import {
  formatActions,
  formatFlow,
  formatMatch,
  formatMessage,
  formatPacket,
  parseFlow,
} from '../../../src/ofp/text/index.js';

const print = (message: Message) => formatMessage({ version: 4, xid: 1, message });
const bytes = (hex: string) => Uint8Array.from(Buffer.from(hex.replaceAll(' ', ''), 'hex'));

describe('unknown things', () => {
  test('messages, experimenters and multiparts show their bytes', () => {
    expect(print({ type: 'raw', messageType: 77, data: bytes('aabb') })).toBe(
      'message type 77 (OF1.3) (xid=0x1):\n00000000  aa bb                                           |..              |',
    );
    expect(
      print({ type: 'experimenter', experimenter: 0xdeadbeef, expType: 5, data: bytes('01') }),
    ).toContain('experimenter 0xdeadbeef type 5 (OF1.3) (xid=0x1):\n00000000  01 ');
    expect(
      print({ type: 'raw_multipart', direction: 'reply', multipartType: 99, data: bytes('0203') }),
    ).toContain('multipart reply type 99');
  });
  test('actions and match fields', () => {
    expect(formatActions([{ type: 'raw', bytes: bytes('ffff0010deadbeef0001000000000000') }])).toBe(
      'raw(0xffff0010deadbeef0001000000000000)',
    );
    expect(formatMatch([{ field: null, raw: bytes('12340201ff') }])).toBe('oxm=0x12340201ff');
    expect(formatMatch([m(oxm.pbb_isid, 5)])).toBe('pbb_isid=0x5');
    // Without the prerequisites that ovs-ofctl insists on.
    expect(formatMatch([m(oxm.nw_dst, 0x0a000001), m(oxm.tcp_dst, 80)])).toBe('nw_dst=10.0.0.1,tp_dst=80');
  });
});

test('an error shows the request that was refused, also when it is cut', () => {
  const request =
    '040e00380000000500000000000000000000000000000000000000000000000000000000000000000000000000000000';
  const error = (data: string) => print({ type: 'error', errorType: 1, code: 6, data: bytes(data) });
  expect(error(request)).toContain(
    'OFPBRC_BAD_LEN\n(***truncated to 48 bytes from 56***)\n00000000  04 0e 00 38',
  );
  expect(error('0401')).toContain('OpenFlow packet too short (only 2 bytes)');
  expect(error('0414000800000009')).toContain('OFPBRC_BAD_LEN\nOFPT_BARRIER_REQUEST (OF1.3) (xid=0x9):');
});

test('errors in errors in errors end', () => {
  let data = bytes('0414000800000009');
  for (let i = 0; i < 50; i++) {
    const outer = new Uint8Array(12 + data.length);
    outer.set([4, 1, outer.length >> 8, outer.length & 255, 0, 0, 0, 1, 0, 1, 0, 6]);
    outer.set(data, 12);
    data = outer;
  }
  expect(formatMessage(decodeMessage(data)).split('OFPT_ERROR').length).toBeLessThan(10);
});

describe('packets', () => {
  const ethernet = '020000000002 020000000001';
  const ipv4 = `${ethernet} 0800 4500 0028 0001 0000 40 06 0000 0a000001 0a000002`;
  const tcp = `${ipv4} 1000 0050 00000000 00000000 5002 ffff abcd 0000`;
  test('TCP', () => {
    expect(formatPacket(bytes(tcp))).toBe(
      'tcp,vlan_tci=0x0000,dl_src=02:00:00:00:00:01,dl_dst=02:00:00:00:00:02,nw_src=10.0.0.1,nw_dst=10.0.0.2,' +
        'nw_tos=0,nw_ecn=0,nw_ttl=64,nw_frag=no,tp_src=4096,tp_dst=80,tcp_flags=syn tcp_csum:abcd',
    );
  });
  test('cut at any byte', () => {
    const whole = bytes(tcp);
    for (let n = 0; n < whole.length; n++) expect(typeof formatPacket(whole.subarray(0, n))).toBe('string');
  });
  test('a neighbour solicitation with an option of length 0 ends', () => {
    const nd = `${ethernet} 86dd 60000000 0020 3a ff ${'20'.repeat(16)} ${'fe'.repeat(16)} 8700 1234 00000000 ${'20'.repeat(16)} 0100 000000000000`;
    expect(formatPacket(bytes(nd))).toMatch(/^icmp6,.*nd_target=2020:2020.*icmp6_csum:1234$/);
  });
});

test('a line of a dump parses: counters and ages are skipped', () => {
  const line =
    ' cookie=0x7, duration=3.250s, table=3, n_packets=5, n_bytes=70, idle_age=1, priority=9,tcp,nw_dst=10.0.0.0/8 actions=output:2';
  expect(formatFlow(parseFlow(line))).toBe(
    'cookie=0x7,table=3,priority=9,tcp,nw_dst=10.0.0.0/8 actions=output:2',
  );
});
