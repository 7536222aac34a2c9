import t from 'tap';
import { HttpLoad, TcpSession } from '../../lab/load.js';
import { allOnline, applied, disturbances, tenantFlows } from '../../lab/observations.js';
import { OpenflowSniffer } from '../../lab/openflow-sniffer.js';
import { httpServer, tcpEcho } from '../../lab/services.js';
import { BACKENDS, TENANTS, VIP } from '../../lab/two-tenants.js';
import { pause } from '../../lab/until.js';
import { MEMBERS, serving } from './suites/serving.js';

for (const protocol of ['OpenFlow15', 'OpenFlow13']) {
  await t.test(`agent killed with -9 under load and started again, ${protocol}`, async (t) => {
    // Tenant a holds a connection for long, tenant b opens many.
    const state = await serving({ protocols: [protocol] }, async ({ host }) => {
      for (const role of BACKENDS) {
        await tcpEcho(host('a', role));
        await httpServer(host('b', role));
      }
    });
    const { lab, configDir, host } = state.world;
    t.teardown(() => lab.close());
    const before = await Promise.all(TENANTS.map((_, index) => tenantFlows(lab.vswitch, index + 1)));
    const session = await TcpSession.open(host('a', 'client'), VIP, 80);
    const load = await HttpLoad.start(host('b', 'client'), `http://${VIP}/`);
    const sniffer = await OpenflowSniffer.start(lab);

    await state.agent.kill();
    await pause(2000); // requests go on without an agent
    const meanwhile = await load.sample();
    t.ok(meanwhile.requests > 100, `${meanwhile.requests} requests so far`);
    t.equal(meanwhile.failed, 0, 'none failed without an agent');

    const agent = await lab.startAgent({ configDir });
    await applied(agent);
    await allOnline(agent, MEMBERS);
    await pause(3000); // a false verdict after the start would change slots by now
    const changes = await sniffer.stop();
    t.ok(changes.messages > 10, `${changes.messages} messages were sent to the switch`);
    t.match(changes, { flowMods: 0, groupMods: 0, meterMods: 0 }, 'no change among them');
    t.equal(await agent.metric('hpnn_flow_mods_total'), 0, 'and the agent says so');

    const sum = await load.stop();
    t.equal(sum.failed, 0, `${sum.requests} requests of b, slowest ${sum.slowest} ms`);
    const held = await session.close();
    t.equal(held.error, '', `connection of a: ${held.received} lines, longest gap ${held.longestGap} ms`);
    for (const [index, tenant] of TENANTS.entries()) {
      t.same(
        disturbances(before[index]!, await tenantFlows(lab.vswitch, index + 1)),
        [],
        `flows of ${tenant} are as they were`,
      );
    }
  });
}
