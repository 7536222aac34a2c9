import { once } from 'node:events';
import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { request as httpRequest, type IncomingMessage } from 'node:http';
import { connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ApiStartError, type RunningApi, startApi } from '../../../src/api/index.js';
import { type FakeModel, fakeModel } from './fake-model.js';

let dir: string;
let path: string;
let model: FakeModel;
const running: RunningApi[] = [];
const log = { error: () => undefined, info: () => undefined };

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'hpnn-api-'));
  path = join(dir, 'run', 'agent.sock');
  model = fakeModel();
});
afterEach(async () => {
  for (const api of running.splice(0)) await api.close();
  rmSync(dir, { recursive: true, force: true });
});

async function start(
  options: Partial<Parameters<typeof startApi>[0]> = {},
): Promise<{ api: RunningApi; port: number }> {
  const api = await startApi({
    model,
    log,
    version: '0.1.0',
    trustLoopback: false,
    listen: [
      { kind: 'unix', path },
      { kind: 'tcp', host: '127.0.0.1', port: 0 },
    ],
    ...options,
  });
  running.push(api);
  const tcp = api.addresses.find((address) => address.kind === 'tcp');
  return { api, port: tcp?.kind === 'tcp' ? tcp.port : 0 };
}

async function ask(
  options: object,
  body?: object,
): Promise<{ response: IncomingMessage; text: () => Promise<string> }> {
  const sent = httpRequest({
    agent: false,
    ...options,
    ...(body === undefined ? {} : { method: 'POST', headers: { 'content-type': 'application/json' } }),
  });
  sent.end(body === undefined ? undefined : JSON.stringify(body));
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  return { response, text: async () => (await response.toArray()).join('') };
}

const be1 = { tenant: 'acme', pool: 'web', member: 'be1' };

describe('sockets', () => {
  it('the unix socket has mode 0660 and may change things without a token; TCP may not', async () => {
    const { port } = await start();
    expect(statSync(path).mode & 0o777).toBe(0o660);
    expect((await ask({ socketPath: path, path: '/drain' }, be1)).response.statusCode).toBe(200);
    expect((await ask({ port, path: '/drain' }, be1)).response.statusCode).toBe(403);
    expect((await ask({ port, path: '/status' })).response.statusCode).toBe(200);
  });

  it('replace what a killed agent left, but not a living one', async () => {
    const dead = createServer();
    dead.listen(join(dir, 'x.sock'));
    await once(dead, 'listening');
    writeFileSync(join(dir, 'token'), '0123456789abcdef-token\n');
    await expect(start({ listen: [{ kind: 'unix', path: join(dir, 'x.sock') }] })).rejects.toThrow(
      /another process does/,
    );
    dead.close();
    await once(dead, 'close');
    await start({ tokenFile: join(dir, 'token') });
    await expect(start({ listen: [{ kind: 'unix', path }] })).rejects.toBeInstanceOf(ApiStartError);
  });

  it('say which port is busy, and which token is unusable', async () => {
    const { port } = await start();
    await expect(start({ listen: [{ kind: 'tcp', host: '127.0.0.1', port }] })).rejects.toThrow(
      `tcp:127.0.0.1:${port}: another process does`,
    );
    await expect(start({ tokenFile: join(dir, 'none') })).rejects.toThrow(/none can't be read: ENOENT/);
    writeFileSync(join(dir, 'short'), 'short\n');
    await expect(start({ tokenFile: join(dir, 'short') })).rejects.toThrow(/16 to 256 visible characters/);
  });

  it('give what is not HTTP one answer', async () => {
    const { port } = await start();
    for (const [bytes, status] of [
      ['\u0016\u0003\u0001 hello\r\n\r\n', 400],
      [`GET / HTTP/1.1\r\nx: ${'y'.repeat(20_000)}\r\n\r\n`, 431],
    ] as const) {
      const socket = connect(port, '127.0.0.1');
      socket.write(bytes);
      const text = Buffer.concat(await socket.toArray()).toString();
      expect(text).toContain(`HTTP/1.1 ${status} `);
      expect(text).toContain('application/problem+json');
    }
  });

  it('cut off clients that send too slowly', async () => {
    const { port } = await start();
    const socket = connect(port, '127.0.0.1');
    socket.write('GET /status HT');
    const text = Buffer.concat(await socket.toArray()).toString();
    expect(text).toContain('HTTP/1.1 408 ');
  });
});

describe('streams', () => {
  it('events come with ids, filtered, and what was missed comes first', async () => {
    await start();
    const event = (seq: number, tenant: string) => ({
      seq,
      at: '2026-01-02T03:04:05Z',
      type: 'member',
      tenant,
      text: `be1 of ${tenant} is ERROR`,
    });
    model.emit(event(1, 'acme'));
    model.emit(event(2, 'acme'));
    const { response } = await ask({
      socketPath: path,
      path: '/events?tenant=acme',
      headers: { 'last-event-id': '1' },
    });
    expect(response.headers['content-type']).toBe('text/event-stream');
    let text = '';
    response.on('data', (chunk: Buffer) => {
      text += chunk.toString();
    });
    await expect.poll(() => text).toContain('id: 2\n');
    model.emit(event(3, 'umbrella'));
    model.emit(event(4, 'acme'));
    await expect.poll(() => text).toContain('id: 4\nevent: member\ndata: {"seq":4');
    expect(text).not.toContain('id: 1\n');
    expect(text).not.toContain('id: 3\n');
    response.destroy();
    await expect.poll(() => model.subscribers.size).toBe(0);
  });

  it('a listener that does not read is cut off', async () => {
    await start();
    const { response } = await ask({ socketPath: path, path: '/events' });
    response.pause();
    await expect.poll(() => model.subscribers.size).toBe(1);
    const text = 'x'.repeat(100_000);
    for (let seq = 1; seq < 60 && model.subscribers.size > 0; seq++) {
      model.emit({ seq, at: '', type: 'member', text });
      await new Promise(setImmediate);
    }
    await expect.poll(() => model.subscribers.size).toBe(0);
    response.destroy();
  });

  it('more listeners than reasonable are refused', async () => {
    await start();
    const open = await Promise.all(
      Array.from({ length: 64 }, () => ask({ socketPath: path, path: '/events' })),
    );
    expect((await ask({ socketPath: path, path: '/events' })).response.statusCode).toBe(503);
    for (const { response } of open) response.destroy();
  });

  it('a capture ends when its client goes', async () => {
    await start();
    const { response } = await ask({ socketPath: path, path: '/capture' }, { format: 'text' });
    const [chunk] = (await once(response, 'data')) as [Buffer];
    expect(chunk.toString()).toBe('> flow_mod xid=1\n');
    response.destroy();
    await expect.poll(() => model.calls.at(-1)?.method).toBe('captureEnd');
  });

  it('closing ends streams and removes the socket', async () => {
    const { api } = await start();
    const { response } = await ask({ socketPath: path, path: '/events' });
    const ended = once(response, 'error').catch(() => undefined);
    response.resume();
    await api.close();
    await ended;
    expect(() => statSync(path)).toThrow(/ENOENT/);
  });
});
