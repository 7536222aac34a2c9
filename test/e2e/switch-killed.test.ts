import t from 'tap';
import { identity } from '../../lab/flows.js';
import { TcpSession } from '../../lab/load.js';
import { applied, tenantFlows } from '../../lab/observations.js';
import { httpServer, tcpEcho } from '../../lab/services.js';
import { BACKENDS, TENANTS, VIP } from '../../lab/two-tenants.js';
import { until } from '../../lab/until.js';
import { serving } from './suites/serving.js';

await t.test(
  'ovs-vswitchd killed and started again: flows and an open connection are back without help',
  async (t) => {
    const { world, agent } = await serving({}, async ({ host }) => {
      for (const role of BACKENDS) {
        await tcpEcho(host('a', role));
        await httpServer(host('b', role));
      }
    });
    const { lab, host } = world;
    t.teardown(() => lab.close());
    const flows = async () => {
      const all = await Promise.all(TENANTS.map((_, index) => tenantFlows(lab.vswitch, index + 1)));
      return all.flat().map(identity).sort();
    };
    const before = await flows();
    const groups = (await lab.vswitch.groups('br-lb')).sort();
    const session = await TcpSession.open(host('a', 'client'), VIP, 80);

    await lab.vswitch.kill();
    await until(
      async () => !(await agent.json<{ switch: { connected: boolean } }>('/status')).switch.connected,
      {
        what: 'the agent noticing',
      },
    );
    t.equal((await agent.get('/readyz')).status, 503, 'the agent says that it is not ready');
    const start = Date.now();
    await lab.vswitch.start();
    await applied(agent, { timeout: 20_000 });
    t.comment(`everything applied ${Date.now() - start} ms after the start`);
    await until(async () => (await flows()).length === before.length, { what: 'all flows', timeout: 10_000 });
    t.same(await flows(), before, 'the same flows');
    t.same((await lab.vswitch.groups('br-lb')).sort(), groups, 'the same groups');

    const lines = (await session.sample()).received;
    await until(async () => (await session.sample()).received > lines + 5, {
      what: 'the connection going on',
    });
    const held = await session.close();
    t.equal(held.error, '', `the connection survived with ${held.server}, gap ${held.longestGap} ms`);
    t.ok((await host('b', 'client').curl(`http://${VIP}/`)).ok, 'new connections are served');
  },
);
