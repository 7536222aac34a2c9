import { beforeEach, describe, expect, it } from 'vitest';
import type { Monitor } from '../../../src/hc/index.js';
import { TCP } from '../../../src/packetio/frames/tcp.js';
import { check, monitor, Server, TENANT, World } from './world.js';

const http: Monitor = {
  ...monitor,
  type: 'HTTP',
  expectedCodes: [
    [200, 200],
    [202, 204],
  ],
};
let world: World;
beforeEach(() => {
  world = new World();
});

/** Runs checks for `ms` against a server. */
function run(script: (server: Server) => void, options = {}, m: Monitor = http, ms = 900): Server {
  const server = new Server(world, script, options);
  world.hc.setChecks(TENANT, [check({ monitor: m })]);
  world.clock.advance(ms);
  return server;
}
const bytes = (server: Server, text: string, ms = 1) => {
  for (let n = 0; n < text.length; n++) server.say(text[n]!, n, ms * (n + 1));
};

describe('HTTP check', () => {
  it('asks as configured and is content with an expected code; then ends the connection', () => {
    const server = run(
      (s) => s.say('HTTP/1.1 204 No Content\r\nServer: x\r\n\r\n'),
      {},
      { ...http, domainName: 'example.test' },
    );
    expect(server.request).toMatch(/^GET \/health HTTP\/1\.1\r\nHost: example\.test\r\n/);
    expect(world.row()).toMatchObject({ status: 'ONLINE', reason: 'HTTP 204' });
    const last = server.got.at(-1)!;
    expect(last.flags & TCP.rst).toBe(TCP.rst);
    expect(last.seq).toBe((server.got[0]!.seq + 1 + server.request.length) >>> 0);
    expect(server.got).toHaveLength(3);
    expect(world.hc.gauges().inFlight).toBe(0);
  });

  it('the address stands for a missing domain name; HTTP/1.0 needs none', () => {
    expect(run((s) => s.say('HTTP/1.1 200 OK\r\n')).request).toContain('\r\nHost: 10.20.0.2\r\n');
    world = new World();
    const server = run((s) => s.say('HTTP/1.0 200 OK\r\n'), {}, { ...http, httpVersion: '1.0' });
    expect(server.request).toMatch(/^GET \/health HTTP\/1\.0\r\n/);
    expect(server.request).not.toContain('Host:');
    expect(world.row()).toMatchObject({ status: 'ONLINE' });
  });

  it.each([
    ['another code', 'HTTP/1.1 503 Busy\r\n', 'HTTP 503, expected 200,202-204'],
    ['a code at no range', 'HTTP/1.1 201 Created\r\n', 'HTTP 201, expected 200,202-204'],
    ['another protocol', 'SSH-2.0-OpenSSH\r\n', 'not HTTP'],
    ['no code', 'HTTP/1.1 OK\r\n', 'malformed status line'],
    ['four digits', 'HTTP/1.1 2000 OK\r\n', 'malformed status line'],
    ['another version', 'HTTP/2.0 200 OK\r\n', 'malformed status line'],
    ['a line without end', 'HTTP/1.1 200 '.padEnd(1300, 'x').repeat(1), 'answer not complete in time'],
  ])('%s is a failure', (_, text, reason) => {
    run((s) => s.say(text), {}, http, 1100);
    expect(world.row()).toMatchObject({ fall: 1, reason });
  });

  it('in segments of one byte', () => {
    run((s) => bytes(s, 'HTTP/1.1 200 OK\r\nA: b\r\n\r\n'));
    expect(world.row()).toMatchObject({ status: 'ONLINE', reason: 'HTTP 200' });
  });

  it('backwards, in pieces that overlap', () => {
    const text = 'HTTP/1.1 202 Accepted\r\nA: b\r\n\r\n';
    run((s) => {
      let ms = 1;
      for (let n = text.length - 1; n >= 0; n -= 3) s.say(text.slice(n, n + 7), n, ms++);
      s.say(text.slice(0, 4), 0, ms);
    });
    expect(world.row()).toMatchObject({ status: 'ONLINE', reason: 'HTTP 202' });
  });

  it('steps over interim responses and their headers', () => {
    run((s) =>
      s.say(
        'HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early\r\nLink: HTTP/1.1 500 no\r\n\r\nHTTP/1.1 200 OK\r\n',
      ),
    );
    expect(world.row()).toMatchObject({ status: 'ONLINE' });
  });

  it('interim responses without end are a failure, in bounded memory', () => {
    const server = run((s) => {
      const interim = 'HTTP/1.1 100 Continue\r\n\r\n'.repeat(50);
      for (let n = 0; n < 80; n++) s.say(interim, n * interim.length, n + 1);
    });
    expect(world.row()).toMatchObject({ fall: 1, reason: 'answers 1xx without end' });
    expect(server.got.at(-1)!.flags & TCP.rst).toBe(TCP.rst);
  });

  it('a body of any size costs nothing: the peer is told to stop at once', () => {
    const server = run((s) => {
      s.say(`HTTP/1.1 200 OK\r\n\r\n${'x'.repeat(1000)}`);
      for (let n = 0; n < 50; n++) s.say('y'.repeat(1360), 1019 + n * 1360, 2);
    });
    expect(world.row()).toMatchObject({ status: 'ONLINE' });
    expect(server.got).toHaveLength(3);
  });

  it('a peer that drips does not get more time', () => {
    run((s) => bytes(s, 'HTTP/1.1 200 OK\r\n', 90), {}, http, 1010);
    expect(world.row()).toMatchObject({ fall: 1, reason: 'answer not complete in time' });
  });

  it('accepts and says nothing: failure, and the connection is reset', () => {
    const server = run(() => {}, {}, http, 1010);
    expect(world.row()).toMatchObject({ fall: 1, reason: 'no answer to the request in time' });
    expect(server.got.at(-1)!.flags).toBe(TCP.rst | TCP.ack);
  });

  it('reset before the answer; reset after the status line is too late', () => {
    run((s) => world.answer(s.last!, { seq: (s.isn + 1) >>> 0, flags: TCP.rst }));
    expect(world.row()).toMatchObject({ fall: 1, reason: 'connection reset' });
    world = new World();
    run((s) => {
      s.say('HTTP/1.1 200 OK\r\n');
      world.answer(s.last!, { seq: (s.isn + 18) >>> 0, flags: TCP.rst }, 2);
    });
    expect(world.row()).toMatchObject({ status: 'ONLINE', fall: 0 });
  });

  it('a forged RST inside the window, but not at its edge, is answered and ignored', () => {
    const server = run((s) => {
      world.answer(s.last!, { seq: (s.isn + 100) >>> 0, flags: TCP.rst });
      s.say('HTTP/1.1 200 OK\r\n', 0, 5);
    });
    expect(world.row()).toMatchObject({ status: 'ONLINE' });
    expect(server.got.filter((t) => t.flags === TCP.ack)).toHaveLength(1);
  });

  it('FIN before the answer', () => {
    run((s) => s.say('', 0, 1, TCP.fin));
    expect(world.row()).toMatchObject({ fall: 1, reason: 'closed before an answer' });
  });

  it('FIN together with the answer, ahead of a lost piece', () => {
    run((s) => {
      s.say('K\r\n', 14, 1, TCP.fin);
      s.say('HTTP/1.1 200 O', 0, 30);
    });
    expect(world.row()).toMatchObject({ status: 'ONLINE' });
  });

  it('a lost request is sent again', () => {
    run((s) => s.say('HTTP/1.1 200 OK\r\n'), { mute: (n: number) => n === 2 });
    expect(world.row()).toMatchObject({ status: 'ONLINE' });
  });

  it('keeps to a small MSS and a small window', () => {
    const server = run((s) => s.say('HTTP/1.1 200 OK\r\n'), { mss: 40, window: 60 });
    expect(world.row()).toMatchObject({ status: 'ONLINE' });
    const sizes = server.got.map((t) => t.payload.length);
    expect(Math.max(...sizes)).toBeLessThanOrEqual(40);
    expect(server.request).toMatch(/\r\n\r\n$/);
  });

  it('probes a closed window and goes on when it opens', () => {
    const server = new Server(world, (s) => s.say('HTTP/1.1 200 OK\r\n'), { window: 0 });
    const probes: number[] = [];
    const deliver = world.io.onSent;
    world.io.onSent = (sent) => {
      if (sent.packet.kind === 'tcp' && sent.packet.tcp.payload.length > 0) {
        probes.push(sent.packet.tcp.payload.length);
        Object.assign(server.options, { window: 5000 });
      }
      deliver(sent);
    };
    world.hc.setChecks(TENANT, [check({ monitor: http })]);
    world.clock.advance(900);
    expect(probes[0]).toBe(1);
    expect(world.row()).toMatchObject({ status: 'ONLINE' });
  });

  it('with tcp_close fin the rest of the answer is taken, and both sides close', () => {
    const server = run(
      (s) => {
        s.say('HTTP/1.1 200 OK\r\n\r\n');
        s.say('x'.repeat(1000), 19, 2);
        world.clock.setTimeout(() => {
          const fin = s.got.find((t) => t.flags & TCP.fin)!;
          world.answer(s.last!, {
            seq: (s.isn + 1 + 1019) >>> 0,
            ack: (fin.seq + 1) >>> 0,
            flags: TCP.fin | TCP.ack,
          });
        }, 10);
      },
      {},
      { ...http, tcpClose: 'fin' },
    );
    expect(world.row()).toMatchObject({ status: 'ONLINE' });
    expect(server.got.some((t) => t.flags & TCP.rst)).toBe(false);
    expect(server.got.at(-1)).toMatchObject({ flags: TCP.ack, ack: (server.isn + 1 + 1019 + 1) >>> 0 });
  });

  it('a peer that answers everything wrongly costs a bounded number of packets', () => {
    const server = run((s) => {
      for (let n = 0; n < 500; n++)
        world.answer(s.last!, { seq: (s.isn + 100_000 + n) >>> 0, payload: Uint8Array.of(1) }, 1 + n / 10);
    });
    expect(server.got.length).toBeLessThan(20);
  });
});
