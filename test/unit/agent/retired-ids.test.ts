import { describe, expect, it } from 'vitest';
import { ConntrackFlushes } from '../../../src/agent/conntrack-flushes.js';
import { Desired } from '../../../src/agent/desired.js';
import { FactsStore } from '../../../src/agent/facts-store.js';
import { Generations } from '../../../src/agent/generations.js';
import { Intents } from '../../../src/agent/intents.js';
import { Loggers } from '../../../src/agent/logging.js';
import { RetiredIds } from '../../../src/agent/retired-ids.js';
import { IdAllocator } from '../../../src/model/index.js';
import {
  cookieOf,
  isLearned,
  isOurGroup,
  isOurMeter,
  KIND,
  ownerOfCookie,
} from '../../../src/pipeline/index.js';
import { ACME, NODE } from '../../golden/model/wrong-configs.js';
import { configDir } from '../model/config-dir.js';
import { plain, slots, World } from '../sync/world.js';

const log = new Loggers('silent').get('config');

/** The parts of an agent that have to do with ids, on a switch in memory. */
async function node(files: Record<string, string>) {
  const made = configDir({ 'node.yaml': NODE, ...files });
  const w = new World({ isOurGroup, isOurMeter });
  const ids = IdAllocator.inMemory();
  const intents = new Intents(made.dir, ids, log);
  const desired = new Desired(w.sync, new FactsStore());
  await desired.renderAll();
  const flushes = new ConntrackFlushes({ log, connection: () => w.sync.connection });
  const generations = new Generations(w.sync);
  let again = 0;
  const retired = new RetiredIds({
    ids,
    sync: w.sync,
    flushes,
    log,
    waiting: () => intents.waiting,
    compileAgain: () => again++,
  });
  const reload = async () => {
    const change = await intents.reload();
    for (const tenant of change.removed) desired.removeTenant(tenant);
    for (const tenant of change.tenants) {
      desired.setTenant(tenant);
      generations.handedOver(tenant.id, intents.generationOf(tenant.name));
    }
  };
  const zones = () =>
    w.far.asked
      .splice(0)
      .flatMap(({ messages }) => messages)
      .flatMap((m) => (m.type === 'nx_ct_flush_zone' ? [m.zone] : []));
  await reload();
  const resting = () => ids.quarantined().map(({ space, id }) => `${space} ${id}`);
  return {
    made,
    w,
    ids,
    intents,
    retired,
    generations,
    reload,
    zones,
    resting,
    compiledAgain: () => again,
    [Symbol.dispose]: () => made[Symbol.dispose](),
  };
}

/** Lets the review go on that waits for the switch. */
async function reviewed(n: Awaited<ReturnType<typeof node>>): Promise<void> {
  const review = n.retired.review();
  await n.w.pass(60);
  await review;
}

