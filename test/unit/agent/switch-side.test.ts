import { describe, expect, it } from 'vitest';
import { ConnectionLimits } from '../../../src/agent/connection-limits.js';
import { ConntrackFlushes } from '../../../src/agent/conntrack-flushes.js';
import { Desired } from '../../../src/agent/desired.js';
import { FactsStore } from '../../../src/agent/facts-store.js';
import { Loggers } from '../../../src/agent/logging.js';
import type { Unixctl } from '../../../src/ovs/index.js';
import { cookieOf, isOurGroup, isOurMeter, KIND } from '../../../src/pipeline/index.js';
import { MemorySwitch } from '../../fake-switch/connection.js';
import { ip, listener, member, pool, segment, tenant } from '../../golden/pipeline/intents.js';
import { turns, World } from '../sync/world.js';

const log = new Loggers('silent').get('agent');

describe('limits of connections', () => {
  function limits(has: string, wanted: Record<number, number>) {
    const calls: string[] = [];
    const vswitchd: Unixctl = {
      call: (...words) => {
        calls.push(words.join(' '));
        return Promise.resolve(words[0] === 'dpctl/ct-get-limits' ? `default limit=0\n${has}` : '');
      },
    };
    const all = new ConnectionLimits({
      vswitchd,
      log,
      wanted: () => new Map(Object.entries(wanted).map(([zone, limit]) => [Number(zone), limit])),
      isOurs: (zone) => zone < 100,
    });
    return { calls, all };
  }

  it('are read once, and only what differs is set', async () => {
    const { calls, all } = limits('zone=1,limit=10,count=0\nzone=2,limit=20,count=5\n', {
      1: 10,
      2: 25,
      3: 30,
    });
    await all.apply();
    expect(calls).toEqual(['dpctl/ct-get-limits', 'dpctl/ct-set-limits zone=2,limit=25 zone=3,limit=30']);
  });

  it('that nobody wants any more are taken off our zones, not off others', async () => {
    const { calls, all } = limits('zone=1,limit=10,count=0\nzone=500,limit=20,count=5\n', {});
    await all.apply();
    expect(calls).toEqual(['dpctl/ct-get-limits', 'dpctl/ct-del-limits zone=1']);
  });

  it('are asked for again only where a change of the configuration wants others', async () => {
    const wanted: Record<number, number> = { 1: 10 };
    const { calls, all } = limits('zone=1,limit=10,count=0\n', wanted);
    await all.follow();
    await all.follow();
    expect(calls).toEqual(['dpctl/ct-get-limits']);
    wanted[1] = 11;
    await all.follow();
    expect(calls.slice(1)).toEqual(['dpctl/ct-get-limits', 'dpctl/ct-set-limits zone=1,limit=11']);
  });

  it('are looked at once more for all that ask meanwhile', async () => {
    const { calls, all } = limits('zone=1,limit=10,count=0\n', { 1: 10 });
    await Promise.all([all.apply(), all.apply(), all.apply()]);
    expect(calls).toEqual(['dpctl/ct-get-limits', 'dpctl/ct-get-limits']);
  });
});

describe('flushes', () => {
  it('go one after the other, each once, and wait for a switch', async () => {
    const far = new MemorySwitch();
    let connection: ReturnType<MemorySwitch['connect']> | undefined;
    const flushes = new ConntrackFlushes({ log, connection: () => connection });
    const one = { zone: 7, member: { protocol: 'UDP', address: ip('10.0.0.2'), port: 53 } } as const;
    let done = 0;
    for (const flush of [one, one, { zone: 8 }]) void flushes.add(flush).then(() => done++);
    await turns(4);
    expect([far.asked.length, done]).toEqual([0, 0]);
    connection = far.connect();
    flushes.resume();
    expect(far.asked).toHaveLength(1);
    await turns(8);
    expect(done).toBe(3);
    expect(far.asked.map((a) => a.messages)).toEqual([
      [{ type: 'nx_ct_flush', protocol: 17, zone: 7, reply: { src: ip('10.0.0.2'), srcPort: 53 } }],
      [{ type: 'nx_ct_flush_zone', zone: 8 }],
    ]);
    expect(flushes.flushed).toBe(2);
  });

  it('that were on their way when the switch was lost go to the next one', async () => {
    const far = new MemorySwitch();
    let connection: ReturnType<MemorySwitch['connect']> | undefined = far.connect();
    far.step = (c) => c.close('lost');
    const flushes = new ConntrackFlushes({ log, connection: () => connection });
    let done = false;
    void flushes.add({ zone: 7 }).then(() => {
      done = true;
    });
    await turns(4);
    expect(done).toBe(false);
    far.step = () => undefined;
    connection = far.connect();
    flushes.resume();
    await turns(4);
    expect(done).toBe(true);
    expect(far.asked).toHaveLength(2);
  });

  it('never mean all zones', () => {
    const flushes = new ConntrackFlushes({ log, connection: () => undefined });
    for (const zone of [0, -1, 65535]) expect(() => flushes.add({ zone })).toThrow(RangeError);
  });
});

