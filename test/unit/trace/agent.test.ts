import { describe, expect, it } from 'vitest';
import { type TraceParts, traceOf } from '../../../src/agent/view/trace.js';
import { UnixctlError } from '../../../src/ovs/index.js';
import { readRecording } from '../../golden/trace/recording.js';
import { CASES, known, provider, tenants } from '../../golden/trace/scene.js';

/** An agent without a switch connection, whose ovs-vswitchd says `answer`. */
function parts(answer: (command: string, ...args: string[]) => string): TraceParts {
  return {
    node: { bridge: 'br-lb' },
    intents: { tenants: new Map(tenants.map((t) => [t.name, t])), provider },
    facts: known,
    session: { connection: undefined },
    vswitchd: { call: async (...words: [string, ...string[]]) => answer(...words) },
  } as unknown as TraceParts;
}

const request = { tenant: 'a', packet: 'tcp 10.20.0.10:40000 > 10.20.0.100:80' };
const refuse = (error: Error) => () => {
  throw error;
};

describe('a trace for the API', () => {
  it('is what the switch says, with names', async () => {
    const { flow, raw } = readRecording().get(CASES[0]!.name)!;
    const asked: string[][] = [];
    const result = await traceOf(
      parts((...words) => {
        asked.push(words);
        return raw;
      }),
      request,
    );
    expect(asked[0]).toEqual(['ofproto/trace', 'br-lb', flow]);
    expect(result).toMatchObject({
      tenant: 'a',
      from: 'v-a-client',
      flow,
      verdict: 'delivered',
      member: 'web/be2',
    });
  });

  it('names of ports in a flow become numbers', async () => {
    const asked: string[][] = [];
    const { raw } = readRecording().get('a port of nobody')!;
    const answer = (...words: string[]) => {
      asked.push(words);
      return raw;
    };
    const result = await traceOf(parts(answer), { packet: 'in_port=spare,tcp,nw_ttl=64' });
    expect(asked[0]![2]).toBe('in_port=40,tcp,nw_ttl=64');
    expect(result).toMatchObject({ from: 'spare', reason: 'spare belongs to no segment' });
  });

  it.each([
    [
      new UnixctlError('unreachable', 'pidfile', 'not running'),
      'unavailable',
      /control socket can't be reached/,
    ],
    [new UnixctlError('timeout', 'ofproto/trace', 'no answer'), 'timeout', /no answer/],
    [new UnixctlError('refused', 'ofproto/trace', 'unknown field foo'), 'invalid', /unknown field foo/],
  ])('%s is %s', async (error, code, message) => {
    const refused = traceOf(parts(refuse(error)), request);
    await expect(refused).rejects.toMatchObject({ name: 'RefusedError', code });
    await expect(refused).rejects.toThrow(message);
  });

  it.each([
    [{ packet: request.packet }, 'invalid', /whose packet/],
    [{ tenant: 'c', packet: request.packet }, 'not-found', /no tenant c/],
    [{ tenant: 'a', packet: 'tcp' }, 'invalid', /isn't a packet/],
    [{ packet: 'in_port=1,tcp', from: 'v-a-client' }, 'invalid', /"from" goes with a packet/],
    [{ ...request, tracked: true, packet: 'icmp 10.20.0.10 > 10.20.0.1' }, 'invalid', /can't be looked up/],
  ])('%j is refused', async (asked, code, message) => {
    const refused = traceOf(
      parts(() => ''),
      asked,
    );
    await expect(refused).rejects.toMatchObject({ code });
    await expect(refused).rejects.toThrow(message);
  });
});
