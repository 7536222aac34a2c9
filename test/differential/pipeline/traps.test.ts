import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Capture } from '../../../lab/capture.js';
import type { Host } from '../../../lab/host.js';
import { datagram } from '../../../lab/packets.js';
import { httpServer, udpEcho } from '../../../lab/services.js';
import { until } from '../../../lab/until.js';
import { OFP13, OFP15, type OfpVersion } from '../../../src/ofp/index.js';
import {
  facts,
  ip,
  listener,
  mac,
  member,
  NO_PROVIDER,
  pool,
  segment,
  tenant,
} from '../../golden/pipeline/intents.js';
import { World } from './world.js';

/** What conntrack and hashing do that one wouldn't think; README.md says which test is for which trap. */
const machines = [
  ['client', '10.20.0.10', '02:00:00:00:02:10'],
  ['be1', '10.20.0.2', '02:00:00:00:02:02'],
  ['be2', '10.20.0.3', '02:00:00:00:02:03'],
] as const;
const ports = { 'v-client': 10, 'v-be1': 11, 'v-be2': 12 };
const one = tenant(1, {
  segments: [segment(2, '10.20.0.0/24', Object.keys(ports))],
  listeners: [
    listener(10, '10.20.0.100:80', 2, { poolId: 1 }),
    listener(11, '10.20.0.100:7', 2, { poolId: 2, protocol: 'UDP' }),
    listener(12, '10.20.0.101:80', 2, { poolId: 3 }),
  ],
  pools: [
    pool(1, [member(1, '10.20.0.2:8080'), member(2, '10.20.0.3:8080')], { slots: 251 }),
    pool(2, [member(3, '10.20.0.2:7'), member(4, '10.20.0.3:7')], { slots: 251 }),
    pool(3, [member(1, '10.20.0.2:8080')]),
  ],
});
const known = facts(ports, [one], {
  '1/2': machines.map(([, address, hw], i) => ({ address: ip(address), mac: mac(hw), ofport: 10 + i })),
});

let world: World;
const at = new Map<string, Host>();
const client = () => at.get('client')!;
beforeAll(async () => {
  world = await World.create();
  for (const [i, [name, address, hw]] of machines.entries())
    at.set(name, await world.host(name, address, hw, '10.20.0.1', 10 + i));
  for (const name of ['be1', 'be2']) {
    await httpServer(at.get(name)!);
    await udpEcho(at.get(name)!, 7);
  }
}, 60_000);
afterAll(() => world.close());

describe.each([
  ['OpenFlow 1.3', OFP13],
  ['OpenFlow 1.5', OFP15],
] as [string, OfpVersion][])('%s', (_, version) => {
  beforeAll(async () => {
    await world.connect(version);
    await world.install([one], NO_PROVIDER, known);
  });

  it('brings a packet that conntrack calls invalid to the member of its connection', async () => {
    const N = 12;
    const filter = 'dst port 8080 and tcp[tcpflags] & tcp-rst != 0';
    const captures = new Map<string, Capture>();
    for (const name of ['be1', 'be2']) captures.set(name, await at.get(name)!.capture({ filter }));
    const process = client().spawn(['/usr/bin/python3', '-c', resetsFarAhead(N)]);
    await process.says(/^sent$/m);
    const arrived = () => [...captures].flatMap(([name, c]) => c.seen().map((f) => [f.sourcePort!, name]));
    await until(() => arrived().length >= N, { what: `${N} resets` });
    // Where conntrack has each connection.
    const members = (await world.lab.vswitch.connections(1)).flatMap((line) => {
      const found = /reply=\(src=10\.20\.0\.([23]),dst=10\.20\.0\.10,sport=8080,dport=(\d+)/.exec(line);
      return found ? [[Number(found[2]), `be${Number(found[1]) - 1}`]] : [];
    });
    const sent = new Set(arrived().map(([port]) => port));
    expect(sent.size).toBe(N);
    expect(arrived().sort()).toEqual(members.filter(([port]) => sent.has(port!)).sort());
    const [rule] = (await world.lab.vswitch.flows('br-lb', 'table=10')).filter((f) => f.priority === 95);
    await until(
      async () =>
        (await world.lab.vswitch.flows('br-lb', 'table=10')).some((f) => f.priority === 95 && f.packets > 0),
      { what: 'the rule for invalid packets being used' },
    );
    expect(rule!.match).toMatch(/inv/);
    await process.stop();
    for (const capture of captures.values()) await capture.stop();
  });

  it('spreads UDP over members by its ports', async () => {
    const seen = new Set<string>();
    for (let n = 0; n < 200 && seen.size < 2; n++) seen.add(await datagram(client(), '10.20.0.100', 7, 'x'));
    expect([...seen].sort()).toEqual(['be1 x', 'be2 x']);
  });

  it('keeps a balanced connection when its client opens another from the same port to the member itself', async () => {
    const { stdout } = await client().exec(['/usr/bin/python3', '-c', SAME_PORT_TWICE]);
    // The member sees one connection twice and the second stays unanswered: documented.
    expect(stdout.trim().split('\n')).toEqual(['direct: timed out', 'balanced: HTTP/1.1 200 OK']);
  });
});

/** Opens connections to the VIP and sends a reset for each whose sequence number is far outside the window. */
function resetsFarAhead(n: number): string {
  return `
import signal, socket, struct, subprocess
def checksum(data):
    total = sum(struct.unpack(f'!{len(data) // 2}H', data))
    while total > 0xffff: total = (total & 0xffff) + (total >> 16)
    return 0xffff - total
raw = socket.socket(socket.AF_PACKET, socket.SOCK_RAW); raw.bind(('eth0', 0))
src, dst = socket.inet_aton('10.20.0.10'), socket.inet_aton('10.20.0.100')
conns = []
for _ in range(${n}):
    s = socket.create_connection(('10.20.0.100', 80), 10); conns.append(s)
    words = subprocess.check_output(['ip', 'neigh', 'show', '10.20.0.100'], text=True).split()
    gateway = bytes.fromhex(words[words.index('lladdr') + 1].replace(':', ''))
    tcp = struct.pack('!HHIIBBHHH', s.getsockname()[1], 80, 0x12345678, 0, 0x50, 4, 0, 0, 0)
    tcp = tcp[:16] + struct.pack('!H', checksum(src + dst + struct.pack('!HH', 6, 20) + tcp)) + tcp[18:]
    ip = struct.pack('!BBHHHBBH4s4s', 0x45, 0, 40, 1, 0, 64, 6, 0, src, dst)
    ip = ip[:10] + struct.pack('!H', checksum(ip)) + ip[12:]
    raw.send(gateway + bytes.fromhex('020000000210') + b'\\x08\\0' + ip + tcp)
print('sent', flush=True)
signal.pause()`;
}

const SAME_PORT_TWICE = `
import socket
def from_port(port):
    s = socket.socket(); s.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    s.bind(('10.20.0.10', port)); s.settimeout(10)
    return s
balanced = from_port(0)
balanced.connect(('10.20.0.101', 80))
direct = from_port(balanced.getsockname()[1])
direct.settimeout(1.5)
try: direct.connect(('10.20.0.2', 8080)); print('direct: connected')
except OSError as e: print('direct:', e)
balanced.send(b'GET / HTTP/1.1\\r\\nHost: x\\r\\nConnection: close\\r\\n\\r\\n')
print('balanced:', balanced.recv(4096).decode().split('\\r\\n')[0])`;
