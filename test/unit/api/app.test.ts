import type { FastifyInstance } from 'fastify';
import { beforeEach, describe, expect, it } from 'vitest';
import { buildApp } from '../../../src/api/index.js';
import { answers } from '../../../src/api/schemas.js';
import { type FakeModel, fakeModel, STATUS } from './fake-model.js';

let model: FakeModel;
let app: FastifyInstance;
const logged: object[] = [];
const log = { error: (data: object) => logged.push(data), info: () => undefined };
const TOKEN = 'a-token-of-enough-length';

beforeEach(async () => {
  logged.length = 0;
  model = fakeModel();
  app = await buildApp({ model, log, version: '0.1.0', trustLoopback: true });
});

const get = (url: string) => app.inject({ url });
const post = (
  url: string,
  payload: object,
  headers: Record<string, string> = {},
  remoteAddress = '127.0.0.1',
) => app.inject({ method: 'POST', url, payload, headers: { host: 'localhost', ...headers }, remoteAddress });

describe('reads', () => {
  it.each([
    ['/status', 'status'],
    ['/health', 'health'],
    ['/slots', 'slots'],
    ['/neighbours', 'neighbours'],
    ['/fdb', 'fdb'],
    ['/connections', 'connections'],
    ['/flows', 'flows'],
    ['/ports', 'ports'],
    ['/groups', 'groups'],
    ['/meters', 'meters'],
    ['/drops', 'drops'],
    ['/diff-flows', 'diff'],
    ['/config', 'shown'],
    ['/log', 'levels'],
    ['/healthz', 'health_z'],
    ['/readyz', 'ready_z'],
  ] as const)('%s answers as described', async (url, key) => {
    const response = await get(url);
    expect(response.statusCode).toBe(200);
    expect(response.headers['content-type']).toMatch(/^application\/json/);
    const parsed = answers[key].safeParse(response.json());
    expect(parsed.error?.issues ?? []).toEqual([]);
    // Nothing that the description doesn't know: parsing drops unknown keys.
    expect(parsed.data).toEqual(response.json());
  });

  it('filters by names that exist', async () => {
    expect((await get('/status?tenant=acme')).json().tenants).toEqual([STATUS.tenants[0]]);
    await get('/health?tenant=umbrella&pool=dns');
    expect(model.calls.at(-1)).toEqual({ method: 'health', argument: { tenant: 'umbrella', pool: 'dns' } });
  });

  it('streams flows in one array, of one table on request', async () => {
    model.flowCount = 2000;
    const rows = (await get('/flows?table=12')).json();
    expect(rows).toHaveLength(2000);
    expect(rows[1999].table).toBe(12);
    model.flowCount = 0;
    expect((await get('/flows')).json()).toEqual([]);
  });

  it('readiness is a status', async () => {
    model.broken = true;
    const response = await get('/readyz');
    expect(response.statusCode).toBe(503);
    expect(response.json()).toEqual({ ready: false, reason: 'no switch' });
    expect((await get('/healthz')).statusCode).toBe(200);
  });
});

describe('problem documents', () => {
  const expectProblem = (response: Awaited<ReturnType<typeof get>>, status: number) => {
    expect(response.statusCode).toBe(status);
    expect(response.headers['content-type']).toBe('application/problem+json; charset=utf-8');
    const document = response.json();
    expect(document).toMatchObject({ type: 'about:blank', status });
    expect(document.title).not.toBe('Error');
    return document as { detail: string; hint?: string; errors?: unknown[] };
  };

  it('say what was probably meant', async () => {
    expect(expectProblem(await get('/status?tenant=acmee'), 404)).toMatchObject({
      detail: 'There is no tenant "acmee".',
      hint: 'did you mean "acme"?',
    });
    expect(expectProblem(await get('/health?tenant=acme&pool=dns'), 404)).toMatchObject({
      detail: 'There is no pool "dns" in tenant "acme".',
      hint: 'known: web',
    });
    expect(
      expectProblem(await post('/drain', { tenant: 'acme', pool: 'web', member: 'be9' }), 404),
    ).toMatchObject({
      detail: 'There is no member "be9" in pool "acme/web".',
      hint: expect.stringContaining('be1'),
    });
    expect(expectProblem(await get('/heath'), 404).hint).toBe('did you mean /health?');
  });

  it('name what is wrong in a request', async () => {
    expect(expectProblem(await get('/status?tenat=acme'), 400).detail).toContain('The query is wrong');
    expect(expectProblem(await get('/flows?table=x'), 400).detail).toContain('table');
    expect(expectProblem(await get('/connections?limit=0'), 400).detail).toContain('limit');
    const body = expectProblem(await post('/drain', { tenant: 7, pool: 'web', extra: 1 }), 400);
    expect(body.errors?.length).toBeGreaterThanOrEqual(3);
    expect(
      expectProblem(await post('/drain', { tenant: 'x'.repeat(64), pool: 'p', member: 'm' }), 400).detail,
    ).toContain('tenant');
  });

  it('name the method that is possible', async () => {
    const response = await post('/status', {});
    expect(expectProblem(response, 405).detail).toBe('POST is not possible here; use GET.');
    expect(response.headers.allow).toContain('GET');
    expectProblem(await app.inject({ method: 'DELETE', url: '/drain' }), 405);
  });

  it('refuse bodies that are too large, no JSON, or of another type', async () => {
    expectProblem(await post('/drain', { tenant: 'x'.repeat(70_000) }), 413);
    const raw = (payload: string, type: string) =>
      app.inject({
        method: 'POST',
        url: '/drain',
        payload,
        headers: { host: 'localhost', 'content-type': type },
      });
    expectProblem(await raw('{"tenant":', 'application/json'), 400);
    expectProblem(await raw('tenant=acme', 'application/x-www-form-urlencoded'), 415);
    expectProblem(await raw('{"__proto__":{"tenant":"a"}}', 'application/json'), 400);
  });

  it('give refusals of the agent their status and hint', async () => {
    expect(expectProblem(await post('/log', { module: 'x', level: 'debug' }), 422).hint).toBe(
      'one of any, agent, health',
    );
    model.broken = true;
    expect(expectProblem(await get('/flows'), 503).hint).toBe('look at lbctl status');
  });

  it('keep internal details to the log', async () => {
    model.broken = true;
    const response = await get('/health');
    expectProblem(response, 500);
    expect(response.body).not.toContain('secret');
    expect(logged).toHaveLength(1);
    expect(String((logged[0] as { err: unknown }).err)).toContain('secret detail');
  });
});

