import fc from 'fast-check';
import { expect, it } from 'vitest';
import { admitAfresh, admitAll, type Outcome, type Read } from '../../../src/model/admit-all.js';
import { type FileResult, parseNode, parseTenant } from '../../../src/model/load.js';

const FILES = ['a', 'b', 'c', 'd', 'e'].map((name) => `/etc/hpnn/tenants.d/${name}.yaml`);

/** Few names, ids, ports and addresses, so that files meet each other all the time; a tenth of the files is wrong. */
const tenantText = fc
  .record({
    name: fc.constantFrom('v', 'w', 'x', 'y', 'z'),
    id: fc.option(fc.constantFrom(1, 2, 3, 4, 5), { nil: undefined, freq: 2 }),
    ports: fc.subarray(['p1', 'p2', 'p3', 'p4', 'p5', 'uplink0'], { maxLength: 2 }),
    vip: fc.option(fc.constantFrom('192.168.5.7', '192.168.5.8', '192.168.5.9', '192.168.5.1'), {
      nil: undefined,
      freq: 2,
    }),
  })
  .map(
    ({ name, id, ports, vip }) =>
      `tenant: ${name}\n${id === undefined ? '' : `id: ${id}\n`}` +
      `segments: [{ name: s, subnets: [10.0.0.0/24], ports: [${ports.map((p) => `{ name: ${p} }`).join(', ')}] }]\n` +
      (vip === undefined
        ? ''
        : `load_balancers: [{ name: l, vip_address: ${vip}, external_network: public }]\n`),
  );
const text = fc.oneof(
  { weight: 9, arbitrary: tenantText },
  { weight: 1, arbitrary: fc.constant('tenant: [') },
);
const step = fc.oneof(
  { weight: 8, arbitrary: fc.record({ write: fc.constantFrom(...FILES), text }) },
  { weight: 2, arbitrary: fc.record({ remove: fc.constantFrom(...FILES) }) },
  { weight: 1, arbitrary: fc.record({ node: fc.constantFrom('uplink0', 'p1') }) },
  { weight: 1, arbitrary: fc.constant({ blind: true }) },
  // Somebody looks at what would be, and then the steps go on from where they were.
  { weight: 2, arbitrary: fc.record({ preview: fc.constantFrom(...FILES), text }) },
  // Back to an outcome of earlier, as if what came after had been such a look.
  { weight: 4, arbitrary: fc.record({ back: fc.nat(6) }) },
);

const parsed = new Map<string, FileResult>();
function read(file: string, text: string): FileResult {
  const key = `${file} ${text}`;
  if (!parsed.has(key)) parsed.set(key, { text, ...parseTenant(file, text) });
  return parsed.get(key)!;
}
const nodeWith = (port: string) =>
  parseNode(
    '/etc/hpnn/node.yaml',
    `node: n\nexternal_networks: [{ name: public, ports: [{ name: ${port} }], subnets: [192.168.5.0/24], address: 192.168.5.1 }]\n`,
  ).node!;
const NODES = new Map(['uplink0', 'p1'].map((port) => [port, nodeWith(port)]));

it('after any sequence of changes is the same as from scratch', async () => {
  let changesOnly = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 10, maxLength: 30 }), async (steps) => {
      let files = new Map<string, FileResult>();
      let node = NODES.get('uplink0')!;
      let last: Outcome | undefined;
      const history: { files: Map<string, FileResult>; node: typeof node; outcome: Outcome }[] = [];
      const admit = async (now: Map<string, FileResult>, complete: boolean): Promise<Outcome> => {
        const sorted = new Map([...now].sort(([a], [b]) => (a < b ? -1 : 1)));
        const given: Read = { node, files: sorted, complete };
        const running = last?.tenants ?? [];
        const outcome = await admitAll(given, running, last?.settled);
        const afresh = await admitAfresh(given, running);
        expect(inWords(outcome)).toBe(inWords(afresh));
        for (const [i, tenant] of outcome.tenants.entries()) expect(tenant).toBe(afresh.tenants[i]);
        if (outcome !== last && sharesBase(outcome, last)) changesOnly++;
        return outcome;
      };
      for (const s of steps) {
        if ('preview' in s) {
          await admit(new Map(files).set(s.preview, read(s.preview, s.text)), true);
          continue;
        }
        if ('back' in s) {
          const earlier = history.at(-1 - s.back);
          if (earlier !== undefined) ({ files, node, outcome: last } = earlier);
          continue;
        }
        files = new Map(files);
        if ('write' in s) files.set(s.write, read(s.write, s.text));
        else if ('remove' in s) files.delete(s.remove);
        else if ('node' in s) node = NODES.get(s.node)!;
        last = 'blind' in s ? await admit(new Map(), false) : await admit(files, true);
        history.push({ files, node, outcome: last });
      }
    }),
    { numRuns: 150 },
  );
  // Or it would only compare what is from scratch with itself.
  expect(changesOnly).toBeGreaterThan(50);
});

function sharesBase(a: Outcome, b: Outcome | undefined): boolean {
  return a.settled !== undefined && b?.settled !== undefined && a.settled.follows(b.settled);
}

const inWords = ({ tenants, kept, refused, problems }: Outcome): string =>
  JSON.stringify({ tenants: tenants.map((t) => t.name), kept, refused, problems });
