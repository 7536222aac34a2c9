import { readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { ACME, NODE } from '../../golden/model/wrong-configs.js';
import { configDir } from '../model/config-dir.js';
import { type Fixture, run, startFixture } from './run.js';

let agent: Fixture;
beforeAll(async () => {
  agent = await startFixture();
});
afterAll(() => agent.close());
afterEach(() => {
  agent.model.broken = false;
  agent.model.calls.length = 0;
});

describe('exit status', () => {
  it('0: done', async () => {
    expect((await agent.run('status')).status).toBe(0);
    expect((await agent.run('diff-flows')).status).toBe(0);
    expect((await agent.run('--version')).out).toMatch(/^\d+\.\d+\.\d+\n$/);
  });

  it('1: usage, with a message on standard error alone', async () => {
    for (const args of [
      ['statsu'],
      ['drain'],
      ['drain', 'acme/web'],
      ['trace', 'tcp'],
      ['flows', '--table', '255'],
      ['status', '-f', 'xml'],
      ['log', 'health'],
      ['config', 'schema', 'x'],
      ['conns', '--limit', '0'],
    ]) {
      const { status, out, err } = await agent.run(...args);
      expect([args, status, out]).toEqual([args, 1, '']);
      expect(err).toMatch(/^lbctl: /);
    }
    expect((await agent.run('statsu')).err).toContain('Did you mean status?');
    expect((await agent.run()).err).toContain('Usage: lbctl');
  });

  it('1: no agent', async () => {
    const missing = await run({}, ['status', '--remote', 'unix:/nowhere/agent.sock']);
    expect(missing).toEqual({
      status: 1,
      out: '',
      err: "lbctl: can't reach the agent at unix:/nowhere/agent.sock: nobody listens there. Is hpnn-agent running? --remote or HPNN_API names another place\n",
    });
    expect((await run({ env: { HPNN_API: 'ftp://x' } }, ['status'])).err).toContain(
      'write unix:/run/hpnn/agent.sock or tcp:127.0.0.1:9653',
    );
  });

  it('1: something else answers', async () => {
    const server = createServer((socket) => socket.end('HTTP/1.1 200 OK\r\nconnection: close\r\n\r\n<html>'));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as { port: number };
    expect((await run({}, ['status', '--remote', `tcp:127.0.0.1:${port}`])).err).toContain(
      'is no hpnn-agent',
    );
    server.close();
  });

  it("2: refused, in the agent's words", async () => {
    expect(await agent.run('drain', 'acme/web/be3')).toEqual({
      status: 2,
      out: '',
      err: 'lbctl: There is no member "be3" in pool "acme/web"; did you mean "be1"?\n',
    });
    expect((await agent.run('health', '-t', 'nobody')).status).toBe(2);
    agent.model.broken = true;
    expect((await agent.run('flows')).err).toBe('lbctl: No switch is connected; look at lbctl status\n');
  });

  it('2: flows differ', async () => {
    const { model } = agent;
    const { diffFlows } = model;
    model.diffFlows = () =>
      Promise.resolve({
        equal: false,
        compared: 9,
        differences: [
          {
            tenant: 'acme',
            owner: 'pool web',
            kind: 'flow',
            difference: 'different',
            desired: 'a',
            installed: 'b',
          },
        ],
      });
    const { status, out } = await agent.run('diff-flows');
    model.diffFlows = diffFlows;
    expect(status).toBe(2);
    expect(out).toBe(
      'acme pool web: flow different\n- b\n+ a\n1 difference, 9 compared ("-" is in the switch, "+" should be)\n',
    );
  });

  it('65: --wait was too short; 0 without --wait', async () => {
    expect((await agent.run('config', 'apply', '--wait', '0')).status).toBe(65);
    expect((await agent.run('config', 'apply', '--wait')).status).toBe(0);
    expect((await agent.run('config', 'apply')).status).toBe(0);
    expect(agent.model.calls.map((c) => c.argument)).toEqual([0, 10_000, undefined]);
  });
});

describe('filters and settings', () => {
  it('may stand before and after the command', async () => {
    for (const args of [
      ['-t', 'acme', 'health', '-p', 'web'],
      ['health', '-t', 'acme', '--pool', 'web'],
    ]) {
      await agent.run(...args);
      expect(agent.model.calls.at(-1)).toEqual({
        method: 'health',
        argument: { tenant: 'acme', pool: 'web' },
      });
    }
  });

  it('drain checks all names before it sends the first', async () => {
    expect((await agent.run('drain', 'acme/web/be1', 'acme/web')).status).toBe(1);
    expect(agent.model.calls).toEqual([]);
    expect((await agent.run('drain', 'acme/web/be1', 'acme/web/be2')).out).toBe(
      'acme/web/be1: DRAINING\nacme/web/be2: DRAINING\n',
    );
  });

  it('log shows and sets levels', async () => {
    expect((await agent.run('log', '-f', 'csv')).out).toBe('module,level\nagent,info\nhealth,info\n');
    expect((await agent.run('log', 'health:debug', '-f', 'csv', '--no-headings')).out).toBe(
      'agent,info\nhealth,debug\n',
    );
    expect((await agent.run('log', 'hc:debug')).err).toBe(
      'lbctl: unknown module "hc"; one of any, agent, health\n',
    );
  });

  it('trace wants a tenant, and hands over what conntrack is to say', async () => {
    expect((await agent.run('trace', '--from', 'v', 'tcp')).err).toContain('add -t TENANT');
    const packet = 'tcp 10.20.0.10:40000 > 10.20.0.100:80';
    await agent.run(
      'trace',
      packet,
      '-t',
      'acme',
      '--from',
      'v-a-c',
      '--ct-next',
      'trk,new',
      '--ct-next',
      'est',
    );
    expect(agent.model.calls.at(-1)!.argument).toEqual({
      tenant: 'acme',
      from: 'v-a-c',
      packet,
      ctNext: ['trk,new', 'est'],
    });
    expect(
      JSON.parse((await agent.run('trace', packet, '-t', 'acme', '--from', 'v', '--json')).out).verdict,
    ).toBe('delivered');
    expect((await agent.run('trace', packet, '-t', 'acme', '--from', 'v', '--raw')).out).toBe('Flow: tcp\n');
  });
});

describe('streams', () => {
  it('capture ends on Ctrl-C and asks for what was wanted', async () => {
    const interrupt = new AbortController();
    const out: string[] = [];
    const stdout = {
      write: (data: string | Uint8Array) => {
        out.push(Buffer.from(data).toString());
        interrupt.abort();
      },
    };
    const { status } = await agent.runWith(
      { stdout, interrupted: interrupt.signal },
      'capture',
      '-t',
      'acme',
      '--class',
      'flow_mod',
      '--no-frames',
    );
    expect(status).toBe(0);
    expect(out.join('')).toBe('> flow_mod xid=1\n');
    expect(agent.model.calls[0]!.argument).toEqual({
      format: 'text',
      frames: false,
      tenant: 'acme',
      classes: ['flow_mod'],
    });
  });

  it('capture writes a file for a while', async () => {
    const file = join(tmpdir(), `hpnn-capture-${process.pid}.pcapng`);
    const { status, err } = await agent.run('capture', '-o', file, '--duration', '0.3');
    expect([status, err]).toEqual([0, `lbctl: 17 bytes written to ${file}\n`]);
    expect(readFileSync(file, 'utf8')).toBe('> flow_mod xid=1\n');
    expect(agent.model.calls.find((c) => c.method === 'capture')!.argument).toMatchObject({
      format: 'pcapng',
    });
    rmSync(file);
    expect((await agent.run('capture', '-o', '/nowhere/x', '--duration', '0.3')).err).toContain(
      "can't write /nowhere/x: ENOENT",
    );
  });

  it('events are lines, with the control characters of strangers made visible', async () => {
    const interrupt = new AbortController();
    agent.model.emit({
      seq: 1,
      at: '2026-01-02T03:04:05Z',
      type: 'member',
      tenant: 'acme',
      pool: 'web',
      member: 'be1',
      text: 'is ERROR: \u001b[2Jx',
    });
    const out: string[] = [];
    const stdout = {
      write: (data: string | Uint8Array) => {
        out.push(String(data));
        interrupt.abort();
      },
    };
    await agent.runWith({ stdout, interrupted: interrupt.signal }, 'events', '--since', '0');
    expect(out).toEqual(['2026-01-02T03:04:05Z member acme/web/be1: is ERROR: ?[2Jx\n']);
  });

  it('--watch shows again until Ctrl-C, and survives an agent that is away for a while', async () => {
    const interrupt = new AbortController();
    const out: string[] = [];
    const stdout = {
      write: (data: string | Uint8Array) => {
        out.push(String(data));
        agent.model.broken = agent.model.calls.length === 1;
        if (agent.model.calls.length === 3) interrupt.abort();
      },
    };
    const { status, err } = await agent.runWith(
      { stdout, interrupted: interrupt.signal, isTty: true },
      'health',
      '--watch',
      '0.1',
    );
    expect(status).toBe(0);
    expect(err).toContain('lbctl: Something went wrong inside the agent');
    expect(out[0]).toContain('\u001b[H\u001b[2Jevery 0.1 s: health');
    expect(agent.model.calls).toHaveLength(3);
  });
});

describe('without an agent', () => {
  it('config check names every error and has status 2', async () => {
    using made = configDir({
      'node.yaml': NODE,
      'tenants.d/acme.yaml': ACME.replace('slots: 251', 'slot: 251'),
    });
    const wrong = await run({}, ['config', 'check', made.dir]);
    expect(wrong).toEqual({
      status: 2,
      out: `${made.dir}/tenants.d/acme.yaml:20:5 pools[0].slot: unknown key; did you mean "slots"?\n`,
      err: '1 error\n',
    });
    expect(JSON.parse((await run({}, ['config', 'check', made.dir, '-f', 'json'])).out)[0]).toMatchObject({
      line: 20,
      column: 5,
    });
    made.write('tenants.d/acme.yaml', ACME);
    expect(await run({}, ['config', 'check', made.dir])).toEqual({
      status: 0,
      out: '',
      err: 'configuration is right\n',
    });
  });

  it('config schema is a JSON Schema', async () => {
    expect(JSON.parse((await run({}, ['config', 'schema', 'tenant'])).out).properties.tenant).toBeDefined();
  });
});

describe('colours', () => {
  it('only on a terminal, and not with NO_COLOR', async () => {
    const ansi = '\u001b[';
    expect((await agent.run('health')).out).not.toContain(ansi);
    expect((await agent.runWith({ isTty: true }, 'health')).out).toContain(`${ansi}31mERROR`);
    expect((await agent.runWith({ isTty: true, env: { NO_COLOR: '1' } }, 'health')).out).not.toContain(
      escape,
    );
    expect((await agent.runWith({ isTty: true }, 'health', '-f', 'csv')).out).not.toContain(ansi);
  });
});
