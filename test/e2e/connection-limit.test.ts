import t from 'tap';
import { HttpLoad } from '../../lab/load.js';
import { disturbances, tenantFlows } from '../../lab/observations.js';
import { VIP } from '../../lab/two-tenants.js';
import { until } from '../../lab/until.js';
import { serving } from './suites/serving.js';

const LIMIT = 40;

await t.test('one tenant exhausts its connections, the other has as many as it likes', async (t) => {
  const { world } = await serving({ extra: { a: `limits: { connections: ${LIMIT} }\n` } });
  const { lab, host } = world;
  t.teardown(() => lab.close());
  const before = await tenantFlows(lab.vswitch, 2);
  const a = await HttpLoad.start(host('a', 'client'), `http://${VIP}/`, 8, 1000);
  const b = await HttpLoad.start(host('b', 'client'), `http://${VIP}/`);
  await until(async () => (await a.sample()).failed > 0, { what: 'a meeting its limit' });
  const served = (await b.sample()).requests;
  await until(async () => (await b.sample()).requests > served + 10 * LIMIT, {
    what: 'b going on beyond that number',
  });
  t.ok((await lab.vswitch.connections(1)).length <= LIMIT, `at most ${LIMIT} connections of a are tracked`);
  t.ok((await lab.vswitch.connections(2)).length > LIMIT, 'and more of b');
  const sum = await b.stop();
  await a.stop();
  t.equal(sum.failed, 0, `${sum.requests} requests of b`);
  t.same(disturbances(before, await tenantFlows(lab.vswitch, 2)), []);
});