describe('changes', () => {
  const be1 = { tenant: 'acme', pool: 'web', member: 'be1' };

  it('reach the agent', async () => {
    expect((await post('/drain', be1)).json()).toEqual({
      ...be1,
      changed: true,
      operatingStatus: 'DRAINING',
    });
    expect((await post('/enable', be1)).json().operatingStatus).toBe('ONLINE');
    expect((await post('/config/apply', { wait: 2.5 })).json().confirmed).toBe(true);
    expect((await post('/config/plan', { tenant: 'acme' })).json().changes).toHaveLength(1);
    expect((await post('/config/check', {})).json()).toEqual({ problems: [] });
    const trace = { tenant: 'acme', from: 'v-a-c', packet: 'tcp 10.20.0.10:40000 > 10.20.0.100:80' };
    expect((await post('/trace', trace)).json().verdict).toBe('delivered');
    expect(model.calls.map((call) => call.argument)).toEqual([
      be1,
      be1,
      2500,
      { tenant: 'acme' },
      undefined,
      trace,
    ]);
  });

  it('are not possible by GET', async () => {
    expect((await get('/drain')).statusCode).toBe(405);
    expect(model.calls).toEqual([]);
  });

  it('need a token from elsewhere', async () => {
    app = await buildApp({ model, log, version: '', trustLoopback: true, token: TOKEN });
    const from = (headers: Record<string, string>, address = '192.0.2.9') =>
      post('/drain', be1, headers, address);
    const missing = await from({});
    expect(missing.statusCode).toBe(401);
    expect(missing.headers['www-authenticate']).toContain('Bearer');
    expect((await from({ authorization: `Bearer ${TOKEN}x` })).statusCode).toBe(401);
    expect((await from({ authorization: `Bearer ${TOKEN}` })).statusCode).toBe(200);
    expect((await from({}, '127.0.0.1')).statusCode).toBe(200);
    expect((await from({}, '::ffff:127.0.0.1')).statusCode).toBe(200);
    expect((await from({ authorization: 'Bearer wrong' }, '127.0.0.1')).statusCode).toBe(401);
    expect(model.calls).toHaveLength(3);
  });

  it('need a token from loopback too where it is not trusted', async () => {
    app = await buildApp({ model, log, version: '', trustLoopback: false, token: TOKEN });
    expect((await post('/drain', be1)).statusCode).toBe(401);
    expect((await post('/drain', be1, { authorization: `Bearer ${TOKEN}` })).statusCode).toBe(200);
  });

  it('are refused where there is no token to give', async () => {
    expect((await post('/drain', be1, {}, '192.0.2.9')).statusCode).toBe(403);
  });

  it('are refused to web pages that a browser on the node shows', async () => {
    expect((await post('/drain', be1, { origin: 'https://evil.example' })).statusCode).toBe(403);
    expect((await post('/drain', be1, { host: 'rebound.example:9653' })).statusCode).toBe(403);
    expect(model.calls).toEqual([]);
  });
});

describe('/openapi.json', () => {
  it('describes every route', async () => {
    const document = (await get('/openapi.json')).json();
    expect(document.openapi).toBe('3.1.0');
    expect(Object.keys(document.paths).sort()).toEqual([
      '/capture',
      '/config',
      '/config/apply',
      '/config/check',
      '/config/plan',
      '/connections',
      '/diff-flows',
      '/drain',
      '/drops',
      '/enable',
      '/events',
      '/fdb',
      '/flows',
      '/groups',
      '/health',
      '/healthz',
      '/log',
      '/meters',
      '/metrics',
      '/neighbours',
      '/ports',
      '/readyz',
      '/slots',
      '/status',
      '/trace',
    ]);
    expect(document.paths['/drain'].post.requestBody.content['application/json'].schema.required).toEqual([
      'tenant',
      'pool',
      'member',
    ]);
    expect(document.paths['/status'].get.parameters.map((p: { name: string }) => p.name)).toEqual([
      'tenant',
      'pool',
    ]);
  });
});