describe('facts', () => {
  it('of ports: a number belongs to one port, whoever had it before', () => {
    const facts = new FactsStore();
    expect([...facts.setPort('a', 1)]).toEqual(['a']);
    expect([...facts.setPort('a', 1)]).toEqual([]);
    facts.setPort('b', 2);
    expect([...facts.setPort('a', 2)].sort()).toEqual(['a', 'b']);
    expect([...facts.ports]).toEqual([['a', 2]]);
    expect([...facts.setPort('a', undefined)]).toEqual(['a']);
    expect([...facts.replacePorts(new Map([['c', 3]]))]).toEqual(['c']);
  });

  it('of neighbours and members say whether they changed', () => {
    const facts = new FactsStore();
    const known = { address: 5, mac: 2n, ofport: 1 };
    expect(facts.setNeighbour(7, 1, 5, known)).toBe(true);
    expect(facts.setNeighbour(7, 1, 5, { ...known })).toBe(false);
    expect(facts.setNeighbour(7, 1, 5, { ...known, ofport: 2 })).toBe(true);
    expect(facts.setNeighbour(7, 1, 5, undefined)).toBe(true);
    expect(facts.neighbours.size).toBe(0);
    expect(facts.setServing(1, new Set([1, 2]))).toBe(true);
    expect(facts.setServing(1, new Set([2, 1]))).toBe(false);
  });
});

describe('what is desired', () => {
  const T = tenant(7, {
    segments: [segment(1, '10.0.0.0/24', ['v1']), segment(2, '10.1.0.0/24', ['v2'])],
    pools: [
      pool(1, [member(1, '10.0.0.2:80'), member(2, '10.0.0.3:80')]),
      pool(2, [member(3, '10.0.0.4:80')]),
    ],
    listeners: [listener(1, '10.0.0.100:80', 1, { poolId: 1 })],
  });

  async function world() {
    const w = new World({ isOurGroup, isOurMeter });
    const facts = new FactsStore();
    const desired = new Desired(w.sync, facts);
    facts.setServing(1, new Set([1, 2]));
    desired.setTenant(T);
    await desired.renderAll();
    await w.connect();
    w.far.takeMods();
    const cookies = async () => {
      await w.pass(40);
      return [...new Set(w.far.takeMods().flatMap((m) => (m.type === 'flow_mod' ? [m.cookie] : [])))];
    };
    return { w, facts, desired, cookies };
  }
  const of = (kind: 3 | 5 | 7, object: number) => cookieOf({ tenant: 7, kind, object });

  it('is nothing before a switch has told its ports', async () => {
    const w = new World({ isOurGroup, isOurMeter });
    const desired = new Desired(w.sync, new FactsStore());
    desired.setTenant(T);
    expect(w.sync.summary().desiredFlows).toBe(0);
    await desired.renderAll();
    expect(w.sync.summary().desiredFlows).toBeGreaterThan(0);
  });

  it('of a pool follows who serves, and touches nothing else', async () => {
    const { w, facts, desired, cookies } = await world();
    facts.setServing(1, new Set([1]));
    desired.servingChanged(7, 1);
    expect(await cookies()).toEqual([of(KIND.pool, 1)]);
    expect(w.sync.summary().pending).toBe(0);
  });

  it('of a segment follows its ports and neighbours', async () => {
    const { facts, desired, cookies } = await world();
    desired.portsChanged(facts.setPort('v2', 5));
    expect(await cookies()).toEqual([of(KIND.segment, 2)]);
    facts.setNeighbour(7, 1, ip('10.0.0.2'), { address: ip('10.0.0.2'), mac: 2n, ofport: 1 });
    desired.neighboursChanged(7, 1);
    expect(await cookies()).toEqual([of(KIND.neighbours, 1)]);
  });

  it('is nothing once the tenant is removed, and the same as before when all is rendered again', async () => {
    const { w, desired, cookies } = await world();
    await desired.renderAll();
    expect(await cookies()).toEqual([]);
    desired.removeTenant(T);
    await w.pass(80);
    expect(w.far.tables.flows().filter((f) => f.cookie >> 48n === 7n)).toEqual([]);
    expect(w.far.tables.groups.size).toBe(0);
    expect(w.sync.ownersOf(7)).toEqual([]);
  });
});
