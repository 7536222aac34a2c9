import { describe, expect, it } from 'vitest';
import { SwitchCounters } from '../../../src/agent/view/switch-counters.js';
import type { SwitchConnection } from '../../../src/ofp/channel/types.js';
import type { Message } from '../../../src/ofp/index.js';
import {
  cookieOf,
  DROPS,
  type DropReason,
  KIND,
  type Kind,
  listenerMeterId,
} from '../../../src/pipeline/index.js';
import type { OwnerEntry } from '../../../src/sync/index.js';

const TENANT = 7;

/** A switch with one dropping rule per owner, and what is asked of it. */
function world() {
  const packets = new Map<OwnerEntry, bigint>();
  const entries: OwnerEntry[] = [];
  const asked: Message[] = [];
  const state = {
    meterDrops: 0n,
    limits: `default limit=0\nzone=${TENANT},limit=5,count=3\n`,
    now: 0,
    unreachable: false,
  };
  const rules = new Map<OwnerEntry, { table: number; priority: number; cookie: bigint }>();

  const owner = (kind: Kind, object: number, reason: DropReason, meters: number[] = []): OwnerEntry => {
    const { table, priority } = DROPS.find((d) => d.reason === reason)!;
    const entry = { owner: { tenant: TENANT, kind, object }, revision: 1 };
    const flow = { table, priority, cookie: cookieOf(entry.owner), match: [], instructions: [] };
    const full = {
      ...entry,
      flows: new Map([['key', { flow, instructions: '' }]]),
      meters: new Map(meters.map((id) => [id, ''])),
    } as unknown as OwnerEntry;
    entries.push(full);
    packets.set(full, 0n);
    rules.set(full, flow);
    return full;
  };
  const connection = {
    async *multipart(request: Message) {
      asked.push(request);
      if (request.type === 'meter_stats_request') {
        const bands = [{ packetCount: state.meterDrops, byteCount: 0n }];
        yield { type: 'meter_stats_reply', entries: [{ meterId: listenerMeterId(4), bands }] };
      }
      if (request.type !== 'flow_stats_request') return;
      const entry = entries.find((e) => cookieOf(e.owner) === request.cookie)!;
      yield {
        type: 'flow_stats_reply',
        entries: [{ ...rules.get(entry)!, match: [], packetCount: packets.get(entry) }],
      };
    },
  } as unknown as SwitchConnection<Message>;
  const serving = new Map<number, ReadonlySet<number>>();
  const counters = new SwitchCounters(
    {
      sync: { connection, owners: () => entries.values() },
      facts: { serving },
      vswitchd: {
        call: () => (state.unreachable ? Promise.reject(new Error('no')) : Promise.resolve(state.limits)),
      },
    } as unknown as ConstructorParameters<typeof SwitchCounters>[0],
    () => state.now,
  );
  const read = async () => {
    state.now += 10_000;
    await counters.refresh();
  };
  return { owner, packets, state, counters, read, asked, serving };
}

describe('counters of the switch', () => {
  it('add up what rules dropped, also when one was replaced and began at zero', async () => {
    const { owner, packets, counters, read } = world();
    const one = owner(KIND.tenant, 0, 'vip-without-listener');
    const dropped = () => counters.droppedPackets.get(TENANT)?.get('vip-without-listener');
    await read();
    expect(dropped()).toBe(0);
    packets.set(one, 5n);
    await read();
    expect(dropped()).toBe(5);
    packets.set(one, 2n);
    await read();
    expect(dropped()).toBe(7);
    counters.retain(new Set());
    expect(dropped()).toBeUndefined();
  });

  it('tell limits from other drops', async () => {
    const { owner, packets, counters, read, state } = world();
    packets.set(owner(KIND.listener, 4, 'connection-limit', [listenerMeterId(4)]), 3n);
    state.meterDrops = 9n;
    await read();
    expect(counters.droppedPackets.get(TENANT)).toBeUndefined();
    expect(counters.limitHits.get(TENANT)).toEqual(
      new Map([
        ['connections', 3],
        ['connection_rate', 9],
      ]),
    );
  });

  it('are read of pools that are empty, and once more of those that were', async () => {
    const { owner, read, asked, serving, counters } = world();
    owner(KIND.pool, 9, 'empty-pool');
    serving.set(9, new Set([1]));
    await read();
    expect(asked).toEqual([]);
    counters.poolEmpty(9);
    await read();
    expect(asked).toHaveLength(1);
    await read();
    expect(asked).toHaveLength(1);
    serving.set(9, new Set());
    await read();
    expect(asked).toHaveLength(2);
  });

  it('are read at most every two seconds, and once for all who ask meanwhile', async () => {
    const { owner, counters, asked, state } = world();
    owner(KIND.tenant, 0, 'vip-without-listener');
    state.now = 1;
    await Promise.all([counters.refresh(), counters.refresh()]);
    state.now = 2000;
    await counters.refresh();
    expect(asked).toHaveLength(1);
    state.now = 2001;
    await counters.refresh();
    expect(asked).toHaveLength(2);
  });

  it('show no connections rather than old ones where vswitchd does not answer', async () => {
    const { counters, read, state } = world();
    await read();
    expect(counters.connections).toEqual(new Map([[TENANT, 3]]));
    state.unreachable = true;
    await read();
    expect(counters.connections).toEqual(new Map());
  });
});