describe('numbers of what is removed', () => {
  it('rest until the switch has confirmed that their flows are gone', async () => {
    using n = await node({ 'tenants.d/acme.yaml': ACME });
    await n.w.connect();
    n.made.remove('tenants.d/acme.yaml');
    n.w.sync.detach();
    await n.reload();
    void n.retired.review();
    await n.w.pass(60);
    expect(n.resting()).toHaveLength(6);
    await n.w.connect();
    await n.w.pass(60);
    expect(n.resting()).toEqual(['tenant 7']);
    expect(n.zones()).toEqual([]);
  });

  it('rest while the switch refuses to let a flow go', async () => {
    using n = await node({ 'tenants.d/acme.yaml': ACME });
    await n.w.connect();
    n.made.write('tenants.d/acme.yaml', ACME.replace(/ {6}- \{ name: be2.*\n/, ''));
    const second = n.ids.find('endpoint', 'acme/10.20.0.3:8080')!;
    n.w.far.refuses = (m) =>
      m.type === 'flow_mod' &&
      m.command === 'delete_strict' &&
      m.cookie === cookieOf({ tenant: 7, kind: KIND.endpoint, object: second })
        ? 'OFPFMFC_EPERM'
        : undefined;
    await n.reload();
    await reviewed(n);
    expect(n.resting()).toEqual([`endpoint ${second}`]);
    n.w.far.refuses = () => undefined;
    await n.w.pass(1100, 50);
    await reviewed(n);
    expect(n.resting()).toEqual([]);
  });

  it('take what was learned under them along', async () => {
    using n = await node({ 'tenants.d/acme.yaml': ACME });
    await n.w.connect();
    const segment = n.ids.find('segment/acme', 'p2')!;
    const learned = (tenant: number) => ({ tenant, kind: KIND.learnedFdb, object: segment });
    for (const of of [learned(7), learned(8)])
      for (const f of slots(of, 1).flows)
        n.w.far.apply({ type: 'flow_mod', command: 'add', ...f, idleTimeout: 300 });
    n.made.remove('tenants.d/acme.yaml');
    await n.reload();
    await reviewed(n);
    const left = n.w.far.tables.flows().map((f) => f.cookie);
    expect(left.filter((cookie) => isLearned(ownerOfCookie(cookie)!.kind))).toEqual([cookieOf(learned(8))]);
    expect(left.filter((cookie) => cookie >> 48n === 7n)).toEqual([]);
  });

  it('of another owner are not touched while somebody has them', async () => {
    using n = await node({ 'tenants.d/acme.yaml': ACME });
    await n.w.connect();
    await reviewed(n);
    expect(n.resting()).toEqual([]);
    expect(n.intents.tenants.get('acme')!.id).toBe(7);
    expect(n.zones()).toEqual([]);
  });
});

describe("a tenant's id", () => {
  const other = ACME.replace('tenant: acme', 'tenant: other');

  it('goes to another tenant after its zone was flushed, and only that one', async () => {
    using n = await node({ 'tenants.d/acme.yaml': ACME, 'tenants.d/b.yaml': 'tenant: b\nid: 8\n' });
    await n.w.connect();
    n.made.remove('tenants.d/acme.yaml');
    n.made.remove('tenants.d/b.yaml');
    await n.reload();
    await reviewed(n);
    expect(n.resting().sort()).toEqual(['tenant 7', 'tenant 8']);
    n.made.write('tenants.d/other.yaml', other);
    await n.reload();
    expect(n.intents.tenants.has('other')).toBe(false);
    n.zones();
    await reviewed(n);
    expect(n.zones()).toEqual([7]);
    expect(n.resting()).toEqual(['tenant 8']);
    expect(n.compiledAgain()).toBe(1);
    await n.reload();
    expect(n.intents.tenants.get('other')!.id).toBe(7);
  });

  it('comes back to the same name without a flush', async () => {
    using n = await node({ 'tenants.d/acme.yaml': ACME });
    await n.w.connect();
    n.made.remove('tenants.d/acme.yaml');
    await n.reload();
    await reviewed(n);
    n.made.write('tenants.d/acme.yaml', ACME.replace('id: 7\n', ''));
    await n.reload();
    await reviewed(n);
    expect(n.intents.tenants.get('acme')!.id).toBe(7);
    expect(n.zones()).toEqual([]);
  });

  it('renamed in one reload waits for the old flows, and then follows', async () => {
    using n = await node({ 'tenants.d/acme.yaml': ACME });
    await n.w.connect();
    n.made.write('tenants.d/acme.yaml', other.replace('id: 7', 'id: 7 # was acme'));
    await n.reload();
    expect([...n.intents.tenants.keys()]).toEqual([]);
    await reviewed(n);
    expect(n.compiledAgain()).toBe(1);
    await n.reload();
    expect(n.intents.tenants.get('other')!.id).toBe(7);
    await n.w.pass(60);
    expect(plain(n.w.far.tables.flows().map((f) => f.cookie))).toContain(
      `${cookieOf({ tenant: 7, kind: KIND.tenant, object: 0 })}`,
    );
  });
});

describe('the generation of a tenant', () => {
  it('counts as applied when the switch has confirmed all of it, also after a refusal', async () => {
    using n = await node({ 'tenants.d/acme.yaml': ACME, 'tenants.d/b.yaml': 'tenant: b\nid: 8\n' });
    expect(n.generations.applied(7)).toBe(0);
    await n.w.connect();
    await n.w.pass(60);
    expect([n.generations.applied(7), n.generations.applied(8)]).toEqual([1, 1]);
    n.made.write('tenants.d/acme.yaml', ACME.replace('protocol_port: 80\n', 'protocol_port: 81\n'));
    n.w.far.refuses = (m) =>
      m.type === 'flow_mod' && m.command === 'add' ? 'OFPFMFC_TABLE_FULL' : undefined;
    await n.reload();
    await n.w.pass(60);
    expect(n.w.sync.failures(7).length).toBeGreaterThan(0);
    expect([n.intents.generationOf('acme'), n.generations.applied(7), n.generations.applied(8)]).toEqual([
      2, 1, 1,
    ]);
    n.w.far.refuses = () => undefined;
    await n.w.pass(1200, 50);
    expect(n.generations.applied(7)).toBe(2);
  });
});
