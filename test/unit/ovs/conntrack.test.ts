import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  deleteLimits,
  dumpConntrack,
  findSocket,
  getLimits,
  parseEntry,
  setLimits,
  unixctl,
} from '../../../src/ovs/index.js';

describe('conntrack lines', () => {
  it('reads both directions, zone, mark and state', () => {
    expect(
      parseEntry(
        'tcp,orig=(src=10.20.0.10,dst=10.20.0.100,sport=40000,dport=80),reply=(src=10.20.0.2,dst=10.20.0.10,sport=8080,dport=40000),zone=7,timeout=86399,mark=11,protoinfo=(state=ESTABLISHED)',
      ),
    ).toEqual({
      protocol: 'tcp',
      orig: { src: '10.20.0.10', dst: '10.20.0.100', sport: 40000, dport: 80 },
      reply: { src: '10.20.0.2', dst: '10.20.0.10', sport: 8080, dport: 40000 },
      zone: 7,
      mark: 11,
      state: 'ESTABLISHED',
      timeoutSeconds: 86399,
    });
  });

  it('takes entries without ports, zone or mark, and nothing else', () => {
    const icmp = parseEntry(
      'icmp,orig=(src=10.0.0.1,dst=10.0.0.2,id=7,type=8,code=0),reply=(src=10.0.0.2,dst=10.0.0.1,id=7,type=0,code=0)',
    );
    expect(icmp).toMatchObject({ protocol: 'icmp', zone: 0, mark: 0 });
    expect(icmp?.orig).not.toHaveProperty('sport');
    for (const line of ['', 'tcp,orig=(src=1.1.1.1)', 'garbage']) expect(parseEntry(line)).toBeUndefined();
  });
});

describe('unixctl', () => {
  let dir: string;
  let server: Server;
  let answer: (request: { method: string; params: string[] }, socket: Socket) => void;
  const requests: { method: string; params: string[] }[] = [];

  beforeEach(async () => {
    dir = await mkdtemp(join(tmpdir(), 'hpnn-unixctl-'));
    await writeFile(join(dir, 'ovs-vswitchd.pid'), '4711\n');
    requests.length = 0;
    server = createServer((socket) => {
      socket.on('error', () => undefined);
      socket.on('data', (data) => {
        const request = JSON.parse(data.toString());
        requests.push(request);
        answer(request, socket);
      });
    });
    await new Promise<void>((resolve) => server.listen(join(dir, 'ovs-vswitchd.4711.ctl'), resolve));
  });
  afterEach(async () => {
    await new Promise((resolve) => server.close(resolve));
    await rm(dir, { recursive: true });
  });
  const ctl = (extra = {}) => unixctl({ socket: 'auto', rundir: dir, ...extra });

  it('finds the socket by the pid file and puts together an answer that comes in pieces', async () => {
    const text = JSON.stringify({ id: 0, result: 'a}b'.repeat(1000), error: null });
    answer = (_request, socket) => {
      socket.write(text.slice(0, text.indexOf('}') + 1), () =>
        setImmediate(() => socket.write(text.slice(text.indexOf('}') + 1))),
      );
    };
    expect(await ctl().call('version')).toBe('a}b'.repeat(1000));
    expect(requests).toEqual([{ id: 0, method: 'version', params: [] }]);
  });

  it('tells refusal, silence, early end, and absence apart', async () => {
    answer = (_request, socket) => socket.write('{"id":0,"result":null,"error":"unknown command\\n"}');
    await expect(ctl().call('nonsense')).rejects.toMatchObject({
      code: 'refused',
      message: expect.stringContaining('unknown command'),
    });
    answer = () => undefined;
    await expect(ctl({ timeoutMs: 20 }).call('slow')).rejects.toMatchObject({ code: 'timeout' });
    answer = (_request, socket) => socket.end('{"id":0,');
    await expect(ctl().call('short')).rejects.toMatchObject({ code: 'protocol' });
    await expect(findSocket(join(dir, 'none'))).rejects.toMatchObject({ code: 'unreachable' });
    await expect(unixctl({ socket: join(dir, 'none') }).call('x')).rejects.toMatchObject({
      code: 'unreachable',
    });
  });

  it('refuses an answer beyond its bound', async () => {
    answer = (_request, socket) => socket.write(`"${'x'.repeat(100)}`);
    await expect(ctl({ maxAnswer: 50 }).call('big')).rejects.toMatchObject({ code: 'protocol' });
  });

  it('reads and writes limits, and never writes 0, which would block the zone', async () => {
    answer = (_request, socket) =>
      socket.write(
        JSON.stringify({ id: 0, result: 'default limit=0\nzone=7,limit=100,count=3\n', error: null }),
      );
    expect(await getLimits(ctl())).toEqual({ default: 0, zones: new Map([[7, { limit: 100, count: 3 }]]) });
    await setLimits(
      ctl(),
      new Map([
        [7, 100],
        [9, 5],
      ]),
    );
    await deleteLimits(ctl(), [7, 9]);
    await setLimits(ctl(), new Map());
    await deleteLimits(ctl(), []);
    expect(requests.slice(1).map((r) => [r.method, ...r.params])).toEqual([
      ['dpctl/ct-set-limits', 'zone=7,limit=100', 'zone=9,limit=5'],
      ['dpctl/ct-del-limits', 'zone=7,9'],
    ]);
    await expect(setLimits(ctl(), new Map([[7, 0]]))).rejects.toThrow(RangeError);
    expect(requests).toHaveLength(3);
  });

  it('asks for one zone only', async () => {
    answer = (_request, socket) => socket.write('{"id":0,"result":"","error":null}');
    expect(await dumpConntrack(ctl(), 9)).toEqual([]);
    expect(requests[0]).toMatchObject({ method: 'dpctl/dump-conntrack', params: ['-s', 'zone=9'] });
  });
});
