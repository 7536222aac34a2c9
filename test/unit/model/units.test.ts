import { describe, expect, it } from 'vitest';
import { parseApiListen, parseBandwidth, parseExpectedCodes, parseRemote } from '../../../src/model/units.js';

describe('bandwidth', () => {
  it.each([
    ['500M', 500e6],
    ['1.5G', 1.5e9],
    ['64k', 64000],
    [64000, 64000],
  ])('%s', (text, bits) => expect(parseBandwidth(text)).toEqual({ ok: true, value: bits }));
  it.each(['500MB', '0', '-1M', '5T', '', 'M', '999999G'])('refuses "%s"', (text) =>
    expect(parseBandwidth(text).ok).toBe(false),
  );
});

describe('expected codes', () => {
  it('reads lists and inclusive ranges, and the number YAML makes of 200', () => {
    expect(parseExpectedCodes('200, 202,204-206')).toEqual({
      ok: true,
      value: [
        [200, 200],
        [202, 202],
        [204, 206],
      ],
    });
    expect(parseExpectedCodes(200)).toEqual({ ok: true, value: [[200, 200]] });
  });
  it.each(['206-204', '100', '600', '20', '200;202', '', '200,'])('refuses "%s"', (text) =>
    expect(parseExpectedCodes(text).ok).toBe(false),
  );
});

describe('remotes', () => {
  it('reads the passive ones', () => {
    expect(parseRemote('ptcp:6653:127.0.0.1', 'listen')).toEqual({
      ok: true,
      value: { kind: 'ptcp', host: '127.0.0.1', port: 6653 },
    });
    expect(parseRemote('pssl:6653:[::1]', 'listen')).toEqual({
      ok: true,
      value: { kind: 'pssl', host: '::1', port: 6653 },
    });
    expect(parseRemote('ptcp:', 'listen')).toEqual({
      ok: true,
      value: { kind: 'ptcp', host: '127.0.0.1', port: 6653 },
    });
    expect(parseRemote('punix:/run/of.sock', 'listen')).toEqual({
      ok: true,
      value: { kind: 'punix', path: '/run/of.sock' },
    });
  });
  it('reads the active ones', () => {
    expect(parseRemote('tcp:192.0.2.1:6653', 'connect')).toEqual({
      ok: true,
      value: { kind: 'tcp', host: '192.0.2.1', port: 6653 },
    });
    expect(parseRemote('unix:/var/run/openvswitch/br-lb.mgmt', 'connect').ok).toBe(true);
  });
  it.each([
    ['tcp:127.0.0.1:6653', 'listen'],
    ['ptcp:6653', 'connect'],
    ['punix:/x', 'connect'],
    ['unix:relative', 'connect'],
    ['tcp:host.example:6653', 'connect'],
    ['ptcp:66530:127.0.0.1', 'listen'],
    ['ptcp:0:127.0.0.1', 'listen'],
  ] as const)('refuses %s to %s', (text, direction) => expect(parseRemote(text, direction).ok).toBe(false));
});

describe('API addresses', () => {
  it('reads both kinds', () => {
    expect(parseApiListen('unix:/run/hpnn/agent.sock')).toEqual({
      ok: true,
      value: { kind: 'unix', path: '/run/hpnn/agent.sock' },
    });
    expect(parseApiListen('tcp:[::1]:9653')).toEqual({
      ok: true,
      value: { kind: 'tcp', host: '::1', port: 9653 },
    });
  });
  it('refuses a socket path that no kernel takes', () => {
    expect(parseApiListen(`unix:/${'x'.repeat(107)}`).ok).toBe(false);
  });
});
