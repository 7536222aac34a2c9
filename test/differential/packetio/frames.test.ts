import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { buildArpRequest } from '../../../src/packetio/frames/arp.js';
import { tagged } from '../../../src/packetio/frames/ethernet.js';
import { buildIcmp } from '../../../src/packetio/frames/icmp.js';
import { type Packet, parsePacket } from '../../../src/packetio/frames/packet.js';
import { buildTcp, TCP } from '../../../src/packetio/frames/tcp.js';
import { buildUdp } from '../../../src/packetio/frames/udp.js';

const L2 = 'dl_src=02:00:00:00:00:01,dl_dst=02:00:00:00:00:02';
const L3 = 'nw_src=10.0.0.1,nw_dst=250.0.0.2';
const macs = { srcMac: 0x020000000001n, dstMac: 0x020000000002n };
const ips = { src: 0x0a000001, dst: 0xfa000002 };

/** The frame that ovs-ofctl composes for a flow. */
function compose(flow: string, payload?: string): Uint8Array {
  const args = ['compose-packet', flow, ...(payload ? [payload] : [])];
  const dump = execFileSync('ovs-ofctl', args, { encoding: 'utf8' });
  const bytes = dump.split('\n').flatMap((line) => line.slice(10, 57).match(/[0-9a-f]{2}/g) ?? []);
  return Uint8Array.from(bytes.map((b) => Number.parseInt(b, 16)));
}

it('reads what ovs-ofctl composes', () => {
  const cases: [string, string | undefined, object][] = [
    [
      `tcp,${L2},${L3},nw_ttl=64,tp_src=1234,tp_dst=80,tcp_flags=syn`,
      '0102030405',
      { kind: 'tcp', ip: { ...ips, ttl: 64 }, tcp: { srcPort: 1234, dstPort: 80, flags: TCP.syn } },
    ],
    [
      `udp,${L2},${L3},nw_ttl=3,udp_src=7,udp_dst=53`,
      '616263',
      { kind: 'udp', udp: { srcPort: 7, dstPort: 53 } },
    ],
    [`icmp,${L2},${L3},icmp_type=8`, undefined, { kind: 'icmp', icmp: { type: 8, code: 0 } }],
    [
      'arp,arp_op=2,dl_src=02:00:00:00:00:01,dl_dst=02:00:00:00:00:02,arp_sha=02:00:00:00:00:01,arp_spa=10.0.0.1,arp_tpa=250.0.0.2',
      undefined,
      {
        kind: 'arp',
        arp: { operation: 2, senderMac: macs.srcMac, senderAddress: ips.src, targetAddress: ips.dst },
      },
    ],
    [
      `tcp,dl_vlan=120,${L2},${L3},nw_ttl=9,tp_src=1,tp_dst=2,tcp_flags=ack`,
      undefined,
      { kind: 'tcp', eth: { vlans: [120] }, tcp: { flags: TCP.ack } },
    ],
    [`udp,${L2},${L3},nw_ttl=9,nw_frag=later`, undefined, { kind: 'fragment' }],
  ];
  for (const [flow, payload, expected] of cases) {
    const packet: Packet = parsePacket(compose(flow, payload));
    expect(packet, flow).toMatchObject(expected);
  }
});

it('tshark finds every checksum and field of ours right', () => {
  const quoted = buildUdp({ ...macs, ...ips, srcPort: 5, dstPort: 6, payload: Uint8Array.of(1) }).subarray(
    14,
  );
  const frames = [
    buildTcp({
      ...macs,
      ...ips,
      srcPort: 40000,
      dstPort: 8080,
      seq: 0xfffffffe,
      ack: 1,
      flags: TCP.psh | TCP.ack,
      window: 5,
      payload: Uint8Array.of(71, 69, 84),
    }),
    buildTcp({
      ...macs,
      ...ips,
      srcPort: 1,
      dstPort: 2,
      seq: 3,
      ack: 0,
      flags: TCP.syn,
      window: 9,
      mss: 1460,
    }),
    buildUdp({ ...macs, ...ips, srcPort: 3, dstPort: 4 }),
    buildIcmp({ ...macs, ...ips, type: 8, code: 0, id: 77, seq: 78, payload: Uint8Array.of(9) }),
    buildIcmp({ ...macs, ...ips, type: 3, code: 3, id: 0, seq: 0, payload: quoted }),
    buildArpRequest(macs.srcMac, ips.src, ips.dst),
    tagged(buildUdp({ ...macs, ...ips, srcPort: 3, dstPort: 4 }), 120),
  ];
  const rows = tshark(frames, [
    '_ws.col.protocol',
    'ip.checksum.status',
    'tcp.checksum.status',
    'udp.checksum.status',
  ]);
  const GOOD = '1';
  expect(
    rows.map((r) =>
      r
        .slice(1)
        .flatMap((s) => s.split(','))
        .filter((s) => s !== ''),
    ),
  ).toEqual([
    [GOOD, GOOD],
    [GOOD, GOOD],
    [GOOD, GOOD],
    [GOOD],
    // The quoted datagram's checksums are judged too.
    [GOOD, GOOD, GOOD],
    [],
    [GOOD, GOOD],
  ]);
  const fields = tshark(frames, [
    'tcp.seq_raw',
    'tcp.options.mss_val',
    'icmp.checksum.status',
    'icmp.ident',
    'arp.dst.proto_ipv4',
    'vlan.id',
  ]);
  expect(fields).toEqual([
    ['4294967294', '', '', '', '', ''],
    ['3', '1460', '', '', '', ''],
    ['', '', '', '', '', ''],
    ['', '', GOOD, expect.stringContaining('77'), '', ''],
    ['', '', GOOD, '', '', ''],
    ['', '', '', '', '250.0.0.2', ''],
    ['', '', '', '', '', '120'],
  ]);
});

function tshark(frames: readonly Uint8Array[], fields: readonly string[]): string[][] {
  const dir = mkdtempSync(join(tmpdir(), 'frames-'));
  try {
    const file = join(dir, 'frames.pcap');
    const header = Buffer.alloc(24);
    header.writeUInt32LE(0xa1b2c3d4, 0);
    header.writeUInt16LE(2, 4);
    header.writeUInt16LE(4, 6);
    header.writeUInt32LE(65535, 16);
    header.writeUInt32LE(1, 20);
    const records = frames.flatMap((frame) => {
      const record = Buffer.alloc(16);
      record.writeUInt32LE(frame.length, 8);
      record.writeUInt32LE(frame.length, 12);
      return [record, frame];
    });
    writeFileSync(file, Buffer.concat([header, ...records]));
    const check = ['ip', 'tcp', 'udp'].flatMap((p) => ['-o', `${p}.check_checksum:TRUE`]);
    const args = ['-r', file, '-T', 'fields', ...check, ...fields.flatMap((f) => ['-e', f])];
    const out = execFileSync('tshark', args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
    return out
      .split('\n')
      .slice(0, frames.length)
      .map((line) => line.split('\t'));
  } finally {
    rmSync(dir, { recursive: true });
  }
}
