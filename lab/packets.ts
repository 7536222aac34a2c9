import type { Host } from './host.js';
import { answer } from './services.js';
import { until } from './until.js';

/** What hosts send, and what comes back. */

const PYTHON = '/usr/bin/python3';

/** Who answered one request, and whom he saw: `be1 for 10.20.0.10`; else what curl says. */
export async function ask(host: Host, url: string, argv: readonly string[] = []): Promise<string> {
  const { ok, body, error, code } = await host.curl(url, ['--max-time', '15', ...argv]);
  return ok ? `${answer(body).server} for ${answer(body).client}` : `failed ${code} ${error}`;
}

/**
 * Asks until each of `wanted` has answered, or somebody else, or nobody. The hash decides who answers, so the number
 * of requests isn't fixed.
 */
export async function askAll(host: Host, url: string, wanted: readonly string[]): Promise<string[]> {
  const seen = new Set<string>();
  for (let n = 0; n < 300 && seen.size < wanted.length; n++) {
    const one = await ask(host, url);
    seen.add(one);
    if (!wanted.includes(one)) break;
  }
  return [...seen].sort();
}

/** Whether nothing comes back at all: a packet that was dropped, and not a refusal. */
export async function isSilent(host: Host, url: string): Promise<boolean> {
  const { error } = await host.curl(url, ['--max-time', '0.4']);
  return error.includes('curl: (28)');
}

export interface DatagramOptions {
  readonly ttl?: number;
}

/** A datagram from a connected socket: the answer, the errno of an ICMP error, or `silence`. Sent again when lost. */
export async function datagram(
  host: Host,
  address: string,
  port: number,
  text: string,
  { ttl = 64 }: DatagramOptions = {},
): Promise<string> {
  const script = `
import errno, socket, sys
s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
s.setsockopt(socket.IPPROTO_IP, 11, 1)  # IP_RECVERR
s.setsockopt(socket.IPPROTO_IP, socket.IP_TTL, ${ttl})
s.settimeout(2)
s.connect(('${address}', ${port}))
text = sys.stdin.buffer.read()
result = 'silence'
for _ in range(5):
    try:
        s.send(text)
        result = s.recv(65535).decode()
        break
    except socket.timeout: pass
    except OSError as e:
        result = errno.errorcode[e.errno]
        break
print(result)`;
  return (await host.exec([PYTHON, '-c', script], { input: text })).stdout.trimEnd();
}

/** What {@link hose} sends. */
const MUCH = 60_000;

/** Sends much to whoever connects, and hangs up. */
export async function hose(host: Host, port: number): Promise<void> {
  const script = `
import socketserver
class Much(socketserver.BaseRequestHandler):
    def handle(self): self.request.sendall(b'x' * ${MUCH})
class Server(socketserver.ThreadingTCPServer):
    allow_reuse_address = daemon_threads = True
server = Server(('', ${port}), Much)
print('ready', flush=True)
server.serve_forever()`;
  await host.spawn([PYTHON, '-c', script]).says(/^ready$/m);
}

/** Whether all that {@link hose} sends arrives; `complete`, or what went wrong. */
export async function drink(host: Host, address: string, port: number): Promise<string> {
  const script = `
import socket
s = socket.create_connection(('${address}', ${port}), 5)
s.settimeout(5)
got = 0
try:
    while part := s.recv(65536): got += len(part)
except socket.timeout: pass
print('complete' if got == ${MUCH} else f'{got} bytes')`;
  const { stdout, stderr } = await host.exec([PYTHON, '-c', script], { allowFailure: true });
  return stdout.trim() || stderr.trim().split('\n').at(-1)!;
}

/** How large packets may be on the way, as the host's kernel learned from ICMP. */
export async function pathMtu(host: Host, address: string): Promise<number> {
  const { stdout } = await host.exec(['ip', 'route', 'get', address]);
  return Number(/ mtu (\d+)/.exec(stdout)?.[1] ?? 1500);
}

