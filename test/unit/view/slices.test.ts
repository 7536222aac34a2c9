import { expect, it } from 'vitest';
import { EVERY_FLOW, flowSlices } from '../../../src/agent/view/switch-reads.js';
import { cookieOf, KIND } from '../../../src/pipeline/index.js';

interface Fake {
  table: number;
  cookie: bigint;
}
type Selector = { type: string; table?: number; cookie?: bigint; cookieMask?: bigint };

/** A switch that holds nothing but cookies. */
function holding(flows: readonly Fake[]) {
  const asked: Selector[] = [];
  const chosen = ({ table, cookie = 0n, cookieMask = 0n }: Selector) =>
    flows.filter(
      (f) => (table === undefined || f.table === table) && (f.cookie & cookieMask) === (cookie & cookieMask),
    );
  const connection = {
    async *multipart(request: Selector) {
      asked.push(request);
      if (request.type === 'aggregate_request')
        yield { type: 'aggregate_reply', flowCount: chosen(request).length };
      else if (request.type === 'table_stats_request') {
        const entries = [...new Set(flows.map((f) => f.table))].map((table) => ({ table, activeCount: 1 }));
        yield { type: 'table_stats_reply', entries };
      } else yield { type: 'flow_stats_reply', entries: chosen(request) };
    },
  };
  return { asked, connection: connection as never };
}

async function all(connection: never, scope = EVERY_FLOW) {
  const slices: Fake[][] = [];
  for await (const slice of flowSlices(connection, scope)) slices.push(slice as unknown as Fake[]);
  return slices;
}

it('few flows are one question', async () => {
  const flows = Array.from({ length: 1999 }, (_, n) => ({ table: n % 20, cookie: 0x1234n }));
  const { asked, connection } = holding(flows);
  expect((await all(connection)).map((slice) => slice.length)).toEqual([1999]);
  expect(asked).toHaveLength(2);
});

it('many flows come in slices, each flow once, those that are not ours too', async () => {
  const flows = Array.from({ length: 50_000 }, (_, n) => ({
    table: n % 3 === 0 ? 11 : 2,
    cookie:
      n % 7 === 0 ? BigInt(n) : cookieOf({ tenant: 1 + (n % 100), kind: KIND.pool, object: 1 + (n % 500) }),
  }));
  const { connection } = holding(flows);
  const slices = await all(connection);
  expect(slices.flat()).toHaveLength(flows.length);
  expect(new Set(slices.flat()).size).toBe(flows.length);
  // Flows of others have no owner's number to be divided by.
  expect(Math.max(...slices.map((slice) => slice.length))).toBeLessThan(8000);
});

it('one owner is not divided', async () => {
  const cookie = cookieOf({ tenant: 1, kind: KIND.pool, object: 1 });
  const { connection } = holding(Array.from({ length: 5000 }, () => ({ table: 11, cookie })));
  const scope = { cookie, cookieMask: 0xffff_ffff_ffff_ffffn };
  expect((await all(connection, scope)).map((slice) => slice.length)).toEqual([5000]);
});

it('nothing is asked for where nothing is', async () => {
  const { asked, connection } = holding([]);
  expect(await all(connection)).toEqual([]);
  expect(asked).toHaveLength(1);
});