/** Whether the address answers ICMP echo. */
export async function echoes(host: Host, address: string): Promise<boolean> {
  const { code } = await host.exec(['ping', '-n', '-c', '1', '-W', '5', address], { allowFailure: true });
  return code === 0;
}

/** Opens `n` connections at once and gives up after 0.7 s; returns how many got through until then. */
export async function openAtOnce(host: Host, address: string, port: number, n: number): Promise<number> {
  const script = `
import select, socket, time
pending = set()
for _ in range(${n}):
    s = socket.socket(); s.setblocking(False)
    s.connect_ex(('${address}', ${port}))
    pending.add(s)
end = time.monotonic() + 0.7
done = 0
while pending and time.monotonic() < end:
    _, ready, _ = select.select([], list(pending), [], max(0, end - time.monotonic()))
    for s in ready:
        pending.discard(s)
        done += s.getsockopt(socket.SOL_SOCKET, socket.SO_ERROR) == 0
print(done)`;
  return Number((await host.exec([PYTHON, '-c', script])).stdout);
}

/** Frames from `n` made-up stations, 10.20.0.110 and following, to a MAC that nobody has. */
export async function pretend(host: Host, n: number): Promise<void> {
  const script = `
import socket, struct, time
s = socket.socket(socket.AF_PACKET, socket.SOCK_RAW)
s.bind(('eth0', 0))
for i in range(${n}):
    ip = struct.pack('!BBHHHBBH4s4s', 0x45, 0, 28, i, 0, 64, 17, 0, bytes([10, 20, 0, 110 + i % 120]), bytes([10, 20, 0, 240]))
    total = sum(struct.unpack('!10H', ip)); total = (total & 0xffff) + (total >> 16); total = (total & 0xffff) + (total >> 16)
    ip = ip[:10] + struct.pack('!H', 0xffff - total) + ip[12:]
    s.send(b'\\x02\\0\\0\\0\\xfe\\xfe' + b'\\x02\\0\\0\\xee' + struct.pack('!H', i) + b'\\x08\\0' + ip + struct.pack('!HHHH', 9, 9, 8, 0))
    if i % 20 == 19: time.sleep(0.01)`;
  await host.exec([PYTHON, '-c', script]);
}

export interface Transfer {
  readonly sentBits: number;
  readonly receivedBits: number;
  /** As long as sending or receiving took, whichever was longer. */
  readonly seconds: number;
}

/** UDP at about 40 Mbit/s for two seconds; payload is counted at both ends. */
export async function blast(from: Host, to: Host, port = 5001): Promise<Transfer> {
  const sink = to.spawn([
    PYTHON,
    '-c',
    `
import socket, time
s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
s.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4 << 20)
s.bind(('', ${port}))
print('ready', flush=True)
total = len(s.recv(2048)); first = last = time.monotonic()
s.settimeout(1.5)
try:
    while True: total += len(s.recv(2048)); last = time.monotonic()
except socket.timeout: print('total', total, last - first, flush=True)`,
  ]);
  await sink.says(/^ready$/m);
  const { stdout } = await from.exec([
    PYTHON,
    '-c',
    `
import socket, time
s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
s.connect(('${to.address}', ${port}))
begin = time.monotonic(); sent = 0
while True:
    now = time.monotonic() - begin
    if now > 2: break
    while sent * 8 < 40e6 * now: sent += s.send(bytes(1250))
    time.sleep(0.002)
print(sent, now)`,
  ]);
  await sink.says(/^total .*$/m);
  await until(() => !sink.running, { what: 'the sink' });
  const [received, receiving] = /^total (\d+) (\S+)$/m.exec(sink.stdout)!.slice(1).map(Number);
  const [sent, sending] = stdout.split(' ').map(Number);
  return { sentBits: sent! * 8, receivedBits: received! * 8, seconds: Math.max(sending!, receiving!) };
}
